//! What a client of the MCP server may ask for: `[mcp]`.

use serde::{Deserialize, Serialize};

/// `[mcp]`: bounds of the MCP server. Its clients speak for language models, and those read what players write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct McpConfig {
    /// Longest message that is read, in bytes [4194304; 1024 to 67108864].
    pub max_message_bytes: usize,
    /// Longest argument of a call, in bytes of JSON [1048576; 256 to 67108864].
    pub max_argument_bytes: usize,
    /// Most memories that one call of `consolidate` sleeps on [2000; 1 to 100000].
    pub max_memories: usize,
    /// Longest text of a result, in bytes; its structured part may be as long again [65536; 1024 to 16777216].
    pub max_result_bytes: usize,
    /// How many nights a list of resources gives at a time [100; 1 to 1000].
    pub page: usize,
    /// Most calls at work or waiting, of which one is at work at a time [16; 1 to 256].
    pub max_calls: usize,
}

impl Default for McpConfig {
    fn default() -> Self {
        Self {
            max_message_bytes: 4_194_304,
            max_argument_bytes: 1_048_576,
            max_memories: 2_000,
            max_result_bytes: 65_536,
            page: 100,
            max_calls: 16,
        }
    }
}
