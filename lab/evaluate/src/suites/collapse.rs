//! Agreement of collapsed status lines with their templates.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use nightfold_consolidate::collapse::{Phase, Significance, StatusCollapse, StatusRecord};
use nightfold_english::English;
use nightfold_memory::{GameTime, config::CollapseConfig};

use crate::{
    agreement::Agreement,
    data::{self, LabelledTexts},
    lab::Lab,
    report::{Cell, Report, Section, row},
    suite::Suite,
};

/// Phases that are measured, each with the phases before it.
const PHASES: [Phase; 3] = [Phase::Exact, Phase::Token, Phase::Fuzzy];

/// Mean grouping accuracy of a trial of phases 1 to 3 on the same logs.
const RULES: f64 = 0.738;
/// Accuracies published for Drain (He et al. 2017, in Zhu et al. 2019).
const DRAIN: [(&str, f64); 8] = [
    ("HDFS", 0.9975),
    ("Hadoop", 0.9475),
    ("Thunderbird", 0.955),
    ("Linux", 0.690),
    ("Android", 0.911),
    ("HealthApp", 0.780),
    ("Apache", 1.0),
    ("OpenSSH", 0.7875),
];

pub(crate) struct Collapse;

impl Suite for Collapse {
    fn name(&self) -> &'static str {
        "collapse"
    }

    fn measures(&self) -> &'static str {
        "Accuracy of grouping status lines by their template. Falls short below the published figures of other programs"
    }

    fn data(&self) -> &'static str {
        "of --data loghub, with a file SYSTEM_2k.log_structured.csv for each system"
    }

    fn run(&self, lab: &Lab) -> Result<Report> {
        let folder = lab.options.data.as_deref();
        let folder = folder.context("no data is given; this measures on loghub in the folder of --data")?;
        let inner = folder.join("loghub");
        let logs = data::loghub(if inner.is_dir() { &inner } else { folder })?;
        let columns = ["system", "templates"].into_iter().chain(PHASES.map(Phase::as_str)).chain(["Drain"]);
        let mut section = Section::new("grouping accuracy", columns);
        let mut means = [0.0; PHASES.len()];
        for log in &logs {
            let scores = PHASES.map(|phase| collapse(log, phase, &lab.config.collapse).exact);
            let templates: BTreeSet<&str> = log.items.iter().map(|line| line.label.as_str()).collect();
            let drain = DRAIN.iter().find(|(system, _)| *system == log.name).map(|(_, accuracy)| *accuracy);
            section.row(
                [row![log.name, templates.len()], scores.map(Cell::from).to_vec(), row![drain]].concat(),
            );
            means.iter_mut().zip(&scores).for_each(|(mean, score)| *mean += score / logs.len() as f64);
        }
        let drain = DRAIN.iter().map(|(_, accuracy)| accuracy).sum::<f64>() / DRAIN.len() as f64;
        section.row([row!["mean", ""], means.map(Cell::from).to_vec(), row![drain]].concat());
        let mut report = Report { sections: vec![section], ..Report::default() };
        let is_drains =
            logs.len() == DRAIN.len() && logs.iter().all(|log| DRAIN.iter().any(|(s, _)| *s == log.name));
        let [.., fuzzy] = means;
        if is_drains && fuzzy < RULES {
            report
                .shortfalls
                .push(format!("phases 1 to 3: mean grouping accuracy {fuzzy:.4}, below {RULES}"));
        }
        Ok(report)
    }
}

/// Collapses the lines of a log up to a phase. Every line is treated as a status line.
fn collapse(log: &LabelledTexts, phase: Phase, config: &CollapseConfig) -> Agreement {
    let config = config.clone().with(|c| c.fuzzy = phase == Phase::Fuzzy);
    let mut collapse = StatusCollapse::unfiltered(&config, &English).up_to(phase);
    let ids: Vec<String> = (0..log.items.len()).map(|n| n.to_string()).collect();
    for ((id, line), at) in ids.iter().zip(&log.items).zip(0..) {
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
    let mut label: Vec<i64> = (0..).take(log.items.len()).collect();
    for group in &found.groups {
        let lines = std::iter::once(&group.canonical).chain(&group.duplicates);
        let lines: Vec<usize> = lines.filter_map(|id| id.parse().ok()).collect();
        let first = lines.first().map_or(0, |&at| label[at]);
        lines.into_iter().for_each(|at| label[at] = first);
    }
    Agreement::of(log.items.iter().map(|l| l.label.as_str()).zip(label))
}
