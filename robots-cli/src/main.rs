//! The program `robots`.

fn main() -> std::process::ExitCode {
    robots_cli::run()
}
