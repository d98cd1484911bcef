"""Source of the clauses of one pair: a schema, a scene of it and the part of the vocabulary."""

import modality
from grammar import negated, never, plain
from scene import Scene
from schemas import groups, wordings
from schemas.model import belongs
from schemas.occasions import ACTIVITIES, DEEDS, WEATHER


def renamed(wording, slot):
    """The wording of an occasion with its person `{a}` in another slot."""
    return wording.replace("{a}", f"{{{slot}}}").replace("{a.", f"{{{slot}.")


class Maker:
    """Draws clauses, with marked verbs (see `grammar.py`), and texts made of them.

    In the part `held` the newer side uses held-out wordings alone; the older side may use all
    paraphrases of the fact, since two are needed to say the same thing twice.
    """

    def __init__(self, schema, world, part):
        self.schema, self.world, self.part, self.rng = schema, world, part, world.rng
        self.scene = Scene(world, schema.slots)

    def state(self, scene=None, newer=False):
        """A clause saying that the fact holds."""
        return self._paraphrase(self.schema.holds, scene, newer)

    def opposite(self, scene=None, newer=False):
        """A clause saying the lasting opposite of the fact, or `None`."""
        return self._paraphrase(self.schema.ended, scene, newer) if self.schema.ended else None

    def _paraphrase(self, paraphrases, scene, newer):
        if self.part == "train" or newer:
            paraphrases = wordings(paraphrases, self.schema, self.part)
        return (scene or self.scene).fill(self.rng.choice(paraphrases))

    def group(self, *blocks):
        """Paraphrases of one fact of one of the blocks, unfilled, or `None`."""
        choices = groups(self.rng.choice(blocks), self.schema, self.part)
        return self.rng.choice(choices) if choices else None

    def clause(self, block, scene=None):
        """A clause of a block, or `None`."""
        group = self.group(block)
        return group and (scene or self.scene).fill(self.rng.choice(group))

    def twice(self, group):
        """Two clauses of a group, perhaps in the same wording."""
        return group and tuple(self.scene.fill(self.rng.choice(group)) for _ in range(2))

    def reworded(self, group):
        """Two clauses in different wordings of a group, or `None`."""
        if not group or len(group) < 2:
            return None
        return tuple(self.scene.fill(wording) for wording in self.rng.sample(group, 2))

    def paraphrased(self):
        """Two paraphrases of one clause of any kind, or `None`."""
        schema, chance = self.schema, self.rng.random()
        if chance < 0.12 and schema.negatable:
            clauses = negated(self.state()), negated(self.state(newer=True))
        elif chance < 0.5 or not schema.ended:
            scene = self.scene.shortened() if self.rng.random() < 0.15 else self.scene
            clauses = self.state(), self.state(scene, newer=True)
        elif chance < 0.65:
            clauses = self.opposite(), self.opposite(newer=True)
        else:
            clauses = self.reworded(self.group(schema.ending, schema.ending, schema.other, schema.stays, schema.back))
        return clauses if clauses and None not in clauses else None

    def rival(self):
        """The scene with another filler in a slot of which only one can hold, or `None`."""
        return self.scene.other(self.rng.choice(self.schema.rival)) if self.schema.rival else None

    def elsewhere(self, slots):
        """The scene with another filler in one of the slots (in two at once, for `a+b`), and the slots changed."""
        if not slots:
            return None, ()
        changed = self.rng.choice(slots).split("+")
        return self.scene.other(*changed), changed

    def occasion(self):
        """A clause about the weather, or a passing occasion of somebody who is not in the schema."""
        wording = self.rng.choice(self.occasions(ACTIVITIES, DEEDS, WEATHER))
        return self.scene.fill(renamed(self.rng.choice(wording), "z"))

    def occasions(self, *tables):
        """Groups of paraphrases of passing occasions that the part may use, of one of the tables."""
        return [group for index, group in enumerate(self.rng.choice(tables)) if belongs(index, self.part)]

    def activity(self):
        """Paraphrases of a passing activity or a small deed of `{a}`."""
        return self.rng.choice(self.occasions(ACTIVITIES, DEEDS))

    def under(self, table, clause):
        """Text of the clause under an operator of the table, or `None`."""
        return clause and modality.apply(table, clause, self.scene.filler, self.rng)

    def extended(self, clause):
        """Text that says what the clause says, and more, or `None`."""
        if self.rng.random() < 0.35:
            return self.under(modality.SETTINGS, clause)
        if ":" in clause or ";" in clause:
            return None
        clauses = [plain(clause), plain(self.occasion())]
        if self.rng.random() < 0.4:
            clauses.reverse()
        if self.rng.random() < 0.4:
            return ". ".join(text[0].upper() + text[1:] for text in clauses)
        return self.rng.choice((", and ", " and ", "; ")).join(clauses)

    def detailed(self, newer=False):
        """Text that says that the fact holds, and adds a detail or something else, or `None`."""
        clause = self.state(newer=newer)
        if not self.schema.more or self.rng.random() < 0.4:
            return self.extended(clause)
        detail = self.clause(self.schema.more)
        if detail is None or ":" in clause or ";" in clause:
            return None
        comma = "," if detail.startswith("and ") and "<" in detail else ""
        return plain(f"{clause}{comma} {detail}")

    def conflict(self):
        """Two clauses of which the newer contradicts the older, and the kind of conflict, or `None`."""
        kind = self.rng.choices(list(CONFLICTS), [weight for _, weight in CONFLICTS.values()])[0]
        clauses = CONFLICTS[kind][0](self)
        return (*clauses, kind) if clauses and None not in clauses else None


def either_way(maker, first, second):
    """Two clauses in either order; `first` and `second` make a clause for the older or the newer side."""
    if maker.rng.random() < 0.6:
        return first(newer=False), second(newer=True)
    return second(newer=False), first(newer=True)


def _ended(maker):
    return either_way(maker, maker.state, maker.opposite)


def _ending(maker):
    return maker.state(), maker.clause(maker.schema.ending)


def _restored(maker):
    """What ended the fact, or its opposite, then its return.

    A happening stays true when the fact returns, save where it is told for the state it led to.
    """
    told_as_state = maker.schema.topics & {"opening", "place", "lock", "ship"} and maker.rng.random() < 0.4
    ending = maker.clause(maker.schema.ending) if told_as_state else maker.opposite()
    return ending, maker.clause(maker.schema.back)


def _excluded(maker):
    return either_way(maker, maker.state, lambda newer: maker.clause(maker.schema.other))


def _other_value(maker):
    scene = maker.rival()
    return scene and (maker.state(), maker.state(scene, newer=True))


def _denied(maker):
    """The fact or its opposite, and a denial by *not* or *never*, in either order."""
    if not maker.schema.negatable:
        return None
    said = maker.opposite if maker.schema.ended and maker.rng.random() < 0.3 else maker.state
    denied = never if maker.rng.random() < 0.3 else negated
    clauses = said(), denied(said(newer=True))
    return clauses if maker.rng.random() < 0.7 else clauses[::-1]


def _ending_denied(maker):
    clauses = maker.twice(maker.group(maker.schema.ending))
    return clauses and (clauses[0], negated(clauses[1]))


CONFLICTS = {
    "ended": (_ended, 20), "ending": (_ending, 34), "restored": (_restored, 14), "excluded": (_excluded, 16),
    "other-value": (_other_value, 20), "denied": (_denied, 12), "ending-denied": (_ending_denied, 3),
}
