"""State of a simulated night, and what is counted in it. All times are in seconds."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from scenario import Scenario


@dataclass(eq=False, slots=True)
class Shard:
    """NPC-nights that are leased together. Batches are bits of `begun` and `written`."""

    number: int
    batches: tuple[int, ...]
    """Nights of each batch."""
    seconds: float
    """Time of a worker of speed 1 for all of them."""
    begun: int = 0
    written: int = 0
    attempts: int = 0
    holder: Attempt | None = None
    done: bool = False

    @property
    def nights(self) -> int:
        """Nights of all batches."""
        return sum(self.batches)

    @property
    def written_nights(self) -> int:
        """Nights of the batches that are written."""
        return sum(nights for batch, nights in enumerate(self.batches) if self.written >> batch & 1)


@dataclass(eq=False, slots=True)
class Attempt:
    """A worker's hold on a shard, from its lease on."""

    worker: Worker
    shard: Shard
    taken_at: float
    factor: float
    """Time of this attempt over that of a worker of speed 1."""
    batch: int = 0
    lease_end: float | None = None
    """Moment at which the lease runs out; `None` while heartbeats renew it."""
    worker_died: bool = False


@dataclass(eq=False, slots=True)
class Worker:
    """One worker process and its successors after restarts."""

    number: int
    factor: float
    clock_offset: float
    life: int = 0
    """Number of failures; events of an earlier life are dropped."""
    attempt: Attempt | None = None
    paused_until: float = 0.0
    owed: float = 0.0
    """Length of the pauses that the planning under way has still to wait for."""
    own_shards: deque[Shard] = field(default_factory=deque)
    """Shards of a static assignment that are not done."""


@dataclass
class Tally:
    """Counts of a run."""

    written_nights: int = 0
    redone_nights: int = 0
    """Nights whose planning was begun more than once, once for each time more."""
    refused_nights: int = 0
    """Nights whose commit came late and was refused by the version fence."""
    takeovers: int = 0
    deaths: int = 0
    """Workers that ended before the night did: failures, and those who waited in vain for a database."""
    given_up_shards: int = 0
    useful_seconds: float = 0.0
    """Time of planning whose nights were written."""
    waited_seconds: float = 0.0
    """Time that workers waited for commits."""
    shard_ends: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Result:
    """Outcome of a run."""

    scenario: Scenario
    tally: Tally
    makespan: float
    """Moment at which the last shard is done."""
    ideal: float
    """Work of all shards over the number of workers."""
    max_attempts: int

    @property
    def utilisation(self) -> float:
        """Share of the workers' time that planned nights which were written."""
        return self.tally.useful_seconds / (self.scenario.load.workers * self.makespan)

    @property
    def database_wait(self) -> float:
        """Share of the workers' time that waited for commits."""
        return self.tally.waited_seconds / (self.scenario.load.workers * self.makespan)

    @property
    def tail(self) -> float:
        """Time from when 99 % of the shards are done to the makespan."""
        ends = self.tally.shard_ends
        return self.makespan - ends[math.ceil(0.99 * len(ends)) - 1] if ends else 0.0
