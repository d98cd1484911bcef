"""Draws of people, values and sentences from one part of the vocabulary."""
import random

import words
from facts import DOOR, MACHINE, OCCASION, OFFICE, OPEN, PERSON, SECRET, THING, Position
from speech import ADDED_TO_HAPPENINGS, ADDED_TO_STATES, ASKED, REPORTS, Subject, clause, contracted, said, sentence

FEMALE = ("widow", "midwife", "wife", "queen", "princess", "nurse", "mistress", "landlady")
ABOUT_THINGS = {"thing": THING, "machine": MACHINE, "door": DOOR, "office": OFFICE, "occasion": OCCASION, "secret": SECRET}
# Lists that name what positions of each kind are about.
LISTS = {"thing": "things", "machine": "machines", "door": "doors", "office": "offices", "occasion": "occasions"}
# What a state is towards, where it is towards something.
TOWARDS = {"liking": ("foods", "pastimes"), "trust": ("person",), "ability": ("skills",), "owning": ("belongings",), "standing": ("person",), "culprit": ("crimes",)}


class World:
    """Source of everything that is drawn at random, for one part and one seed."""

    def __init__(self, part, seed):
        self.part = part
        self.rng = random.Random(f"{seed} {part}")
        self.names = {"f": words.of_part(words.WOMEN, part), "m": words.of_part(words.MEN, part)}
        self.surnames = words.of_part(words.SURNAMES, part)
        self.kin = words.of_part(words.KIN, part)
        self.common = {name: words.of_part(entries, part) for name, entries in words.COMMON.items()}
        self.settings = [{name: words.of_part(words.listed(text), part) for name, text in lists.items()} for lists in words.SETTINGS.values()]
        if part == "held-out":
            # So few are held out of one setting that all of them are one setting here.
            self.settings = [{name: [entry for lists in self.settings for entry in lists[name]] for name in self.settings[0]}]
        self.setting = self.settings[0]

    def move(self):
        """Goes to a setting at random."""
        self.setting = self.rng.choice(self.settings)

    def pick(self, entries):
        """One entry of a tuple whose last third is held out."""
        return self.rng.choice(words.wordings_of_part(entries, self.part))

    def different(self, draw, *others):
        """What a function draws, other than what is there already."""
        for _ in range(40):
            found = draw()
            if found not in others and not any(isinstance(other, str) and isinstance(found, str) and found.split()[0] == other.split()[0] and found.split()[0] != "the" and found[0].isupper() for other in others):
                return found
        return found

    def name(self):
        """Name of a person, or who they are."""
        first = self.rng.choice(self.names[self.rng.choice("fm")])
        chance = self.rng.random()
        if chance < 0.2:
            return f"{first} {self.rng.choice(self.surnames)}"
        if chance < 0.3 and self.setting["people"]:
            return self.rng.choice(self.setting["people"])
        return first

    def person(self, first_person=True):
        """Someone that a sentence can be about."""
        chance, kind = self.rng.random(), self.rng.choice("fm")
        if chance < 0.14 and first_person:
            return Subject("I", "I")
        if chance < 0.18:
            return Subject(*{"f": ("she", "f"), "m": ("he", "m")}[kind])
        if chance < 0.30 and self.setting["people"]:
            name = self.rng.choice(self.setting["people"])
            return Subject(name, "f" if name.endswith(FEMALE) else kind)
        if chance < 0.42:
            return Subject(*self.rng.choice(self.kin))
        name = self.rng.choice(self.names[kind])
        return Subject(f"{name} {self.rng.choice(self.surnames)}" if self.rng.random() < 0.25 else name, kind)

    def named(self):
        """Someone with a first name."""
        kind = self.rng.choice("fm")
        return Subject(self.rng.choice(self.names[kind]), kind)

    def thing(self, about="thing"):
        """Something that a sentence can be about."""
        name = self.rng.choice(self.setting[LISTS[about]] or self.settings[0][LISTS[about]])
        if about == "thing" or not name.startswith(("the ", "market", "sports", "Hatch")):
            name = self.rng.choice(("the ", "the ", "my ") if about == "thing" else ("the ",)) + name
        return Subject(name, "it")

    def amount(self):
        """So much money."""
        return f"{self.rng.choice(self.common['numbers'])} {self.rng.choice(self.setting['money'] or ['marks'])}"

    def value(self, pool):
        """One entry of a list of values."""
        if pool == "person":
            return self.name()
        if pool == "debt":
            return self.amount()
        entries = self.common.get(pool) or self.setting.get(pool) or next(lists[pool] for lists in self.settings if lists[pool])
        return self.rng.choice(entries)

    def report(self, text):
        """Sentence as somebody's word."""
        return sentence(self.pick(REPORTS).format(q=self.name(), c=clause(text)))

    def question(self, text):
        """Sentence as something asked, dreamt or hoped."""
        return sentence(self.pick(ASKED).format(q=self.name(), c=clause(text)))

    def tailed(self, text, happening=False):
        """Sentence with what a speaker adds."""
        tail = self.pick(ADDED_TO_HAPPENINGS if happening else ADDED_TO_STATES).format(q=self.name())
        return sentence(text.rstrip(".") + (" " if happening else ", ") + tail)

    def dressed(self, text, happening=False, tail=0.2):
        """Sentence as it is, reported, with an addition, contracted."""
        chance = self.rng.random()
        if chance < tail:
            text = self.tailed(text, happening)
        elif chance < tail + 0.1 and text[-1] == ".":
            text = self.report(text)
        return contracted(text, self.rng) if self.rng.random() < 0.2 else text


class Case:
    """One position of one subject with its value, another value, and other people."""

    def __init__(self, world, position=None, subject=None, first_person=True):
        self.world = world
        rng = world.rng
        if position is None:
            position = rng.choice(PERSON) if rng.random() < 0.55 else rng.choice(ABOUT_THINGS[rng.choice(list(ABOUT_THINGS))])
        self.position = position
        if subject is None:
            subject = world.person(first_person) if position.about == "person" else Subject("it", "it") if position.about == "secret" else world.thing(position.about)
        self.subject = subject
        first = subject.name
        slots = {"q": world.different(world.name, first)}
        slots["r"] = world.different(world.name, first, slots["q"])
        slots["n"] = world.amount()
        slots["t"] = world.different(lambda: world.thing(position.about if position.about in LISTS else "thing").name, first)
        slots["o"] = first.partition(" ")[2] or first
        if position.about == "office":
            slots["o"] = slots["t"]
        if position.name == "rank":
            slots["t"] = world.value("trades").partition(" ")[2]
        slots["town"] = world.value("towns")
        slots["ill"] = world.value("ills")
        if position.name in TOWARDS:
            pool = rng.choice(TOWARDS[position.name])
            slots["x"] = world.different(lambda: world.value(pool), first, slots["q"], slots["r"])
        if isinstance(position, Position):
            slots["v"] = world.different(lambda: world.value(position.values), first, slots["q"], slots["r"], slots["n"])
            slots["w"] = world.different(lambda: world.value(position.values), first, slots["q"], slots["r"], slots["n"], slots["v"])
            self.state = self.other = None
            self.distinct = slots["v"] != slots["w"]
        else:
            self.state, self.other = rng.sample(list(position.states), 2)
            self.distinct = True
        self.slots = slots

    def with_slots(self, **slots):
        """Case with other people or values."""
        case = object.__new__(Case)
        case.__dict__.update(self.__dict__)
        case.slots = {**self.slots, **slots}
        return case

    def about(self, subject):
        """Same case of another subject."""
        case = self.with_slots()
        case.subject = subject
        return case

    def turned(self):
        """Case with the other value."""
        case = self.with_slots(v=self.slots.get("w"), w=self.slots.get("v"))
        case.state, case.other = self.other, self.state
        return case

    def one_of(self, wordings, besides=None):
        """Sentence of one of several wordings, other than one that is there already."""
        fitting = words.wordings_of_part(wordings, self.world.part)
        if self.subject.kind == "I":
            fitting = [wording for wording in fitting if "{S} and" not in wording and "and {S}" not in wording and "{S} is" not in wording] or fitting
        texts = [said(wording, self.subject, **self.slots) for wording in self.world.rng.sample(fitting, len(fitting))]
        return next((text for text in texts if text != besides), None)

    def wordings(self):
        """Wordings of the value."""
        return self.position.wordings if self.state is None else self.position.states[self.state]

    def say(self, besides=None):
        """Sentence that gives the value."""
        return self.one_of(self.wordings(), besides)

    def deny(self):
        """Sentence that denies the value, or `None`."""
        if self.state is not None:
            return self.turned().say()
        return self.one_of(self.position.denials) if self.position.denials else None

    def end(self):
        """Happening that ends the position, or `None`."""
        ends = self.position.ends if self.state is None else self.position.ends.get(self.state, ())
        return self.one_of(ends) if ends else None

    def beside(self):
        """Sentence that touches the position and leaves it, or `None`."""
        return self.one_of(self.position.beside) if self.position.beside else None


def side_of(position):
    """Side of a life that a position belongs to."""
    return position.side or position.name


def clash(one, other):
    """True for two positions that might be about one question."""
    sides = {side_of(one), side_of(other)}
    return len(sides) == 1 or sides in CLASHES


CLASHES = [{"trait", other} for other in ("honesty", "courage", "hair", "age", "wealth")] + [
    {"likes", "liking"}, {"pastimes", "liking"}, {"creatures", "fears"}, {"creatures", "courage"}, {"home", "whereabouts"}, {"trade", "work"}, {"creatures", "belongings"}, {"creatures", "owning"},
    {"wealth", "debt"}, {"likes", "pastimes"}, {"intention", "promise"}]
EVERY_SIDE = PERSON + OPEN
