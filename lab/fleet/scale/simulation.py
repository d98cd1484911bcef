"""Discrete-event simulation of a night: workers lease shards, plan their nights, and commit them in batches.

Events are those of a batch, not of a night. Heartbeats are no events: a lease is renewed at regular moments until its
worker dies, stands still, or the database is away, and only these are simulated.
"""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections import deque
from collections.abc import Callable, Iterator

from database import DatabaseQueues
from scenario import Assignment, Clock, Order, Outage, Scenario
from state import Attempt, Result, Shard, Tally, Worker

EVENTS_A_BATCH = 200
"""Events a batch at which a night is taken to have no end, such as one whose workers die faster than they plan."""


class InvariantError(AssertionError):
    """A night was lost or written twice, or does not end."""


class Simulation:
    """One run of a scenario. The same scenario gives the same result."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.protocol, self.faults = scenario, scenario.protocol, scenario.faults
        self.now = 0.0
        self.tally = Tally()
        self._queues = DatabaseQueues(scenario.databases, scenario.faults.outages)
        self._events: list[tuple[float, int, Callable[..., None], tuple[object, ...]]] = []
        self._sequence = itertools.count()
        # Each kind of chance has a stream of its own, so that scenarios differ by their faults alone.
        self._straggler_random, self._failure_random, self._pause_random = (
            random.Random(f"{scenario.seed} {kind}") for kind in ("stragglers", "failures", "pauses")
        )
        self.shards = list(self._make_shards())
        self.workers = list(self._make_workers())
        self._fresh = iter(self.shards)
        self._expired: dict[Shard, None] = {}
        self._waiting: deque[tuple[Worker, int]] = deque()

    def run(self) -> Result:
        """Simulates the night, and checks what must hold of it.

        Raises `InvariantError` if a night is lost or written twice, or if the night does not end.
        """
        self._schedule_start()
        limit = EVENTS_A_BATCH * (sum(len(shard.batches) for shard in self.shards) + len(self.workers))
        for _ in range(limit):
            if len(self.tally.shard_ends) + self.tally.given_up_shards == len(self.shards):
                return self._result()
            if not self._events:
                raise InvariantError(f"{self._progress()}, and nothing goes on")
            self.now, _, handler, arguments = heapq.heappop(self._events)
            handler(*arguments)
        raise InvariantError(f"no end after {limit} events: {self._progress()}")

    def _progress(self) -> str:
        return f"{len(self.tally.shard_ends)} of {len(self.shards)} shards are done"

    # Set-up

    def _make_shards(self) -> Iterator[Shard]:
        load, chance = self.scenario.load, random.Random(f"{self.scenario.seed} durations")
        for number, first in enumerate(range(0, load.npcs, load.npcs_a_shard)):
            nights = min(load.npcs_a_shard, load.npcs - first)
            whole, rest = divmod(nights, self.protocol.nights_a_commit)
            batches = (self.protocol.nights_a_commit,) * whole + ((rest,) if rest else ())
            seconds = chance.choice(load.seconds_a_shard) * nights / load.measured_npcs_a_shard
            yield Shard(number, batches, seconds)

    def _make_workers(self) -> Iterator[Worker]:
        speed, clock = (random.Random(f"{self.scenario.seed} {kind}") for kind in ("machines", "clocks"))
        for number in range(self.scenario.load.workers):
            factor = speed.lognormvariate(0.0, self.faults.machine_sigma)
            worker = Worker(number, factor, clock.gauss(0.0, self.faults.clock_sigma))
            if self.protocol.assignment is Assignment.STATIC:
                worker.own_shards.extend(self.shards[number :: self.scenario.load.workers])
            yield worker

    def _schedule_start(self) -> None:
        for outage in self.faults.outages:
            self._at(outage.at, self._on_outage, outage)
        for number, moment in self.faults.deaths:
            self._at(moment, self._on_death, self.workers[number], 0)
        for pause in self.faults.pauses:
            self._at(pause.at, self._on_pause, self.workers[pause.worker], pause.seconds)
        for worker in self.workers:
            self._schedule_death(worker)
            self._schedule_pause(worker)
            self._at(0.0, self._on_ask, worker, 0)

    def _at(self, moment: float, handler: Callable[..., None], *arguments: object) -> None:
        heapq.heappush(self._events, (moment, next(self._sequence), handler, arguments))

    # Leases

    def _on_ask(self, worker: Worker, life: int) -> None:
        """Gives a worker a shard, or lets it wait for a lease that runs out."""
        if worker.life != life:
            return
        if self._waits_in_vain(worker):
            return
        ready = max(worker.paused_until, self._queues.up_at(self.now))
        if ready > self.now:
            self._at(ready, self._on_ask, worker, life)
            return
        shard = self._next_shard(worker)
        if shard is not None:
            self._take(worker, shard)
        elif self.protocol.clock is Clock.WORKER:
            self._at(self.now + self.protocol.heartbeat, self._on_ask, worker, life)
        else:
            self._waiting.append((worker, life))

    def _next_shard(self, worker: Worker) -> Shard | None:
        if self.protocol.assignment is Assignment.STATIC:
            return worker.own_shards[0] if worker.own_shards else None
        if self.protocol.order is Order.FRESH_FIRST and (shard := next(self._fresh, None)):
            return shard
        expired = self._expired_for(worker) if self.protocol.clock is Clock.WORKER else self._expired
        return min(expired, key=lambda shard: shard.number) if expired else next(self._fresh, None)

    def _expired_for(self, taker: Worker) -> list[Shard]:
        """Returns shards whose lease has run out by the clock of a worker."""
        attempts = (worker.attempt for worker in self.workers if worker.attempt)
        held = (attempt for attempt in attempts if attempt.shard.holder is attempt)
        orphans = (shard.holder for shard in self._expired if shard.holder and shard.holder.worker_died)
        return [
            attempt.shard
            for attempt in itertools.chain(held, orphans)
            if attempt.shard.attempts < self.protocol.max_attempts
            and self._lease_end(attempt) + attempt.worker.clock_offset <= self.now + taker.clock_offset
        ]

    def _take(self, worker: Worker, shard: Shard) -> None:
        self.tally.takeovers += shard.holder is not None and self.protocol.assignment is Assignment.LEASES
        self._expired.pop(shard, None)
        shard.attempts += 1
        factor = worker.factor * self._straggler_random.lognormvariate(0.0, self.faults.straggler_sigma)
        worker.attempt = shard.holder = Attempt(worker, shard, self.now, factor)
        self._begin_batch(worker.attempt)

    def _lease_end(self, attempt: Attempt) -> float:
        """Returns the end of a lease as of now."""
        if attempt.lease_end is not None:
            return attempt.lease_end
        beats = math.floor((self.now - attempt.taken_at) / self.protocol.heartbeat)
        return attempt.taken_at + beats * self.protocol.heartbeat + self.protocol.lease

    def _stop_heartbeats(self, attempt: Attempt) -> None:
        if attempt.lease_end is None:
            attempt.lease_end = self._lease_end(attempt)
            self._at(attempt.lease_end, self._on_lease_end, attempt)

    def _resume_heartbeats(self, attempt: Attempt, moment: float) -> None:
        """Renews a lease at the first heartbeat from a moment on, if nobody has taken the shard by then."""
        beats = math.ceil((moment - attempt.taken_at) / self.protocol.heartbeat)
        self._at(max(moment, attempt.taken_at + beats * self.protocol.heartbeat), self._on_renewal, attempt)

    def _on_renewal(self, attempt: Attempt) -> None:
        up = self._queues.up_at(self.now)
        if attempt.worker_died or attempt.shard.holder is not attempt or attempt.worker.paused_until > self.now:
            return
        if up > self.now:
            self._resume_heartbeats(attempt, up)
            return
        attempt.lease_end = None
        self._expired.pop(attempt.shard, None)

    def _on_lease_end(self, attempt: Attempt) -> None:
        shard = attempt.shard
        is_over = shard.holder is not attempt or attempt.lease_end != self.now
        if is_over or self.protocol.assignment is Assignment.STATIC:
            return
        if shard.attempts < self.protocol.max_attempts:
            self._expired[shard] = None
            self._wake_one()
        else:
            shard.holder = None
            self.tally.given_up_shards += 1

    def _wake_one(self) -> None:
        while self._waiting:
            worker, life = self._waiting.popleft()
            self._at(max(self.now, worker.paused_until), self._on_ask, worker, life)
            if worker.life == life and worker.paused_until <= self.now:
                return

    # Planning and commits

    def _begin_batch(self, attempt: Attempt) -> None:
        """Plans the next batch, or skips it if it is written already."""
        shard, worker = attempt.shard, attempt.worker
        nights, bit = shard.batches[attempt.batch], 1 << attempt.batch
        if shard.written & bit:
            self._at(self.now + nights / self.scenario.databases.read_nights_s, self._on_batch_end, attempt, worker.life)
            return
        self.tally.redone_nights += nights if shard.begun & bit else 0
        shard.begun |= bit
        seconds = shard.seconds * nights / shard.nights * attempt.factor
        self._at(self.now + seconds, self._on_planned, attempt, worker.life, seconds)

    def _on_planned(self, attempt: Attempt, life: int, seconds: float) -> None:
        worker, shard = attempt.worker, attempt.shard
        if worker.life != life:
            return
        if worker.owed:
            self._at(self.now + worker.owed, self._on_planned, attempt, life, seconds)
            worker.owed = 0.0
            return
        if self._waits_in_vain(worker):
            return
        written_at = self._queues.commit(self.now, shard.number, shard.batches[attempt.batch])
        self._at(written_at, self._on_commit, attempt, life, seconds, self.now)

    def _on_commit(self, attempt: Attempt, life: int, seconds: float, sent: float) -> None:
        """Writes a batch unless it is written already. A worker that died has taken its transaction with it."""
        shard, nights = attempt.shard, attempt.shard.batches[attempt.batch]
        if attempt.worker.life != life:
            return
        if self._passes_fence(shard, attempt.batch):
            shard.written |= 1 << attempt.batch
            self.tally.written_nights += nights
            self.tally.useful_seconds += seconds
        else:
            self.tally.refused_nights += nights
        self.tally.waited_seconds += self.now - sent
        self._on_batch_end(attempt, life)

    def _passes_fence(self, shard: Shard, batch: int) -> bool:
        """Returns true if the NPCs of a batch still have the versions that it was planned against."""
        return not shard.written >> batch & 1

    def _on_batch_end(self, attempt: Attempt, life: int) -> None:
        """Goes on with the next batch, unless the shard is done or was taken over."""
        worker = attempt.worker
        if worker.life != life:
            return
        if worker.paused_until > self.now:
            self._at(worker.paused_until, self._on_batch_end, attempt, life)
            return
        worker.owed = 0.0
        attempt.batch += 1
        if attempt.shard.holder is not attempt:
            self._leave(worker)
        elif attempt.batch < len(attempt.shard.batches):
            self._begin_batch(attempt)
        else:
            self._finish(attempt)

    def _finish(self, attempt: Attempt) -> None:
        shard = attempt.shard
        shard.done, shard.holder = True, None
        self._expired.pop(shard, None)
        self.tally.shard_ends.append(self.now)
        if self.protocol.assignment is Assignment.STATIC:
            attempt.worker.own_shards.popleft()
        self._leave(attempt.worker)

    def _leave(self, worker: Worker) -> None:
        worker.attempt = None
        self._on_ask(worker, worker.life)

    # Faults

    def _schedule_death(self, worker: Worker) -> None:
        if self.faults.mtbf is not None:
            moment = self.now + self._failure_random.expovariate(1 / self.faults.mtbf)
            self._at(moment, self._on_death, worker, worker.life)

    def _schedule_pause(self, worker: Worker) -> None:
        if self.faults.mean_time_between_pauses is not None:
            moment = self.now + self._pause_random.expovariate(1 / self.faults.mean_time_between_pauses)
            self._at(moment, self._on_random_pause, worker)

    def _on_death(self, worker: Worker, life: int) -> None:
        if worker.life != life:
            return
        self.tally.deaths += 1
        worker.life += 1
        if worker.attempt:
            worker.attempt.worker_died = True
            self._stop_heartbeats(worker.attempt)
            worker.attempt = None
        if self.faults.restart is not None:
            self._at(self.now + self.faults.restart, self._on_restart, worker, worker.life)

    def _waits_in_vain(self, worker: Worker) -> bool:
        """Ends a worker after its patience, and returns true, if the database is away for longer."""
        patience, away = self.protocol.patience, self._queues.up_at(self.now) - self.now
        if patience is None or away <= patience:
            return False
        self._at(self.now + patience, self._on_death, worker, worker.life)
        return True

    def _on_restart(self, worker: Worker, life: int) -> None:
        worker.owed, worker.paused_until = 0.0, self.now
        self._schedule_death(worker)
        self._on_ask(worker, life)

    def _on_random_pause(self, worker: Worker) -> None:
        self._on_pause(worker, self._pause_random.expovariate(1 / self.faults.mean_pause))
        self._schedule_pause(worker)

    def _on_pause(self, worker: Worker, seconds: float) -> None:
        worker.paused_until = max(worker.paused_until, self.now + seconds)
        if worker.attempt:
            worker.owed += seconds
            self._stop_heartbeats(worker.attempt)
            self._resume_heartbeats(worker.attempt, worker.paused_until)

    def _on_outage(self, outage: Outage) -> None:
        for attempt in (worker.attempt for worker in self.workers if worker.attempt):
            self._stop_heartbeats(attempt)
            self._resume_heartbeats(attempt, outage.end)

    # Outcome

    def _result(self) -> Result:
        written = sum(shard.written_nights for shard in self.shards)
        if self.tally.written_nights != written:
            raise InvariantError(f"{self.tally.written_nights - written} NPC-nights are written twice")
        lost = [shard.number for shard in self.shards if shard.done and shard.written != (1 << len(shard.batches)) - 1]
        if lost:
            raise InvariantError(f"shard {lost[0]} is done, and nights of it are not written")
        ideal = sum(shard.seconds for shard in self.shards) / len(self.workers)
        attempts = max(shard.attempts for shard in self.shards)
        return Result(self.scenario, self.tally, self.now, ideal, attempts)
