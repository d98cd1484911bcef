"""Inputs of a simulated night: load, lease protocol, database and faults. All times are in seconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from figures import InputError, at_least


class Assignment(Enum):
    """Way in which shards come to workers."""

    LEASES = "leases"
    """Any worker takes the next shard; one whose lease has run out is taken again."""
    STATIC = "static"
    """Worker `I` of `N` has the shards `I`, `I + N`, … (`--shard I/N`); nobody takes them over."""


class Order(Enum):
    """Shard that an idle worker takes first."""

    FRESH_FIRST = "fresh first"
    """One that nobody has begun, and then one whose lease has run out."""
    EXPIRED_FIRST = "expired first"
    """A comparison only: lowest number of those that are free, so one whose lease has run out comes before a fresh one."""


class Clock(Enum):
    """Clock that judges whether a lease has run out."""

    SERVER = "server"
    WORKER = "worker"
    """A comparison only: the protocol does not do this."""


@dataclass(frozen=True)
class Load:
    """NPCs of a night in shards, and the workers that plan them."""

    npcs: int
    npcs_a_shard: int
    workers: int
    seconds_a_shard: tuple[float, ...]
    """Measured seconds of one worker for a shard, sampled with replacement; without commits."""
    measured_npcs_a_shard: int
    """NPCs of the measured shards; the seconds of other sizes are in proportion."""

    def __post_init__(self) -> None:
        for name in ("npcs", "npcs_a_shard", "workers", "measured_npcs_a_shard"):
            at_least(name.replace("_", " "), getattr(self, name), 1)
        if not self.seconds_a_shard:
            raise InputError("`seconds a shard`: no measured shard; at least one is needed")
        for seconds in self.seconds_a_shard:
            at_least("seconds a shard", seconds, 0, exclusive=True)


@dataclass(frozen=True)
class Protocol:
    """Rules of leases and commits."""

    lease: float = 60.0
    heartbeat: float = 20.0
    max_attempts: int = 5
    nights_a_commit: int = 64
    patience: float | None = None
    """Time that a worker waits for a database that is away, before it ends; `None`: as long as it takes."""
    assignment: Assignment = Assignment.LEASES
    order: Order = Order.FRESH_FIRST
    clock: Clock = Clock.SERVER

    def __post_init__(self) -> None:
        at_least("heartbeat", self.heartbeat, 0, exclusive=True)
        if self.lease <= self.heartbeat:
            raise InputError(f"`lease`: {self.lease:g} s; more than the heartbeat of {self.heartbeat:g} s is needed")
        at_least("max attempts", self.max_attempts, 1)
        at_least("nights a commit", self.nights_a_commit, 1)
        at_least("patience", 0.0 if self.patience is None else self.patience, 0)


@dataclass(frozen=True)
class Databases:
    """Databases that shards are spread over in turn. Each has one queue; one table has the leases of all."""

    count: int
    nights_s: float
    """Nights a second that one database commits for many workers."""
    nights_s_one_worker: float
    """Nights a second that one database commits for one worker; not above `nights_s`."""
    read_nights_s: float
    """Written nights a second that a worker skips."""

    def __post_init__(self) -> None:
        at_least("databases", self.count, 1)
        at_least("nights/s of a database", self.nights_s, 0, exclusive=True)
        at_least("nights/s of one worker", self.nights_s_one_worker, 0, exclusive=True, most=self.nights_s)
        at_least("nights/s read", self.read_nights_s, 0, exclusive=True)


@dataclass(frozen=True)
class Pause:
    """A worker that stands still."""

    worker: int
    at: float
    seconds: float


@dataclass(frozen=True)
class Outage:
    """Time in which no database answers: commits and requests for shards wait, heartbeats fail."""

    at: float
    seconds: float

    @property
    def end(self) -> float:
        """Moment from which the databases answer again."""
        return self.at + self.seconds


@dataclass(frozen=True)
class Faults:
    """What goes wrong. Random faults are exponential in time; listed ones happen at their moment."""

    machine_sigma: float = 0.0
    """Spread of the lognormal factor of a worker, the same for its whole life (median 1)."""
    straggler_sigma: float = 0.0
    """Spread of the lognormal factor of one attempt at a shard (median 1)."""
    mtbf: float | None = None
    """Mean time between failures of one worker."""
    restart: float | None = 60.0
    """Time from the end of a worker until its successor asks for a shard; `None`: there is none."""
    mean_time_between_pauses: float | None = None
    mean_pause: float = 60.0
    """Mean length of a random pause; lengths are exponential."""
    clock_sigma: float = 0.0
    """Spread of the workers' clocks around the server's."""
    outages: tuple[Outage, ...] = ()
    deaths: tuple[tuple[int, float], ...] = ()
    """Listed failures: worker and moment."""
    pauses: tuple[Pause, ...] = ()

    def __post_init__(self) -> None:
        for name in ("machine_sigma", "straggler_sigma", "clock_sigma"):
            at_least(name.replace("_", " "), getattr(self, name), 0)
        for name in ("mtbf", "mean_time_between_pauses"):
            if getattr(self, name) is not None:
                at_least(name.replace("_", " "), getattr(self, name), 0, exclusive=True)
        at_least("mean pause", self.mean_pause, 0, exclusive=True)
        at_least("restart", 0.0 if self.restart is None else self.restart, 0)
        _disjoint(self.outages)


def _disjoint(outages: Iterable[Outage]) -> None:
    end = 0.0
    for outage in outages:
        at_least("outage", outage.seconds, 0, exclusive=True)
        if outage.at < end:
            raise InputError(f"`outage` at {outage.at:g} s: it begins before {end:g} s, when the one before it ends")
        end = outage.end


@dataclass(frozen=True)
class Scenario:
    """One simulated night."""

    name: str
    load: Load
    databases: Databases
    protocol: Protocol = field(default_factory=Protocol)
    faults: Faults = field(default_factory=Faults)
    seed: int = 1
