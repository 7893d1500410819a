//! The `rasp` program. Everything it does is in the library's `cli` module.

fn main() {
    std::process::exit(rasp::cli::main());
}
