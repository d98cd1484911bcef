//! `nightfold rewind` notes states of a store as save points, and goes back to one or forward.

use nightfold::memory::{
    GameTime, MemoryReader, MemoryStore, NpcId, RewindTarget, Rewound, SavePoint, SavePointName,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    args::{ChangeArgs, RewindArgs},
    error::{CliError, Exit, message},
    output,
    show::count,
    store,
    terminal::clean,
};

/// Name of the save point that a rewind makes of the state that it leaves.
const BEFORE: &str = "before the last rewind";

/// JSON output of a rewind.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RewindOutput {
    /// True if nothing was changed.
    dry_run: bool,
    /// NPCs that change, by name.
    npcs: Vec<Rewound>,
    /// Save point of the state that was left; only if something changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<SavePointName>,
}

pub(crate) fn run(args: &RewindArgs) -> Result<(), CliError> {
    let ChangeArgs { store: path, apply, wait, json } = &args.change;
    let writes = *apply || args.save.is_some() || args.forget.is_some();
    let store = store::open_to(path, writes, *wait)?;
    let store = store.as_ref();
    let Some(to) = &args.to else {
        let points = save_points(args, store)?;
        return if *json { output::json(&points) } else { output::text(&list(&points)) };
    };
    let (target, npc) = (target(store, to)?, args.npc.as_ref());
    let planned = store.rewindable(npc, &target)?;
    if planned.is_empty() {
        // A name that is misspelt is no NPC in the wanted state.
        store::npcs(store, args.npc.as_slice())?;
    }
    if !apply || planned.is_empty() {
        return print(&args.change, planned, None);
    }
    let before = SavePointName::new(BEFORE).map_err(|error| CliError::new(Exit::Store, error))?;
    // The state that is left stays reachable, unless it is the one to go back to.
    let before = (*to != before).then_some(before);
    if let Some(before) = &before {
        store.save_point(before)?;
    }
    let rewound = store.rewind(npc, &target)?;
    print(&args.change, rewound, before)
}

/// Makes or forgets the save point that the call names, and returns those there are.
fn save_points(args: &RewindArgs, store: &dyn MemoryStore) -> Result<Vec<SavePoint>, CliError> {
    if let Some(name) = &args.save {
        store.save_point(name)?;
    }
    if let Some(name) = &args.forget {
        if !store.save_points()?.iter().any(|point| point.name == *name) {
            return Err(missing(store, name)?);
        }
        store.forget_save_point(name)?;
    }
    Ok(store.save_points()?)
}

fn list(points: &[SavePoint]) -> String {
    if points.is_empty() {
        return "no save points; --save NAME makes one\n".to_owned();
    }
    let line =
        |point: &SavePoint| format!("{}: {}\n", clean(point.name.as_str()), count(point.npcs, "NPC", "NPCs"));
    points.iter().map(line).collect()
}

/// Reads a target: the name of a save point, or a moment.
fn target(store: &dyn MemoryReader, to: &SavePointName) -> Result<RewindTarget, CliError> {
    if store.save_points()?.iter().any(|point| point.name == *to) {
        return Ok(RewindTarget::SavePoint(to.clone()));
    }
    match to.as_str().parse::<GameTime>() {
        Ok(at) => Ok(RewindTarget::At(at)),
        Err(_) => Err(missing(store, to)?),
    }
}

fn missing(store: &dyn MemoryReader, name: &SavePointName) -> Result<CliError, CliError> {
    let points = store.save_points()?;
    let known: Vec<_> = points.iter().map(|point| clean(point.name.as_str())).collect();
    let what = format!("there is no save point {}, and it is no time", clean(name.as_str()));
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Ok(message(Exit::Usage, what)
        .hint(format!("save points: {known}; a time is a date or seconds of the game")))
}

fn print(args: &ChangeArgs, npcs: Vec<Rewound>, before: Option<SavePointName>) -> Result<(), CliError> {
    if args.json {
        return output::json(&RewindOutput { dry_run: !args.apply, npcs, before });
    }
    let mut out: String = npcs.iter().map(line).collect();
    out.push_str(&match (npcs.is_empty(), &before) {
        (true, _) => "nothing to do: the store is in that state\n".to_owned(),
        (false, Some(before)) => format!("rewound; the state before is the save point `{before}`\n"),
        (false, None) if args.apply => "rewound\n".to_owned(),
        (false, None) => "dry run: nothing was changed; --apply rewinds the store\n".to_owned(),
    });
    output::text(&out)
}

fn line(rewound: &Rewound) -> String {
    let Rewound { npc, back, forward, .. } = rewound;
    let nights = |n: usize| count(n, "night", "nights");
    let what = match (back, forward) {
        (0, forward) => format!("{} in force again", nights(*forward)),
        (back, 0) => format!("{} shelved", nights(*back)),
        (back, forward) => format!("{} shelved, {} in force again", nights(*back), nights(*forward)),
    };
    format!("  {}: {what}\n", clean(NpcId::as_str(npc)))
}
