//! Single steps of a night on files: texts to vectors, pairs to verdicts.

use std::{fs::File, io::BufWriter, path::Path};

use anyhow::{Context as _, Result};
use nightfold::judge_pairs;
use nightfold_english::English;
use nightfold_formats::npy;
use nightfold_memory::{Judgement, StancePair, rounded};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{data::TextFile, lab::Lab, suites::asked};

/// Writes the vectors of a file's lines, each with a `text`, in their order, as NumPy reads them.
///
/// # Errors
/// A file cannot be read or written, or the model fails.
pub fn embed(lab: &Lab, texts: &Path, out: &Path) -> Result<()> {
    #[derive(Deserialize)]
    struct Text {
        text: String,
    }
    let texts: Vec<Text> = TextFile::read(texts)?.lines()?;
    let vectors =
        lab.embedder.embed(&texts.iter().map(|line| line.text.as_str()).collect::<Vec<_>>())?.vectors;
    let written = File::create(out).and_then(|file| npy::write(BufWriter::new(file), &vectors));
    written.with_context(|| out.display().to_string())
}

/// Judges pairs of an older text `a` and a newer text `b`, one a line; returns the lines with the verdict and its basis.
///
/// # Errors
/// A line is no pair, or a model fails.
pub fn judge(lab: &Lab, pairs: &Path) -> Result<Vec<Value>> {
    #[derive(Deserialize)]
    struct Pair {
        a: String,
        b: String,
    }
    let pairs: Vec<Pair> = TextFile::read(pairs)?.lines()?;
    let texts: Vec<&str> = pairs.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]).collect();
    let pairs = asked(lab, &texts)?;
    let judged = judge_pairs(lab.judge.as_deref(), &pairs, &lab.config, &English);
    let line = |(pair, judgement): (&StancePair<'_>, &Judgement)| {
        let mut line = Map::new();
        for (name, value) in judgement.values(&lab.config.judge) {
            line.insert(name.to_owned(), json!(value));
        }
        line.insert("a".to_owned(), pair.older.into());
        line.insert("b".to_owned(), pair.newer.into());
        line.insert("cosine".to_owned(), rounded(pair.cosine).into());
        line.insert("stance".to_owned(), judgement.stance.as_str().into());
        Value::Object(line)
    };
    Ok(pairs.iter().zip(&judged.judgements).map(line).collect())
}
