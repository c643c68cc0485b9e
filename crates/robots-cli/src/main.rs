//! The program `robots`.

/// Pages in memory are small allocations between the large buffers of archives. With the system's allocator this
/// fragments the heap, and takes twice the memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs before `main`: the systems call the functions in this section when they have loaded the program.
#[cfg(unix)]
#[used]
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = {
    extern "C" fn before_main() {
        robots_cli::note_standard_output();
    }
    before_main
};

fn main() -> std::process::ExitCode {
    robots_cli::run()
}
