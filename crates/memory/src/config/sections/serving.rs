//! Settings of servers: `[http]`.

use crate::config::settings::settings;

settings! {
    /// `[http]`: connections of the HTTP servers, the desk and `serve`. Whoever opens many of them and sends nothing
    /// must not keep others out.
    pub struct HttpConfig at http {
        /// Maximum number of open connections; a further one waits until another ends.
        pub connections: usize => 4..=65_536,
        /// Seconds within which the head of a request must have arrived, and then its body.
        pub request_seconds: u64 => 1..=3600,
    }
}
