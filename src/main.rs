//! The `rasp` program. Everything it does is in the library's `cli` module.

use mimalloc::MiMalloc;

/// Compiling makes and drops many small things: with the allocator of glibc it takes a sixth longer.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    std::process::exit(rasp::cli::main());
}
