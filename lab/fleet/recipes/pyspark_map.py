"""Sleep a pack on Spark: ``mapInArrow`` over shard numbers, a partition for each.

    python pyspark_map.py day --store postgres://nightfold@db/town        # on this machine
    spark-submit --master k8s://… --conf spark.python.worker.reuse=true pyspark_map.py day --store …

Needs PySpark 4 with Java 17, and ``nightfold`` and ``pyarrow`` in the Python of the executors; the pack and the models are at paths that every
executor reads. Plan half a GiB for each Python worker (``spark.executor.memoryOverhead``). Give the store's password as
``PGPASSWORD`` in the environment of the executors (``spark.executorEnv.PGPASSWORD``, which Spark's pages redact).

It prints one line of totals, the last one where ``spark-submit`` mixes standard error in. Exit codes: 0 done; 2 wrong usage; 6 done in part, with the
failures on standard error; 1 the run itself failed. After 1 and 6, run it again: what is written is skipped.

On failures:

- A Python worker or an executor that dies is replaced, and its shards are run again, up to ``spark.task.maxFailures`` (4) times each. The store
  takes every night once, from speculative copies too.
- The store is called for 30 s before a shard counts as failed. A failed shard, or a failed night, stops no other.
- A shard that comes twice counts in ``written`` what the second delivery wrote, often nothing. ``nights`` counts those
  too that were written before.

Traps it avoids:

- A script's own functions travel to the workers by value: a cache among its globals is empty in each task, and the model would be opened for every
  shard. So the script imports itself as a module, which the executors get as a file, and import once for each worker process.
- ``local[N]`` tries a task once; ``local[N,4]``, the default here, as often as a cluster does.
- Spark runs the workers with the first ``python3`` of the path, whatever runs this script: here with the same one, unless ``PYSPARK_PYTHON`` is set.
- ``toLocalIterator`` runs one partition at a time; ``count`` and ``collect`` of the same frame sleep the pack twice. It is collected, once.
- An ``Embedder`` opens a copy of the model for each core of the machine, at most 4; a task has one core, and takes one copy.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import nightfold
import pyarrow as pa

RESULT = "shard BIGINT, nights BIGINT, written BIGINT, failures ARRAY<STRING>, opened BIGINT"
COLUMNS = pa.schema(
    {
        "shard": pa.int64(),
        "nights": pa.int64(),
        "written": pa.int64(),
        "failures": pa.list_(pa.string()),
        "opened": pa.int64(),
    }
)


@functools.cache
def tools(store: str, offline: bool) -> tuple[nightfold.Embedder, nightfold.Store]:
    """Open the model and the store, once for each worker process."""
    opened = nightfold.Store(store)
    # A text that another worker has embedded is in the store.
    return nightfold.Embedder(offline=offline, threads=1, cache=opened), opened


def memories_of(pack: str, shard: int) -> list[dict[str, Any]]:
    """Return the memories of a shard: a file of JSON lines."""
    with open(Path(pack) / f"shard-{shard:05}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def sleep_shard(shard: int, options: argparse.Namespace) -> dict[str, Any]:
    """Sleep a shard; an error is a failure of the shard, which leaves the others alone."""
    before = tools.cache_info().currsize
    try:
        embedder, store = tools(options.store, options.offline)
        memories = memories_of(options.pack, shard)
        plan = nightfold.sleep(memories, store=store, apply=True, embedder=embedder, by_day=options.by_day)
        failures = [f"{failure['npc']}: {failure['error']}" for failure in plan.failures]
        result = {"nights": len(plan), "written": plan.written, "failures": failures}
    except (nightfold.NightfoldError, ValueError, OSError) as error:
        result = {"nights": 0, "written": 0, "failures": [f"the shard: {error}"]}
    return {"shard": shard, **result, "opened": tools.cache_info().currsize - before}


def main() -> int:
    from pyspark.sql import SparkSession  # the executors' workers need none of it

    options = arguments()
    shards = len(json.loads((Path(options.pack) / "pack.json").read_text())["shards"])
    builder = SparkSession.builder.appName("nightfold").config("spark.python.worker.reuse", "true")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # not started by spark-submit, which has its own
        builder = builder.master(options.master)
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = builder.getOrCreate()
    spark.sparkContext.addPyFile(__file__)

    def sleep_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for shard in batch["id"].to_pylist():
                yield pa.RecordBatch.from_pylist([sleep_shard(shard, options)], schema=COLUMNS)

    numbers = spark.range(0, shards, 1, numPartitions=max(1, shards))
    rows = numbers.mapInArrow(sleep_batches, RESULT).collect()
    spark.stop()

    failures = [(row.shard, failure) for row in rows for failure in row.failures]
    for shard, failure in failures:
        print(f"shard {shard}: {failure}", file=sys.stderr)
    nights, written, opened = (sum(row[column] for row in rows) for column in ("nights", "written", "opened"))
    print(
        f"shards {len(rows)} of {shards}, nights {nights}, written {written}, failed {len(failures)},"
        f" models opened {opened}"
    )
    return 6 if failures else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Sleep a pack on Spark.")
    parser.add_argument("pack", help="folder of `nightfold shards pack`")
    parser.add_argument("--store", default=os.environ.get("NIGHTFOLD_STORE"), help="address (NIGHTFOLD_STORE)")
    parser.add_argument("--master", default="local[*,4]", help="without spark-submit: Spark's master (local[*,4])")
    parser.add_argument("--offline", action="store_true", help="fetch no model")
    parser.add_argument("--by-day", action="store_true", help="a night for each date")
    options = parser.parse_args()
    if not options.store:
        parser.error("no store: give --store, or NIGHTFOLD_STORE")
    if not (Path(options.pack) / "pack.json").is_file():
        parser.error(f"no such pack: {options.pack}")
    # Executors have another working folder.
    options.pack = str(Path(options.pack).resolve())
    return options


if __name__ == "__main__":
    # As a module of its own name, not as `__main__`: see the first trap.
    import pyspark_map

    sys.exit(pyspark_map.main())
