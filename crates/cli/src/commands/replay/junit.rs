//! Results of scenarios as `JUnit` XML: a suite for each scenario, a case for each expectation and one for
//! the outcome.

use nightfold_scenario::{CheckedExpectation, SCENARIO_FILE};

use super::{
    result::{Accepted, ScenarioRun},
    show::difference_text,
};
use crate::{error::chain, terminal::clean_lines};

/// An expectation, and what was found instead where it does not hold.
struct Case {
    name: String,
    failure: Option<(String, String)>,
}

pub(super) fn report(ran: &[ScenarioRun]) -> String {
    let suites: Vec<(String, Vec<Case>)> = ran.iter().map(|ran| (ran.scenario.name(), cases(ran))).collect();
    let failed = |cases: &[Case]| cases.iter().filter(|case| case.failure.is_some()).count();
    let (tests, failures) = suites
        .iter()
        .fold((0, 0), |(tests, failures), (_, cases)| (tests + cases.len(), failures + failed(cases)));
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"nightfold replay\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n"
    );
    for (name, cases) in &suites {
        let (name, failures) = (escape(name), failed(cases));
        xml.push_str(&format!(
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\">\n",
            cases.len()
        ));
        for Case { name: case, failure } in cases {
            let end = failure.as_ref().map_or_else(
                || "/>\n".to_owned(),
                |(found, details)| {
                    let (found, details) = (escape(found), escape(details));
                    format!(">\n      <failure message=\"{found}\">{details}</failure>\n    </testcase>\n")
                },
            );
            xml.push_str(&format!("    <testcase name=\"{}\" classname=\"{name}\"{end}", escape(case)));
        }
        xml.push_str("  </testsuite>\n");
    }
    xml + "</testsuites>\n"
}

fn cases(ran: &ScenarioRun) -> Vec<Case> {
    let checks = ran.replayed.checks.iter().map(|check| Case {
        name: format!("{SCENARIO_FILE}:{}: {}", check.line, check.expected),
        failure: (!check.holds).then(|| (check.found.clone(), details(check))),
    });
    let failures = ran.replayed.failures.iter().map(|failure| Case {
        name: failure.to_string(),
        failure: Some((failure.to_string(), chain(failure))),
    });
    let mut cases: Vec<Case> = checks.chain(failures).collect();
    let differs = match &ran.accepted {
        Accepted::Differs(all) => {
            let lines: Vec<String> = all.iter().map(difference_text).collect();
            Some((format!("the outcome is not the one that was accepted ({})", ran.digest), lines.join("\n")))
        }
        _ => None,
    };
    cases.push(Case { name: "the outcome is the one that was accepted".to_owned(), failure: differs });
    cases
}

fn details(check: &CheckedExpectation) -> String {
    let mut lines = vec![check.found.clone()];
    lines.extend(check.reasons.iter().cloned());
    lines.extend(check.because.iter().map(|because| format!("expected because {because}")));
    lines.join("\n")
}

/// Returns a text without control characters, as XML holds it in elements and attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for character in clean_lines(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Not a character of XML, escaped or not.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}
