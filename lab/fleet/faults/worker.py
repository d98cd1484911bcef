"""Workers of the command line, and a crew of them that is started again as a supervisor does."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from processes import marked, send
from setting import Result, Setting

# A worker that ends so is started again at once, in a cluster as here: killed, or what it needs was not there.
STORE_FAILED = 5
PARTIAL = 6
# More starts of one place than any scenario needs: a worker that cannot live would be started for ever.
MOST_STARTS = 100
SHARD_DONE = re.compile(r"^shard \d+ of \d+: (\d+) nights?, (\d+) written", re.MULTILINE)
APPLIED = re.compile(r"^applied: (\d+) of (\d+) nights? written", re.MULTILINE)
SHARD_LOST = re.compile(r"^shard \d+ went to another worker", re.MULTILINE)


class Worker:
    """A process with a file for what it says."""

    def __init__(self, command: list[str], log: Path, env: dict[str, str] | None = None) -> None:
        with log.open("w") as file:
            self.process = subprocess.Popen(command, env=marked(env), stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        self.log = log
        self.begun = time.monotonic()

    @property
    def pid(self) -> int:
        return self.process.pid

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def code(self) -> int | None:
        return self.process.poll()

    def wait(self, seconds: float = 120) -> int:
        """Wait for the end; a process that does not come to it raises."""
        return self.process.wait(seconds)

    def signal(self, number: signal.Signals) -> bool:
        return self.code() is None and send(self.pid, number)


@dataclass
class Place:
    """A place in a crew: what runs there, and what ran there before."""

    command: list[str]
    env: dict[str, str]
    worker: Worker
    ended: list[Worker] = field(default_factory=list)
    done: bool = False


class Crew:
    """Workers that share a run. One that is killed, or ends with one of the given codes, is started again at once."""

    def __init__(
        self,
        setting: Setting,
        commands: list[list[str]],
        again: tuple[int, ...] = (),
        envs: list[dict[str, str]] | None = None,
    ) -> None:
        self._folder = setting.folder
        self._again = again
        # A cache of another scenario would leave nothing to embed: only that of the store is used.
        quiet = {"NIGHTFOLD_VECTOR_CACHE": "", "RUST_BACKTRACE": "1"}
        self.begun = time.monotonic()
        self.places = []
        for command, env in zip(commands, envs or [{}] * len(commands), strict=True):
            env = {**quiet, **env}
            self.places.append(Place(command, env, Worker(command, self._log(), env)))

    def _log(self) -> Path:
        folder = self._folder / "logs"
        folder.mkdir(exist_ok=True)
        return folder / f"{len(list(folder.iterdir()))}.log"

    def tend(self) -> bool:
        """Start again who must be, and return true while any works."""
        for place in self.places:
            code = place.worker.code()
            if place.done or code is None:
                continue
            place.ended.append(place.worker)
            place.done = not (code < 0 or code in self._again) or len(place.ended) >= MOST_STARTS
            if not place.done:
                if code > 0:
                    time.sleep(0.5)
                place.worker = Worker(place.command, self._log(), place.env)
        return not all(place.done for place in self.places)

    def wait(self) -> None:
        """Wait until all are done."""
        while self.tend():
            time.sleep(0.02)

    def pause(self, seconds: float) -> bool:
        """Let the crew work for a while; returns false if it is done before."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not self.tend():
                return False
            time.sleep(0.01)
        return True

    def seconds(self) -> float:
        return time.monotonic() - self.begun

    def workers(self) -> list[Worker]:
        """Return all that ran, and their words are whole."""
        return [worker for place in self.places for worker in place.ended]

    def conclude(self, setting: Setting, result: Result, allowed: tuple[int, ...] = ()) -> int:
        """Note ends that are not allowed, and return how many nights were found written by workers that were lost."""
        workers = self.workers()
        lines = [line for worker in workers for line in SHARD_DONE.findall(worker.said())]
        found = max(0, setting.nights - sum(int(written) for _, written in lines)) if lines else 0
        result.found += found
        for worker in workers:
            code = worker.code() or 0
            if "panicked" in worker.said():
                result.problem(f"a panic: {worker.said()[-1500:]}")
            if code > 0 and code not in (*self._again, *allowed):
                result.problem(f"exit code {code}: {worker.said()[-600:]}")
        for place in self.places:
            if len(place.ended) >= MOST_STARTS:
                result.problem(f"given up after {MOST_STARTS} starts: {place.worker.said()[-600:]}")
        return found
