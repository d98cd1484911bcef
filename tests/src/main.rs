//! The `nightfold` program, built here so that cargo tells the tests where it lies. Behind its model it has the vectors of the
//! test run.

fn main() -> std::process::ExitCode {
    nightfold_cli::main()
}
