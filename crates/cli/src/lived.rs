//! From the files a user names to the days NPCs sleep on.

use nightfold::{
    Days, days, days_by_night,
    memory::{GameTime, Memory, ValidConfig},
};

use crate::{
    args::{self, Common},
    error::{CliError, Exit},
    input::{VectorRule, memories},
    models::models,
    npcs::chosen,
    show::{count, noun},
};

/// What NPCs lived through.
pub(crate) struct Lived {
    pub(crate) days: Days,
    /// How many memories those are.
    pub(crate) memories: usize,
    /// What to tell of those that wait for another night.
    pub(crate) left_for_later: Option<String>,
}

impl Lived {
    pub(crate) fn read(args: &args::Lived, config: &ValidConfig, common: &Common) -> Result<Self, CliError> {
        let models = models(common);
        let vectors = VectorRule {
            given: args.vector_model.as_deref(),
            model: models.model_id(),
            dimensions: nightfold_embed::DIMENSIONS,
        };
        let mut memories = memories(&args.inputs, &config.input, args.on_bad_line, &vectors)?;
        if !args.npc.is_empty() {
            let npcs = chosen(&args.npc, memories.iter().map(|m| m.npc.clone()).collect(), "the input")?;
            memories.retain(|m| npcs.contains(&m.npc));
        }
        Self::of(memories, args.by_day, args.until, config)
    }

    /// One night of all memories up to a moment, or one for each date.
    pub(crate) fn of(
        memories: Vec<Memory>,
        by_day: bool,
        until: Option<GameTime>,
        config: &ValidConfig,
    ) -> Result<Self, CliError> {
        let waiting = awake_until(&memories, until)?;
        let count = memories.len() - waiting;
        let split = if by_day { days_by_night } else { days };
        let days = split(memories, until, config);
        Ok(Self { days, memories: count, left_for_later: left_for_later(waiting, until) })
    }

    pub(crate) fn nights(&self) -> usize {
        self.days.values().map(Vec::len).sum()
    }
}

/// `--until` leaves nothing to sleep on.
#[derive(Debug, thiserror::Error)]
#[error("no memory at or before {until}; the first is at {first}")]
struct NothingYet {
    until: GameTime,
    first: GameTime,
}

/// How many memories wait for another night. At least one must not.
fn awake_until(memories: &[Memory], until: Option<GameTime>) -> Result<usize, CliError> {
    let (Some(until), Some(first)) = (until, memories.iter().map(|m| m.at).min()) else { return Ok(0) };
    if first > until {
        return Err(CliError::new(Exit::Usage, NothingYet { until, first })
            .hint("--until is the moment of sleep: give one at or after the first memory"));
    }
    Ok(memories.iter().filter(|m| m.at > until).count())
}

fn left_for_later(waiting: usize, until: Option<GameTime>) -> Option<String> {
    let until = until.filter(|_| waiting > 0)?;
    let verb = noun(waiting, "waits", "wait");
    Some(format!("{} after {until} {verb} for another night\n", count(waiting, "memory", "memories")))
}
