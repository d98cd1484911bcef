//! Settings of servers: `[mcp]`, `[http]`.

use crate::config::settings::settings;

settings! {
    /// `[mcp]`: limits of the MCP server. Its clients act for language models, which read text that players
    /// wrote.
    pub struct McpConfig at mcp {
        /// Longest message that is read, in bytes.
        pub max_message_bytes: usize => 1024..=67_108_864,
        /// Maximum number of memories of one `consolidate` call.
        pub max_memories: usize => 1..=100_000,
        /// Longest text of a result, in bytes; its structured part may be as long again.
        pub max_result_bytes: usize => 1024..=16_777_216,
    }
}

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
