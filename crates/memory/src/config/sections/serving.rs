//! Settings of servers: `[mcp]`, `[http]`.

use crate::config::settings::settings;

settings! {
    /// `[mcp]`: limits of the MCP server. Its clients act for language models, which read text that players
    /// wrote.
    pub struct McpConfig at mcp {
        /// Longest message that is read, in bytes [4194304; 1024 to 67108864].
        pub max_message_bytes: usize,
        /// Longest argument of a call, in bytes of JSON [1048576; 256 to 67108864].
        pub max_argument_bytes: usize,
        /// Maximum number of memories of one `consolidate` call [2000; 1 to 100000].
        pub max_memories: usize,
        /// Longest text of a result, in bytes; its structured part may be as long again [65536; 1024 to 16777216].
        pub max_result_bytes: usize,
        /// Number of nights on one page of the list of resources [100; 1 to 1000].
        pub page: usize,
        /// Maximum number of calls running or waiting, of which one runs at a time [16; 1 to 256].
        pub max_calls: usize,
    }
}

settings! {
    /// `[http]`: connections of the HTTP servers, the desk and `serve`. Whoever opens many of them and sends nothing
    /// must not keep others out.
    pub struct HttpConfig at http {
        /// Maximum number of open connections; a further one closes the one that waits longest for a request [64; 4
        /// to 65536].
        pub connections: usize,
        /// Seconds within which the head of a request must have arrived [10; 1 to 3600].
        pub head_seconds: u64,
        /// Seconds within which the body of a request must have arrived [60; 1 to 3600].
        pub body_seconds: u64,
    }
}
