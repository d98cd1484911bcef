//! Generator of days: `days [NPCS [MEMORIES [REPEAT_SHARE]]]` writes a day of synthetic memories for each NPC
//! as JSONL, the same on every machine; without a share no memory repeats another.

use std::{
    env,
    error::Error,
    io::{self, BufWriter, Write as _},
};

use nightfold_scenario::synthetic::SyntheticTown;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize, usual: usize| args.get(at).map_or(Ok(usual), |n| n.parse());
    let repeat_share = args.get(2).map_or(Ok(0.0), |share| share.parse())?;
    let town = SyntheticTown { npcs: number(0, 1_000)?, memories: number(1, 50)?, repeat_share, seed: 42 };
    let mut out = BufWriter::new(io::stdout().lock());
    for npc in 0..town.npcs {
        for memory in town.day(npc)? {
            writeln!(out, "{}", serde_json::to_string(&memory)?)?;
        }
    }
    Ok(out.flush()?)
}
