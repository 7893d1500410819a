pub fn explain(
    _: &mut super::output::Output,
    _: &super::arguments::Explain,
) -> Result<(), super::output::Stop> {
    Ok(())
}
