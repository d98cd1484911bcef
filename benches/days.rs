//! Days to try things on: `days [NPCS [MEMORIES]]` writes a day of generated memories for each NPC as JSONL, alike on every
//! machine.

use std::{
    env,
    error::Error,
    io::{self, BufWriter, Write as _},
};

use nightfold_benches::{Draw, sentence};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize, usual: usize| args.get(at).map_or(Ok(usual), |n| n.parse());
    let (npcs, memories) = (number(0, 1_000)?, number(1, 50)?);
    let mut draw = Draw(42);
    let mut out = BufWriter::new(io::stdout().lock());
    for npc in 0..npcs {
        for n in 0..memories {
            let text = sentence(&mut draw, npc, n);
            let line = json!({
                "id": format!("v{npc}-{n}"), "npc": format!("Villager {npc:04}"), "at": 28_800 + 600 * n, "kind": "event",
                "text": text, "importance": 1 + draw.below(9),
            });
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}
