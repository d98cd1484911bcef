//! The second step: every memory has a fate, and what could be said about them is known.

use std::collections::BTreeMap;

use nightfold_memory::{Answer, LanguageTask, Vectors};
use serde::{Deserialize, Serialize};

use super::{
    Frame, Synthesized,
    synthesized::{Insight, Telling},
};
use crate::{
    ConsolidateError,
    cluster::cluster_with,
    gram::Gram,
    synthesize::{Day, Reflecting},
    triage::{Judge, Triage},
};

/// A day whose fates are decided, waiting for answers to its language tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Triaged {
    frame: Frame,
    vectors: Vectors,
    triage: Triage,
    tasks: Vec<LanguageTask>,
    /// The token ledger's share of each theme.
    token_shares: Vec<usize>,
    /// Most reflections of each theme.
    slots: Vec<usize>,
}

impl Triaged {
    pub(super) fn new(frame: Frame, vectors: Vectors) -> Result<Self, ConsolidateError> {
        let gram = Gram::new(&vectors);
        let clustering = cluster_with(&vectors, &gram, None, &frame.config)?;
        let analyses = frame.analyses();
        let judge = Judge {
            distinct: &frame.distinct,
            analyses: &analyses,
            vectors: &vectors,
            gram: &gram,
            past: &frame.past,
            config: &frame.config,
        };
        let triage = judge.triage(clustering);
        let own = frame.own();
        let day = Day { distinct: &frame.distinct, analyses: &analyses, own: &own, config: &frame.config };
        let reflecting = day.reflecting(&triage.themes);
        let tasks = day.tasks(&triage.groups, &reflecting);
        let token_shares = day.token_shares(&triage.themes, &triage.groups, &reflecting, &tasks);
        let mut slots = vec![0; triage.themes.len()];
        reflecting.iter().for_each(|r| slots[r.theme] = r.slots);
        Ok(Self { frame, vectors, triage, tasks, token_shares, slots })
    }

    /// What a language model could be asked, the most valuable per token first.
    pub fn tasks(&self) -> &[LanguageTask] {
        &self.tasks
    }

    /// Tells and concludes by rules alone.
    pub fn synthesize_by_rules(self) -> Synthesized {
        self.synthesize(&BTreeMap::new(), 0)
    }

    /// Tells and concludes: with the answers given by task id where they pass the checks, by rules where there is
    /// none or none passes. `spent` is what the answers cost, in tokens.
    pub fn synthesize(self, answers: &BTreeMap<usize, Vec<Answer>>, spent: usize) -> Synthesized {
        let Self { frame, vectors, triage, tasks, token_shares, slots } = self;
        let analyses = frame.analyses();
        let own = frame.own();
        let day = Day { distinct: &frame.distinct, analyses: &analyses, own: &own, config: &frame.config };
        let answered = |id: usize| answers.get(&id).map_or(&[][..], Vec::as_slice);
        let tellings = triage
            .groups
            .iter()
            .enumerate()
            .map(|(id, group)| Telling { group: id, text: day.synthesis(&group.members, answered(id)) })
            .collect();
        let reflecting: Vec<Reflecting> = day.reflecting(&triage.themes);
        let insights = reflecting
            .iter()
            .enumerate()
            .flat_map(|(i, r)| {
                let theme = r.theme;
                day.reflections(r, answered(triage.groups.len() + i)).into_iter().map(move |d| Insight {
                    kind: d.kind,
                    text: d.text,
                    rows: d.rows,
                    theme,
                })
            })
            .collect();
        let estimate = tasks.iter().map(|t| t.tokens).sum();
        Synthesized { frame, vectors, triage, token_shares, slots, tellings, insights, estimate, spent }
    }
}
