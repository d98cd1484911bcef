"""Sleep a pack on Ray: Ray Data maps shard numbers over a pool of actors.

    python ray_data.py day --store postgres://nightfold@db/town --actors 8

Needs ``nightfold``, ``ray[data]`` and ``pyarrow`` on every node, and the pack and the models at paths that every node reads. It joins the cluster
of ``--address`` or ``RAY_ADDRESS`` (``ray job submit`` sets that), or starts a Ray of its own on this machine. Give the store's password as
``PGPASSWORD`` in the environment of the nodes: Ray shows arguments and ``runtime_env`` in its dashboard.

It prints one line of totals. Exit codes: 0 done; 2 wrong usage; 6 done in part, with the failures on standard error; 1 the run itself failed. After 1
and 6, run it again: what is written is skipped.

On failures:

- An actor that dies is started again, and its shard is given to an actor again, as often as needed; a lost node is that of all its actors. The
  store takes every night once. A shard that kills its actor each time is tried for ever: watch the actors' restarts.
- The store is called for 30 s before a shard counts as failed. A failed shard, or a failed night, stops no other.
- An actor that cannot open the model or the store ends the run (1).
- A shard that comes twice counts in ``written`` what the second delivery wrote, often nothing. ``nights`` counts those
  too that were written before.

Traps it avoids:

- Actors that take all processors starve a ``repartition`` before them, and the run hangs without a word. The items here are made by the driver, in a
  block for each shard, and no step waits for a processor but the actors.
- A queue of shards before each actor leaves some waiting behind a long one while other actors are idle: one at a time.
- An ``Embedder`` opens a copy of the model for each core of the machine, at most 4; beside other actors it must take its own share.
- Ray Data ends a run in which no shard is finished for half an hour: make shards of minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # read when Ray is imported

import nightfold
import pyarrow as pa
import ray

RESULT = pa.schema(
    {"shard": pa.int64(), "nights": pa.int64(), "written": pa.int64(), "failures": pa.list_(pa.string())}
)


def memories_of(pack: str, shard: int) -> list[dict[str, Any]]:
    """Return the memories of a shard: a file of JSON lines."""
    with open(Path(pack) / f"shard-{shard:05}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Sleeper:
    """Sleeps shards; the model and the store are opened once for each actor."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.pack = options.pack
        self.store = nightfold.Store(options.store)
        # A text that another actor has embedded is in the store.
        self.embedder = nightfold.Embedder(offline=options.offline, threads=options.cpus, cache=self.store)
        self.by_day = options.by_day

    def __call__(self, shards: pa.Table) -> pa.Table:
        return pa.Table.from_pylist([self.sleep(shard) for shard in shards["item"].to_pylist()], schema=RESULT)

    def sleep(self, shard: int) -> dict[str, Any]:
        """Sleep a shard; an error is a failure of the shard, which leaves the others alone."""
        try:
            memories = memories_of(self.pack, shard)
            plan = nightfold.sleep(
                memories, store=self.store, apply=True, embedder=self.embedder, by_day=self.by_day
            )
        except (nightfold.NightfoldError, ValueError, OSError) as error:
            return {"shard": shard, "nights": 0, "written": 0, "failures": [f"the shard: {error}"]}
        failures = [f"{failure['npc']}: {failure['error']}" for failure in plan.failures]
        return {"shard": shard, "nights": len(plan), "written": plan.written, "failures": failures}


def main() -> int:
    options = arguments()
    shards = len(json.loads((Path(options.pack) / "pack.json").read_text())["shards"])
    # Ray tells of workers that died on standard output, which is for the totals.
    with contextlib.redirect_stdout(sys.stderr):
        rows = sleep_shards(shards, options)
    failures = [(row["shard"], failure) for row in rows for failure in row["failures"]]
    for shard, failure in failures:
        print(f"shard {shard}: {failure}", file=sys.stderr)
    nights, written = (sum(row[column] for row in rows) for column in ("nights", "written"))
    print(f"shards {len(rows)} of {shards}, nights {nights}, written {written}, failed {len(failures)}")
    return 6 if failures else 0


def sleep_shards(shards: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Sleep all shards on Ray, and return a row for each."""
    if options.address:
        ray.init(address=options.address, log_to_driver=False)
    else:
        # The data are numbers: without a bound Ray reserves a third of the memory for them.
        ray.init(include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
    ray.data.DataContext.get_current().enable_progress_bars = False

    actors = options.actors or max(1, int(ray.cluster_resources().get("CPU", 1)) // options.cpus)
    numbers = ray.data.from_items(list(range(shards)), override_num_blocks=max(1, shards))
    slept = numbers.map_batches(
        Sleeper,
        fn_constructor_args=[options],
        batch_format="pyarrow",
        num_cpus=options.cpus,
        # With fewer actors than asked for the run goes on. Ray Data restarts actors and repeats their tasks by default.
        compute=ray.data.ActorPoolStrategy(size=actors, max_tasks_in_flight_per_actor=1),
    )
    try:
        return list(slept.iter_rows())
    finally:
        ray.shutdown()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Sleep a pack on Ray.")
    parser.add_argument("pack", help="folder of `nightfold shards pack`")
    parser.add_argument("--store", default=os.environ.get("NIGHTFOLD_STORE"), help="address (NIGHTFOLD_STORE)")
    parser.add_argument("--address", default=os.environ.get("RAY_ADDRESS"), help="cluster (RAY_ADDRESS)")
    parser.add_argument("--actors", type=int, help="most actors at a time (all processors)")
    parser.add_argument("--cpus", type=int, default=1, help="processors of an actor, and copies of its model (1)")
    parser.add_argument("--offline", action="store_true", help="fetch no model")
    parser.add_argument("--by-day", action="store_true", help="a night for each date")
    options = parser.parse_args()
    if not options.store:
        parser.error("no store: give --store, or NIGHTFOLD_STORE")
    if not (Path(options.pack) / "pack.json").is_file():
        parser.error(f"no such pack: {options.pack}")
    # Actors have another working folder.
    options.pack = str(Path(options.pack).resolve())
    return options


if __name__ == "__main__":
    sys.exit(main())
