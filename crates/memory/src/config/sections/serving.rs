//! Settings of servers: `[mcp]`, `[http]`.

use crate::config::settings::settings;

settings! {
    /// `[mcp]`: limits of the MCP server. Its clients act for language models, which read text that players
    /// wrote.
    pub struct McpConfig at mcp {
        /// Longest message that is read, in bytes.
        pub max_message_bytes: usize => 1024..=67_108_864,
        /// Longest argument of a call, in bytes of JSON.
        pub max_argument_bytes: usize => 256..=67_108_864,
        /// Maximum number of memories of one `consolidate` call.
        pub max_memories: usize => 1..=100_000,
        /// Longest text of a result, in bytes; its structured part may be as long again.
        pub max_result_bytes: usize => 1024..=16_777_216,
        /// Number of nights on one page of the list of resources.
        pub page: usize => 1..=1000,
        /// Maximum number of calls running or waiting, of which one runs at a time.
        pub max_calls: usize => 1..=256,
    }
}

settings! {
    /// `[http]`: connections of the HTTP servers, the desk and `serve`. Whoever opens many of them and sends nothing
    /// must not keep others out.
    pub struct HttpConfig at http {
        /// Maximum number of open connections; a further one closes the one that waits longest for a request.
        pub connections: usize => 4..=65_536,
        /// Seconds within which the head of a request must have arrived.
        pub head_seconds: u64 => 1..=3600,
        /// Seconds within which the body of a request must have arrived.
        pub body_seconds: u64 => 1..=3600,
    }
}
