"""What a game NPC still knows tomorrow: nightly memory consolidation.

>>> import nightfold
>>> store = nightfold.Store("town.db")
>>> plan = nightfold.sleep("days.jsonl", store=store)            # writes nothing
>>> print(plan.diff())
>>> store.apply(plan)
>>> store.recall("Mara", "who owes me silver?")
"""

from ._native import (
    Config,
    Embedder,
    NightfoldError,
    Plan,
    Store,
    Table,
    Town,
    Vectors,
    __version__,
    sleep,
)

__all__ = [
    "Config",
    "Embedder",
    "NightfoldError",
    "Plan",
    "Store",
    "Table",
    "Town",
    "Vectors",
    "__version__",
    "recall",
    "sleep",
    "undo",
    "why",
]

from typing import Any


def recall(
    store: Store,
    npc: str,
    question: str,
    *,
    embedder: Embedder | None = None,
    config: Config | None = None,
) -> list[dict[str, Any]]:
    """Return the entries that best answer a question, best first."""
    return store.recall(npc, question, embedder=embedder, config=config)


def why(store: Store, npc: str, id: str) -> dict[str, Any]:
    """Return an entry with its log, its sources and what was made from it."""
    return store.why(npc, id)


def undo(store: Store, npc: str | None = None) -> list[dict[str, Any]]:
    """Take back the latest night of an NPC, or the nights of the latest call that wrote any."""
    return store.undo(npc)
