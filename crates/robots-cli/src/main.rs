//! The program `robots`.

/// Pages in memory are small allocations between the large buffers of archives. With the system's allocator this
/// fragments the heap, and takes twice the memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    robots_cli::run()
}
