//! The `nightfold` program, built here so that cargo tells the tests where it lies.

fn main() -> std::process::ExitCode {
    nightfold_cli::main()
}
