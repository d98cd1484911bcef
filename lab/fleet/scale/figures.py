"""Figures that the cost model starts from: `measured.json`, each with its unit and source."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

DEFAULT_FILE = Path(__file__).with_name("measured.json")
BASES = ("measured", "documented", "assumed")


class InputError(ValueError):
    """An input that the model refuses; the text names the field, its value and the allowed range."""


@dataclass(frozen=True)
class Figure:
    """One figure with what is needed to measure it again."""

    name: str
    value: float
    unit: str
    basis: str
    """`measured`, `documented` (by a program's own documentation) or `assumed`."""
    command: str
    """Command that measured it; for other figures, the reason for the value."""
    date: str
    machine: str


@dataclass(frozen=True)
class Figures:
    """All figures of a file, by name."""

    by_name: dict[str, Figure]

    def number(self, name: str) -> float:
        """Returns a figure."""
        return self._figure(name).value

    def with_number(self, name: str, value: float) -> Figures:
        """Returns the figures with one of them replaced by an assumption of the caller."""
        given = checked_value(name, value)
        figure = replace(self._figure(name), value=given, basis="assumed", command="given by the caller")
        return Figures({**self.by_name, name: figure})

    def _figure(self, name: str) -> Figure:
        if name not in self.by_name:
            raise InputError(f"figure `{name}`: unknown; known are {', '.join(sorted(self.by_name))}")
        return self.by_name[name]


def read_figures(path: Path = DEFAULT_FILE) -> Figures:
    """Reads a file of figures.

    Raises `InputError` if the file cannot be read, a key is missing or a value is not a positive number.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"figures of {path}: {error}") from error
    if not isinstance(rows, dict):
        raise InputError(f"figures of {path}: an object of figures by name is needed")
    return Figures({name: _figure(name, row) for name, row in rows.items()})


def _figure(name: str, row: object) -> Figure:
    keys = ("value", "unit", "basis", "command", "date", "machine")
    if not isinstance(row, dict) or set(row) != set(keys):
        raise InputError(f"figure `{name}`: exactly the keys {', '.join(keys)} are needed")
    if row["basis"] not in BASES:
        raise InputError(f"figure `{name}`: basis {row['basis']!r}; one of {', '.join(BASES)} is needed")
    return Figure(name, checked_value(name, row["value"]), *(str(row[key]) for key in keys[1:]))


def checked_value(name: str, value: object) -> float:
    """Returns a positive, finite number, or refuses it by name."""
    return at_least(name, value, 0, exclusive=True)


def at_least(name: str, value: object, least: float, *, exclusive: bool = False, most: float = math.inf) -> float:
    """Returns a finite number within its range, or refuses it by name."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError(f"`{name}`: {value!r}; a finite number is needed")
    if value < least or (exclusive and value == least) or value > most:
        lower = f"above {least:g}" if exclusive else f"at least {least:g}"
        upper = "" if most == math.inf else f" and at most {most:g}"
        raise InputError(f"`{name}`: {value:g}; {lower}{upper} is needed")
    return value
