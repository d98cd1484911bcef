//! `nightfold batch`: writes a night's questions for a provider's batch interface, and reads its answers.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use nightfold::english::Packs;
use nightfold::{Sleep, memory::MemoryReader};
use nightfold_language::batch::{BatchError, BatchFolder, BatchSettings, BatchSummary, Sent};
use nightfold_store::InMemoryStore;

use crate::{
    args::{BatchArgs, BatchCommand, BatchReadArgs, BatchWriteArgs, Common},
    config,
    days::InputDays,
    error::{CliError, Exit, failures, message},
    judge, language,
    models::{embedder, use_threads},
    not_a_file, output,
    progress::NightsBar,
    show::{count, noun},
    store,
    terminal::clean,
};

pub(crate) fn run(args: &BatchArgs, common: &Common) -> Result<(), CliError> {
    match &args.command {
        BatchCommand::Write(write) => self::write(write, common),
        BatchCommand::Read(read) => self::read(read),
    }
}

fn write(args: &BatchWriteArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    use_threads(common)?;
    let model = language::named(&config)?;
    let sampling = language::sampling(&config)?;
    let lived = InputDays::read(&args.days, &config, common)?;
    let (memories, left_for_later) = (lived.memories, lived.left_for_later.clone());
    let days = lived.all(&config)?;
    if let Some((npc, nights)) = days.iter().find(|(_, nights)| nights.len() > 1) {
        let nights = nights.len();
        let error =
            format!("{npc} sleeps {nights} nights on this input, and a batch holds one night of each NPC");
        return Err(message(Exit::Usage, error).hint(
            "what is asked in a night rests on the nights before it: give one day's memories, apply, go on",
        ));
    }
    let folder = BatchFolder::create(&args.folder)?;
    let deferring = folder.deferring(model)?;
    let store: Box<dyn MemoryReader> = match args.store.as_deref().map(store::if_there).transpose()?.flatten()
    {
        Some(store) => store,
        None => Box::new(InMemoryStore::new()),
    };
    let embedder = embedder(common, &config, memories)?;
    let bar = NightsBar::new(memories);
    // What a language model is to judge is put off with the rest.
    let judge = judge::open(Some(&deferring), &config, common)?;
    let language = Some(&deferring as _);
    let sleep = Sleep {
        config: &config,
        packs: &Packs,
        embedder: &embedder,
        store: store.as_ref(),
        language,
        judge: judge.as_deref(),
        observer: &bar,
    };
    let slept = sleep.plan(days);
    bar.finish();
    let slept = slept?;
    // It asks the model that is given up now.
    drop(judge);
    let settings = BatchSettings { sampling, ..BatchSettings::default() };
    let sent = folder.send(deferring, &settings, args.again)?;
    output::text(&sent_text(&sent, &args.folder, &folder.answers()))?;
    output::text(&left_for_later.unwrap_or_default())?;
    failures(&slept.failures, slept.plan.nights.len(), "")
}

fn sent_text(sent: &Sent, folder: &Path, answers: &Path) -> String {
    let shown = |path: &Path| clean(&path.display().to_string()).into_owned();
    let mut out = String::new();
    for file in &sent.files {
        out.push_str(&format!("{}\n", shown(file)));
    }
    let tasks = count(sent.tasks, "task", "tasks");
    let waiting = count(sent.waiting, "task waits", "tasks wait");
    match (sent.tasks, sent.waiting) {
        (0, 0) => out.push_str(&format!(
            "every task is answered: nightfold sleep … --language recorded:{}\n",
            shown(answers)
        )),
        (0, _) => out
            .push_str(&format!("nothing new; {waiting} for an answer, and --again writes them once more\n")),
        (_, waits) => {
            out.push_str(&format!("{tasks}, at most {} tokens", sent.most_tokens));
            if waits > 0 {
                out.push_str(&format!("; {waiting} for an answer since before"));
            }
            let them = noun(sent.files.len(), "the file", "each file");
            out.push_str(&format!(
                "\ngive {them} to the provider's batch interface, and what comes back to: nightfold batch read --folder {} RESULTS\n",
                shown(folder)
            ));
        }
    }
    out
}

fn read(args: &BatchReadArgs) -> Result<(), CliError> {
    let folder = BatchFolder::open(&args.folder)?;
    // All is read, though nobody may read of it any more.
    let mut printed = Ok(());
    for path in &args.results {
        let summary = folder.receive(results(path)?).map_err(|e| results_error(path, e))?;
        let line = format!("{}: {}\n", clean(&path.display().to_string()), summary_text(&summary));
        printed = printed.and_then(|()| output::text(&line));
    }
    printed?;
    output::text("nightfold batch write, as before, says whether anything is left to ask\n")
}

fn results(path: &Path) -> Result<Box<dyn BufRead>, CliError> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    not_a_file::refuse(path, Exit::Input, "name the provider's results; `-` reads standard input")?;
    let file = File::open(path).map_err(|source| {
        CliError::new(Exit::Input, ResultsReadError { path: path.to_owned(), source })
            .hint("name the provider's results")
    })?;
    Ok(Box::new(BufReader::new(file)))
}

/// Error of reading a file of results.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", path.display())]
struct ResultsReadError {
    path: PathBuf,
    source: io::Error,
}

/// Error in a file of results.
#[derive(Debug, thiserror::Error)]
#[error("{}", path.display())]
struct ResultsError {
    path: PathBuf,
    source: BatchError,
}

fn results_error(path: &Path, source: BatchError) -> CliError {
    let bad = matches!(source, BatchError::Line { .. });
    let exit = if bad { Exit::Input } else { Exit::Usage };
    let error = CliError::new(exit, ResultsError { path: path.to_owned(), source });
    if bad {
        error.hint("it is the file of results that is wanted; what stands before that line is kept")
    } else {
        error
    }
}

fn summary_text(summary: &BatchSummary) -> String {
    let tasks = [
        (summary.answered, "answered"),
        (summary.malformed, "of another shape than asked for"),
        (summary.cut_short, "cut short"),
        (summary.refused, "refused"),
        (summary.failed, "failed at the provider, to be asked again"),
        (summary.repeated, "recorded already"),
        (summary.unknown, "of another batch"),
        (summary.too_long, "too long to be read"),
        (summary.missing, "still without an answer"),
    ];
    let printed: Vec<String> =
        tasks.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let printed = if printed.is_empty() { "nothing".to_owned() } else { printed.join(", ") };
    format!("{printed}; {} tokens", summary.tokens)
}
