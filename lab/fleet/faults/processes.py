"""Processes that a scenario starts, and the end of all of them, however it ends.

What a process starts inherits its environment, and with it a mark that no other process has: workers of Ray and Spark are found by it, or as
children of those that are.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
import uuid
from pathlib import Path

MARK = f"NIGHTFOLD_FAULTS={uuid.uuid4().hex}"


def marked(env: dict[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a process of a scenario."""
    variable, _, value = MARK.partition("=")
    return {**os.environ, **(env or {}), variable: value}


def alive() -> list[int]:
    """Return the processes of scenarios that are there, children before parents."""
    parents: dict[int, int] = {}
    ours: set[int] = set()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        pid = int(folder.name)
        with contextlib.suppress(OSError):
            status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines() if ":\t" in line)
            if status["State"].startswith("Z"):
                continue
            parents[pid] = int(status["PPid"])
            # A process that gives itself a title overwrites its environment: it is found as a child.
            if MARK.encode() in (folder / "environ").read_bytes():
                ours.add(pid)
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sorted(ours, reverse=True)


def titles() -> dict[int, str]:
    """Return the processes of scenarios with their arguments."""
    found = {}
    for pid in alive():
        with contextlib.suppress(OSError):
            found[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def send(pid: int, number: signal.Signals) -> bool:
    """Send a signal; returns false if the process has gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def end_all() -> int:
    """Kill the processes of scenarios that are still there, and return their number."""
    killed: set[int] = set()
    for _ in range(50):
        there = alive()
        if not there:
            break
        for pid in there:
            send(pid, signal.SIGKILL)
        killed |= set(there)
        time.sleep(0.1)
    return len(killed)


class TimeLimitError(Exception):
    """A scenario took longer than it may."""


class time_limit(contextlib.AbstractContextManager[None]):
    """A limit on a block, in seconds: `TimeLimitError` comes up wherever the block is."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        def expired(_number: int, _frame: object) -> None:
            raise TimeLimitError(f"not done after {self._seconds} s")

        self._before = signal.signal(signal.SIGALRM, expired)
        signal.alarm(self._seconds)

    def __exit__(self, *_exception: object) -> None:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, self._before)
