//! Engines: the arithmetic in which the sentence model computes.

use nightfold_memory::config::EmbedEngine;

/// Arithmetic in which the sentence model computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// 32-bit floating point, by ONNX Runtime.
    #[default]
    Exact,
    /// 16-bit brain floating point, by OpenVINO, on processors with AMX: faster. Its vectors have a cosine of 0.9999 or
    /// more to the exact ones, and are the same in any batch.
    Bf16,
}

/// Error for a processor on which [`Engine::Bf16`] would be slower than [`Engine::Exact`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this processor has no AMX instructions for 16-bit brain floating point (amx_bf16), without which the engine \"bf16\" is \
     slower than \"exact\""
)]
pub struct EngineError;

impl Engine {
    /// Returns the engine of a configuration: for [`EmbedEngine::Auto`] the fastest one of this machine.
    pub fn of(configured: EmbedEngine) -> Self {
        match configured {
            EmbedEngine::Bf16 => Self::Bf16,
            EmbedEngine::Auto if Self::Bf16.check().is_ok() => Self::Bf16,
            EmbedEngine::Auto | EmbedEngine::Exact => Self::Exact,
        }
    }

    /// Checks that this machine runs the engine.
    ///
    /// # Errors
    /// [`EngineError`] for [`Engine::Bf16`] on a processor without AMX.
    pub fn check(self) -> Result<(), EngineError> {
        match self {
            Self::Exact => Ok(()),
            // Linux leaves out what it does not let programs use, which the processor itself would not say.
            Self::Bf16 => std::fs::read_to_string("/proc/cpuinfo")
                .is_ok_and(|cpus| has_amx(&cpus))
                .then_some(())
                .ok_or(EngineError),
        }
    }
}

/// True if the first processor of a `/proc/cpuinfo` multiplies in 16-bit brain floating point by AMX.
fn has_amx(cpus: &str) -> bool {
    let flags = cpus.lines().find_map(|line| line.strip_prefix("flags"));
    flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "amx_bf16"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amx_is_read_from_the_flags_alone() {
        assert!(has_amx("processor\t: 0\nflags\t\t: fpu amx_tile amx_bf16 avx2\nbugs\t\t: none\n"));
        assert!(!has_amx("processor\t: 0\nmodel name\t: amx_bf16\nflags\t\t: fpu avx512_bf16 amx_bf16x\n"));
        assert!(!has_amx(""));
    }

    #[test]
    fn auto_is_an_engine_that_runs_here() {
        Engine::of(EmbedEngine::Auto).check().unwrap();
        assert_eq!(Engine::of(EmbedEngine::Exact), Engine::Exact);
        assert_eq!(Engine::of(EmbedEngine::Bf16), Engine::Bf16);
    }
}
