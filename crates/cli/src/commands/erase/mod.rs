//! `nightfold erase`: deletes for good all that NPCs know of a person.

mod show;

use std::collections::BTreeSet;

use nightfold::memory::{NpcId, PersonNameError, PersonNames};
use nightfold_embed::VectorCache;
use nightfold_store::DurableStore;
use serde_json::Value;

pub(super) use self::show::EraseOutput;
use self::show::{ErasureTotals, NpcErasure};
use crate::{
    args::{Common, EraseArgs},
    choices::CacheChoice,
    config,
    error::{CliError, Exit, message},
    output, store,
    terminal::clean,
    vectors,
};

impl From<PersonNameError> for CliError {
    fn from(error: PersonNameError) -> Self {
        Self::new(Exit::Usage, error).hint("give the whole name that the game uses, and others by --also")
    }
}

pub(crate) fn run(args: &EraseArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let person = PersonNames::new(std::iter::once(&args.person).chain(&args.also))?;
    let cache = cache(common)?;
    let store = store::open_to(&args.change.store, args.change.apply, args.change.wait)?;
    let everyone = store.everyone()?;
    require_no_npc(&everyone, &person, args.npc_too)?;
    let mut output = EraseOutput { dry_run: !args.change.apply, ..EraseOutput::default() };
    if !args.change.apply {
        let mut erasures = Vec::new();
        for npc in &everyone {
            erasures.extend(store.erasable(npc, &person)?.map(|erasure| (npc, erasure)));
        }
        output.totals = ErasureTotals::of(&erasures);
        output.npcs = erasures.iter().map(NpcErasure::from).collect();
        output.save_points =
            store.save_points()?.iter().filter(|point| person.are_in(point.name.as_str())).count();
        return print(args, &output, &show::dry_run(&output, verbose.then_some(&erasures), &args.person));
    }

    // Each NPC is erased in a transaction of its own.
    let (mut erasures, mut run) = (Vec::new(), None);
    for npc in &everyone {
        if store.erasable(npc, &person)?.is_none() {
            continue;
        }
        let run = match run {
            Some(run) => run,
            None => *run.insert(store.begin_run()?),
        };
        erasures.extend(store.erase(run, npc, &person)?.map(|erasure| (npc, erasure)));
    }
    let done = store.physical_erase(&person)?;
    let cached = cache.map(|cache| cache.clear()).transpose().map_err(vectors::unusable)?;
    output.totals = ErasureTotals::of(&erasures);
    output.save_points = done.save_points.len();
    output.cached = Some(done.cached + cached.unwrap_or_default());
    output.not_rewritten = done.not_rewritten;
    output.found = Some(tables_that_name(&person, &store.everyone()?, store.as_ref())?);
    print(args, &output, &show::done(&output, &args.person))?;
    let found = output.found.unwrap_or_default();
    if found.is_empty() {
        return Ok(());
    }
    let text = format!("the person is still named in {}", found.join(", "));
    Err(message(Exit::Check, text)
        .hint("erase again; what stands in a label of a night is renamed in the game"))
}

/// Fields of an export that hold words of this program.
const OWN_WORDS: &[&str] =
    &["form", "kind", "state", "archived_by", "confidence", "verb", "rule", "numbers", "centre", "known"];

/// Returns the tables whose rows name the person.
fn tables_that_name(
    person: &PersonNames,
    everyone: &[NpcId],
    store: &dyn DurableStore,
) -> Result<Vec<String>, CliError> {
    let mut found = BTreeSet::new();
    for npc in everyone {
        let mut lines = Vec::new();
        store.export(Some(npc), &mut lines).map_err(|error| CliError::new(Exit::Store, error))?;
        for line in serde_json::Deserializer::from_slice(&lines).into_iter::<Value>() {
            let line = line.map_err(|error| CliError::new(Exit::Store, error))?;
            let rows = line.as_object().into_iter().flatten();
            let named = rows.filter(|(_, row)| is_named_in(row, person));
            found.extend(named.map(|(table, _)| format!("table {table}")));
        }
    }
    Ok(found.into_iter().collect())
}

/// True if a text in a row names the person.
fn is_named_in(value: &Value, person: &PersonNames) -> bool {
    match value {
        Value::String(text) => person.are_in(text),
        Value::Array(values) => values.iter().any(|value| is_named_in(value, person)),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| !OWN_WORDS.contains(&name.as_str()) && is_named_in(value, person)),
        _ => false,
    }
}

/// Refuses a name that an NPC has too, unless the NPC is to be deleted as well.
fn require_no_npc(everyone: &[NpcId], person: &PersonNames, npc_too: bool) -> Result<(), CliError> {
    let named: Vec<_> = everyone.iter().filter(|npc| person.are_in(npc.as_str())).collect();
    if named.is_empty() || npc_too {
        return Ok(());
    }
    let names: Vec<_> = named.iter().map(|npc| clean(npc.as_str())).collect();
    let error =
        message(Exit::Usage, format!("the name is also that of an NPC with a memory: {}", names.join(", ")));
    Err(error.hint("--npc-too deletes the NPC with all that it knows; nothing was changed"))
}

/// Opens the cache that the call names; one that is not there is not made.
fn cache(common: &Common) -> Result<Option<VectorCache>, CliError> {
    match vectors::chosen(common) {
        Some(CacheChoice::File(path)) if path.exists() => {
            let config = config::load(common)?;
            VectorCache::open(&path, config.embed.file_cache).map(Some).map_err(vectors::unusable)
        }
        // A cache in a store on a server goes with that store.
        _ => Ok(None),
    }
}

fn print(args: &EraseArgs, output: &EraseOutput, text: &str) -> Result<(), CliError> {
    if args.change.json { output::json(output) } else { output::text(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_of_rows_are_searched_for_names() {
        let person = PersonNames::new(["Active", "Mill"]).unwrap();
        let row = |reason: Value| serde_json::json!({"npc": "Ann", "state": "active", "reason": reason});
        assert!(!is_named_in(&row(serde_json::json!({"rule": "active", "values": {"mill": 1}})), &person));
        assert!(is_named_in(&row(serde_json::json!({"rule": "x", "values": {"subject": "mill"}})), &person));
    }
}
