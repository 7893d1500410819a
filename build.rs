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
    let target = |name| std::env::var(name).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" && target("CARGO_CFG_TARGET_ENV") == "gnu" {
        // At a fixed address nothing is relocated at each start: a third of what `rasp --version` takes.
        println!("cargo::rustc-link-arg-bin=rasp=-no-pie");
    }
}
