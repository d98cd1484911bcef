"""Databases of a simulated night, and the times at which they write. All times are in seconds."""

from __future__ import annotations

from scenario import Databases, Outage


class DatabaseQueues:
    """Commits of each database in order of arrival; a commit that an outage cuts is repeated after it."""

    def __init__(self, databases: Databases, outages: tuple[Outage, ...]) -> None:
        self._databases, self._outages = databases, outages
        self._free_at = [0.0] * databases.count
        self._latency = 1 / databases.nights_s_one_worker - 1 / databases.nights_s

    def up_at(self, now: float) -> float:
        """Returns the first moment from `now` on at which databases answer."""
        return next((outage.end for outage in self._outages if outage.at <= now < outage.end), now)

    def commit(self, now: float, shard: int, nights: int) -> float:
        """Queues a commit, and returns the moment at which it is written."""
        database, service = shard % self._databases.count, nights / self._databases.nights_s
        start = max(now, self._free_at[database])
        for outage in self._outages:
            if start < outage.end and start + service > outage.at:
                start = outage.end
        self._free_at[database] = start + service
        return start + service + nights * self._latency
