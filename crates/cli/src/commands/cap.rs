//! `nightfold cap`: the newest few insights on each subject stay, in a store or in a folder of files.

use std::path::{Path, PathBuf};

use nightfold::english::Packs;
use nightfold::{
    Chores, Tidied, Upkeep,
    consolidate::cap::{Crowded, cap},
    memory::{LanguagePacks as _, ValidConfig},
};
use nightfold_store::folder::{Archived, FolderError, InsightFile, InsightFolder, Listing};
use serde::Serialize;

use super::upkeep;
use crate::{
    args::{Cap, Common},
    config,
    error::{CliError, Exit, message},
    output,
    show::{count, hang, shown},
    store,
    terminal::{Role, Terminal, clean},
};

/// What was found in a folder and done about it, as JSON.
#[derive(Debug, Serialize)]
struct Printed {
    dry_run: bool,
    /// Files looked at.
    scanned: usize,
    /// The subjects of which there are too many.
    groups: Vec<Group>,
    /// What an earlier call has begun and not finished.
    unfinished: Option<PathBuf>,
    /// Where those are that were moved.
    folder: Option<PathBuf>,
    /// Whether what an earlier call had begun was finished.
    resumed: bool,
    moved: Vec<String>,
    /// Those that should have been moved and were not, and why.
    left: Vec<Left>,
    /// What could not be write-protected.
    writable: Vec<PathBuf>,
    /// What is no insight file, and why.
    passed_over: Vec<Left>,
}

#[derive(Debug, Serialize)]
struct Group {
    subject: String,
    stay: Vec<String>,
    leave: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Left {
    name: String,
    why: String,
}

pub(crate) fn run(args: &Cap, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    match (&args.store, &args.folder) {
        (Some(path), _) => in_store(args, path, &config, verbose),
        (None, Some(folder)) => in_folder(args, folder, &config, verbose),
        (None, None) => Err(message(Exit::Usage, "name a folder, or a store with --store FILE")),
    }
}

fn in_store(args: &Cap, path: &Path, config: &ValidConfig, verbose: bool) -> Result<(), CliError> {
    let tending = args.tending.of_a_store(&config.review);
    let store = upkeep::open(path, &tending)?;
    let npcs = store::npcs(&store, &tending.npc)?;
    let chores = Chores { cap: true, ..Chores::default() };
    let Tidied { plan, failures, .. } =
        Upkeep { config, packs: &Packs, store: &store }.plan(&npcs, chores)?;
    upkeep::conclude(&store, path, (&plan, failures), &tending, (args.json, verbose))
}

impl From<FolderError> for CliError {
    fn from(error: FolderError) -> Self {
        let exit = match error {
            FolderError::Missing { .. } | FolderError::NotAFolder { .. } => Exit::Usage,
            _ => Exit::Store,
        };
        Self::new(exit, error)
    }
}

fn in_folder(args: &Cap, path: &Path, config: &ValidConfig, verbose: bool) -> Result<(), CliError> {
    upkeep::no_store(&args.tending, "a folder")?;
    let folder = InsightFolder::open(path)?;
    let Listing { insights, passed_over, .. } = folder.list()?;
    let named: Vec<_> = insights.iter().map(|file| (file.id(), file.touched())).collect();
    let pack = Packs.chosen(&config.language.pack, &mut insights.iter().map(InsightFile::id))?;
    let crowded = cap(&named, &config.cap, pack);
    let chosen: Vec<InsightFile> =
        crowded.iter().flat_map(|c| &c.leave).map(|&at| insights[at].clone()).collect();
    let unfinished = folder.unfinished()?;
    let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let archived = args.tending.apply.then(|| folder.archive(&chosen, &stamp)).transpose()?;
    if args.json {
        let names = |rows: &[usize]| rows.iter().map(|&at| insights[at].name().to_owned()).collect();
        let group =
            |c: &Crowded| Group { subject: c.subject.clone(), stay: names(&c.stay), leave: names(&c.leave) };
        let done = archived.as_ref();
        output::json(&Printed {
            dry_run: done.is_none(),
            scanned: insights.len(),
            groups: crowded.iter().map(group).collect(),
            unfinished: unfinished.clone(),
            folder: done.and_then(|a| a.folder.clone()),
            resumed: done.is_some_and(|a| a.resumed),
            writable: done.map_or_else(Vec::new, |a| a.writable.clone()),
            moved: done.map_or_else(Vec::new, |a| a.moved.clone()),
            left: done.map_or_else(Vec::new, |a| {
                a.left.iter().map(|(name, why)| Left { name: name.clone(), why: why.to_string() }).collect()
            }),
            passed_over: passed_over
                .iter()
                .map(|p| Left { name: p.name.clone(), why: p.why.to_string() })
                .collect(),
        })?;
    } else {
        let mut out = render(&insights, &crowded, verbose);
        for name in &passed_over {
            out.push_str(&hang(
                "  ",
                2,
                &format!("passed over {}: {}", name.name, name.why),
                Terminal::stdout().width,
            ));
        }
        out.push_str(&match &archived {
            Some(archived) => done(archived),
            None => dry(chosen.len(), unfinished.as_deref()),
        });
        output::text(&out)?;
    }
    let left = archived.map_or(0, |archived| archived.left.len());
    if left == 0 {
        return Ok(());
    }
    let text = format!("{} over the cap could not be moved", count(left, "file", "files"));
    Err(message(Exit::Partial, text).hint("run it again: it looks at the folder anew"))
}

fn render(insights: &[InsightFile], crowded: &[Crowded], verbose: bool) -> String {
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
        out.push_str(&terminal.paint(Role::Title, &format!("  {}\n", clean(&title))));
        for (mark, role, rows) in [("+", Role::Kept, &group.stay), ("<", Role::Gone, &group.leave)] {
            for &at in rows.iter().take(shown(verbose)) {
                let lead = format!("  {} ", terminal.paint(role, mark));
                out.push_str(&hang(&lead, 4, insights[at].name(), terminal.width));
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
    for (name, why) in &archived.left {
        out.push_str(&format!("  not moved {}: {}\n", clean(name), clean(&why.to_string())));
    }
    for path in &archived.writable {
        out.push_str(&format!("  still writable: {}\n", clean(&path.display().to_string())));
    }
    let resumed = if archived.resumed { ", which an earlier call had begun" } else { "" };
    match &archived.folder {
        Some(folder) => {
            let moved = count(archived.moved.len(), "file", "files");
            out.push_str(&format!(
                "applied: {moved} moved to {}{resumed}\n",
                clean(&folder.display().to_string())
            ));
        }
        None => out.push_str("nothing to do\n"),
    }
    out
}

fn dry(over: usize, unfinished: Option<&Path>) -> String {
    let begun = unfinished.map_or_else(String::new, |folder| {
        format!(
            "{} was begun by a call that was cut short; --apply finishes it\n",
            clean(&folder.display().to_string())
        )
    });
    match (over, unfinished) {
        (0, None) => "nothing to do\n".to_owned(),
        (0, Some(_)) => format!("{begun}dry run: nothing was changed\n"),
        _ => format!("{begun}dry run: nothing was moved; --apply moves them into the archive\n"),
    }
}
