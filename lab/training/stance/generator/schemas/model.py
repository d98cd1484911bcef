"""Description of a situation in a file of a theme: a state, an obligation or a happening, and the wordings of what becomes of it.

Wordings are written one a line. A line may hold several paraphrases, separated by ` | `.
`(shut/closed)` is a choice of synonyms, `{a}` a slot, `<is>` a finite verb (see `grammar.py`).
Besides its own slots a wording may use `{x}` and `{y}`, two more people, and `{p2}`, a filler of
slot `p` other than the first.
"""

from dataclasses import dataclass

from worlds import belongs


def parse_groups(block):
    """Lines of a block as groups of paraphrases."""
    lines = [line.strip() for line in block.strip().splitlines()]
    return tuple(tuple(part.strip() for part in line.split(" | ")) for line in lines if line)


def _paraphrases(block):
    """Lines of a block as one group of paraphrases."""
    return tuple(wording for group in parse_groups(block) for wording in group)


@dataclass(frozen=True)
class Schema:
    """A kind of fact of the game world.

    `holds` and `ended` are paraphrases of the fact and of its lasting opposite. Each line of the
    other blocks says something of its own: `parts` a part of the fact, `ending` a happening after
    which it no longer holds, `back` a happening that restores it, `other` a fact that excludes it,
    `stays` a fact that goes with it. `more` are phrases that add to a wording of `holds`.
    """

    name: str
    slots: dict
    holds: tuple
    parts: tuple = ()
    ended: tuple = ()
    ending: tuple = ()
    back: tuple = ()
    other: tuple = ()
    stays: tuple = ()
    more: tuple = ()
    topics: frozenset = frozenset()
    rival: tuple = ()
    free: tuple = ()
    free_state: tuple = ()
    swap: tuple = ()
    negatable: bool = True
    held_out: bool = False


def schema(name, slots, topics, *, holds, ended="", rival="", free="", free_state="", swap="", negatable=True,
           held_out=False, **blocks):
    """Builds a `Schema` from its blocks of text.

    `topics` names what the fact is about: facts of disjoint topics can stand side by side.
    Another filler of a slot in `rival` excludes the fact. Another filler of a slot in `free` gives
    another fact, with an end of its own; in `a+b` both slots change at once. For a slot in
    `free_state` this goes for the fact but not for its end.
    Where `negatable` is false, a denial of one wording of `holds` need not deny the others.
    The two slots in `swap` may change places to give another fact.
    """
    return Schema(
        name=name,
        slots=dict(slot.split(":") for slot in slots.split()),
        topics=frozenset(topics.split()),
        holds=_paraphrases(holds),
        ended=_paraphrases(ended),
        rival=tuple(rival.split()),
        free=tuple(free.split()),
        free_state=tuple(free_state.split()),
        swap=tuple(swap.split()),
        negatable=negatable, held_out=held_out,
        **{block: parse_groups(text) for block, text in blocks.items()},
    )


def wordings(group, schema_, part):
    """Paraphrases of `holds` or `ended` that the part may use."""
    if schema_.held_out or len(group) < 5:
        return group
    return tuple(wording for index, wording in enumerate(group) if belongs(index, part))


def groups(block, schema_, part):
    """Groups of paraphrases of `ending`, `other` and the like that the part may use."""
    if schema_.held_out:
        return block
    return tuple(group for index, group in enumerate(block) if belongs(index, part))
