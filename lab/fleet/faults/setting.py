"""What all scenarios share: a town, its pack, and what a store must hold after its nights."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import memories
from processes import marked

FLEET = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FLEET / "tests"))

import town
from postgres_server import PostgresServer

# From the folder of the tests, which this module makes known: the others have it from here.
__all__ = ["FLEET", "LEASE_SECONDS", "PostgresServer", "Result", "Setting", "program"]

# Shorter than the least that a lease may be would be refused.
LEASE_SECONDS = 5
# Fewer NPCs at a time than a shard has, so that a shard is written in several transactions.
NPCS_AT_A_TIME = 8


def program() -> str:
    """Return the command line that is tested."""
    built = FLEET.parents[1] / "target/release/nightfold-under-test"
    return str(Path(os.environ.get("NIGHTFOLD_PROGRAM", built)).resolve())


@dataclass
class Result:
    """What came of a scenario."""

    name: str
    faults: int = 0
    runs: int = 0
    again: int = 0
    """Shards that were leased again, or given again by an engine."""
    found: int = 0
    """Nights that were there from a worker that was lost in the middle of their shard: they were skipped."""
    redone: int = 0
    """Nights that were planned again, at most: those of shards that were leased again, less what was found."""
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(text)
        print(f"    {text}", flush=True)

    def problem(self, text: str) -> None:
        self.problems.append(text)
        print(f"    PROBLEM: {text}", flush=True)


class Setting:
    """A town in a folder, slept once by one process for comparison, and a server for the stores of scenarios."""

    def __init__(self, folder: Path, npcs: int, shards: int, server: PostgresServer) -> None:
        self.folder = folder
        self.server = server
        self.program = program()
        self.shards = shards
        self.nights = memories.nights(npcs)
        self.lines = memories.write_lines(folder / "days.jsonl", memories.town(npcs))
        self.pack = folder / "day"
        self.call("shards", "pack", self.lines, "--shards", shards, "--to", self.pack)
        alone = folder / "alone.db"
        self.call("sleep", self.lines, "--by-day", "--apply", "--store", alone, "--vector-cache", "off")
        self.reference = self.contents(str(alone))

    def call(self, *arguments: object, ok: tuple[int, ...] = (0,)) -> str:
        """Run the command line to its end and return what it prints."""
        command = [self.program, *map(str, arguments)]
        done = subprocess.run(command, env=marked(), capture_output=True, text=True, timeout=300, check=False)
        if done.returncode not in ok:
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def contents(self, store: str) -> Counter[str]:
        """Return the rows of a store."""
        return town.contents(self.call("export", "--store", store, "--to", "-"))

    def sleep(self, store: str, *options: object) -> list[str]:
        """Return the command of a worker that shares a run."""
        return [
            *(self.program, "sleep", str(self.pack), "--by-day", "--apply", "--offline", "--threads", "1"),
            *("--store", store, "--set", f"run.lease_seconds={LEASE_SECONDS}"),
            *("--set", f"run.npcs={NPCS_AT_A_TIME}", *map(str, options)),
        ]

    def status(self, store: str) -> dict[str, Any]:
        """Return the latest shared run of a store."""
        (run,) = json.loads(self.call("shards", "show", "--json", "--store", store))
        assert isinstance(run, dict)
        return run

    def check(
        self, store: str, result: Result, leased: bool = True, found: int = 0, server: PostgresServer | None = None
    ) -> None:
        """Compare a store with what one process wrote, and note what differs."""
        result.runs += 1
        schema = store.rpartition("=")[2]
        counted = f"SELECT count(*) FROM {schema}.night GROUP BY npc, label"
        counts = Counter((server or self.server).sql(counted))
        if counts != {"1": self.nights}:
            result.problem(f"nights by how often they are there: {dict(counts)}, and not {self.nights} once")
        there = self.contents(store)
        if there != self.reference:
            missing, more = self.reference - there, there - self.reference
            result.problem(f"contents differ: {missing.total()} rows missing, {more.total()} others")
            result.problems += [f"missing: {row[:300]}" for row in sorted(missing)[:3]]
            result.problems += [f"not expected: {row[:300]}" for row in sorted(more)[:3]]
        if leased:
            run = self.status(store)
            result.again += run["lost"]
            result.redone += max(0, round(run["lost"] * self.nights / self.shards) - found)
            if (run["done"], run["failed"]) != (self.shards, 0):
                result.problem(f"the run does not end: {json.dumps(run)[:600]}")
