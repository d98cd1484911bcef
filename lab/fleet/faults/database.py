"""Faults of the database: restarts, crashes, cut connections, a full disk."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from processes import marked
from setting import PostgresServer, Result, Setting
from worker import STORE_FAILED, Crew

TIMES = 5
CUT_FOR = 25.0
CUT_EVERY = 0.15
# A fresh server takes some 60 MiB, the log of one run as much again.
DISK = "320m"
FULL_FOR = 12.0


def restarted(setting: Setting, result: Result) -> None:
    """The server is restarted 5 times and crashes 5 times, under two workers."""
    kinds = [False, True] * TIMES
    while kinds:
        store = setting.server.address()
        crew = Crew(setting, [setting.sleep(store)] * 2)
        while kinds and crew.pause(1.5):
            if kinds.pop(0):
                setting.server.crash()
            else:
                setting.server.restart()
            result.faults += 1
        crew.wait()
        result.seconds += crew.seconds()
        found = crew.conclude(setting, result)
        setting.check(store, result, found=found)


def cut(setting: Setting, result: Result) -> None:
    """All connections are cut every 150 ms, for 25 s or until the run ends."""
    store = setting.server.address()
    crew = Crew(setting, [setting.sleep(store)] * 2)
    every = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    until, connections = time.monotonic() + CUT_FOR, 0
    while time.monotonic() < until and crew.pause(CUT_EVERY):
        connections += int(setting.server.sql(every)[0])
        result.faults += 1
    result.note(f"{connections} connections were cut")
    crew.wait()
    result.seconds = crew.seconds()
    found = crew.conclude(setting, result)
    setting.check(store, result, found=found)


@contextlib.contextmanager
def small_disk(size: str) -> Iterator[Path]:
    """A folder that holds so much, where this process may mount one; else `OSError`."""
    folder = Path(tempfile.mkdtemp(prefix="nightfold-disk."))
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=1777", "nightfold-faults", str(folder)]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        if told.returncode != 0:
            raise OSError(f"no disk of its own: {told.stderr.strip()}")
        try:
            yield folder
        finally:
            # Lazily: what still writes to it loses nothing that anybody wants.
            subprocess.run(["umount", "-l", str(folder)], check=False)
    finally:
        folder.rmdir()


@contextlib.contextmanager
def server_in(folder: Path) -> Iterator[PostgresServer]:
    """A server that waits for its disk, with its data in a folder."""
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(folder)
    try:
        server = PostgresServer.start(fsync=True)
    finally:
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
    with server:
        yield server


def disk_full(setting: Setting, result: Result) -> None:
    """The disk of the server is full for a while, twice: workers end with the server's words, and are started again."""
    with small_disk(DISK) as disk, server_in(disk) as server:
        store = server.address()
        crew = Crew(setting, [setting.sleep(store)] * 2, again=(STORE_FAILED,))
        for pause in (4.0, 3.0):
            if not crew.pause(pause):
                break
            full = disk / "full"
            with contextlib.suppress(OSError), full.open("wb") as file:
                while True:
                    file.write(bytes(1 << 16))
                    file.flush()
            result.faults += 1
            crew.pause(FULL_FOR)
            full.unlink()
            _mend(server, result)
        crew.wait()
        result.seconds = crew.seconds()
        words = {line for worker in crew.workers() if worker.code() == STORE_FAILED for line in worker.said().splitlines()}
        ended = sum(worker.code() == STORE_FAILED for worker in crew.workers())
        result.note(f"{ended} workers ended with exit code {STORE_FAILED}")
        for line in sorted(words)[:6]:
            result.note(f"said: {line[:200]}")
        found = crew.conclude(setting, result)
        if ended and not any("space" in line or "disk" in line for line in words):
            result.problem("no worker tells that the disk is full")
        setting.check(store, result, found=found, server=server)


def _mend(server: PostgresServer, result: Result) -> None:
    """Start the server again if it did not outlive its disk: without a place for its log it ends."""
    ready = subprocess.run(["pg_isready", "-q", "-h", "127.0.0.1", "-p", str(server.port)], env=marked(), check=False).returncode
    if ready != 0:
        result.note("the server itself had ended, and was started again")
        server.restart()
