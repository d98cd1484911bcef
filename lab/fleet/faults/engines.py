"""Faults of the engines' workers: actors and a node of Ray, Python workers and an executor of Spark."""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import processes
from setting import FLEET, Result, Setting
from worker import Worker

RECIPES = FLEET / "recipes"
TOTALS = re.compile(r"shards (\d+) of (\d+), nights (\d+), written (\d+), failed (\d+)")
ACTORS_KILLED = 3


def missing(*modules: str) -> str | None:
    """Return what is not installed."""
    if (absent := [module for module in modules if importlib.util.find_spec(module) is None]) != []:
        return f"SKIPPED: not installed: {', '.join(absent)}"
    if "pyspark" in modules and shutil.which("java") is None:
        return "SKIPPED: there is no Java"
    return None


def written(setting: Setting, store: str) -> int:
    """Return the number of nights in a store, which may not be there yet."""
    schema = store.rpartition("=")[2]
    if setting.server.sql(f"SELECT to_regclass('{schema}.night')") == [""]:
        return 0
    return int(setting.server.sql(f"SELECT count(*) FROM {schema}.night")[0])


def run_recipe(
    setting: Setting, result: Result, recipe: str, options: list[str], env: dict[str, str], fault: Callable[[], bool], faults: int
) -> None:
    """Run a recipe, let faults happen at equal distances of nights, run it again, and compare."""
    store = setting.server.address()
    command = [sys.executable, str(RECIPES / recipe), str(setting.pack), "--store", store, "--offline", "--by-day", *options]
    begun = time.monotonic()
    worker = Worker(command, setting.folder / f"{result.name}.log", env)
    for number in range(faults):
        # From an eighth of the nights to three quarters of them: all engines have begun by then, and none has ended.
        at = setting.nights * (1 + 5 * number / max(1, faults - 1)) / 8
        while worker.code() is None and written(setting, store) < at:
            time.sleep(0.05)
        if worker.code() is None and fault():
            result.faults += 1
    code = worker.wait(240)
    result.seconds += time.monotonic() - begun
    totals = TOTALS.findall(worker.said())
    if code != 0 or len(totals) != 1:
        result.problem(f"{recipe}: exit code {code}: {worker.said()[-1500:]}")
    for shards, of, nights, wrote, failed in totals:
        result.note(f"shards {shards} of {of}, nights {nights}, written {wrote}, failed {failed}")
        # Engines do not tell what they repeat: at most the shard that each lost worker had.
        result.found += int(nights) - int(wrote)
        result.again += result.faults
        result.redone += max(0, round(result.faults * setting.nights / setting.shards) - result.found)
        if (shards, failed) != (of, "0"):
            result.problem(f"{recipe}: {worker.said()[-600:]}")
    setting.check(store, result, leased=False)
    second = Worker(command, setting.folder / f"{result.name}-again.log", env)
    if second.wait(240) != 0 or f"nights {setting.nights}, written 0, failed 0" not in second.said():
        result.problem(f"{recipe}, the second time: {second.said()[-600:]}")


def kill_one(titled: Callable[[str], bool]) -> bool:
    """Kill a process of this scenario by its title; returns false if there is none."""
    for pid, title in processes.titles().items():
        if titled(title):
            return processes.send(pid, signal.SIGKILL)
    return False


def ray_env(folder: str) -> dict[str, str]:
    # Without a token of its own Ray writes one into the user's home.
    return {"RAY_TMPDIR": folder, "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}


def ray_actor(setting: Setting, result: Result) -> None:
    """Three times, an actor of Ray Data that sleeps shards is killed."""
    if told := missing("ray", "nightfold"):
        return result.note(told)
    with tempfile.TemporaryDirectory(prefix="nf") as folder:
        # The title of an actor names its class and the method that runs.
        def fault() -> bool:
            return kill_one(lambda title: title.startswith("ray::") and "MapWorker" in title)

        run_recipe(setting, result, "ray_data.py", [], ray_env(folder), fault, ACTORS_KILLED)


def ray_node(setting: Setting, result: Result) -> None:
    """One of three nodes of a Ray cluster is lost, with its actor."""
    if told := missing("ray", "nightfold"):
        return result.note(told)
    with tempfile.TemporaryDirectory(prefix="nf") as folder:
        env = ray_env(folder)
        cluster = subprocess.Popen(
            [sys.executable, str(FLEET / "faults/ray_cluster.py")],
            env=processes.marked(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert cluster.stdin is not None and cluster.stdout is not None
        lines = iter(cluster.stdout)
        address = next((line.strip() for line in lines if re.fullmatch(r"[\d.]+:\d+\n", line)), None)
        if address is None:
            return result.problem("the Ray cluster does not start")

        def lose() -> bool:
            assert cluster.stdin is not None
            print("lose", file=cluster.stdin, flush=True)
            return "nodes left" in next(lines)

        run_recipe(setting, result, "ray_data.py", ["--address", address], env, lose, 1)
        cluster.stdin.close()
        cluster.wait(30)


def spark_env(folder: str) -> dict[str, str]:
    return {"SPARK_LOCAL_DIRS": folder, "SPARK_LOCAL_IP": "127.0.0.1"}


def spark_worker(setting: Setting, result: Result) -> None:
    """A Python worker of Spark is killed, twice."""
    if told := missing("pyspark", "nightfold"):
        return result.note(told)

    def fault() -> bool:
        # The workers are children of the daemon, and have its arguments: the youngest are they.
        daemons = [pid for pid, title in processes.titles().items() if "pyspark.daemon" in title]
        return len(daemons) > 1 and processes.send(max(daemons), signal.SIGKILL)

    with tempfile.TemporaryDirectory(prefix="nf") as folder:
        run_recipe(setting, result, "pyspark_map.py", ["--master", "local[2,4]"], spark_env(folder), fault, 2)


def spark_executor(setting: Setting, result: Result) -> None:
    """One of two executors of Spark is killed, the whole JVM."""
    if told := missing("pyspark", "nightfold"):
        return result.note(told)

    def fault() -> bool:
        return kill_one(lambda title: "CoarseGrainedExecutorBackend" in title)

    with tempfile.TemporaryDirectory(prefix="nf") as folder:
        env = {**spark_env(folder), "SPARK_HOME": os.environ.get("SPARK_HOME", _spark_home())}
        run_recipe(setting, result, "pyspark_map.py", ["--master", "local-cluster[2,1,1024]"], env, fault, 1)


def _spark_home() -> str:
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None and spec.submodule_search_locations
    return spec.submodule_search_locations[0]
