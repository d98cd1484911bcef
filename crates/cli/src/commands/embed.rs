//! `nightfold embed`: embeds texts as vectors.

use std::collections::BTreeSet;

use nightfold::memory::Embedder as _;
use nightfold_formats::npy;

use crate::{
    args::{Common, EmbedArgs},
    config,
    error::CliError,
    files_in_use::FilesInUse,
    input,
    models::{embedder, models},
    output::{self, NewFile},
    show::count,
};

pub(crate) fn run(args: &EmbedArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let texts = input::texts(&args.texts, &config.input)?;
    let in_use = FilesInUse::of(common).and([&args.texts.file]).and(models(common, &config).files());
    let file = NewFile::prepare(&args.out, &in_use)?;
    let distinct = texts.iter().collect::<BTreeSet<_>>().len();
    let embedder = embedder(common, &config, distinct)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let embedded = embedder.embed(&texts)?;
    let truncated = embedded.truncated.iter().filter(|t| **t).count();
    file.finish(|out| npy::write(out, &embedded.vectors))?;
    if truncated > 0 {
        output::note(&format!(
            "warning: of {} only the first {} tokens were read\n",
            count(truncated, "text", "texts"),
            nightfold_embed::MAX_TOKENS
        ));
    }
    Ok(())
}
