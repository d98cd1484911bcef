"""Builders of pairs in which one word is put for another.

A builder draws two clauses with marked verbs for a label, or gives `None` where it has nothing to say.
"""

import re

import substitution_scenes as scenes
import substitution_words as words
from grammar import MARK, SUBJECT_I, negated, plain
from scene import Scene
from worlds import World

FEMALE = re.compile(r"sister|mother|aunt|niece|daughter|princess|virgin")
MALE = re.compile(r"brother|father|uncle|nephew|\bson\b|husband|bachelor|knight|master|lord|man\b")
OPTIONS = re.compile(r"\[([^\[\]]*)\]")
BARE = re.compile(r"(?<=[sc]h)es$|(?<=ss)es$|(?<!s)s$")

FRAMES = [
    "@d <is> @w", "@d <is> @w, as everybody knows", "I know that @d <is> @w", "as I well know, @d <is> @w",
    "@d, I am sure, <is> @w", "I am certain that @d <is> @w", "the truth is that @d <is> @w", "@d really <is> @w",
    "@d <is> @w, there is no doubt", "it is plain that @d <is> @w", "it is a fact that @d <is> @w",
    "without a doubt @d <is> @w", "make no mistake, @d <is> @w",
]
LONGER = [
    "@d <is> @w and worth a look", "@d <is> @w, so {x} <takes> good care of it",
    "because @d <is> @w, {x} seldom <speaks> of it",
    "since @d <is> @w, {x} <worries> about it", "{x} <=has> only one @n, and it <is> @w",
    "there is only one @n here, and it <is> @w",
    "@d, which once belonged to {y}, <is> @w and well known in {town}", "for {y} it matters a lot that @d <is> @w",
    "{y} and {z} both <know> that @d <is> @w", "one thing is certain in {town}: @d <is> @w",
]
BEFORE_NOUN = [
    "@d <is> a @w one", "@d <is> a @w @n", "{x.p} one and only @n <is> a @w one", "it is a @w @n that {x} <keeps> @l",
    "the @n @l <is> a @w @n and no other kind", "the only @n @l <is> a @w one",
]
WORN = [
    "{x} <wears> a @w @n", "{x} always <wears> the same @w @n", "{x} <is> known by a @w @n", "{x} still <wears> a @w @n",
]
LEARNED = ["I learned that", "it turns out that", "word is that", "{y} says that", "people say that", "{y} told me that"]
PERSON_FRAMES = [
    "@d <is> @w", "everybody knows that @d <is> @w", "I know that @d <is> @w", "@d, I am sure, <is> @w",
    "it is a fact that @d <is> @w", "without a doubt @d <is> @w", "@d really <is> @w",
    "@d <is> @w, as everybody knows",
    "the truth is that @d <is> @w", "it is plain that @d <is> @w", "@d <is> a @w person",
    "as I well know, @d <is> @w",
]
PEOPLE = [
    "{a}", "{x}", "{x.p} neighbour", "my master", "{x.p} cousin", "the man who keeps the inn",
    "the woman at the well",
    "{x.p} eldest child", "our mayor", "the duke's nephew", "the {job} of the duke",
]
BY_TRADE = [
    "{a} <is> a @w by trade", "{a} <works> as a @w", "{a} <earns> a living as a @w", "in {town} {a} <works> as a @w",
    "{a} <is> employed as a @w by {x}", "by day {a} <works> as a @w",
]
DEFINITE = ["the @n", "{x.p} @n", "my @n", "the @n @l", "{x.p} @n", "the @n that {x} <owns>", "our @n", "{x.p} @n @l"]
PORTABLE = """{a} <bought> a @w @n|{a} <found> a @w @n|{a} <sold> a @w @n to {x}|{x} <gave> {a.o} a @w @n|{a} <lost> a @w @n|
{a} <saw> a @w @n at the market|{a} <dreamt> of a @w @n|{a} <asked> {x} for a @w @n|
a @w @n <was> brought to {a.o}""".replace("\n", "")
HAPPENED = dict.fromkeys("pcnm", PORTABLE) | {
    "b": "{a} <saw> a @w @n near {town}|{a} <drew> a @w @n|{a} <came> to a @w @n"
    "|{x} <spoke> of a @w @n|{a} <stopped> at a @w @n",
    "f": "{a} <bought> some @w @n|{a} <sold> some @w @n|{x} <brought> {a.o} some @w @n|{a} <threw> away some @w @n",
}
WHICH = """the @w @n <belongs> to {x}|the @w @n <is> gone|{a} <looks> after the @w @n|the @w @n <is> for sale|
{x} <knows> the story of the @w @n|{x} <spoke> of the @w @n|{a} <saw> the @w @n|
nobody <wants> the @w @n|the @w @n <was> sold to {x}""".replace("\n", "")
BURNING = "|the @w @n <is> on fire|the @w @n <needs> repair|{x} <is> waiting near the @w @n"
TWO_OF_A_KIND = {
    "n": "horse, dog, ox", "b": "tower, gate, door, barn, mill, bridge, window", "p": "boot, glove, chest, lamp",
}
PICKS = "left/right/middle; first/second/third; near/far; old/new; big/small; red/grey/white; northern/southern; front/back"
PLURAL = ("boots", "gloves")


def split(text, gap):
    """Parts of a text without the blanks around them."""
    return [part.strip() for part in re.sub(r"\s+", " ", text).split(gap) if part.strip()]


def lines(table):
    """Lines of a table, continued lines joined."""
    return re.sub(r"\n +", " ", table).strip().splitlines()


def read_axes(text):
    """Axes of values that exclude each other, each value a list of synonyms."""
    return [[split(value.replace("!", ""), "=") for value in split(axis, "/")] for axis in split(text, ";")]


def read_things(table=words.THINGS):
    """The axes of things: class, nouns, values and whether they may stand before the noun."""
    for line in lines(table):
        nouns, values = line[2:].split(":", 1)
        for text, axis in zip(split(values, ";"), read_axes(values)):
            yield line[0], split(nouns, ","), axis, not re.search(r"!|\w (of|out|to|by|on|ghosts|use)\b", text)


THING_AXES = list(read_things())
TRAIT_AXES = read_axes(words.TRAITS)
TRADES = [role.split("|") for role in words.ROLES.split()]
EXCLUSIVE = [
    (line.split(": ", 1)[0], axis)
    for line in lines(words.EXCLUSIVE)
    for axis in read_axes(line.split(": ", 1)[1])
]
SYNONYMS = [text for line in lines(words.SYNONYMS) for text in split(line, ";")]
LOCALITIES = {
    match[1]: match[2].strip().split("|")
    for match in re.finditer(r"\b([pcbnfm]):([^:]*?)(?=\s[pcbnfm]:|$)", words.LOCALITIES)
}
SIDES = list(scenes.sides())


def sex_of(axis):
    """Kind of person that all values of an axis fit."""
    listed = " ".join(word for value in axis for word in value)
    return "woman" if FEMALE.search(listed) else "man" if MALE.search(listed) else "other"


def agreeing(clause):
    """The clause in plain text; after *I* a verb that `grammar.py` does not know loses its ending."""

    def agreed(mark):
        before = MARK.sub(r"\2", clause[: mark.start()])
        try:
            return plain(before + mark[0])[len(before):]
        except ValueError:
            return BARE.sub("", mark[2]) if SUBJECT_I.search(before) else mark[2]

    return MARK.sub(agreed, clause)


def polished(text):
    """The text with *a* or *an* as the next word asks for, *my* for *of me*, and single blanks."""
    text = re.sub(r"\bthe (\w+( brother)?) of me\b", r"my \1", re.sub(r"\s+", " ", text))
    text = re.sub(r"\b([Aa]) (?!one)(?=[aeio]|u(?!ni|se|su)|hour|honest|heir)", r"\1n ", text)
    return re.sub(r"\b([Aa])n (?=one|(?![aeiouAEIOU]|hour|honest|heir))", r"\1 ", text)


def denial(clause):
    """The clause denied by *not*, or `None`."""
    try:
        return negated(clause)
    except ValueError:
        return None


class Drawer:
    """Draws clauses of one generator."""

    def __init__(self, rng):
        self.rng, self.world = rng, World("train", rng)

    def scene(self, either=True, **kinds):
        """Fillers of a pair; `a` or (with `either`, as often) `b` may be *I*."""
        roles = ("other", "person") if either and self.rng.random() < 0.5 else ("person", "other")
        return Scene(self.world, dict(zip("ab", roles)) | kinds)

    def put(self, scene, wording, **marks):
        """The wording with its marks `@d`, `@w` ... and its slots filled, its verbs still marked."""
        for name, text in marks.items():
            wording = re.sub(rf"@{name}\b", lambda _, text=text: text, wording)
        return scene.fill(wording)

    def values(self, axis, label):
        """Two words of an axis: of one value for `same`, of two otherwise, or `None`."""
        if label == "same":
            rich = [value for value in axis if len(value) > 1]
            return self.rng.sample(self.rng.choice(rich), 2) if rich else None
        return [self.rng.choice(value) for value in self.rng.sample(axis, 2)]

    def framed(self, scene, pool, chosen, label, **marks):
        """Two texts with a word each, in one frame or (if all frames of the pool say the same) in two."""
        rng = self.rng
        first = second = rng.choice(pool)
        if pool in (FRAMES, PERSON_FRAMES) and rng.random() < 0.45:
            second = rng.choice(pool)
        if "a @w person" in first + second and any(" " in word for word in chosen):
            return None
        if label == "contradiction" and pool in (FRAMES, PERSON_FRAMES) and rng.random() < 0.2:
            second = f"{rng.choice(LEARNED)} {pool[0]}"
        return [self.put(scene, frame, w=word, **marks) for frame, word in zip((first, second), chosen)]

    def thing(self, label):
        """A property of one definite thing."""
        rng = self.rng
        kind, nouns, axis, before = rng.choice(THING_AXES)
        chosen, noun, place = self.values(axis, label), rng.choice(nouns), rng.choice(LOCALITIES[kind])
        if not chosen:
            return None
        alone = kind != "f" and noun not in PLURAL
        pools = [FRAMES] * 3 + [LONGER] * 2 * alone + [BEFORE_NOUN] * 3 * (before and alone)
        pools += [WORN] * 3 * (kind == "c" and before)
        definite = rng.choice(DEFINITE).replace("@n", f"pair of {noun}" if noun in PLURAL else noun).replace("@l", place)
        return self.framed(self.scene(a="other"), rng.choice(pools), chosen, label, d=definite, n=noun, l=place)

    def trait(self, label):
        """A lasting property of one person."""
        chosen, scene = self.values(self.rng.choice(TRAIT_AXES), label), self.scene(a="other")
        return chosen and self.framed(scene, PERSON_FRAMES, chosen, label, d=self.rng.choice(PEOPLE))

    def trade(self, label):
        """The trade a person lives by."""
        chosen, wording, scene = self.values(TRADES, label), self.rng.choice(BY_TRADE), self.scene(a="man")
        return [self.put(scene, wording, w=word) for word in chosen]

    def exclusive(self, label):
        """A relation, origin, place or rank of which only one can hold."""
        wording, axis = self.rng.choice(EXCLUSIVE)
        chosen = self.values(axis, label)
        scene = self.scene(a=sex_of(axis), b="person")
        return chosen and [self.put(scene, wording, w=word) for word in chosen]

    def synonym(self, label):
        """A sentence in which a synonym stands for a word."""
        wording = self.scene(either=False).fill(self.rng.choice(SYNONYMS))
        words_ = OPTIONS.search(wording)[1].split("|")
        return [OPTIONS.sub(lambda _, word=word: word, wording) for word in self.rng.sample(words_, 2)]

    def happening(self, label):
        """Indefinite things in two happenings."""
        kind, nouns, axis, before = self.rng.choice(THING_AXES)
        noun = self.rng.choice(nouns)
        if not before or noun in PLURAL:
            return None
        wording, scene = self.rng.choice(HAPPENED[kind].split("|")), self.scene(either=False)
        return [self.put(scene, wording, w=word, n=noun) for word in self.values(axis, label)]

    def which(self, label):
        """Two definite things, told apart by the word."""
        kind, nouns, axis, before = self.rng.choice(THING_AXES)
        if self.rng.random() < 0.5:
            kind = self.rng.choice(list(TWO_OF_A_KIND))
            nouns, axis, before = split(TWO_OF_A_KIND[kind], ","), self.rng.choice(read_axes(PICKS)), True
        noun = self.rng.choice(nouns)
        if not before or noun in PLURAL:
            return None
        wording = self.rng.choice((WHICH + (BURNING if kind == "b" else "")).split("|"))
        scene = self.scene(either=False)
        return [self.put(scene, wording, w=word, n=noun) for word in self.values(axis, label)]

    def fact(self, scene):
        """A clause that tells of a state of `a`, one that excludes it, and whether it must come later."""
        one_way, chance = False, self.rng.random()
        if chance < 0.45:
            *both, one_way = self.rng.choice(SIDES)
            pair = [self.rng.choice(side) for side in both]
        elif chance < 0.75:
            pair = [f"{{a}} <is> {word}" for word in self.values(self.rng.choice(TRAIT_AXES), "contradiction")]
        else:
            fitting = {"m": ("man", "other"), "f": ("woman", "other")}.get(scene.filler("a").gender, ("other",))
            told = [(text, axis) for text, axis in EXCLUSIVE if text.startswith("{a} <is> ") and sex_of(axis) in fitting]
            wording, axis = self.rng.choice(told)
            pair = [wording.replace("@w", word) for word in self.values(axis, "contradiction")]
        return [*(scene.fill(clause) for clause in pair), one_way]
