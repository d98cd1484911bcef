"""Faults of workers: killed, standing still, delivering the same nights twice at once."""

from __future__ import annotations

import random
import signal
import time

import moments
from setting import LEASE_SECONDS, Result, Setting
from worker import APPLIED, PARTIAL, SHARD_LOST, Crew, Worker

KILLS = 20
STOPS = 6
# The server ends a transaction whose worker says nothing for 20 s: one stop is longer than that, in a transaction.
LONG_STOP = 25.0


def none(setting: Setting, result: Result) -> None:
    """Two workers, and nothing happens to them."""
    store = setting.server.address()
    crew = Crew(setting, [setting.sleep(store)] * 2)
    crew.wait()
    result.seconds = crew.seconds()
    found = crew.conclude(setting, result)
    setting.check(store, result, found=found)


def killed(setting: Setting, result: Result) -> None:
    """One of two workers is killed, 20 times, and started again at once: while it opens, while it works, while it writes."""
    chance = random.Random(20)
    stages = {"opening": 0, "working": 0, "writing": 0}
    while result.faults < KILLS:
        store = setting.server.address()
        crew = Crew(setting, [setting.sleep(store)] * 2)
        # Of so many kills in one run none hits a shard for the fifth time, which would be a failed shard, and rightly.
        for attempt in range(5):
            stage = list(stages)[(attempt + result.runs) % 3]
            # A worker that opens the model is one that was started this moment: after another kill, or as the first.
            wait = chance.uniform(0.0, 0.4) if stage == "opening" else chance.uniform(0.5, 2.0)
            if result.faults == KILLS or not crew.pause(wait):
                break
            if _kill(setting, crew, stage, chance):
                result.faults += 1
                stages[stage] += 1
        crew.wait()
        result.seconds += crew.seconds()
        found = crew.conclude(setting, result)
        setting.check(store, result, found=found)
    result.note(f"killed while {', '.join(f'{stage}: {count}' for stage, count in stages.items())}")


def _kill(setting: Setting, crew: Crew, stage: str, chance: random.Random) -> bool:
    """Kill a worker of the crew at a stage; returns false if the crew was done before."""
    there = [place.worker for place in crew.places if not place.done]
    if stage == "opening":
        victim = max(there, key=lambda worker: worker.begun)
        return time.monotonic() - victim.begun < 0.5 and victim.signal(signal.SIGKILL)
    if stage == "writing":
        pid = moments.writing(setting.server, [worker.pid for worker in there])
        return any(worker.pid == pid and worker.signal(signal.SIGKILL) for worker in there)
    return chance.choice(there).signal(signal.SIGKILL)


def stopped(setting: Setting, result: Result) -> None:
    """A worker with a lease stands still until its shard has gone to another, 6 times, and goes on."""
    chance, taken, late = random.Random(6), 0, 0
    while result.faults < STOPS:
        store = setting.server.address()
        crew = Crew(setting, [setting.sleep(store)] * 2)
        # Late in the run: a shard whose lease has ended is leased again when nobody has an open one to begin.
        crew.pause(chance.uniform(5, 10))
        if stop := _stop(setting, crew, store, in_transaction=result.faults % 3 == 2):
            victim, shard = stop
            result.faults += 1
            begun = time.monotonic()
            least = LONG_STOP if result.faults % 3 == 0 else LEASE_SECONDS
            while time.monotonic() - begun < least or not moments.taken_over(setting.server, store, shard, victim.pid):
                # A crew of which one stands still is never done; a shard that nobody takes over meets the limit of the scenario.
                crew.pause(0.1)
            taken += 1
            victim.signal(signal.SIGCONT)
        crew.wait()
        result.seconds += crew.seconds()
        late += sum(len(SHARD_LOST.findall(worker.said())) for worker in crew.workers())
        found = crew.conclude(setting, result)
        setting.check(store, result, found=found)
    result.note(f"{taken} shards were taken over, and {late} of their first workers told so when they went on")


def _stop(setting: Setting, crew: Crew, store: str, in_transaction: bool) -> tuple[Worker, int] | None:
    """Stop a worker that has a lease; returns it and its shard, or none if no worker had one."""
    there = {place.worker.pid: place.worker for place in crew.places if not place.done}
    for _ in range(20):
        leased = moments.leases(setting.server, store)
        pid = moments.writing(setting.server, list(there)) if in_transaction else next(iter(leased), None)
        if pid in there and pid in leased and there[pid].signal(signal.SIGSTOP):
            # Between the two questions it may have come to its next shard.
            return there[pid], moments.leases(setting.server, store).get(pid, leased[pid])
        if not crew.pause(0.1):
            break
    return None


def twice(setting: Setting, result: Result) -> None:
    """The same NPCs to two workers at once that do not know of each other, and to one without leases beside one with them."""
    for leased in (False, True, False, True):
        store = setting.server.address()
        unleased = [
            *(setting.program, "sleep", str(setting.lines), "--by-day", "--apply", "--offline", "--threads", "1"),
            *("--shard", "0/1", "--store", store, "--vector-cache", "off"),
        ]
        # Two at the same moment; where the table of vectors is made by the first, the other waits for it.
        crew = Crew(setting, [unleased, setting.sleep(store) if leased else unleased])
        result.faults += 1
        crew.wait()
        result.seconds += crew.seconds()
        codes = sorted(worker.code() or 0 for worker in crew.workers())
        told = [worker.said() for worker in crew.workers() if worker.code() == PARTIAL]
        refused = sum("another process wrote" in words for words in told)
        applied = [f"{wrote} of {nights}" for worker in crew.workers() for wrote, nights in APPLIED.findall(worker.said())]
        result.note(
            f"{'one with leases' if leased else 'both without leases'}: exit codes {codes}, written {applied}, {refused} told of another"
        )
        # All was planned twice, or found: the other was not lost.
        result.redone += setting.nights
        crew.conclude(setting, result, allowed=(PARTIAL,))
        result.found = 0
        if refused != len(told):
            result.problem(f"unclear: {told[0][-600:]}")
        if leased:
            # What it was refused are failures to the run, unless it slept them again: a worker with --resume ends them.
            run = setting.status(store)
            if run["failed"]:
                result.note(f"{run['failed']} shards had failed; --resume")
                setting.call(*setting.sleep(store, "--resume")[1:])
        again = setting.call(*unleased[1:])
        if "nothing to write" not in again:
            result.problem(f"the second time wrote again: {again[-300:]}")
        setting.check(store, result, leased=leased)
