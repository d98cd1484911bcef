"""Fillers for the slots of one pair, and wordings filled with them."""

import re

from worlds import NUMBERS, I, Person

SLOT = re.compile(r"\{(\w+?)(?:\.(\w+))?\}")
PAIR = re.compile(r"\{(\w)\} and \{(\w)\}")
CHOICE = re.compile(r"\(([^()]*/[^()]*)\)")


class Scene:
    """Fillers of the slots of a schema, all distinct.

    `x`, `y`, `z` and `u` are more people; a slot with a `2` at its end is another filler of its kind; a
    slot that the schema does not have is named by its kind, as `{dish}`.
    """

    def __init__(self, world, slots):
        self.world = world
        self.kinds = dict(slots, x="other", y="other", z="other", u="other")
        self.fillers = {}
        for slot in slots:
            self.filler(slot)

    def filler(self, slot):
        """The filler of a slot, drawn when it is first asked for."""
        if slot not in self.fillers:
            self.fillers[slot] = self._fresh(self._kind(slot))
        return self.fillers[slot]

    def _kind(self, slot):
        """The kind of a slot; a slot of no schema is named by its kind."""
        first = slot.removesuffix("2")
        return self.kinds.get(slot) or self.kinds.get(first) or first

    def _fresh(self, kind):
        """A filler that names nothing already in the scene."""
        taken = {_key(filler) for filler in self.fillers.values()}
        for _ in range(200):
            filler = self.world.filler(kind)
            if _key(filler) not in taken:
                return filler
        raise LookupError(f"no filler of kind {kind} is left")

    def other(self, *slots):
        """The same scene with another filler in each of the slots."""
        scene = self._copy()
        for slot in slots:
            scene.fillers[slot] = self.filler(slot + "2")
        return scene

    def swapped(self, first, second):
        """The same scene with the fillers of two slots exchanged."""
        scene = self._copy()
        scene.fillers[first], scene.fillers[second] = self.fillers[second], self.fillers[first]
        return scene

    def shortened(self):
        """The same scene with people of rank named without their rank."""
        scene = self._copy()
        for slot, filler in self.fillers.items():
            if isinstance(filler, Person):
                scene.fillers[slot] = filler.short()
        return scene

    def _copy(self):
        scene = Scene(self.world, {})
        scene.kinds, scene.fillers = dict(self.kinds), dict(self.fillers)
        return scene

    def fill(self, wording):
        """The wording with its choices made and its slots filled; its verbs stay marked."""
        rng = self.world.rng
        wording = CHOICE.sub(lambda m: rng.choice(m[1].split("/")), wording)
        wording = PAIR.sub(self._politely, wording)
        in_words = rng.random() < 0.4

        def put(match):
            slot, form = match[1], match[2] or ""
            kind = self._kind(slot)
            if kind in NUMBERS and kind != "version" and in_words:
                form = "w"
            return self.filler(slot).form(form)

        return SLOT.sub(put, wording)

    def _politely(self, match):
        """Two people joined by *and*, *I* after the other."""
        first, second = match.groups()
        return f"{{{second}}} and {{{first}}}" if self.filler(first) is I else match[0]


def _key(filler):
    """The word that tells a filler from others."""
    return filler.form("").lower().split()[-1]
