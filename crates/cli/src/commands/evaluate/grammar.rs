//! `nightfold evaluate grammar`: measures the agreement of the grammar that the embedder reads with people's tags.

use nightfold::memory::{Embedder, ValidConfig};
use nightfold_evaluate::{
    data,
    suites::{CorrectCount, GrammarScore, grammar},
};

use super::sets::MANY_TEXTS;
use crate::{
    args::{Common, TreebankArgs},
    error::{CliError, Exit, message},
    models::embedder,
    output,
    show::TextTable,
};

/// Shares that linear heads on the same vectors reached in a trial, the relation without a head.
const PARTS_OF_SPEECH: f64 = 0.952;
const RELATIONS: f64 = 0.839;

pub(super) fn run(args: &TreebankArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let sentences = data::ud_ewt(&args.data, if args.dev { "dev" } else { "test" })?;
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let texts: Vec<&str> = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    let score = grammar(&sentences, &embedder.embed(&texts)?.grammar);
    if args.json {
        output::json(&score)?;
    } else {
        output::text(&render(&score))?;
    }
    worse(&score).map_or(Ok(()), |line| Err(message(Exit::Check, line)))
}

fn share(count: CorrectCount) -> f64 {
    count.right as f64 / count.all.max(1) as f64
}

fn render(score: &GrammarScore) -> String {
    let header = format!("{} words of {} sentences", score.words.all, score.sentences);
    let mut table = TextTable::new([header.as_str(), "as people say"]);
    for (name, count) in [
        ("part of speech", score.parts_of_speech),
        ("relation", score.relations),
        ("head", score.heads),
        ("head and relation", score.heads_with_relations),
        ("number", score.numbers),
        ("person", score.persons),
        ("tense", score.tenses),
        ("form of the verb", score.verb_forms),
        ("mood", score.moods),
        ("split as the treebank does", score.words),
    ] {
        table.row([name.to_owned(), format!("{:.1} %", 100.0 * share(count))]);
    }
    table.render()
}

/// Returns the share that is below that of a trial.
fn worse(score: &GrammarScore) -> Option<String> {
    let shares = [
        ("parts of speech", score.parts_of_speech, PARTS_OF_SPEECH),
        ("relations", score.relations, RELATIONS),
    ];
    shares.into_iter().find(|(_, count, least)| share(*count) < *least).map(|(name, count, least)| {
        format!("{name}: {:.2} % are right, below {:.1} %", 100.0 * share(count), 100.0 * least)
    })
}
