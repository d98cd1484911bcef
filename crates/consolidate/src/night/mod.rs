//! The chain of a night's steps, each a type that holds all the next one needs.

mod compared;
mod draft;
mod entries;
mod reconciliation;
mod reconciling;
mod report;
mod restored;
mod same_day;
mod synthesized;
mod triaged;
mod unfounded;
mod verdicts;
mod written;

use std::sync::OnceLock;

use nightfold_memory::{
    Analysis, GameTime, InputCounts, LanguagePack, Memory, MemoryRecord, MemorySnapshot, ModelId, NightLabel,
    NpcId, SleepBudget, ValidConfig, Vectors,
};
use serde::{Deserialize, Serialize};

pub use compared::{Compared, JudgedComparison};
pub use draft::Draft;
pub(crate) use entries::verbatim;
pub use reconciling::Reconciling;
pub use synthesized::Synthesized;
pub use triaged::{Said, Triaged};
pub use verdicts::{StanceQuestion, Verdicts};

use crate::{budget::share_of_night, collapse::Distinct, synthesize, themes::Tonight};

/// What every step of one NPC's night carries along.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Frame {
    npc: NpcId,
    night: NightLabel,
    until: GameTime,
    model: ModelId,
    config: ValidConfig,
    /// Past of the NPC; of its archived statements those that the night is compared with.
    past: MemorySnapshot,
    /// What is new, blanks included, in canonical order.
    memories: Vec<Memory>,
    /// What sleep the night brought, where the day says.
    sleep: Option<SleepBudget>,
    /// The distinct texts among them; of status lines that say the same, the one that stands for the others.
    distinct: Vec<Distinct>,
    counts: InputCounts,
    /// What each distinct text says, once it was read. It follows from the texts: it is neither saved nor compared.
    #[serde(skip)]
    analyses: Analyses,
}

/// Analyses of a day, made when they are first asked for.
#[derive(Debug, Clone, Default)]
struct Analyses(OnceLock<Vec<Analysis>>);

impl PartialEq for Analyses {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Frame {
    /// What each distinct text says, as far as its words and those of the whole day tell.
    fn analyses(&self, pack: &dyn LanguagePack) -> &[Analysis] {
        self.analyses.0.get_or_init(|| {
            let actors = self.distinct.iter().flat_map(|d| &d.actors).map(String::as_str);
            let people: Vec<&str> = actors.chain([self.npc.as_str()]).collect();
            let texts: Vec<&str> = self.distinct.iter().map(|d| d.text.as_str()).collect();
            pack.analyze_day(&texts, &people)
        })
    }

    /// The entries that statements of the day may confirm or supersede: what is active, and what of the archived is compared.
    fn known(&self) -> impl Iterator<Item = &MemoryRecord> {
        self.past.entries.iter().chain(&self.past.archived)
    }

    /// How much of its budgets the night is worth, 0 to 1.
    fn share(&self) -> f64 {
        share_of_night(self.sleep, &self.config.sleep)
    }

    /// The night as it sees its themes; `vectors` are those of the distinct memories.
    fn tonight<'a>(&'a self, vectors: &'a Vectors) -> Tonight<'a> {
        Tonight {
            distinct: &self.distinct,
            vectors,
            night: &self.night,
            until: self.until,
            config: &self.config.themes,
        }
    }

    /// How many tokens language models may cost.
    fn ledger(&self) -> usize {
        (self.config.budget.tokens as f64 * self.share()).floor() as usize
    }

    /// The day as synthesis sees it.
    fn day<'a>(&'a self, own: &'a Analysis, pack: &'a dyn LanguagePack) -> synthesize::Day<'a> {
        let (distinct, config, analyses) = (&self.distinct, &self.config, self.analyses(pack));
        let (name, share, ledger) = (self.npc.as_str(), self.share(), self.ledger());
        synthesize::Day { distinct, analyses, name, own, config, pack, share, ledger }
    }

    /// The NPC's name, read as one.
    fn own(&self, pack: &dyn LanguagePack) -> Analysis {
        pack.analyze(self.npc.as_str(), &[self.npc.as_str()])
    }
}
