#!/usr/bin/env python3
"""Cost of one night of many NPCs on many machines.

  cost.py --npcs 10000000 --memories 50 --nodes 63 --window-hours 1

Prints core-hours, nodes, databases and bytes as a Markdown table, and names the resource that breaks first. The figures
it starts from are those of `measured.json`; `--figures` prints them, `--set NAME=VALUE` replaces one.

Model: a night takes a core `warm + embedding * (1 - cache hit) + judging * (1 - verdict hit)` seconds, all in proportion
to its memories, and embedding to their distinct share too. *Warm* is what is left with every vector and every verdict of
the stance model cached; *judging* is what a cold night takes besides that and embedding. A database commits nights at a
constant rate of bytes. Resources work side by side: the slowest decides the hours.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from figures import DEFAULT_FILE, Figure, Figures, InputError, at_least, read_figures

NIGHTS_A_YEAR = 365
SECONDS_AN_HOUR = 3600


@dataclass(frozen=True)
class Night:
    """Work of one night."""

    npcs: int = 10_000_000
    memories: int = 50
    """Memories of an NPC; the figures hold from 20 to 800, where the cost grows in proportion."""
    distinct_share: float | None = None
    """Distinct texts among the memories of a shard, 0 to 1 (as measured)."""
    cache_hit: float = 0.0
    """Share of the distinct texts of a shard whose vectors are in the worker's cache, 0 to 1."""
    verdict_hit: float = 0.0
    """Share of the stance model's verdicts that are in the worker's cache, 0 to 1."""

    def __post_init__(self) -> None:
        at_least("npcs", self.npcs, 1)
        at_least("memories", self.memories, 20, most=800)
        at_least("cache hit", self.cache_hit, 0, most=1)
        at_least("verdict hit", self.verdict_hit, 0, most=1)
        if self.distinct_share is not None:
            at_least("distinct share", self.distinct_share, 0, exclusive=True, most=1)


@dataclass(frozen=True)
class Fleet:
    """Machines that the night runs on."""

    nodes: int = 63
    cores_per_node: int = 16
    databases: int = 1
    """Databases of one region each, which share NPCs and workers evenly."""
    window_hours: float = 1.0
    """Hours in which the night should be over."""
    price_core_hour: float | None = None

    def __post_init__(self) -> None:
        for name in ("nodes", "cores_per_node", "databases"):
            at_least(name.replace("_", " "), getattr(self, name), 1)
        at_least("window hours", self.window_hours, 0, exclusive=True)
        if self.price_core_hour is not None:
            at_least("price of a core-hour", self.price_core_hour, 0)

    @property
    def cores(self) -> int:
        """Cores of all nodes; each runs one worker."""
        return self.nodes * self.cores_per_node


@dataclass(frozen=True)
class Cost:
    """What the model says of a night on a fleet."""

    core_ms_a_night: float
    core_hours: float
    price: float | None
    embedding_share: float
    core_hours_by_cache_hit: dict[str, float]
    nodes_for_window: int
    databases_for_window: int
    hours_by_resource: dict[str, float]
    """Hours that each resource would need if the others were free."""
    hours: float
    breaks_first: str
    nights_s_wanted: float
    """Nights a second that all cores plan, and that the databases would have to commit."""
    nights_s_of_database: float
    databases_for_cores: int
    """Databases that keep all cores busy."""
    cores_for_database: float
    """Cores that keep one database busy."""
    written_mb_s: float
    """Megabytes a second that one database writes, write-ahead log included."""
    connections: int
    connections_allowed: int
    lease_statements_s: float
    gigabytes_a_night: float
    terabytes_a_year: float


class CostModel:
    """Model of a night's cost from measured figures."""

    def __init__(self, figures: Figures) -> None:
        self.figures = figures
        cold = 1 / figures.number("cold_nights_s_core")
        self._warm = 1 / figures.number("warm_nights_s_core")
        self._embedding = cold * figures.number("embedding_share_cold")
        self._judging = cold - self._embedding - self._warm
        if self._judging < 0:
            raise InputError("`cold_nights_s_core`: a cold night takes less time than a warm one and its embedding")

    def core_seconds(self, night: Night) -> float:
        """Returns the seconds of a core that plan one NPC-night."""
        judging = self._judging * (1 - night.verdict_hit)
        return self._embedding_seconds(night) + (self._warm + judging) * self._memory_ratio(night)

    def embedding_share(self, night: Night) -> float:
        """Returns the share of a core's time that embeds texts."""
        return self._embedding_seconds(night) / self.core_seconds(night)

    def nights_s_of_database(self, night: Night, workers: Sequence[int] = (1, 2, 4)) -> float:
        """Returns the nights a second that one database commits for the best of several numbers of workers."""
        rate = max(self.figures.number(f"database_nights_s_{count}") for count in workers)
        return rate * self.figures.number("database_night_bytes") / self.bytes_a_night(night)

    def bytes_a_night(self, night: Night) -> float:
        """Returns the bytes of one NPC-night in the store."""
        return self.figures.number("store_bytes_a_memory") * night.memories

    def hours_by_resource(self, night: Night, fleet: Fleet) -> dict[str, float]:
        """Returns the hours that each resource needs by itself."""
        written = self._written_bytes(night)
        disk = self.figures.number("database_disk_mb_s") * 1e6
        seconds = {
            "cores": night.npcs * self.core_seconds(night) / fleet.cores,
            "database commits": night.npcs / (self.nights_s_of_database(night) * fleet.databases),
            "database disk": written / (disk * fleet.databases),
        }
        return {name: value / SECONDS_AN_HOUR for name, value in seconds.items()}

    def cost(self, night: Night, fleet: Fleet) -> Cost:
        """Returns all that the model says."""
        core_hours = self._core_hours(night)
        database_rate, wanted = self.nights_s_of_database(night), fleet.cores / self.core_seconds(night)
        hours = self.hours_by_resource(night, fleet)
        slowest = max(hours, key=lambda name: hours[name])
        connections = math.ceil(fleet.cores * self.figures.number("connections_a_worker") / fleet.databases)
        return Cost(
            core_ms_a_night=self.core_seconds(night) * 1e3,
            core_hours=core_hours,
            price=None if fleet.price_core_hour is None else core_hours * fleet.price_core_hour,
            embedding_share=self.embedding_share(night),
            core_hours_by_cache_hit=self._core_hours_by_cache_hit(night),
            nodes_for_window=math.ceil(core_hours / (fleet.cores_per_node * fleet.window_hours)),
            databases_for_window=self._databases_for_window(night, fleet),
            hours_by_resource=hours,
            hours=hours[slowest],
            breaks_first=slowest,
            nights_s_wanted=wanted,
            nights_s_of_database=database_rate,
            databases_for_cores=math.ceil(wanted / database_rate),
            cores_for_database=database_rate * self.core_seconds(night),
            written_mb_s=self._written_bytes(night) / fleet.databases / 1e6 / (hours[slowest] * SECONDS_AN_HOUR),
            connections=connections,
            connections_allowed=int(self.figures.number("database_connections")),
            lease_statements_s=self._lease_statements_s(night, fleet, hours[slowest]),
            gigabytes_a_night=night.npcs * self.bytes_a_night(night) / 1e9,
            terabytes_a_year=night.npcs * self.bytes_a_night(night) * NIGHTS_A_YEAR / 1e12,
        )

    def _core_hours(self, night: Night) -> float:
        return night.npcs * self.core_seconds(night) / SECONDS_AN_HOUR

    def _core_hours_by_cache_hit(self, night: Night) -> dict[str, float]:
        measured = self.figures.number("cache_hit_shared")
        hits = {f"{hit:.0%}": replace(night, cache_hit=hit) for hit in (0.0, measured, 0.9, 1.0)}
        hits["100% and every verdict"] = replace(night, cache_hit=1.0, verdict_hit=1.0)
        return {name: self._core_hours(other) for name, other in hits.items()}

    def _written_bytes(self, night: Night) -> float:
        return night.npcs * self.bytes_a_night(night) * (1 + self.figures.number("wal_factor"))

    def _databases_for_window(self, night: Night, fleet: Fleet) -> int:
        one = self.hours_by_resource(night, Fleet(databases=1))
        return math.ceil(max(one["database commits"], one["database disk"]) / fleet.window_hours)

    def _lease_statements_s(self, night: Night, fleet: Fleet, hours: float) -> float:
        """Returns the heartbeats, leases and outcomes that one database notes a second."""
        shards_s = night.npcs / self.figures.number("npcs_a_shard") / (hours * SECONDS_AN_HOUR)
        return (fleet.cores / self.figures.number("heartbeat_s") + 2 * shards_s) / fleet.databases

    def _embedding_seconds(self, night: Night) -> float:
        measured = self.figures.number("distinct_share")
        distinct = measured if night.distinct_share is None else night.distinct_share
        return self._embedding * distinct / measured * (1 - night.cache_hit) * self._memory_ratio(night)

    def _memory_ratio(self, night: Night) -> float:
        return night.memories / self.figures.number("measured_memories")


def render(cost: Cost, night: Night, fleet: Fleet) -> str:
    """Returns the costs as a Markdown table."""
    by_hit = ", ".join(f"{hours:,.1f} at {hit}" for hit, hours in cost.core_hours_by_cache_hit.items())
    by_resource = ", ".join(f"{name} {hours:.2f} h" for name, hours in cost.hours_by_resource.items())
    allowed = "within" if cost.connections <= cost.connections_allowed else "**above**"
    price = "" if cost.price is None else f", price {cost.price:,.2f}"
    fed = f"{cost.cores_for_database:,.1f} cores keep it busy"
    rows = [
        ("a core's time for an NPC-night", f"{cost.core_ms_a_night:.1f} ms, {cost.embedding_share:.0%} of it embedding"),
        ("core-hours", f"{cost.core_hours:,.1f}{price}"),
        ("core-hours by cache hit", by_hit),
        (f"for a window of {fleet.window_hours:g} h", f"{cost.nodes_for_window} nodes, databases: {cost.databases_for_window}"),
        (f"hours with {fleet.nodes} nodes, databases: {fleet.databases}", f"**{cost.hours:.2f}** ({by_resource})"),
        ("breaks first", f"**{cost.breaks_first}**"),
        ("nights/s that the cores plan", f"{cost.nights_s_wanted:,.0f}"),
        ("nights/s that one database commits", f"{cost.nights_s_of_database:,.0f}; {fed}"),
        ("databases that keep all cores busy", f"{cost.databases_for_cores}"),
        ("written by one database, with its log", f"{cost.written_mb_s:,.0f} MB/s"),
        ("connections to each database", f"{cost.connections:,}, {allowed} the {cost.connections_allowed} allowed"),
        ("statements for leases to each database", f"{cost.lease_statements_s:,.0f} a second"),
        ("store", f"{cost.gigabytes_a_night:,.0f} GB a night, {cost.terabytes_a_year:,.0f} TB after a year"),
    ]
    head = f"| {night.npcs:,} NPCs of {night.memories} memories, {fleet.nodes} nodes of {fleet.cores_per_node} cores | |"
    return "\n".join([head, "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def render_figures(figures: Figures) -> str:
    """Returns the inputs with unit and source as a Markdown table."""
    lines = ["| input | value | unit | basis | source | date |", "|---|---|---|---|---|---|"]
    return "\n".join(lines + [_figure_row(figure) for figure in figures.by_name.values()])


def _figure_row(figure: Figure) -> str:
    value = f"{figure.value:g}"
    return f"| {figure.name} | {value} | {figure.unit} | {figure.basis} | {figure.command} | {figure.date} |"


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Returns the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    night, fleet = Night(), Fleet()
    parser.add_argument("--npcs", type=int, default=night.npcs)
    parser.add_argument("--memories", type=int, default=night.memories, help="memories of an NPC (50)")
    parser.add_argument("--distinct-share", type=float, help="distinct texts among memories, 0 to 1 (as measured)")
    parser.add_argument("--cache-hit", type=float, default=night.cache_hit, help="distinct texts with a cached vector, 0 to 1 (0)")
    parser.add_argument("--verdict-hit", type=float, default=night.verdict_hit, help="cached verdicts, 0 to 1 (0)")
    parser.add_argument("--nodes", type=int, default=fleet.nodes)
    parser.add_argument("--cores-per-node", type=int, default=fleet.cores_per_node)
    parser.add_argument("--databases", type=int, default=fleet.databases)
    parser.add_argument("--window-hours", type=float, default=fleet.window_hours)
    parser.add_argument("--price-core-hour", type=float, help="price of a core for an hour, in any currency")
    parser.add_argument("--measured", type=Path, default=DEFAULT_FILE, help="file of figures")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="replace a figure")
    parser.add_argument("--figures", action="store_true", help="print the inputs with their sources, and end")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args(arguments)


def figures_of(options: argparse.Namespace) -> Figures:
    """Returns the figures of the file with those replaced that the caller gave."""
    figures = read_figures(options.measured)
    for given in options.set:
        name, _, text = given.partition("=")
        figures = figures.with_number(name, _number(given, text))
    return figures


def _number(given: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"`--set {given}`: NAME=VALUE with a number is needed") from None


def run(options: argparse.Namespace) -> str:
    """Returns what the command prints."""
    figures = figures_of(options)
    if options.figures:
        return render_figures(figures)
    hits = options.cache_hit, options.verdict_hit
    night = Night(options.npcs, options.memories, options.distinct_share, *hits)
    machines = options.nodes, options.cores_per_node, options.databases
    fleet = Fleet(*machines, options.window_hours, options.price_core_hour)
    cost = CostModel(figures).cost(night, fleet)
    return json.dumps(asdict(cost), indent=2) if options.json else render(cost, night, fleet)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the costs; returns 2 for input that is refused."""
    try:
        print(run(parse_arguments(arguments)))
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
