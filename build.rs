//! Generates the parser from `grammar/rasp.lalrpop` into `OUT_DIR`.

fn main() {
    let generated = lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .emit_rerun_directives(true)
        .process();
    // LALRPOP has already explained the error; a panic would only bury its message.
    if generated.is_err() {
        std::process::exit(1);
    }
}
