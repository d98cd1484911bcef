//! Agreement of collapsed status lines with their templates.

use nightfold_consolidate::collapse::{Phase, Significance, StatusCollapse, StatusRecord};
use nightfold_english::English;
use nightfold_memory::{GameTime, config::CollapseConfig};
use serde::Serialize;

use crate::{GroupingScore, data::LabelledLog};

/// Phases that are measured, each with the phases before it; the template phase without the fuzzy one.
pub const PHASES: [Phase; 4] = [Phase::Exact, Phase::Token, Phase::Fuzzy, Phase::Template];

/// Result of one phase on one system's log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CollapseScore {
    /// Name of the system.
    pub system: &'static str,
    /// Last phase that was run.
    pub phase: Phase,
    /// Number of templates.
    pub templates: usize,
    /// Number of groups found, of one line and more.
    pub groups: usize,
    /// Agreement of groups with templates.
    #[serde(flatten)]
    pub grouping: GroupingScore,
}

/// Collapses the lines of a log up to a phase. Every line is treated as a status line.
pub fn collapse(log: &LabelledLog, phase: Phase, config: &CollapseConfig) -> CollapseScore {
    let config = config.clone().with(|c| {
        c.fuzzy = phase == Phase::Fuzzy;
        c.template = phase == Phase::Template;
    });
    let mut collapse = StatusCollapse::unfiltered(&config, &English).up_to(phase);
    let ids: Vec<String> = (0..log.lines.len()).map(|n| n.to_string()).collect();
    for ((id, line), at) in ids.iter().zip(&log.lines).zip(0..) {
        collapse.push(StatusRecord {
            id,
            text: &line.text,
            context: "",
            significance: Significance::Routine,
            reinforcement: 1,
            created_at: GameTime::from_seconds(at).unwrap_or(GameTime::ZERO),
        });
    }
    let found = collapse.finish();
    // Lines in no group are groups of one.
    let mut label: Vec<i64> = (0..).take(log.lines.len()).collect();
    for group in &found.groups {
        let lines = std::iter::once(&group.canonical).chain(&group.duplicates);
        let lines: Vec<usize> = lines.filter_map(|id| id.parse().ok()).collect();
        let first = lines.first().map_or(0, |&at| label[at]);
        lines.into_iter().for_each(|at| label[at] = first);
    }
    let templates: std::collections::BTreeSet<&str> = log.lines.iter().map(|l| l.label.as_str()).collect();
    let groups: std::collections::BTreeSet<i64> = label.iter().copied().collect();
    CollapseScore {
        system: log.system,
        phase,
        templates: templates.len(),
        groups: groups.len(),
        grouping: GroupingScore::of(log.lines.iter().map(|l| l.label.as_str()).zip(label)),
    }
}
