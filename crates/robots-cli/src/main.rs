//! The program `robots`.

/// Pages are held back, small among the large buffers that archives are read into: the system's allocator makes
/// holes of that, and takes twice the memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    robots_cli::run()
}
