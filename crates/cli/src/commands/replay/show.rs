//! Results of scenarios, as text and as JSON.

use nightfold_scenario::{CheckedExpectation, OUTCOME_FILE, OutcomeDifference, SCENARIO_FILE};
use schemars::JsonSchema;
use serde::Serialize;

use super::result::{Accepted, ScenarioRun};
use crate::{
    error::chain,
    show::{count, noun, shown, wrap_hanging},
    terminal::{Terminal, TextRole, clean},
};

/// Number of characters of a digest that are shown.
const DIGEST: usize = 12;

/// Returns all scenarios as text, with totals.
pub(super) fn text(ran: &[ScenarioRun], terminal: Terminal, verbose: bool) -> String {
    let mut out: String = ran.iter().map(|ran| ScenarioText { ran, terminal, verbose }.text()).collect();
    let hold = ran.iter().filter(|ran| ran.holds()).count();
    let nights: usize = ran.iter().map(|ran| ran.scenario.nights.len()).sum();
    let expectations: usize = ran.iter().map(|ran| ran.replayed.checks.len()).sum();
    out.push_str(&format!(
        "{} of {} {}: {}, {}\n",
        hold,
        count(ran.len(), "scenario", "scenarios"),
        noun(if ran.len() == 1 { 1 } else { hold }, "holds", "hold"),
        count(nights, "night", "nights"),
        count(expectations, "expectation", "expectations")
    ));
    out
}

struct ScenarioText<'a> {
    ran: &'a ScenarioRun,
    terminal: Terminal,
    verbose: bool,
}

impl ScenarioText<'_> {
    fn text(&self) -> String {
        let Self { ran, terminal, verbose } = *self;
        let (role, mark) = if ran.holds() { (TextRole::Kept, "ok") } else { (TextRole::Gone, "FAILED") };
        let title = format!("{}: {}", ran.scenario.name(), ran.scenario.title);
        let mut out = wrap_hanging(
            &format!("{} ", terminal.paint(role, mark)),
            mark.len() + 1,
            &format!("{title} · {}", self.summary()),
            terminal.width,
        );
        for check in ran.replayed.checks.iter().filter(|check| verbose || !check.holds) {
            out.push_str(&self.check(check));
        }
        for failure in &ran.replayed.failures {
            out.push_str(&wrap_hanging("  - ", 4, &chain(failure), terminal.width));
        }
        out.push_str(&self.outcome());
        if out.lines().count() > 1 {
            out.push('\n');
        }
        out
    }

    fn summary(&self) -> String {
        let ScenarioRun { scenario, replayed, .. } = self.ran;
        let hold = replayed.checks.iter().filter(|check| check.holds).count();
        let expectations = match replayed.checks.len() {
            0 => "nothing expected".to_owned(),
            all => {
                format!(
                    "{hold} of {} {}",
                    count(all, "expectation", "expectations"),
                    noun(hold, "holds", "hold")
                )
            }
        };
        let failures = match replayed.failures.len() {
            0 => String::new(),
            n => format!(", {} did not happen", count(n, "night", "nights")),
        };
        format!(
            "{} of {}, {expectations}{failures}",
            count(scenario.nights.len(), "night", "nights"),
            count(scenario.npcs.len(), "NPC", "NPCs")
        )
    }

    fn check(&self, check: &CheckedExpectation) -> String {
        let terminal = self.terminal;
        let (role, mark) = if check.holds { (TextRole::Kept, "+") } else { (TextRole::Gone, "-") };
        let night = if check.night == self.ran.scenario.nights.len() {
            String::new()
        } else {
            format!(", after night {}", check.night)
        };
        let lead = format!("  {} ", terminal.paint(role, mark));
        let place = format!("[{SCENARIO_FILE}:{}]", check.line);
        let mut out = wrap_hanging(&lead, 4, &format!("{}{night}  {place}", check.expected), terminal.width);
        out.push_str(&wrap_hanging("      ", 6, &check.found, terminal.width));
        for (i, reason) in check.reasons.iter().enumerate() {
            let lead = if i == 0 { "      because " } else { "      and     " };
            out.push_str(&terminal.paint(TextRole::Faint, &wrap_hanging(lead, 14, reason, terminal.width)));
        }
        if let Some(because) = check.because.as_ref().filter(|_| !check.holds) {
            out.push_str(&wrap_hanging("      expected because ", 8, because, terminal.width));
        }
        out
    }

    fn outcome(&self) -> String {
        let digest = self.ran.digest.get(..DIGEST).unwrap_or(&self.ran.digest);
        let differences = self.ran.accepted.differences();
        let line = match &self.ran.accepted {
            Accepted::Same => return String::new(),
            Accepted::None => {
                format!("no {OUTCOME_FILE} is kept yet: --update keeps this outcome ({digest})")
            }
            Accepted::Differs(all) => format!(
                "the outcome ({digest}) is not the one that was accepted, in {}",
                count(all.len(), "place", "places")
            ),
            Accepted::Updated(all) if all.is_empty() => format!("the outcome ({digest}) is kept"),
            Accepted::Updated(all) => {
                format!("the outcome ({digest}) is accepted, with {}", count(all.len(), "change", "changes"))
            }
        };
        let mut out = wrap_hanging("  ", 2, &line, self.terminal.width);
        let most = shown(self.verbose).min(differences.len());
        for difference in &differences[..most] {
            out.push_str(&wrap_hanging("    ", 6, &difference_text(difference), self.terminal.width));
        }
        if differences.len() > most {
            out.push_str(&format!("    … and {} more; -v shows all\n", differences.len() - most));
        }
        out
    }
}

pub(in crate::commands) fn difference_text(difference: &OutcomeDifference) -> String {
    let place = &difference.place;
    match (&difference.was, &difference.is) {
        (Some(was), Some(is)) => format!("{place}: was {was}; is {is}"),
        (Some(was), None) => format!("{place}: no longer there, was {was}"),
        (None, Some(is)) => format!("{place}: new, is {is}"),
        (None, None) => place.clone(),
    }
}

/// Scenario as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::commands) struct ScenarioOutput<'a> {
    /// Name of the scenario: its folder.
    scenario: String,
    /// Title of the scenario.
    title: &'a str,
    /// True if all expectations hold, no night failed, and the outcome is the accepted one or none is kept.
    holds: bool,
    /// Number of its nights.
    nights: usize,
    /// Number of its NPCs.
    npcs: usize,
    /// Results of its expectations, in the order of the file.
    expectations: &'a [CheckedExpectation],
    /// Nights that failed, each with the cause.
    failures: Vec<String>,
    /// Comparison with the accepted outcome.
    outcome: OutcomeOutput<'a>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct OutcomeOutput<'a> {
    /// First half of the SHA-256 of the outcome, in hex.
    digest: &'a str,
    /// `same`, `differs`, `updated`, or `none` where none is kept.
    #[schemars(extend("enum" = ["same", "differs", "updated", "none"]))]
    accepted: &'static str,
    /// Differences from the accepted outcome, in order.
    differences: &'a [OutcomeDifference],
}

/// Returns all scenarios as JSON.
pub(super) fn json(ran: &[ScenarioRun]) -> Vec<ScenarioOutput<'_>> {
    ran.iter()
        .map(|ran| {
            let accepted = match &ran.accepted {
                Accepted::None => "none",
                Accepted::Same => "same",
                Accepted::Differs(_) => "differs",
                Accepted::Updated(_) => "updated",
            };
            let differences = ran.accepted.differences();
            ScenarioOutput {
                scenario: ran.scenario.name(),
                title: &ran.scenario.title,
                holds: ran.holds(),
                nights: ran.scenario.nights.len(),
                npcs: ran.scenario.npcs.len(),
                expectations: &ran.replayed.checks,
                failures: ran.replayed.failures.iter().map(|f| clean(&chain(f)).into_owned()).collect(),
                outcome: OutcomeOutput { digest: &ran.digest, accepted, differences },
            }
        })
        .collect()
}
