//! Agreement of collapsed status lines with their templates.

use std::collections::BTreeSet;

use nightfold_consolidate::collapse::{Phase, Significance, StatusCollapse, StatusRecord};
use nightfold_english::English;
use nightfold_memory::{GameTime, config::CollapseConfig};

use crate::{
    data::{self, LabelledLog},
    error::EvaluateError,
    grouping::GroupingScore,
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

    fn run(&self, lab: &Lab) -> Result<Report, EvaluateError> {
        let folder = lab.options.data.as_deref().ok_or(EvaluateError::NoData("loghub"))?;
        let inner = folder.join("loghub");
        let logs = data::loghub(if inner.is_dir() { &inner } else { folder })?;
        let columns = ["system", "templates"].into_iter().chain(PHASES.map(Phase::as_str)).chain(["Drain"]);
        let mut accuracies = Section::new("grouping accuracy", columns.clone());
        let mut pairs = Section::new("pairwise F1", columns.filter(|column| *column != "Drain"));
        let mut means = [0.0; PHASES.len()];
        for log in &logs {
            let scores = PHASES.map(|phase| collapse(log, phase, &lab.config.collapse));
            let templates: BTreeSet<&str> = log.lines.iter().map(|line| line.label.as_str()).collect();
            let drain = DRAIN.iter().find(|(system, _)| *system == log.system).map(|(_, accuracy)| *accuracy);
            let name = row![log.system, templates.len()];
            let of =
                |part: fn(&GroupingScore) -> f64| scores.iter().map(part).map(Cell::from).collect::<Vec<_>>();
            accuracies.row([name.clone(), of(|score| score.accuracy), row![drain]].concat());
            pairs.row([name, of(|score| score.pairwise_f1)].concat());
            means.iter_mut().zip(&scores).for_each(|(mean, s)| *mean += s.accuracy / logs.len() as f64);
        }
        let drain = DRAIN.iter().map(|(_, accuracy)| accuracy).sum::<f64>() / DRAIN.len() as f64;
        let all = means.iter().copied().map(Cell::from).collect();
        accuracies.row([row!["mean", ""], all, row![drain]].concat());
        let mut report = Report { sections: vec![accuracies, pairs], ..Report::default() };
        let is_drains =
            logs.len() == DRAIN.len() && logs.iter().all(|log| DRAIN.iter().any(|(s, _)| *s == log.system));
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
fn collapse(log: &LabelledLog, phase: Phase, config: &CollapseConfig) -> GroupingScore {
    let config = config.clone().with(|c| c.fuzzy = phase == Phase::Fuzzy);
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
    GroupingScore::of(log.lines.iter().map(|l| l.label.as_str()).zip(label))
}
