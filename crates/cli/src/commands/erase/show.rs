//! The report of an erasure. It quotes no text, and once something is erased it names nobody but the person asked for.

use std::path::{Path, PathBuf};

use nightfold::memory::{Erasure, MemoryId};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    check::CheckOutcome,
    files::{OwnFile, Recording},
};
use crate::{show::count, terminal::clean};

/// JSON output.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::commands) struct EraseOutput {
    /// True if nothing was changed.
    pub(super) dry_run: bool,
    /// Sums over all NPCs.
    pub(super) totals: ErasedTotals,
    /// NPCs that would change, by name; empty once it is done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) npcs: Vec<NpcErasure>,
    /// Number of save points that have the person's name.
    pub(super) save_points: usize,
    /// Number of records of caches that were dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cached: Option<usize>,
    /// Copies of the store from before a migration.
    pub(super) backups: Vec<PathBuf>,
    /// Files of recorded answers that were named.
    pub(super) recordings: Vec<Recording>,
    /// Plans, reports and exports that name the person.
    pub(super) files: Vec<OwnFile>,
    /// Search for the person after the erasure; only once it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) check: Option<CheckOutcome>,
}

/// Sums over all NPCs.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct ErasedTotals {
    /// Number of NPCs that change.
    npcs: usize,
    /// Number of NPCs that have the name themselves and are deleted.
    whole_npcs: usize,
    /// Number of entries that name the person; all are deleted.
    named: usize,
    /// Number of entries deleted because they rest on deleted ones.
    withdrawn: usize,
    /// Number of archived entries that are active again, because what had replaced them is deleted.
    restored: usize,
    /// Number of entries that stay archived although what had replaced them is deleted: they have no vector.
    left_archived: usize,
    /// Number of other entries that lose a source, a contest mark or a corroboration.
    changed: usize,
    /// Number of lines of the log that are deleted or lose values.
    log_lines: usize,
    /// Number of states of themes that are deleted.
    theme_nights: usize,
    /// Number of nights that can no longer be undone.
    nights: usize,
}

impl ErasedTotals {
    pub(super) fn of(erasures: &[Erasure]) -> Self {
        let mut totals = Self::default();
        erasures.iter().for_each(|erasure| totals.add(erasure));
        totals
    }

    pub(super) fn add(&mut self, erasure: &Erasure) {
        let of = NpcErasure::from(erasure);
        self.npcs += 1;
        self.whole_npcs += usize::from(of.whole);
        self.named += of.named;
        self.withdrawn += of.withdrawn;
        self.restored += of.restored;
        self.left_archived += of.left_archived;
        self.changed += of.changed;
        self.log_lines += of.log_lines;
        self.theme_nights += of.theme_nights;
        self.nights += of.nights;
    }
}

/// Erasure of one NPC in numbers: ids can name the person.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NpcErasure {
    /// Name of the NPC.
    npc: String,
    /// True if the NPC has the name itself and is deleted; the numbers are 0 then.
    whole: bool,
    /// Number of entries that name the person; all are deleted.
    named: usize,
    /// Number of entries deleted because they rest on deleted ones.
    withdrawn: usize,
    /// Number of archived entries that are active again, because what had replaced them is deleted.
    restored: usize,
    /// Number of entries that stay archived although what had replaced them is deleted: they have no vector.
    left_archived: usize,
    /// Number of other entries that lose a source, a contest mark or a corroboration.
    changed: usize,
    /// Number of lines of the log that are deleted or lose values.
    log_lines: usize,
    /// Number of states of themes that are deleted.
    theme_nights: usize,
    /// Number of nights that can no longer be undone.
    nights: usize,
}

impl From<&Erasure> for NpcErasure {
    fn from(erasure: &Erasure) -> Self {
        Self {
            npc: erasure.npc.to_string(),
            whole: erasure.whole,
            named: erasure.named.len(),
            withdrawn: erasure.withdrawn.len(),
            restored: erasure.restored.len(),
            left_archived: erasure.left_archived.len(),
            changed: erasure.changed,
            log_lines: erasure.log_lines,
            theme_nights: erasure.theme_nights,
            nights: erasure.nights,
        }
    }
}

/// Returns the report as text; `listed` are the erasures whose ids are shown.
pub(super) fn text(output: &EraseOutput, listed: Option<&[Erasure]>, person: &str) -> String {
    let mut out = String::new();
    for npc in &output.npcs {
        out.push_str(&npc_line(npc));
        let found = listed.into_iter().flatten().find(|erasure| erasure.npc.as_str() == npc.npc);
        if let Some(erasure) = found {
            out.push_str(&ids("names the person", &erasure.named));
            out.push_str(&ids("concluded from it", &erasure.withdrawn));
            out.push_str(&ids("active again", &erasure.restored));
            out.push_str(&ids("stays archived", &erasure.left_archived));
        }
    }
    out.push_str(&beside(output));
    let totals = &output.totals;
    let entries = count(totals.named + totals.withdrawn, "entry", "entries");
    let sum = format!("{entries} of {}", count(totals.npcs, "NPC", "NPCs"));
    let person = clean(person);
    if output.dry_run {
        let nothing = totals.npcs == 0
            && output.save_points == 0
            && output.files.is_empty()
            && output.recordings.iter().all(|of| of.lines == 0);
        out.push_str(&if nothing {
            format!("nothing names {person}\n")
        } else {
            format!(
                "dry run: nothing was changed; --apply erases {person}: {sum}, and nothing brings them back\n"
            )
        });
        return out;
    }
    out.push_str(&format!("erased {person}: {sum}\n"));
    if totals.npcs > 0 {
        out.push_str(&format!(
            "  {} named the person, {} were concluded from them; {} active again; {}; {} can no longer be taken back\n",
            totals.named,
            totals.withdrawn,
            count(totals.restored, "entry is", "entries are"),
            count(totals.log_lines, "log line changed", "log lines changed"),
            count(totals.nights, "night", "nights"),
        ));
    }
    if totals.left_archived > 0 {
        out.push_str(&format!(
            "  {} archived although what told them is gone; `nightfold restore ID` makes one active\n",
            count(totals.left_archived, "entry stays", "entries stay")
        ));
    }
    out.push_str(&check_lines(output.check.as_ref(), output.cached));
    out
}

fn npc_line(npc: &NpcErasure) -> String {
    let name = clean(&npc.npc);
    if npc.whole {
        return format!("  {name}: deleted with all that it knows\n");
    }
    let mut parts = vec![format!("{} the person", count(npc.named, "entry names", "entries name"))];
    let mut part = |n: usize, one: &str, many: &str| {
        if n > 0 {
            parts.push(count(n, one, many));
        }
    };
    part(npc.withdrawn, "conclusion withdrawn", "conclusions withdrawn");
    part(npc.restored, "entry active again", "entries active again");
    part(npc.left_archived, "entry stays archived", "entries stay archived");
    part(npc.theme_nights, "state of a theme", "states of themes");
    part(npc.nights, "night can no longer be taken back", "nights can no longer be taken back");
    format!("  {name}: {}\n", parts.join(", "))
}

fn ids(what: &str, ids: &[MemoryId]) -> String {
    if ids.is_empty() {
        return String::new();
    }
    let ids: Vec<_> = ids.iter().map(|id| clean(id.as_str())).collect();
    format!("    {what}: {}\n", ids.join(", "))
}

/// Returns the lines on files and save points.
fn beside(output: &EraseOutput) -> String {
    let mut out = String::new();
    if output.save_points > 0 {
        out.push_str(&format!("  {} of that name\n", count(output.save_points, "save point", "save points")));
    }
    let shown = |path: &Path| clean(&path.display().to_string()).into_owned();
    for backup in &output.backups {
        out.push_str(&format!("  {}: a copy of the store from before a migration\n", shown(backup)));
    }
    for recording in output.recordings.iter().filter(|of| of.lines > 0) {
        let lines = count(recording.lines, "recorded answer", "recorded answers");
        out.push_str(&format!("  {}: {lines}\n", shown(&recording.path)));
    }
    for file in &output.files {
        out.push_str(&format!("  {}: names the person\n", shown(&file.path)));
    }
    out
}

fn check_lines(check: Option<&CheckOutcome>, cached: Option<usize>) -> String {
    let mut out = String::new();
    if let Some(cached) = cached.filter(|cached| *cached > 0) {
        let records = count(cached, "record", "records");
        out.push_str(&format!("  cache emptied: {records}; what is needed is computed again\n"));
    }
    let Some(check) = check else { return out };
    if let Some(why) = &check.not_rewritten {
        out.push_str(&format!(
            "  old versions of rows are left until the server vacuums its tables: {}\n",
            clean(why)
        ));
    }
    if check.texts_elsewhere > 0 {
        let texts = count(check.texts_elsewhere, "erased text stands", "erased texts stand");
        out.push_str(&format!(
            "  {texts} elsewhere in the same words, and stay: nothing there names the person\n"
        ));
    }
    if check.found.is_empty() {
        let where_else = match check.files {
            0 => String::new(),
            files => format!(" and in the bytes of {}", count(files, "file", "files")),
        };
        out.push_str(&format!("checked: found nowhere in the rows of the store{where_else}\n"));
    }
    if check.names_by_row_only > 0 && check.files > 0 {
        let names = count(check.names_by_row_only, "name", "names");
        out.push_str(&format!("  {names} looked for in rows alone: too short to be looked for in bytes, or a word of the file format\n"));
    }
    out
}
