//! The nights of a run as diffs, one after the other.

use std::collections::BTreeMap;

use nightfold::memory::{Change, MemoryId, NpcId, NpcNight};

use super::diff::night;
use crate::{error::CliError, terminal::Terminal};

/// What the entries say that a night may speak of, by id.
pub(crate) type Texts = BTreeMap<MemoryId, String>;

/// Nights as diffs. They come by NPC and then in order of time, as in a plan; `before` looks up what an NPC knows
/// before the first of them.
pub(crate) fn nights<'a>(
    nights: impl IntoIterator<Item = &'a NpcNight>,
    mut before: impl FnMut(&NpcId) -> Result<Texts, CliError>,
    terminal: Terminal,
    verbose: bool,
) -> Result<String, CliError> {
    let mut out = String::new();
    let mut known: Option<(&NpcId, Texts)> = None;
    for planned in nights {
        let mut texts = match known.take() {
            Some((npc, texts)) if *npc == planned.npc => texts,
            _ => before(&planned.npc)?,
        };
        out.push_str(&night(planned, &texts, terminal, verbose));
        remember(&mut texts, planned);
        known = Some((&planned.npc, texts));
    }
    Ok(out)
}

/// Adds what a night would write, for the later nights that speak of it.
fn remember(texts: &mut Texts, night: &NpcNight) {
    let entries = night.changes.iter().filter_map(Change::entry);
    texts.extend(entries.map(|entry| (entry.id.clone(), entry.text.clone())));
}
