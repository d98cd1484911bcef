//! The name of this process among workers.

/// Returns a name that people can find the process by: the machine's, and the number of the process.
pub(crate) fn name() -> String {
    format!("{}:{}", machine(), std::process::id())
}

#[cfg(unix)]
fn machine() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn machine() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "worker".to_owned())
}
