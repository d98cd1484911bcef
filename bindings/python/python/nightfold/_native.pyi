"""The native part of nightfold."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, final

__version__: str

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class NightfoldError(Exception):
    """A call that was refused. Nothing was changed, but for nights that were written before others were refused."""

    code: str
    """Name of the kind of refusal, such as ``unknown_npc``."""
    written: int
    """Number of nights that were written before others were refused; only of ``Store.apply``."""

@final
class Config:
    """Settings of the nights: the sections of ``nightfold.toml``.

    >>> Config({"budget": {"storage": 0.3}})
    """

    def __init__(
        self, settings: Mapping[str, Any] | None = None, *, path: str | PathLike[str] | None = None
    ) -> None: ...
    def to_dict(self) -> dict[str, Any]:
        """Return all settings with their values."""

@final
class Vectors:
    """Unit vectors, row after row; ``numpy.asarray`` takes them without a copy."""

    __array_interface__: dict[str, Any]
    def __len__(self) -> int: ...
    def to_lists(self) -> list[list[float]]:
        """Return the rows as lists."""

@final
class Embedder:
    """The sentence model all-MiniLM-L6-v2, and the model that compares statements.

    Files that are missing are fetched once, checked by checksum, and kept in the user's cache, unless ``offline``. ``threads`` is the number of
    copies of the model that compute at once, each in some 160 MB: the cores of the machine, at most 4. ``cache`` is a store at a postgres:// address:
    texts that another machine has embedded are not embedded again.
    """

    def __init__(
        self,
        models: str | PathLike[str] | None = None,
        *,
        offline: bool = False,
        threads: int | None = None,
        config: Config | None = None,
        cache: Store | None = None,
    ) -> None: ...
    @property
    def model(self) -> str:
        """Name and version of the model; a store takes vectors of one model only."""
    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector for each text, in order."""

@final
class Table(Iterable[dict[str, Any]]):
    """Rows with the same columns: dictionaries, or Arrow by ``__arrow_c_stream__``."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Plan:
    """Planned nights, with every change and its reason; ``len`` is the number of nights."""

    def __len__(self) -> int: ...
    def diff(self) -> str:
        """Return the changes as readable text, night by night."""
    def to_dict(self) -> dict[str, Any]:
        """Return the plan as in a file of ``nightfold sleep --plan``."""
    def to_json(self) -> str:
        """Return the plan as JSON, byte for byte as the command line writes it."""
    @property
    def changes(self) -> Table:
        """All changes, one a row, with the rule and the reason of each."""
    @property
    def report(self) -> dict[str, Any]:
        """Counts over all nights."""
    @property
    def failures(self) -> list[dict[str, str]]:
        """Nights that were not planned or not written."""
    @property
    def written(self) -> int:
        """Number of nights that the call wrote; 0 without ``apply``."""

@final
class Store:
    """Long-term memory of many NPCs: in a SQLite file, at a postgres:// address, or in memory without either."""

    def __init__(self, path: str | PathLike[str] | None = None) -> None: ...
    def npcs(self) -> list[str]:
        """Return the names of all NPCs with entries."""
    def nights(self, npc: str | None = None) -> list[dict[str, Any]]:
        """Return the nights that are applied, the oldest first."""
    def entries(self, npc: str | None = None) -> Table:
        """Return the entries of an NPC or of all, archived ones included."""
    def recall(
        self, npc: str, question: str, *, embedder: Embedder | None = None, config: Config | None = None
    ) -> list[dict[str, Any]]:
        """Return the entries that best answer a question, best first; archived ones, with `faint`, too."""
    def context(
        self, npc: str, question: str, tokens: int, *, embedder: Embedder | None = None, config: Config | None = None
    ) -> str:
        """Return what an NPC has in mind at a question as a text for a prompt, of at most this many tokens."""
    def why(self, npc: str, id: str) -> dict[str, Any]:
        """Return an entry with its log, its sources and what was made from it."""
    def undo(self, npc: str | None = None) -> list[dict[str, Any]]:
        """Take back the latest night of an NPC, or the nights of the latest call that wrote any."""
    def apply(self, plan: Plan) -> int:
        """Write a plan, one transaction for each night; return the number of nights written."""
    def save_point(self, name: str) -> None:
        """Note the state of all NPCs under a name."""
    def rewind(self, save_point: str, npc: str | None = None) -> list[dict[str, Any]]:
        """Bring memory back to a save point, or forward to a later one."""
    def export(self, path: str | PathLike[str] | None = None) -> str:
        """Return the store as lines of JSON, and write them to a new file if a path is given."""
    def import_lines(self, lines: str) -> None:
        """Fill an empty store with the lines of an export."""

def sleep(
    days: str | PathLike[str] | Iterable[Mapping[str, Any]] | _ArrowStream,
    *,
    store: Store | None = None,
    apply: bool = False,
    config: Config | None = None,
    embedder: Embedder | None = None,
    by_day: bool = False,
    until: str | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Plan:
    """Plan a night for every NPC of these memories, and with ``apply`` write each as soon as it is planned.

    ``days`` are a path to a file of JSON lines, dictionaries, a data frame, or anything with an Arrow stream. ``by_day`` makes a night of every
    date that has memories; ``until`` is the moment of sleep (the last memory of each NPC). ``progress`` is called with the nights that are planned
    and the nights in all, after each round of up to ``run.npcs`` NPCs; an exception of it, or ^C, ends the run. A run fits into memory; the command
    line streams.
    """

@final
class Town:
    """A town of NPCs that live, sleep and are asked, tick by tick."""

    def __init__(self, options: Mapping[str, Any] | None = None, *, embedder: Embedder | None = None) -> None: ...
    def do(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Carry a command out, such as ``{"do": "tick", "now": 5}``."""
    def do_json(self, command: str) -> str:
        """Carry a command out that is written as JSON; return the reply as JSON."""
    def next_event(self) -> dict[str, Any] | None:
        """Remove and return the next event."""
    def next_event_json(self) -> str | None:
        """Remove and return the next event as JSON."""
    def step(self, budget_us: int) -> bool:
        """Compute for about this long in a town without threads; return True if more work waits."""
    def close(self) -> None:
        """Close the town: nights that are planned are given up, those that are written are written."""
    def __enter__(self) -> Town: ...
    def __exit__(self, kind: object, error: object, trace: object) -> None: ...
