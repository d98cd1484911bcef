"""Days of a made-up town of any size, the same at every call: texts from templates, most of them said by one NPC alone."""

# ruff: noqa: SIM905 (words are easier to read without quotes)

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FIRST = (
    "Ada Brann Cess Dorrit Edda Finn Gisla Hob Ilsa Jory Kett Lene Mara Nils Orla Piet Runa Sten Tove Ulf "
    "Vera Wim Yrsa Zeno Alis Bertil Cara Dag Elin Falk Greta Hakon Inga Jonas Kaja Lars Maj Njal Odda Per "
    "Ragna Sune Thora Une Vigo Wenda Ymir Zita Arvid Berta"
).split()
LAST = (
    "Ash Birch Cold Dun East Fern Grey Hay Iron Kings Lang Marsh North Oak Pine Quarry Red Salt Thorn Under "
    "West Wind Wolf Yew Black Brook Clay Deep Elm Fox Gold Heath Ivy Lake Mill New Old Raven Stone Swan"
).split()
ENDS = (
    "acre bank bridge brook bury by cote croft dale den field ford gate ham hill holm hurst land leigh ley "
    "mere more over pool ridge side stead stoke thorpe ton vale wall water way well wick wood worth yard moor"
).split()
TRADES = "miller ferryman baker weaver fisher smith healer shepherd brewer scribe carter innkeeper".split()
GOODS = "barley wool salt rope candles herring honey timber iron leather cheese apples lamp oil pitch flax".split()
PLACES = "market; mill; north bridge; harbour; chapel; Heron inn; old quarry; river ford; east gate; tannery".split("; ")
EVENTS = (
    "wolves took {count} sheep above the {place}",
    "the roof of the {place} fell in after {count} days of rain",
    "a cart with {count} sacks of {goods} broke down by the {place}",
    "the warden wants {count} silver for every barrel of {goods}",
    "{friend} found {count} old coins under the {place}",
    "{friend} has not been seen for {count} nights since the quarrel at the {place}",
)
SAID = (
    "{friend} told me that {event}.",
    "I heard at the {place} that {event}, and nobody knows what to do about it.",
    "I sold {count} bundles of {goods} to {friend} near the {place} and was paid too little.",
    "I promised {friend} to bring {count} sacks of {goods} to the {place} before the next market day.",
    "{friend} and I carried {count} crates of {goods} from the {place} until it was dark.",
    "I quarrelled with {friend} about {count} silver that was owed for {goods} at the {place}.",
    "{friend} says that the way past the {place} is closed for {count} days.",
    "{friend} says that the way past the {place} is open again after {count} days.",
    "I dreamed that the {place} burned, and {friend} stood there with {count} loads of {goods}.",
)
DATES = ("1204-05-03", "1204-05-04")


def name(number: int) -> str:
    """Return the name of an NPC; the first 80,000 differ by their words, later ones by a number too."""
    first, rest = number % len(FIRST), number // len(FIRST)
    last, rest = rest % len(LAST), rest // len(LAST)
    end, rest = rest % len(ENDS), rest // len(ENDS)
    return f"{FIRST[first]} {LAST[last]}{ENDS[end]}" + (f" {rest + 1}" if rest else "")


def dates_of(number: int) -> tuple[str, ...]:
    """Return the dates of an NPC: every third has one, the others two."""
    return DATES[:1] if number % 3 == 0 else DATES


def of_npc(number: int, npcs: int, each: int, seed: int, texts: int | None) -> list[dict[str, Any]]:
    """Return the memories of an NPC in order of time. With `texts` there are only so many texts in the whole town."""
    own = random.Random(f"{seed}/{number}" if texts is None else f"{seed}/{number % texts}")
    trade = TRADES[number % len(TRADES)]
    dates = dates_of(number)
    lived = []
    for line in range(each):
        date = dates[line * len(dates) // each]
        friend = name(own.randrange(npcs if texts is None else 50))
        words = {"friend": friend, "place": own.choice(PLACES), "goods": own.choice(GOODS), "count": own.randrange(3, 400)}
        if line % 5 == 0:
            # What many do every day: a night puts these together.
            text, friend = f"I opened the {trade}'s shop before sunrise.", ""
        else:
            text = own.choice(SAID).format(event=own.choice(EVENTS).format(**words), **words)
        memory: dict[str, Any] = {
            "id": f"{number}-{line}",
            "npc": name(number),
            "at": f"{date}T{6 + line % 16:02}:{own.randrange(60):02}:00Z",
            "kind": "chat" if "says" in text or "told" in text else "event",
            "text": text,
        }
        if own.random() < 0.7:
            memory["importance"] = own.randrange(1, 10)
        if friend and friend in text:
            memory["actors"] = [friend]
        lived.append(memory)
    return lived


def town(npcs: int, each: int = 10, seed: int = 0, texts: int | None = None) -> Iterator[dict[str, Any]]:
    """Return the memories of all NPCs."""
    for number in range(npcs):
        yield from of_npc(number, npcs, each, seed, texts)


def write_lines(path: Path, memories: Iterator[dict[str, Any]]) -> Path:
    """Write memories as lines of JSON."""
    with path.open("w") as file:
        for memory in memories:
            file.write(json.dumps(memory) + "\n")
    return path


def nights(npcs: int) -> int:
    """Return the number of nights of a town: one for each date of each NPC."""
    return sum(len(dates_of(number)) for number in range(npcs))
