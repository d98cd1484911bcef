//! Arguments of the commands that look after a store: `stats`, `check`, `backup`; and of all that name one.

use std::{path::PathBuf, time::Duration};

use clap::{Args as ClapArgs, ValueEnum};
use nightfold::memory::NpcId;

/// Argument of every command that writes a store.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub(crate) struct WaitArgs {
    /// Longest wait for another process that writes the store, as `60s`, `5m` or `1h`: 1s to 24h [default: 5s for a
    /// file, 30s for a store on a server]
    #[arg(long, value_name = "DURATION", value_parser = wait)]
    pub(crate) wait: Option<Duration>,
}

/// Store that is read, and the form of what is shown of it.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ReadArgs {
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Store that is written.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct WriteArgs {
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

/// Store that is changed if the call says so.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ChangeArgs {
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Do it, instead of showing what would be done
    #[arg(long)]
    pub(crate) apply: bool,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Text about a `--wait` that is no duration.
const WAIT: &str = "a wait is a whole number with `s`, `m` or `h`, from 1s to 24h, as in `60s` or `5m`";

const LONGEST_WAIT: Duration = Duration::from_hours(24);

fn wait(text: &str) -> Result<Duration, &'static str> {
    let (number, seconds) = [("s", 1), ("m", 60), ("h", 3600)]
        .into_iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))
        .ok_or(WAIT)?;
    let number: u64 = number.parse().map_err(|_| WAIT)?;
    let wait = number.checked_mul(seconds).map(Duration::from_secs).ok_or(WAIT)?;
    if wait.is_zero() || wait > LONGEST_WAIT { Err(WAIT) } else { Ok(wait) }
}

/// Task that follows the nights of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AfterSleep {
    /// Run all maintenance that is due
    Maintain,
    /// Delete for good what was archived long ago
    Purge,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Number of NPCs to show, those with the largest memory first
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub(crate) biggest: u16,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Only the rows of this NPC, and the file as a whole
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// Number of problems to show; all are counted
    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) limit: u16,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BackupArgs {
    /// File to make
    #[arg(value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// Store of long-term memory, a file
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Replace a file of that name, once the new one is whole
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Copy a store in which `check` finds damage, too
    #[arg(long)]
    pub(crate) anyway: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_have_a_unit_and_bounds() {
        for (text, seconds) in [("60s", 60), ("5m", 300), ("1h", 3600), ("1s", 1), ("24h", 86_400)] {
            assert_eq!(wait(text).ok(), Some(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["60", "s", "", "0s", "-1s", "1.5s", "25h", "1d", "60 s", "99999999999999999999s"] {
            assert!(wait(text).is_err(), "{text}");
        }
    }
}
