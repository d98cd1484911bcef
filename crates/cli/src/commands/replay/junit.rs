//! Results of scenarios as `JUnit` XML: a suite for each scenario, a case for each expectation and one for
//! the outcome.

use std::io;

use nightfold_scenario::{CheckedExpectation, SCENARIO_FILE};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::result::{Accepted, ScenarioRun};
use crate::{error::chain, terminal::clean_lines};

pub(super) fn report(ran: &[ScenarioRun]) -> io::Result<String> {
    let mut report = Report::new("nightfold replay");
    report.add_test_suites(ran.iter().map(suite));
    report.to_string().map_err(io::Error::other)
}

fn suite(ran: &ScenarioRun) -> TestSuite {
    let name = ran.scenario.name();
    let mut suite = TestSuite::new(clean_lines(&name));
    let case = |name: &str, wrong: Option<(String, String)>| {
        let status = match wrong {
            None => TestCaseStatus::success(),
            Some((what, details)) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(clean_lines(&what)).set_description(clean_lines(&details));
                status
            }
        };
        let mut case = TestCase::new(clean_lines(name), status);
        case.set_classname(clean_lines(&ran.scenario.name()));
        case
    };
    suite.add_test_cases(ran.replayed.checks.iter().map(|check| {
        let name = format!("{SCENARIO_FILE}:{}: {}", check.line, check.expected);
        case(&name, (!check.holds).then(|| (check.found.clone(), details(check))))
    }));
    suite.add_test_cases(
        ran.replayed.failures.iter().map(|f| case(&f.to_string(), Some((f.to_string(), chain(f))))),
    );
    let differs = match &ran.accepted {
        Accepted::Differs(all) => {
            let lines: Vec<String> = all
                .iter()
                .map(|d| {
                    let value = |v: &Option<String>| v.clone().unwrap_or_else(|| "nothing".to_owned());
                    format!("{}: was {}; is {}", d.place, value(&d.was), value(&d.is))
                })
                .collect();
            Some((format!("the outcome is not the one that was accepted ({})", ran.digest), lines.join("\n")))
        }
        _ => None,
    };
    suite.add_test_case(case("the outcome is the one that was accepted", differs));
    suite
}

fn details(check: &CheckedExpectation) -> String {
    let mut lines = vec![check.found.clone()];
    lines.extend(check.reasons.iter().cloned());
    lines.extend(check.because.iter().map(|because| format!("expected because {because}")));
    lines.join("\n")
}
