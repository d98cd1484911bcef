//! The `nightfold` program.

fn main() -> std::process::ExitCode {
    nightfold_cli::main()
}
