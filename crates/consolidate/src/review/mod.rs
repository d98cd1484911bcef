//! Review of a plan before it is applied: NPCs and changes can be declined, texts can be rewritten.
//!
//! [`NightView`] is a night as a reader sees it; [`NightView::summary`] puts it into a dozen lines, and
//! [`NightView::lines`] into all of them, from which terminals, Markdown and plain text are written.
//!
//! A plan decides the fate of every memory of its day, so declining a change leaves a memory undecided. A
//! memory that would have been synthesized, pruned or merged into an older entry stays as it was lived, word
//! for word; one that would have been stored is archived. A declined reflection is not written, and an older
//! entry keeps its state. Changes that rest on a declined change are declined with it.

mod earlier;
mod extent;
mod lines;
mod report;
mod reviewed_night;
mod story;
mod summary;
mod view;
mod words;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use nightfold_memory::{
    Change, Fault, IdError, LanguagePacks, MemoryId, NightLabel, NightPlan, NpcId, PackName, RunReport,
    ValidConfig, Vectors,
};

pub use earlier::{EarlierEntries, EarlierEntry};
pub use extent::Extent;
pub use lines::{Line, LineForm, NightLines, TextRole};
pub use story::{BeliefChange, ChangedBelief, NightStory};
pub use summary::headline;
pub use view::{
    MemoryFate, MemoryView, NightView, Proposal, ProposalKind, RecordView, RepeatView, Section,
    StatementIndex, StatementRef,
};
pub use words::{
    compared_words, count, ended_words, important_ended_words, noun, reason_words, shortened, strength_words,
};

use self::reviewed_night::ReviewedNight;

/// Name of a change: the id of the entry or memory that it concerns, alone or after its verb, as in
/// `supersede:m-41`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selector {
    verb: Option<&'static str>,
    id: MemoryId,
}

impl FromStr for Selector {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let named = Change::VERBS.into_iter().find_map(|verb| {
            let id = text.strip_prefix(verb)?.strip_prefix(':')?;
            Some((verb, id))
        });
        let (verb, id) = named.map_or((None, text), |(verb, id)| (Some(verb), id));
        Ok(Self { verb, id: MemoryId::new(id)? })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.verb {
            Some(verb) => write!(f, "{verb}:{}", self.id),
            None => write!(f, "{}", self.id),
        }
    }
}

impl Selector {
    /// True if the selector names this change. An id alone never names the collapse of repeats: repeats of
    /// one text become one memory in any case.
    fn matches(&self, change: &Change) -> bool {
        let day = matches!(change, Change::Collapse { standing: None, .. });
        *change.id() == self.id && self.verb.map_or(!day, |verb| verb == change.verb())
    }
}

/// Changes of a plan that are to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Wanted {
    /// All changes.
    #[default]
    All,
    /// Only the listed changes.
    Only(Vec<Selector>),
    /// All changes except the listed ones.
    Except(Vec<Selector>),
}

/// A reviewer's choices about a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    /// NPCs whose nights are to be applied; empty for all.
    pub npcs: BTreeSet<NpcId>,
    /// Changes of these nights that are to be made.
    pub wanted: Wanted,
    /// New texts of syntheses and reflections, by id. A new text must pass the checks that a language model's
    /// text must pass.
    pub texts: BTreeMap<MemoryId, String>,
}

/// Error of applying choices to a plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// The plan holds no night of this NPC.
    #[error("the plan holds no night of {npc}")]
    NoNight {
        /// NPC that was named.
        npc: NpcId,
    },
    /// No change of the plan has this name.
    #[error("no change of the plan is {named}")]
    NoChange {
        /// Name that was given.
        named: String,
    },
    /// Changes of several NPCs have this name.
    #[error("{named} is a change of {one} and of {other}")]
    Ambiguous {
        /// Name that was given.
        named: String,
        /// First of the NPCs.
        one: NpcId,
        /// Second of the NPCs.
        other: NpcId,
    },
    /// The change cannot be declined.
    #[error("{verb} {id} cannot be declined: {why}")]
    CannotDecline {
        /// Verb of the change.
        verb: &'static str,
        /// Id of the entry or memory that it concerns.
        id: MemoryId,
        /// Reason that it cannot.
        why: &'static str,
    },
    /// The text cannot be rewritten.
    #[error("the words of {id} cannot be changed: {why}")]
    CannotRewrite {
        /// Id of the entry or memory with this text.
        id: MemoryId,
        /// Reason that it cannot.
        why: &'static str,
    },
    /// The new text fails the checks against its sources.
    #[error("what {id} is to say is refused: it {}", fault.in_words())]
    Text {
        /// Id of the synthesis or reflection.
        id: MemoryId,
        /// Fault of the new text.
        fault: Fault,
    },
    /// A later night of the plan builds on one that is to be changed.
    #[error("night {later} of {npc} was planned from night {night}, which is to be changed")]
    NeededByLaterNight {
        /// NPC of these nights.
        npc: NpcId,
        /// Night that is to be changed.
        night: NightLabel,
        /// Night that builds on it.
        later: NightLabel,
    },
    /// The night was planned with an unknown language pack.
    #[error("the night of {npc} was planned with the language pack `{}`, which this program does not have", pack.as_str())]
    MissingPack {
        /// NPC of the night.
        npc: NpcId,
        /// Name of the pack.
        pack: PackName,
    },
    /// The number of vectors differs from the number of texts.
    #[error("{given} vectors were given for {expected} texts")]
    Vectors {
        /// Number of texts.
        expected: usize,
        /// Number of vectors.
        given: usize,
    },
}

/// A plan with choices applied, waiting for the vectors of its new texts.
///
/// ```
/// use nightfold_consolidate::review::{Choices, Reviewing, Wanted};
/// # use nightfold_consolidate::Draft;
/// # use nightfold_english::{English, Packs};
/// # use nightfold_memory::{Day, NightPlan, MemorySnapshot, PLAN_FORMAT, RunReport, ValidConfig, Vectors};
/// # let config = ValidConfig::default();
/// # let day: Day = serde_json::from_value(serde_json::json!({
/// #     "npc": "Mara", "night": "day-0", "until": 9, "memories": [
/// #         {"id": "m1", "npc": "Mara", "at": 1, "kind": "event", "text": "I lit the stove", "importance": 4}]
/// # })).unwrap();
/// # let mut vectors = Vectors::with_capacity(2, 1);
/// # vectors.push(&[1.0, 0.0]).unwrap();
/// # let told = Draft::begin(day, MemorySnapshot::empty(), "toy@1".parse().unwrap(), &config, &English).unwrap()
/// #     .triage(vectors, &English).unwrap().synthesize_by_rules(&English);
/// # let night = told.reconcile(Vectors::with_capacity(2, 0), &English).unwrap().finish_by_rules(&English);
/// # let plan = NightPlan { format: PLAN_FORMAT, report: RunReport::sum(1, [&night.report].into_iter()), nights: vec![night] };
/// let choices = Choices { wanted: Wanted::Except(vec!["m1".parse()?]), ..Choices::default() };
/// let reviewing = Reviewing::begin(plan, &choices, &config, &Packs)?;
/// assert!(reviewing.texts_to_embed().is_empty());
/// let plan = reviewing.finish(&Vectors::with_capacity(2, 0))?;
/// assert_eq!(plan.nights[0].changes[0].verb(), "prune");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reviewing {
    format: u32,
    nights: Vec<ReviewedNight>,
}

impl Reviewing {
    /// Applies the choices. `config`, or the profile of an NPC in it, holds the largest length of a text and the
    /// least importance of memories whose words must be kept.
    ///
    /// # Errors
    /// [`ReviewError`] if a choice names no change or changes of several NPCs, or cannot be applied.
    pub fn begin(
        plan: NightPlan,
        choices: &Choices,
        config: &ValidConfig,
        packs: &dyn LanguagePacks,
    ) -> Result<Self, ReviewError> {
        let NightPlan { format, mut nights, .. } = plan;
        if let Some(npc) = choices.npcs.iter().find(|npc| nights.iter().all(|n| n.npc != **npc)) {
            return Err(ReviewError::NoNight { npc: npc.clone() });
        }
        nights.retain(|n| choices.npcs.is_empty() || choices.npcs.contains(&n.npc));
        let mut declined: Vec<BTreeSet<usize>> = nights.iter().map(|_| BTreeSet::new()).collect();
        let (selectors, only) = match &choices.wanted {
            Wanted::All => (&[][..], false),
            Wanted::Only(selectors) => (selectors.as_slice(), true),
            Wanted::Except(selectors) => (selectors.as_slice(), false),
        };
        for selector in selectors {
            let found = find_changes(&nights, selector, |change| selector.matches(change))?;
            found.into_iter().for_each(|(night, change)| {
                declined[night].insert(change);
            });
        }
        if only {
            for (night, named) in nights.iter().zip(&mut declined) {
                let others = (0..night.changes.len()).filter(|i| !named.contains(i));
                *named = others
                    .filter(|&i| reviewed_night::why_not_declinable(&night.changes[i]).is_none())
                    .collect();
            }
        }
        let mut texts: Vec<BTreeMap<usize, &str>> = nights.iter().map(|_| BTreeMap::new()).collect();
        for (id, text) in &choices.texts {
            let found = find_changes(&nights, id, |change| change.entry().is_some_and(|e| e.id == *id))?;
            found.into_iter().for_each(|(night, change)| {
                texts[night].insert(change, text);
            });
        }
        for (i, night) in nights.iter().enumerate() {
            let changed = !declined[i].is_empty() || !texts[i].is_empty();
            let later = nights[i + 1..].iter().find(|later| later.npc == night.npc && !later.is_empty());
            if let Some(later) = later.filter(|_| changed) {
                let (npc, night, later) = (night.npc.clone(), night.night.clone(), later.night.clone());
                return Err(ReviewError::NeededByLaterNight { npc, night, later });
            }
        }
        let reviewed = nights.into_iter().zip(declined).zip(texts);
        let nights = reviewed
            .map(|((night, declined), texts)| {
                let pack = packs.named(night.report.pack.as_str()).ok_or_else(|| {
                    ReviewError::MissingPack { npc: night.npc.clone(), pack: night.report.pack.clone() }
                })?;
                let config = config.for_npc(&night.npc, &night.npc_tags);
                ReviewedNight::of(night, declined, &texts, &config, pack)
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { format, nights })
    }

    /// Returns the texts whose vectors the plan now needs, in order.
    pub fn texts_to_embed(&self) -> Vec<&str> {
        self.nights.iter().flat_map(ReviewedNight::texts_to_embed).collect()
    }

    /// Returns the plan that is to be applied; `vectors` are those of [the texts](Reviewing::texts_to_embed).
    ///
    /// # Errors
    /// [`ReviewError::Vectors`] if the number of vectors differs from the number of texts.
    pub fn finish(self, vectors: &Vectors) -> Result<NightPlan, ReviewError> {
        let expected = self.texts_to_embed().len();
        if vectors.len() != expected {
            return Err(ReviewError::Vectors { expected, given: vectors.len() });
        }
        let mut next = 0;
        let mut nights = Vec::with_capacity(self.nights.len());
        for night in self.nights {
            let first = next;
            next += night.texts_to_embed().len();
            nights.push(night.finish((first..next).map(|row| vectors.vector(row))));
        }
        let npcs: BTreeSet<&NpcId> = nights.iter().map(|n| &n.npc).collect();
        let report = RunReport::sum(npcs.len(), nights.iter().map(|n| &n.report));
        Ok(NightPlan { format: self.format, nights, report })
    }
}

/// Returns the named changes, each as its night and its place in it; all must be of one NPC.
fn find_changes(
    nights: &[nightfold_memory::NpcNight],
    named: &impl fmt::Display,
    names: impl Fn(&Change) -> bool,
) -> Result<Vec<(usize, usize)>, ReviewError> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (n, night) in nights.iter().enumerate() {
        for (c, _) in night.changes.iter().enumerate().filter(|(_, change)| names(change)) {
            if let Some(&(other, _)) = found.first()
                && nights[other].npc != night.npc
            {
                let (one, other) = (nights[other].npc.clone(), night.npc.clone());
                return Err(ReviewError::Ambiguous { named: named.to_string(), one, other });
            }
            found.push((n, c));
        }
    }
    if found.is_empty() { Err(ReviewError::NoChange { named: named.to_string() }) } else { Ok(found) }
}
