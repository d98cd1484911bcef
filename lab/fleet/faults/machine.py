"""Faults of the workers' machines: clocks that are wrong, no room for temporary files."""

from __future__ import annotations

import signal
from pathlib import Path

from database import small_disk
from setting import Result, Setting
from worker import Crew, Worker

DAYS = 2
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


def clock_skew(setting: Setting, result: Result) -> None:
    """Clocks of workers are two days ahead and two behind, and one of them is killed half-way."""
    if FAKETIME is None:
        result.note("SKIPPED: faketime is not installed")
        return
    # Waits are measured by a clock that nobody sets: a wrong one would be a fault of another kind. The library is loaded without the
    # program `faketime`, whose process would stand before the worker's.
    always = {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "LD_PRELOAD": str(FAKETIME)}
    envs = [{**always, "FAKETIME": f"{sign}{DAYS}d"} for sign in "+-"]
    for ahead_dies in (True, False):
        store = setting.server.address()
        crew = Crew(setting, [setting.sleep(store)] * 2, envs=envs)
        result.faults += 1
        if crew.pause(4.0):
            crew.places[0 if ahead_dies else 1].worker.signal(signal.SIGKILL)
            result.faults += 1
        crew.wait()
        result.seconds += crew.seconds()
        for worker in crew.workers():
            # What a killed process leaves of faketime.
            for left in Path("/dev/shm").glob(f"*faketime_*_{worker.pid}"):
                left.unlink(missing_ok=True)
        found = crew.conclude(setting, result)
        setting.check(store, result, found=found)


def own_disk_full(setting: Setting, result: Result) -> None:
    """A worker has no room for temporary files; a healthy one ends what it began."""
    store = setting.server.address()
    with small_disk("16k") as disk:
        command = setting.sleep(store, "--set", "input.held_bytes=1")
        ill = Worker(command, setting.folder / "ill.log", {"TMPDIR": str(disk), "NIGHTFOLD_VECTOR_CACHE": ""})
        code = ill.wait()
        result.faults += 1
        result.note(f"exit code {code}: {ill.said().strip()[-300:]}")
        if code <= 0 or "panicked" in ill.said() or "space" not in ill.said():
            result.problem(f"unclear: exit code {code}, {ill.said()[-800:]}")
        run = setting.status(store)
        result.note(f"left: {run['open']} shards open, {run['leased']} leased, {run['failed']} failed, {run['written']} nights")
        if run["leased"] or run["failed"]:
            result.problem(f"a shard was not given back: {run}")
    # The settings of a run are those of its first worker, but for what bounds a machine.
    crew = Crew(setting, [setting.sleep(store, "--set", "input.held_bytes=1")])
    crew.wait()
    result.seconds = crew.seconds()
    found = crew.conclude(setting, result)
    setting.check(store, result, found=found)
