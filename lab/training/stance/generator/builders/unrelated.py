"""Pairs whose two texts can stand side by side, most of them close to a pair of another label."""

import modality
from grammar import plain
from maker import Maker, either_way, renamed
from schemas import SCHEMAS

PEOPLE = ("person", "other", "man", "woman")
MOMENTARY = {"all", "body", "place"}
"""Topics of facts that bear on what somebody can be doing."""
OPEN = {"promise", "quest", "plan", "calendar", "time", "threat", "love", "debt", "wager"}
"""Topics of facts that an announcement of their end could already end."""

NEUTRAL = {
    "possible": modality.HEDGES, "asked": modality.QUESTIONS, "conditional": modality.CONDITIONS,
    "dreamt": modality.DREAMS, "believed-by-other": modality.BELIEFS,
}
OPPOSED = {"wished": modality.WISHES, "told-as-lie": modality.LIES}
"""Operators that hint that the statement is false: of use only where it conflicts with the other text."""


def other_fact(maker):
    """The same kind of fact about somebody or something else."""
    scene, _ = maker.elsewhere(maker.schema.free + maker.schema.free_state)
    return scene and (plain(maker.state()), plain(maker.state(scene, newer=True)), "other-slot")


def end_of_other_fact(maker):
    """The fact, and the end or the opposite of the same kind of fact about somebody or something else."""
    scene, changed = maker.elsewhere(maker.schema.free)
    if scene is None:
        return None
    chance = maker.rng.random()
    if chance < 0.3:
        newer = maker.opposite(scene, newer=True)
        return newer and (plain(maker.state()), plain(newer), "other-slot-ended")
    group = maker.group(maker.schema.ending if chance < 0.75 else maker.schema.other)
    if not group or not any(f"{{{slot}" in group[0] for slot in changed):
        return None
    return plain(maker.state()), plain(scene.fill(maker.rng.choice(group))), "other-slot-ended"


def roles_swapped(maker):
    """Two people in each other's place."""
    if not maker.schema.swap:
        return None
    scene = maker.scene.swapped(*maker.schema.swap)
    return plain(maker.state()), plain(maker.state(scene, newer=True)), "roles-swapped"


def other_number(maker):
    """Two happenings that differ in a number."""
    if "n" not in maker.schema.slots or "event" not in maker.schema.topics:
        return None
    return plain(maker.state()), plain(maker.state(maker.scene.other("n"), newer=True)), "other-number"


def compatible(maker):
    """The fact and another that goes with it, in either order."""
    stays = maker.clause(maker.schema.stays)
    if stays is None:
        return None
    older, newer = either_way(maker, maker.state, lambda newer: stays)
    return plain(older), plain(newer), "compatible"


def added(maker):
    """A statement, then the statement with something added."""
    chance = maker.rng.random()
    if chance < 0.7:
        return plain(maker.state()), maker.detailed(newer=True), "added"
    if chance < 0.85:
        fewer = maker.clause(maker.schema.parts)
        return fewer and (plain(fewer), plain(maker.state(newer=True)), "added")
    clauses = maker.twice(maker.group(maker.schema.ending))
    return clauses and (plain(clauses[0]), maker.extended(clauses[1]), "added")


def not_asserted(maker):
    """A statement, and the same or a conflicting one that nobody puts forward as true."""
    clauses = maker.conflict() if maker.rng.random() < 0.6 else maker.paraphrased()
    if not clauses:
        return None
    older, newer, *conflict = clauses
    name = maker.rng.choice(list(NEUTRAL | OPPOSED if conflict else NEUTRAL))
    table = (NEUTRAL | OPPOSED)[name]
    if maker.rng.random() < 0.65 or name == "wished":
        return plain(older), maker.under(table, newer), name
    return maker.under(table, older), plain(newer), name


def not_done(maker):
    """The fact, and the happening that would end it: wanted, tried, refused or still to come."""
    ending = maker.clause(maker.schema.ending)
    people = [maker.scene.filler(slot).form("") for slot in "abx" if maker.scene.kinds.get(slot) in PEOPLE]
    if ending is None or not any(ending.startswith(f"{name} <") for name in people):
        return None
    table = modality.DESIRES if maker.schema.topics & OPEN else modality.ATTEMPTS
    return plain(maker.state()), maker.under(table, ending), "not-done"


def other_time(maker):
    """What was so at another time, and what is so now."""
    clauses = maker.conflict()
    if not clauses or clauses[2] not in ("ended", "excluded", "other-value", "denied"):
        return None
    if maker.rng.random() < 0.6:
        return plain(clauses[0]), maker.under(modality.PAST_TIMES, clauses[1]), "other-time"
    return maker.under(modality.PAST_TIMES, clauses[0]), plain(clauses[1]), "other-time"


def two_reports(maker):
    """One statement put forward by somebody, then by somebody else, or as it is."""
    clauses = maker.paraphrased()
    if not clauses:
        return None
    older = maker.under(modality.REPORTS, clauses[0])
    if maker.rng.random() < 0.4:
        return older, plain(clauses[1]), "reported-or-plain"
    maker.scene = maker.scene.other("y")
    return older, maker.under(modality.REPORTS, clauses[1]), "two-reporters"


def across(maker):
    """Facts of two schemas about one person or thing."""
    other = maker.rng.choice(SCHEMAS)
    topics = other.topics | maker.schema.topics
    if (other.held_out and maker.part == "train") or other.topics & maker.schema.topics or "all" in topics:
        return None
    shared = [
        (slot, mine) for slot, kind in other.slots.items() for mine, my_kind in maker.schema.slots.items()
        if kind == my_kind or (kind, my_kind) in (("other", "man"), ("other", "woman"), ("person", "other"))
    ]
    if not shared:
        return None
    slot, mine = maker.rng.choice(shared)
    second = Maker(other, maker.world, maker.part)
    second.scene.fillers[slot] = maker.scene.filler(mine)
    names = [filler.form("") for filler in second.scene.fillers.values()]
    if len(set(names)) < len(names):
        return None
    first = maker.state() if maker.rng.random() < 0.7 else maker.clause(maker.schema.ending)
    if first is None:
        return None
    clauses = [plain(first), plain(second.state(newer=True))]
    maker.rng.shuffle(clauses)
    return (*clauses, "other-schema")


def two_occasions(maker):
    """Two activities of one person, or one activity of two people."""
    first, second = maker.activity(), maker.activity()
    if maker.rng.random() < 0.35:
        wordings = renamed(maker.rng.choice(first), "x"), renamed(maker.rng.choice(first), "z")
    elif first is second:
        return None
    else:
        wordings = renamed(maker.rng.choice(first), "x"), renamed(maker.rng.choice(second), "x")
    older, newer = (plain(maker.scene.fill(wording)) for wording in wordings)
    return older, newer, "two-occasions"


def varied_occasion(maker):
    """One kind of activity of one person on two occasions: another dish, town, ware, number or company."""
    group = maker.activity()
    slots = [slot for slot in ("dish", "town", "ware", "few", "animal", "u") if f"{{{slot}" in group[0]]
    if not slots:
        return None
    scenes = maker.scene, maker.scene.other(maker.rng.choice(slots))
    older, newer = (plain(scene.fill(renamed(maker.rng.choice(group), "x"))) for scene in scenes)
    return older, newer, "two-occasions"


def far_apart(maker):
    """A fact and a passing occasion that have nothing in common."""
    older, newer = either_way(maker, maker.state, lambda newer: maker.occasion())
    return plain(older), plain(newer), "far-apart"


def same_person(maker):
    """A fact and a passing activity of one person."""
    slot = next((slot for slot, kind in maker.schema.slots.items() if kind in PEOPLE), None)
    if slot is None or maker.schema.topics & MOMENTARY:
        return None
    activity = maker.scene.fill(renamed(maker.rng.choice(maker.activity()), slot))
    older, newer = either_way(maker, maker.state, lambda newer: activity)
    return plain(older), plain(newer), "same-person"


BUILDERS = {
    other_fact: 10, end_of_other_fact: 13, roles_swapped: 16, other_number: 30, compatible: 12, added: 17,
    not_asserted: 30, not_done: 11, other_time: 14, two_reports: 5, across: 12, two_occasions: 4, varied_occasion: 6,
    far_apart: 2, same_person: 4,
}
