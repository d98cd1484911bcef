//! `nightfold embed`: texts to vectors.

use nightfold_embed::npy;

use crate::{
    args::{Common, Embed},
    config,
    error::CliError,
    input,
    models::embedder,
    output,
};

pub(crate) fn run(args: &Embed, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let texts = input::texts(&args.texts, &config.input)?;
    let embedder = embedder(common, &config)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let embedded = embedder.embed_with(&texts, &|_| {})?;
    let truncated = embedded.truncated.iter().filter(|t| **t).count();
    output::file(&args.out, |out| npy::write(out, &embedded.vectors))?;
    if truncated > 0 {
        eprintln!(
            "warning: of {truncated} texts only the first {} tokens were read",
            nightfold_embed::MAX_TOKENS
        );
    }
    Ok(())
}
