"""Rows of Python values as JSON."""

import json
from collections.abc import Iterable, Mapping
from typing import Any


def to_json(days: Any) -> str:
    """Return rows as a JSON array: of a data frame without Arrow, or of an iterable of mappings."""
    if isinstance(days, (Mapping, bytes)) or not isinstance(days, Iterable):
        raise TypeError("days are a path, an iterable of dictionaries, a data frame, or an Arrow table")
    if hasattr(days, "to_dicts"):
        days = days.to_dicts()
    elif hasattr(days, "to_dict"):
        days = days.to_dict("records")
    return json.dumps([_row(row) for row in days], default=_value)


def _row(row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise TypeError(f"a memory is a dictionary, not {type(row).__name__}")
    return {key: value for key, value in row.items() if value is not None and not _is_missing(value)}


def _is_missing(value: Any) -> bool:
    # NaN and pandas' NaT are what is not there.
    return (isinstance(value, float) or type(value).__name__ == "NaTType") and bool(value != value)


def _value(value: Any) -> Any:
    if hasattr(value, "isoformat"):
        text: str = value.isoformat()
        # Times without a zone are the game's own.
        return text if getattr(value, "tzinfo", None) is not None else f"{text}Z"
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a value of a memory is a {type(value).__name__}")
