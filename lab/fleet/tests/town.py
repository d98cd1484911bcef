"""A small town for tests: its days, packs of them, and what a store must hold after its nights."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

NPCS = {
    "Ada Miller": "miller",
    "Brann Holt": "ferryman",
    "Cess Orrin": "baker",
    "Dorrit Vane": "weaver",
    "Edda Marsh": "fisher",
    "Finn Tolland": "smith",
    "Gisla Roe": "healer",
    "Hob Carrow": "shepherd",
    "Ilsa Penn": "brewer",
    "Jory Quill": "scribe",
    "Kett Arlow": "carter",
    "Lene Sable": "innkeeper",
}


def days() -> list[dict[str, Any]]:
    """Return six memories of each NPC, on two dates: repeats, gossip, a change of mind, a promise."""
    memories = []
    names = list(NPCS)
    for number, (npc, trade) in enumerate(NPCS.items()):
        friend = names[(number + 1) % len(names)]
        lived = [
            ("1204-05-03T06:10:00Z", "event", f"I opened the {trade}'s shop before sunrise.", 2, "the market"),
            ("1204-05-03T09:30:00Z", "chat", f"{friend} told me that the north bridge is closed.", 6, None),
            ("1204-05-03T12:00:00Z", "event", f"I opened the {trade}'s shop before sunrise.", 2, "the market"),
            ("1204-05-04T06:12:00Z", "event", f"I opened the {trade}'s shop before sunrise.", None, "the market"),
            ("1204-05-04T10:00:00Z", "chat", f"{friend} says that the north bridge is open again.", 6, None),
            ("1204-05-04T18:45:00Z", "chat", f"I promised {friend} {number + 3} silver by market day.", 8, "the Heron"),
        ]
        for line, (at, kind, text, importance, place) in enumerate(lived, 1):
            memory = {
                "id": f"{npc.split()[0].lower()}-{line}",
                "npc": npc,
                "at": at,
                "kind": kind,
                "text": text,
                "importance": importance,
                "place": place,
                "actors": [friend] if friend in text else None,
                "emotion": {"valence": -0.4, "intensity": 0.5} if line == 2 else None,
                "npc_tags": [trade] if line == 1 else None,
            }
            memories.append({name: value for name, value in memory.items() if value is not None})
    return memories


# Of each NPC a night for each of two dates.
NIGHTS = 2 * len(NPCS)


def shard_of(npc: str, count: int) -> int:
    """Return the shard of an NPC, as Nightfold finds it."""
    return int.from_bytes(hashlib.sha256(npc.encode()).digest()[:8], "big") * count >> 64


def write_lines(path: Path, memories: list[dict[str, Any]]) -> Path:
    """Write memories as lines of JSON."""
    path.write_text("".join(json.dumps(memory) + "\n" for memory in memories))
    return path


def write_pack(path: Path, memories: list[dict[str, Any]], shards: int) -> Path:
    """Write a pack: a file for each shard, also for one without NPCs, and its notes."""
    path.mkdir()
    notes = []
    for shard in range(shards):
        here = [memory for memory in memories if shard_of(memory["npc"], shards) == shard]
        lines = write_lines(path / f"shard-{shard:05}.jsonl", here).read_bytes()
        npcs = {memory["npc"] for memory in here}
        notes.append({"npcs": len(npcs), "memories": len(here), "sha256": hashlib.sha256(lines).hexdigest()})
    (path / "pack.json").write_text(json.dumps({"format": 1, "shards": notes}))
    return path


def program() -> Path | None:
    """Return the command line that NIGHTFOLD_PROGRAM names."""
    named = os.environ.get("NIGHTFOLD_PROGRAM")
    return Path(named).resolve() if named else None


def program_packs() -> bool:
    """Return True if there is a command line with `nightfold shards pack`."""
    named = program()
    return named is not None and subprocess.run([named, "shards", "pack", "--help"], capture_output=True).returncode == 0


def pack_by_program(path: Path, lines: Path, shards: int) -> Path:
    """Write a pack with `nightfold shards pack`."""
    command = [str(program()), "shards", "pack", str(lines), "--shards", str(shards), "--to", str(path)]
    subprocess.run(command, check=True)
    return path


def contents(export: str) -> Counter[str]:
    """Return the rows of an export, less what tells in which order and in which calls nights were written.

    That is the number of a night in the whole store, which a theme names too; the number of its call; and the checksum of it all.
    """
    header, *lines, _checksum = map(json.loads, export.splitlines())
    header.pop("last_run")
    order: dict[tuple[str, int], int] = {}
    counts: Counter[str] = Counter()
    for line in lines:
        if night := line.get("night"):
            counts[night["npc"]] += 1
            order[night["npc"], night.pop("seq")] = counts[night["npc"]]
            night["seq"] = counts[night["npc"]]
            night.pop("run")
    for line in lines:
        if theme := line.get("theme"):
            theme["seq"] = order[theme["npc"], theme["seq"]]
    return Counter(json.dumps(line, sort_keys=True) for line in [header, *lines])
