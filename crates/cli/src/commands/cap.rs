//! `nightfold cap`: keeps the newest few insights on each subject, in a store or in a folder of files.

use std::path::{Path, PathBuf};

use nightfold::english::Packs;
use nightfold::{
    MaintenancePlan, MaintenanceTasks,
    consolidate::cap::{SubjectOverCap, cap},
    memory::{LanguagePacks as _, ValidConfig},
};
use nightfold_store::folder::{Archived, FolderError, InsightFile, InsightFolder, Listing};
use schemars::JsonSchema;
use serde::Serialize;

use super::maintenance::{StorePlanning, no_store};
use crate::{
    args::{CapArgs, Common},
    config,
    error::{CliError, Exit, message},
    output,
    show::{count, shown, wrap_hanging},
    terminal::{Terminal, TextRole, clean},
};

/// JSON output: the files of a folder, and those that were moved.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CapOutput {
    /// True if nothing was moved.
    dry_run: bool,
    /// Number of insight files.
    scanned: usize,
    /// Subjects with more insights than the cap.
    groups: Vec<CappedSubject>,
    /// Folder of the files that were moved.
    folder: Option<PathBuf>,
    /// Names of the files that were moved.
    moved: Vec<String>,
    /// Files that could not be moved, each with the cause.
    left: Vec<SkippedFile>,
    /// Files that are no insight files, each with the cause.
    #[serde(rename = "passed_over")]
    skipped: Vec<SkippedFile>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CappedSubject {
    /// First words of the names of its files, joined by `-`.
    subject: String,
    /// Names of the files that stay, the most recently touched first.
    stay: Vec<String>,
    /// Names of the files over the cap, the most recently touched first.
    leave: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkippedFile {
    /// Name of the file.
    name: String,
    /// Cause in words.
    why: String,
}

impl SkippedFile {
    fn new(name: &str, why: &impl ToString) -> Self {
        Self { name: name.to_owned(), why: why.to_string() }
    }
}

pub(crate) fn run(args: &CapArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    match (&args.store, &args.folder) {
        (Some(path), _) => in_store(args, path, common, &config, verbose),
        (None, Some(folder)) => in_folder(args, folder, &config, verbose),
        (None, None) => Err(message(Exit::Usage, "name a folder, or a store with --store FILE")),
    }
}

fn in_store(
    args: &CapArgs,
    path: &Path,
    common: &Common,
    config: &ValidConfig,
    verbose: bool,
) -> Result<(), CliError> {
    let call = StorePlanning::open(path, &args.plan_args, config, common, (args.json, verbose))?;
    let tasks = MaintenanceTasks { cap: true, ..MaintenanceTasks::default() };
    let MaintenancePlan { plan, failures, .. } = call.maintenance().plan(&call.npcs()?, tasks)?;
    call.conclude(&plan, failures)
}

impl From<FolderError> for CliError {
    fn from(error: FolderError) -> Self {
        let exit = match error {
            FolderError::NoFolder(_) => Exit::Usage,
            _ => Exit::Store,
        };
        Self::new(exit, error)
    }
}

fn in_folder(args: &CapArgs, path: &Path, config: &ValidConfig, verbose: bool) -> Result<(), CliError> {
    no_store(&args.plan_args, "a folder")?;
    let folder = InsightFolder::open(path)?;
    let Listing { insights, skipped, .. } = folder.list()?;
    let named: Vec<_> = insights.iter().map(|file| (file.id(), file.touched())).collect();
    let pack = Packs.resolve(&config.language.pack, &mut insights.iter().map(InsightFile::id))?;
    let crowded = cap(&named, &config.cap, pack);
    let chosen: Vec<InsightFile> =
        crowded.iter().flat_map(|c| &c.leave).map(|&at| insights[at].clone()).collect();
    let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let applies = args.plan_args.apply;
    let archived = if applies { folder.archive(&chosen, &stamp)? } else { Archived::default() };
    if args.json {
        let names = |rows: &[usize]| rows.iter().map(|&at| insights[at].name().to_owned()).collect();
        let group = |c: &SubjectOverCap| CappedSubject {
            subject: c.subject.clone(),
            stay: names(&c.stay),
            leave: names(&c.leave),
        };
        output::json(&CapOutput {
            dry_run: !applies,
            scanned: insights.len(),
            groups: crowded.iter().map(group).collect(),
            folder: archived.folder.clone(),
            moved: archived.moved.clone(),
            left: archived.not_moved.iter().map(|(name, why)| SkippedFile::new(name, why)).collect(),
            skipped: skipped.iter().map(|file| SkippedFile::new(&file.name, &file.reason)).collect(),
        })?;
    } else {
        let mut out = render(&insights, &crowded, verbose);
        for file in &skipped {
            let text = format!("skipped {}: {}", file.name, file.reason);
            out.push_str(&wrap_hanging("  ", 2, &text, Terminal::stdout().width));
        }
        out.push_str(&if applies || chosen.is_empty() {
            done(&archived)
        } else {
            "dry run: nothing was moved; --apply moves them into the archive\n".to_owned()
        });
        output::text(&out)?;
    }
    if archived.not_moved.is_empty() {
        return Ok(());
    }
    let left = count(archived.not_moved.len(), "file", "files");
    let text = format!("{left} over the cap could not be moved");
    Err(message(Exit::Partial, text).hint("run it again: it looks at the folder anew"))
}

fn render(insights: &[InsightFile], crowded: &[SubjectOverCap], verbose: bool) -> String {
    let terminal = Terminal::stdout();
    let over: usize = crowded.iter().map(|c| c.leave.len()).sum();
    let mut out = format!(
        "{}: {} over the cap, in {}\n",
        count(insights.len(), "insight file", "insight files"),
        over,
        count(crowded.len(), "subject", "subjects")
    );
    for group in crowded {
        let stay = count(group.stay.len(), "file stays", "files stay");
        let leave = count(group.leave.len(), "leaves", "leave");
        let title = format!("{}: {stay}, {leave}", group.subject);
        out.push_str(&terminal.paint(TextRole::Title, &format!("  {}\n", clean(&title))));
        for (mark, role, rows) in [("+", TextRole::Kept, &group.stay), ("<", TextRole::Gone, &group.leave)] {
            for &at in rows.iter().take(shown(verbose)) {
                let lead = format!("  {} ", terminal.paint(role, mark));
                out.push_str(&wrap_hanging(&lead, 4, insights[at].name(), terminal.width));
            }
            if rows.len() > shown(verbose) {
                out.push_str(&format!("    … and {} more; -v shows all\n", rows.len() - shown(verbose)));
            }
        }
    }
    out
}

fn done(archived: &Archived) -> String {
    let mut out = String::new();
    for (name, why) in &archived.not_moved {
        out.push_str(&format!("  not moved {}: {}\n", clean(name), clean(&why.to_string())));
    }
    match &archived.folder {
        Some(folder) => {
            let moved = count(archived.moved.len(), "file", "files");
            out.push_str(&format!("applied: {moved} moved to {}\n", clean(&folder.display().to_string())));
        }
        None => out.push_str("nothing to do\n"),
    }
    out
}
