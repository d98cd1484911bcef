//! The report of an erasure. It quotes no text, and once something is erased it names nobody but the person asked for.

use nightfold::memory::{Erasure, MemoryId, NpcId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{show::count, terminal::clean};

/// Places that the command does not reach.
const NOT_REACHED: &str = "not reached: backups and other copies of the store (also those that a migration left beside it), exports, saved
  plans and reports, recorded answers of language models, caches that the call does not name; and of a server its
  write-ahead log, its replicas, and rows that an older transaction may still read
";

/// JSON output.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(in crate::commands) struct EraseOutput {
    /// True if nothing was changed.
    pub(super) dry_run: bool,
    /// Sums over all NPCs.
    pub(super) totals: ErasureTotals,
    /// NPCs that would change, by name; empty once it is done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) npcs: Vec<NpcErasure>,
    /// Number of save points that have the person's name.
    pub(super) save_points: usize,
    /// Number of records of caches that were dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cached: Option<usize>,
    /// Reason why the tables of a server could not be rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) not_rewritten: Option<String>,
    /// Tables of which a row still names the person; only once it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) found: Option<Vec<String>>,
}

/// Sums over all NPCs.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct ErasureTotals {
    /// Number of NPCs that change.
    npcs: usize,
    /// Number of NPCs that have the name themselves and are deleted.
    whole_npcs: usize,
    #[serde(flatten)]
    counts: ErasureCounts,
}

impl ErasureTotals {
    pub(super) fn of(erasures: &[(&NpcId, Erasure)]) -> Self {
        let mut counts = ErasureCounts::default();
        erasures.iter().for_each(|(_, erasure)| counts.add(erasure));
        let whole_npcs = erasures.iter().filter(|(_, erasure)| erasure.whole).count();
        Self { npcs: erasures.len(), whole_npcs, counts }
    }
}

/// Erasure of one NPC in numbers: ids can name the person.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NpcErasure {
    /// Name of the NPC.
    npc: String,
    /// True if the NPC has the name itself and is deleted; the numbers are 0 then.
    whole: bool,
    #[serde(flatten)]
    counts: ErasureCounts,
}

impl From<&(&NpcId, Erasure)> for NpcErasure {
    fn from((npc, erasure): &(&NpcId, Erasure)) -> Self {
        let mut counts = ErasureCounts::default();
        counts.add(erasure);
        Self { npc: npc.to_string(), whole: erasure.whole, counts }
    }
}

/// Numbers of what is erased.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct ErasureCounts {
    /// Number of entries that name the person; all are deleted.
    named: usize,
    /// Number of entries deleted because they rest on deleted ones.
    withdrawn: usize,
    /// Number of archived entries that are active again, because what had replaced them is deleted.
    restored: usize,
    /// Number of other rows that are changed or deleted: entries that lose what came from deleted ones, log lines, states of
    /// themes.
    others: usize,
    /// Number of nights that can no longer be undone.
    nights: usize,
}

impl ErasureCounts {
    fn add(&mut self, erasure: &Erasure) {
        self.named += erasure.named.len();
        self.withdrawn += erasure.withdrawn.len();
        self.restored += erasure.restored.len();
        self.others += erasure.others;
        self.nights += erasure.nights;
    }

    /// Returns the numbers above zero in words.
    fn parts(&self) -> String {
        let parts = [
            (self.named, "entry names the person", "entries name the person"),
            (self.withdrawn, "conclusion withdrawn", "conclusions withdrawn"),
            (self.restored, "entry active again", "entries active again"),
            (self.others, "other row changed or deleted", "other rows changed or deleted"),
            (self.nights, "night can no longer be taken back", "nights can no longer be taken back"),
        ];
        let parts = parts.into_iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| count(n, one, many));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the report of a dry run as text; `listed` are the erasures whose ids are shown.
pub(super) fn dry_run(output: &EraseOutput, listed: Option<&Vec<(&NpcId, Erasure)>>, person: &str) -> String {
    let person = clean(person);
    if output.totals.npcs == 0 && output.save_points == 0 {
        return format!("nothing names {person}\n");
    }
    let mut out = String::new();
    for (i, NpcErasure { npc, whole, counts }) in output.npcs.iter().enumerate() {
        let what = if *whole { "deleted with all that it knows".to_owned() } else { counts.parts() };
        out.push_str(&format!("  {}: {what}\n", clean(npc)));
        if let Some((_, erasure)) = listed.and_then(|listed| listed.get(i)) {
            for (what, of) in [
                ("names the person", &erasure.named),
                ("concluded from it", &erasure.withdrawn),
                ("active again", &erasure.restored),
            ] {
                out.push_str(&ids(what, of));
            }
        }
    }
    out.push_str(&save_points(output));
    format!(
        "{out}dry run: nothing was changed; --apply erases {person}: {}, and nothing brings them back\n",
        sum(output)
    )
}

/// Returns the report of an erasure as text.
pub(super) fn done(output: &EraseOutput, person: &str) -> String {
    let mut out = format!("erased {}: {}\n", clean(person), sum(output));
    out.push_str(&save_points(output));
    let parts = output.totals.counts.parts();
    if !parts.is_empty() {
        out.push_str(&format!("  {parts}\n"));
    }
    if let Some(cached) = output.cached.filter(|cached| *cached > 0) {
        let records = count(cached, "record", "records");
        out.push_str(&format!("  cache emptied: {records}; what is needed is computed again\n"));
    }
    if let Some(why) = &output.not_rewritten {
        out.push_str(&format!(
            "  old versions of rows are left until the server vacuums its tables: {}\n",
            clean(why)
        ));
    }
    if output.found.as_ref().is_some_and(Vec::is_empty) {
        out.push_str("checked: found nowhere in the rows of the store\n");
    }
    out + NOT_REACHED
}

fn sum(output: &EraseOutput) -> String {
    let ErasureTotals { npcs, counts, .. } = &output.totals;
    let entries = count(counts.named + counts.withdrawn, "entry", "entries");
    format!("{entries} of {}", count(*npcs, "NPC", "NPCs"))
}

fn save_points(output: &EraseOutput) -> String {
    if output.save_points == 0 {
        return String::new();
    }
    format!("  {} of that name\n", count(output.save_points, "save point", "save points"))
}

fn ids(what: &str, ids: &[MemoryId]) -> String {
    if ids.is_empty() {
        return String::new();
    }
    let ids: Vec<_> = ids.iter().map(|id| clean(id.as_str())).collect();
    format!("    {what}: {}\n", ids.join(", "))
}
