//! `nightfold evaluate retention`: measures the evidence for later questions that is found after the night.

use std::path::Path;

use nightfold::memory::ValidConfig;
use nightfold_evaluate::{
    data,
    suites::{AT_TEN, CUTS, RetentionError, RetentionScore, Store, retention},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::sets::{MANY_TEXTS, wrong};
use crate::{
    args::{Common, ConversationsArgs},
    error::{CliError, Exit, message},
    models::embedder,
    output,
    show::TextTable,
};

/// Share of the full store's recall that the night must reach, at the cut of ten.
const SHARE_OF_FULL: f64 = 0.95;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RetentionReport {
    /// Names of the conversations.
    conversations: Vec<String>,
    /// Number of turns.
    turns: usize,
    /// Number of questions.
    questions: usize,
    /// Number of turns with an importance; without any, the important half is the earlier half.
    with_importance: usize,
    /// Scores by store.
    scores: Vec<RetentionScore>,
}

pub(super) fn run(args: &ConversationsArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let conversations = data::conversations(Path::new(&args.data))?;
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let scores = retention(&conversations, &embedder, config).map_err(|error| match error {
        RetentionError::Embedder(error) => error.into(),
        other => wrong(other),
    })?;
    let turns = || conversations.iter().flat_map(data::Conversation::turns);
    let report = RetentionReport {
        conversations: conversations.iter().map(|c| c.name.clone()).collect(),
        turns: turns().count(),
        questions: conversations.iter().map(|c| c.questions.len()).sum(),
        with_importance: turns().filter(|m| m.importance.is_some()).count(),
        scores,
    };
    if args.json {
        output::json(&report)?;
    } else {
        output::text(&render(&report))?;
    }
    worse(&report).map_or(Ok(()), |line| Err(message(Exit::Check, line)))
}

fn title(store: Store) -> &'static str {
    match store {
        Store::Full => "full store",
        Store::RandomHalf => "random half (10 seeds)",
        Store::LongestHalf => "longest half of a session",
        Store::ImportantHalf => "important half",
        Store::KmeansChunks => "k-means chunks",
        Store::Night => "after the night",
    }
}

fn render(report: &RetentionReport) -> String {
    let mut out = format!(
        "recall of evidence: {} questions about {} turns, as much text read of each store as k average turns have\n",
        report.questions, report.turns
    );
    let mut table = TextTable::new([
        "store",
        "entries",
        "kept",
        "chars",
        "text",
        "@5",
        "@10",
        "@25",
        "words @10",
        "95 % of @10",
    ]);
    for s in &report.scores {
        let counts =
            [format!("{:.0}", s.entries), format!("{:.1} %", 100.0 * s.kept), format!("{:.0}", s.chars)];
        let counts = counts.into_iter().chain([format!("{:.1} %", 100.0 * s.text)]);
        let recall = s.recall.iter().chain([&s.answer_words[AT_TEN]]).map(|r| format!("{r:.3}"));
        let [low, high] = s.interval;
        let interval = [format!("{low:.3} to {high:.3}")];
        table.row(std::iter::once(title(s.store).to_owned()).chain(counts).chain(recall).chain(interval));
    }
    out.push_str(&table.render());
    let names = report.conversations.iter().map(String::as_str);
    let mut table = TextTable::new(["@10 by conversation"]);
    table.row(std::iter::once(String::new()).chain(names.map(str::to_owned)));
    for s in &report.scores {
        let own = s.by_conversation.iter().map(|r| format!("{:.3}", r[AT_TEN]));
        table.row(std::iter::once(title(s.store).to_owned()).chain(own));
    }
    out.push_str(&table.render());
    if report.with_importance == 0 {
        out.push_str(
            "no turn says how important it is: the important half is the earlier half of each day\n",
        );
    }
    out
}

/// Returns the comparison that fails, if one does.
fn worse(report: &RetentionReport) -> Option<String> {
    let at_ten = |store| report.scores.iter().find(|s| s.store == store).map_or(0.0, |s| s.recall[AT_TEN]);
    let (night, full, longest) = (at_ten(Store::Night), at_ten(Store::Full), at_ten(Store::LongestHalf));
    let cut = CUTS[AT_TEN];
    if night < SHARE_OF_FULL * full {
        let share = night / full.max(f64::MIN_POSITIVE);
        return Some(format!(
            "recall@{cut} after the night is {night:.4}, {share:.3} of the full store's {full:.4}; it must be {SHARE_OF_FULL}"
        ));
    }
    (night <= longest).then(|| {
        format!("recall@{cut} after the night is {night:.4}, not above the longest half's {longest:.4}")
    })
}
