//! `nightfold evaluate collapse`: measures the accuracy of grouping status lines by their template.

use std::path::Path;

use nightfold::{consolidate::collapse::Phase, memory::ValidConfig};
use nightfold_evaluate::{
    data,
    suites::{CollapseScore, PHASES, collapse},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    args::LogsArgs,
    error::{CliError, Exit, message},
    output,
    show::TextTable,
};

/// Mean grouping accuracy of a trial of phases 1 to 3 on the same logs, for comparison. `DRAIN` contains the
/// accuracies published for Drain (He et al. 2017, in Zhu et al. 2019).
const RULES: f64 = 0.738;
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

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CollapseReport {
    /// Scores by system and last phase.
    scores: Vec<CollapseScore>,
    /// Mean grouping accuracy over the systems, phase by phase.
    means: Vec<(Phase, f64)>,
}

pub(super) fn run(args: &LogsArgs, config: &ValidConfig) -> Result<(), CliError> {
    let logs = data::loghub(Path::new(&args.data))?;
    let scores: Vec<CollapseScore> =
        logs.iter().flat_map(|log| PHASES.map(|phase| collapse(log, phase, &config.collapse))).collect();
    let mean = |phase: Phase| {
        let of: Vec<f64> = scores.iter().filter(|s| s.phase == phase).map(|s| s.grouping.accuracy).collect();
        of.iter().sum::<f64>() / of.len().max(1) as f64
    };
    let report = CollapseReport { means: PHASES.map(|phase| (phase, mean(phase))).to_vec(), scores };
    if args.json {
        output::json(&report)?;
    } else {
        output::text(&render(&report))?;
    }
    worse(&report).map_or(Ok(()), |line| Err(message(Exit::Check, line)))
}

fn published(system: &str) -> Option<f64> {
    DRAIN.iter().find(|(name, _)| *name == system).map(|(_, accuracy)| *accuracy)
}

fn render(report: &CollapseReport) -> String {
    let mut table =
        TextTable::new(["grouping accuracy / pairwise F1", "exact", "token", "fuzzy", "template", "Drain"]);
    for of_system in report.scores.chunks(PHASES.len()) {
        let cell = |s: &CollapseScore| format!("{:.3} / {:.3}", s.grouping.accuracy, s.grouping.pairwise_f1);
        let drain = published(of_system[0].system).map_or(String::new(), |a| format!("{a:.3}"));
        let name = format!("{} ({} templates)", of_system[0].system, of_system[0].templates);
        table.row(std::iter::once(name).chain(of_system.iter().map(cell)).chain([drain]));
    }
    let drain = DRAIN.iter().map(|(_, a)| a).sum::<f64>() / DRAIN.len() as f64;
    let means = report.means.iter().map(|(_, mean)| format!("{mean:.3}        "));
    table.row(std::iter::once("mean accuracy".to_owned()).chain(means).chain([format!("{drain:.3}")]));
    table.render()
}

/// Returns the phase that is below the published figures, if the logs are those they were measured on.
fn worse(report: &CollapseReport) -> Option<String> {
    let systems = report.scores.len() / PHASES.len();
    if systems != DRAIN.len() || !report.scores.iter().all(|s| published(s.system).is_some()) {
        return None;
    }
    let mean = |phase| report.means.iter().find(|(p, _)| *p == phase).map_or(0.0, |(_, mean)| *mean);
    let drain = DRAIN.iter().map(|(_, a)| a).sum::<f64>() / DRAIN.len() as f64;
    if mean(Phase::Fuzzy) < RULES {
        return Some(format!(
            "phases 1 to 3: mean grouping accuracy {:.4}, below {RULES}",
            mean(Phase::Fuzzy)
        ));
    }
    (mean(Phase::Template) < drain).then(|| {
        format!("template: mean grouping accuracy {:.4}, below Drain's {drain:.4}", mean(Phase::Template))
    })
}
