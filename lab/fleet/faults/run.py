"""Faults, on this machine: workers are killed and stopped, the database fails, and every night must be there once, as one process writes it.

    python lab/fleet/faults/run.py [--only NAME …] [--npcs 400] [--json FILE]

Exit codes: 0 all as it must be; 1 something was not; 2 wrong usage.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import database
import engines
import machine
import plain
import processes
from setting import PostgresServer, Result, Setting

# Seconds that a scenario may take: several times what it takes on a machine of two cores.
SCENARIOS: dict[str, tuple[Callable[[Setting, Result], None], int]] = {
    "none": (plain.none, 120),
    "killed": (plain.killed, 420),
    "stopped": (plain.stopped, 420),
    "twice": (plain.twice, 300),
    "database-restarted": (database.restarted, 300),
    "connections-cut": (database.cut, 240),
    "database-disk-full": (database.disk_full, 240),
    "clock-skew": (machine.clock_skew, 240),
    "own-disk-full": (machine.own_disk_full, 180),
    "ray-actor": (engines.ray_actor, 420),
    "ray-node": (engines.ray_node, 420),
    "spark-worker": (engines.spark_worker, 420),
    "spark-executor": (engines.spark_executor, 420),
}


def run(name: str, setting: Setting) -> Result:
    """Run a scenario within its time, and end whatever it leaves."""
    scenario, seconds = SCENARIOS[name]
    result = Result(name)
    print(f"{name}: {scenario.__doc__}", flush=True)
    begun = time.monotonic()
    try:
        with processes.time_limit(seconds):
            scenario(setting, result)
    except OSError as error:
        # Not as root, or not on Linux: said loudly, since what is not tried is not known.
        result.problem(f"NOT TRIED: {error}")
    except Exception as error:  # noqa: BLE001 (the others are run all the same)
        result.problem(f"{type(error).__name__}: {error}")
        result.seconds = result.seconds or time.monotonic() - begun
    left = processes.end_all()
    if left:
        result.note(f"{left} processes were left, and killed")
    print(
        f"  {'ok' if not result.problems else 'WRONG'}: {result.faults} faults, {result.runs} runs, {result.again} shards again,"
        f" {result.found} nights found, {result.redone} redone at most, {result.seconds:.1f} s",
        flush=True,
    )
    return result


def table(results: list[Result]) -> str:
    """Return the results as a table of Markdown."""
    lines = [
        "| scenario | faults | runs | shards again | nights found | redone at most | seconds | outcome |",
        "|---|--:|--:|--:|--:|--:|--:|---|",
    ]
    for result in results:
        outcome = "; ".join(result.problems).replace("\n", " ")[:120] or ("skipped" if result.runs == 0 else "ok")
        lines.append(
            f"| {result.name} | {result.faults} | {result.runs} | {result.again} | {result.found} | {result.redone} | {result.seconds:.0f} | {outcome} |"
        )
    return "\n".join(lines)


def main() -> int:
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="nightfold-faults.") as folder, PostgresServer.start() as server:
        setting = Setting(Path(folder), options.npcs, options.shards, server)
        print(f"{options.npcs} NPCs, {setting.nights} nights, {options.shards} shards", flush=True)
        results = [run(name, setting) for name in options.only or SCENARIOS]
    print(table(results))
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=1) + "\n")
    return 1 if any(result.problems for result in results) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Try faults, and compare with what one process writes.")
    parser.add_argument("--only", nargs="+", choices=list(SCENARIOS), help="only these scenarios")
    parser.add_argument("--npcs", type=int, default=400, help="NPCs of the town (400)")
    parser.add_argument("--shards", type=int, default=30, help="shards of its pack (30)")
    parser.add_argument("--json", type=Path, help="file to write the results to")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
