//! The program `pno`: everything it does is in the library beside it.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    pno_trainer::main()
}
