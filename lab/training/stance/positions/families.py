"""Families of pairs. Each function draws one pair: older, newer, label, or `None` where the draw had nothing to say."""
import days
import turned
from facts import ALIVE, DEAD, ONLY_NEAR_DEATH, OPEN, PERSON, Position
from speech import Subject, clause, contracted, said, sentence
from words import of_part, wordings_of_part
from world import ABOUT_THINGS, EVERY_SIDE, LISTS, TOWARDS, Case, clash

SAME, UNRELATED, CONTRADICTION = "same", "unrelated", "contradiction"


def statement(case):
    """Sentence that gives or, now and then, denies a value."""
    return (case.world.rng.random() < 0.12 and case.deny()) or case.say()


def pair(world, older, newer, label, happenings=(False, False), tail=0.2):
    """Pair of sentences, each said in a way of its own."""
    if not older or not newer or older == newer:
        return None
    return world.dressed(older, happenings[0], tail), world.dressed(newer, happenings[1], tail), label


def sides(world):
    """Two facts about one person or thing, of different sides."""
    rng = world.rng
    if rng.random() < 0.82:
        one, other = rng.sample(EVERY_SIDE, 2)
        subject = world.person()
    else:
        about = rng.choice(("thing", "thing", "door", "machine", "occasion"))
        one, other = rng.sample(ABOUT_THINGS[about], 2)
        subject = world.thing(about)
    if clash(one, other):
        return None
    older, newer = Case(world, one, subject), Case(world, other, subject)
    if rng.random() < 0.25 and subject.kind in "fm" and subject.name not in ("she", "he"):
        newer = newer.about(Subject({"f": "she", "m": "he"}[subject.kind], subject.kind))
    return pair(world, statement(older), statement(newer), UNRELATED)


def akin(world, subject):
    """Someone or something easily taken for a subject: a relative, a namesake, another thing of the kind."""
    rng = world.rng
    if subject.kind == "it":
        bare = subject.name.removeprefix("the ").removeprefix("my ")
        return Subject(rng.choice((f"the old {bare}", f"the second {bare}", f"{world.name()}'s {bare}", f"the other {bare}", f"the new {bare}", f"the {bare} of {world.value('towns')}")), "it")
    if subject.kind == "I" or subject.name in ("she", "he"):
        return world.person(first_person=False)
    first, _, surname = subject.name.partition(" ")
    if first in ("the", "my"):
        return Subject(rng.choice((f"{subject.name}'s brother", f"{subject.name}'s father", f"{subject.name}'s son")), "m") if rng.random() < 0.5 else world.person(first_person=False)
    if surname and rng.random() < 0.6:
        other = world.different(world.named, first)
        return Subject(f"{other.name} {surname}", other.kind) if rng.random() < 0.6 else Subject(f"{first} {world.different(lambda: rng.choice(world.surnames), surname)}", subject.kind)
    if rng.random() < 0.5:
        kin, kind = rng.choice((("sister", "f"), ("brother", "m"), ("mother", "f"), ("father", "m"), ("cousin", "f"), ("neighbour", "m"), ("daughter", "f"), ("master", "m"), ("friend", "m")))
        return Subject(f"{subject.possessive} {kin}", kind)
    return world.different(world.named, subject.name)


def others(world):
    """Facts, denials and ends of two subjects that are akin."""
    case = Case(world)
    if case.position.about == "secret":
        return None
    other = akin(world, case.subject)
    if other.name == case.subject.name:
        return None
    newer = case.about(other) if world.rng.random() < 0.4 else Case(world, case.position, other)
    if case.position.name in ("spouse", "betrothal", "marital"):
        newer = Case(world, case.position, other)
    older, newer = (case, newer) if world.rng.random() < 0.5 else (newer, case)
    way = world.rng.random()
    text = newer.say() if way < 0.5 else newer.deny() if way < 0.75 else newer.end()
    return pair(world, older.say(), text, UNRELATED, (False, way >= 0.75))


def several(world):
    """Two values of what has room for both."""
    rng = world.rng
    way = rng.random()
    if way < 0.5:
        case = Case(world, rng.choice(OPEN))
        return pair(world, case.say(), case.turned().say(), UNRELATED)
    if way < 0.7:
        case = Case(world, rng.choice([position for position in PERSON if isinstance(position, Position) and not position.exclusive]))
        newer = case.turned()
        return pair(world, case.say(), rng.choice((newer.say, newer.deny, newer.end))(), UNRELATED)
    if way < 0.82:
        case = Case(world, next(position for position in PERSON if position.name == "debt"))
        return pair(world, case.say(), case.with_slots(q=case.slots["r"], v=world.amount()).say(), UNRELATED)
    case = Case(world, rng.choice([position for position in PERSON if position.name in TOWARDS]))
    newer = Case(world, case.position, case.subject)
    if newer.slots["x"] == case.slots["x"]:
        return None
    return pair(world, case.say(), newer.say(), UNRELATED)


def excluded(world):
    """Two values of what has one at a time, or a value and its denial."""
    rng = world.rng
    case = Case(world)
    if case.position.name == "debt":
        case = case.with_slots(r=case.slots["q"])
    if not case.distinct:
        return None
    way = rng.random()
    if case.state is None and (way < 0.2 or not case.position.exclusive):
        texts = [case.say(), case.deny()]
        rng.shuffle(texts)
        return pair(world, *texts, CONTRADICTION)
    return pair(world, case.say(), case.turned().say(), CONTRADICTION)


def ended(world):
    """A position, and a happening that ends it."""
    case = Case(world)
    newer = case.end() if case.distinct else None
    if newer and world.rng.random() < 0.15:
        newer = world.tailed(newer, True)
    return pair(world, case.say(), newer, CONTRADICTION, (False, False), 0.1)


def death(world, label=CONTRADICTION):
    """A present position of a person, and the death of that person."""
    rng = world.rng
    subject = world.person(first_person=False)
    case = Case(world, rng.choice([position for position in EVERY_SIDE if side_of_living(position)]), subject)
    older = said(world.pick(ALIVE), subject) if rng.random() < 0.2 else case.say()
    if label == UNRELATED:
        if rng.random() < 0.3:
            newer = said(rng.choice(ONLY_NEAR_DEATH), subject, **case.slots)
        else:
            other = akin(world, subject)
            if other.name == subject.name:
                return None
            newer = said(world.pick(DEAD), other, **case.slots)
        return pair(world, older, newer, UNRELATED)
    return pair(world, older, said(world.pick(DEAD), subject, **case.slots), CONTRADICTION, tail=0.1)


def side_of_living(position):
    """True for what only the living can be said to be or do."""
    return position.name not in ("eyes", "hair", "honesty", "courage", "traits", "kin", "marital", "prison", "standing", "friends", "debt")


def ended_elsewhere(world):
    """A position, and something that touches it or ends another one."""
    rng = world.rng
    if rng.random() < 0.2:
        return death(world, UNRELATED)
    case = Case(world)
    if rng.random() < 0.65:
        return pair(world, case.say(), case.beside(), UNRELATED, (False, True), 0.15)
    other = case.about(akin(world, case.subject)) if case.position.about != "secret" else case
    if other.subject.name == case.subject.name or case.position.name in ("spouse", "betrothal"):
        return None
    return pair(world, case.say(), other.end(), UNRELATED, (False, True), 0.15)


def deed(world, subject, base, past, thing, denied=False):
    """Sentence of a happening."""
    slots = {"q": world.name(), "n": world.amount(), "t": world.thing().name}
    return said(f"{{S}} did not {base} {thing}" if denied else f"{{S}} {past} {thing}", subject, **slots)


def happenings(world):
    """Two happenings, of one day or two."""
    rng = world.rng
    subject = world.person()
    way = rng.random()
    deeds = of_part(days.DEEDS, world.part)
    if way < 0.2:
        older, newer = rng.choice(of_part(days.OPPOSED, world.part))
        if "born" in older and subject.kind == "I":
            return None
        slots = {"q": world.different(world.name, subject.name), "n": world.amount(), "t": world.thing().name}
        texts = [said(older, subject, **slots), said(newer, subject, **slots)]
        if "born" not in older:
            rng.shuffle(texts)
        return pair(world, *texts, UNRELATED, (True, True), 0.3)
    if way < 0.3:
        base, past, form = rng.choice(of_part(days.AMOUNT_DEEDS, world.part))
        who, what = world.different(world.name, subject.name), world.thing().name
        forms = [form.format(q=who, n=world.amount(), t=what) for _ in range(2)]
        base2, past2 = rng.choice(((base, past), rng.choice(days.AMOUNT_DEEDS[:4])[:2]))
        if "{q} {n}" not in form:
            base2, past2 = base, past
        if forms[0] == forms[1]:
            return None
        return pair(world, deed(world, subject, base, past, forms[0]), deed(world, subject, base2, past2, forms[1], rng.random() < 0.15), UNRELATED, (True, True), 0.25)
    base, past, objects = rng.choice(deeds)
    thing = rng.choice(objects)
    if way < 0.6:
        texts = [deed(world, subject, base, past, thing), deed(world, subject, base, past, thing + rng.choice(("", "", " again", " this time")), True)]
        rng.shuffle(texts)
        return pair(world, *texts, UNRELATED, (True, True), 0.35)
    if way < 0.72:
        other = rng.choice(objects)
        if other == thing:
            return None
        return pair(world, deed(world, subject, base, past, thing), deed(world, subject, base, past, other, rng.random() < 0.2), UNRELATED, (True, True), 0.3)
    if way < 0.82:
        texts = [world.tailed(deed(world, subject, base, past, thing), True) for _ in range(2)]
        return None if texts[0] == texts[1] else (*texts, UNRELATED)
    if way < 0.9:
        other = akin(world, subject)
        if other.name == subject.name:
            return None
        return pair(world, deed(world, subject, base, past, thing), deed(world, other, base, past, thing, rng.random() < 0.4), UNRELATED, (True, True), 0.2)
    base2, past2, objects2 = rng.choice(deeds)
    if base2 == base:
        return None
    return pair(world, deed(world, subject, base, past, thing, rng.random() < 0.2), deed(world, subject, base2, past2, rng.choice(objects2), rng.random() < 0.3), UNRELATED, (True, True), 0.3)


def then_and_now(world):
    """A past happening, and a present state."""
    case = Case(world, next(position for position in PERSON if position.name == "age"))
    older, newer = world.rng.choice(of_part(days.THEN_AND_NOW, world.part))
    slots = {**case.slots, "d": world.thing("door").name, "m": world.thing("machine").name}
    slots["o"] = slots["t"].partition(" ")[2]
    slots["t2"] = world.thing().name
    if case.subject.kind == "I" and "{S} and" in newer:
        return None
    return pair(world, said(older, case.subject, **slots), said(newer, case.subject, **slots), UNRELATED, (True, False), 0.25)


def routine(world):
    """Habits of other hours and other deeds, and what somebody does at two moments."""
    rng = world.rng
    subject = world.person()
    if rng.random() < 0.3:
        one, other = rng.sample(of_part(days.ACTIVITIES, world.part), 2)
        return pair(world, said(f"{{S}} [be] {one}", subject), said(f"{{S}} [be] {other}", subject), UNRELATED)
    habits, hours = of_part(days.HABITS, world.part), of_part(days.HOURS, world.part)
    habit, hour = rng.choice(habits), rng.choice(hours)
    other_habit, other_hour = (habit, rng.choice(hours)) if rng.random() < 0.45 else (rng.choice(habits), rng.choice((hour, rng.choice(hours))))

    def told(what, when):
        verb, _, rest = what.partition(" ")
        if rng.random() < 0.2:
            return said(f"{sentence(when).rstrip('.')} {{S}} [{verb}] {rest}", subject)
        if rng.random() < 0.1:
            return said(f"{{S}} [do] not {what} {when}", subject)
        return said(f"{{S}} {rng.choice(('', '', 'usually ', 'always '))}[{verb}] {rest} {when}", subject)

    if (habit, hour) == (other_habit, other_hour):
        return None
    return pair(world, told(habit, hour), told(other_habit, other_hour), UNRELATED, (False, False), 0.15)


def small_talk(world):
    """Greetings, thanks, agreement and the like, among themselves and after a statement."""
    rng = world.rng

    def turn():
        lines = rng.choice((days.GREETINGS, days.THANKS, days.AGREEMENTS, days.SMALL_TALK, days.SMALL_TALK))
        texts = [rng.choice(of_part(lines, world.part)).format(q=world.name(), day=world.value("days"), food=world.value("foods"), town=world.value("towns"))]
        if rng.random() < 0.35:
            texts.append(rng.choice(of_part(days.SMALL_TALK, world.part)).format(q=world.name(), day=world.value("days"), food=world.value("foods"), town=world.value("towns")))
        return " ".join(sentence(text) for text in texts)

    older = statement(Case(world)) if rng.random() < 0.25 else turn()
    newer = statement(Case(world)) if rng.random() < 0.1 else turn()
    return (older, newer, UNRELATED) if older != newer else None


CONTRACTIBLE = ("{he} is not {v}", "{he} will not come back to {town}", "they are building a shed {v}", "we have seen the {o} before", "I would sell {t} if I could", "we are not going to {town}", "they have not paid {q}", "I cannot find {t}",
                "it is {q} who has {t}", "that is {t} of {q}", "you should not trust {q}", "we would not go {v} at night", "they were not {v}", "he has not been to {town}", "she had not heard of {q}", "there is no way to {town} in winter",
                "I have lost {t}", "we will meet {v}", "I will not lend {q} the {o}", "who is going to {town}", "what is {v} is none of your business", "they could not open {d}", "{d} was not locked", "it does not matter to {q}", "we do not sell to {q}",
                "I am not afraid of {q}", "you are late, and {q} is not here", "let us ask {q} about {t}", "it has been quiet {v}", "they will take {t} to {town}", "you must not go {v}", "I have never been to {town}", "we are out of {food}", "she would rather stay {v}",
                "I do not know where {t} is", "the others are not {v}", "{q} will not lend me {t}", "{q} has not come back from {town}", "{q} cannot carry {t} alone", "{m} is not running")


def contractions(world):
    """One sentence with and without contractions."""
    rng = world.rng
    way = rng.random()
    case = Case(world)
    slots = {**case.slots, "d": world.thing("door").name, "m": world.thing("machine").name, "t": world.thing().name, "v": world.value("places"), "food": world.value("foods")}
    slots["o"] = slots["t"].partition(" ")[2]
    if way < 0.5:
        text = said(world.pick(CONTRACTIBLE), Subject("she", "f") if rng.random() < 0.5 else Subject("he", "m"), **slots)
    elif way < 0.75:
        text = case.deny() or case.say()
    else:
        base, past, objects = rng.choice(of_part(days.DEEDS, world.part))
        text = deed(world, world.person(), base, past, rng.choice(objects), True)
    short = contracted(text, rng)
    if short == text:
        return None
    texts = [text, short]
    rng.shuffle(texts)
    return (*texts, SAME)


def roles(world):
    """Statements of two roles: said again, turned round, and with another one in a role."""
    rng = world.rng
    if rng.random() < 0.45:
        subject = world.person()
        a, b = rng.choice(of_part(turned.LIKED, world.part)).split("|")
        if rng.random() < 0.5:
            a, b = b, a
        first = said(world.pick(turned.PREFERENCES), subject, a=a, b=b)
        chance = rng.random()
        if chance < 0.55:
            return pair(world, first, said(world.pick(turned.PREFERENCES), subject, a=b, b=a), CONTRADICTION)
        if chance < 0.8:
            second = said(world.pick(turned.PREFERENCES), subject, a=a, b=b)
            return (first, second, SAME) if first != second else None
        other = akin(world, subject)
        return pair(world, first, said(world.pick(turned.PREFERENCES), other, a=b, b=a), UNRELATED) if other.name != subject.name else None
    if rng.random() < 0.12:
        a, b = world.thing().name, world.thing().name
        subject, wording = world.person(), rng.choice(turned.EXCHANGES)
        return pair(world, said(wording, subject, a=a, b=b), said(wording, subject, a=b, b=a), UNRELATED, (True, True)) if a != b else None
    label, wordings = rng.choice(turned.RELATIONS)
    p = world.name()
    q = world.different(world.name, p)
    n = world.amount()
    wordings = wordings_of_part(wordings, world.part) if world.part == "train" else wordings[-2:]
    one, other = rng.choice(wordings), rng.choice(wordings)
    first = sentence(one.format(p=p, q=q, n=n))
    chance = rng.random()
    if chance < 0.5:
        return pair(world, first, sentence(other.format(p=q, q=p, n=n)), label, tail=0.0 if label == SAME else 0.15)
    if chance < 0.75:
        second = sentence(other.format(p=p, q=q, n=n))
        return (first, second, SAME) if first != second else None
    r = world.different(world.name, p, q)
    if label == SAME and ("married" in one + other or "spouse" in one + other):
        return None
    if label == CONTRADICTION and one.startswith("{p}") and any(word in one for word in ("father", "mother", "boss", "master", "employer", "works", "pay", "apprentice")):
        return None
    return pair(world, first, sentence(other.format(p=rng.choice((p, q)), q=r, n=n)), UNRELATED)


def said_again(world):
    """One value in two wordings."""
    rng = world.rng
    case = Case(world, rng.choice(OPEN)) if rng.random() < 0.2 else Case(world)
    if case.position.name in ("moods", "traits", "teachers"):
        return None
    older = case.say()
    newer = case.say(besides=older)
    if rng.random() < 0.15 and case.state is None and case.position.denials:
        older = case.deny()
        newer = case.one_of([wording for wording in case.position.denials if "never" not in wording and "used" not in wording], besides=older)
    if not older or not newer:
        return None
    if rng.random() < 0.15:
        older = world.report(older)
    if rng.random() < 0.15:
        newer = world.report(newer) if rng.random() < 0.3 else contracted(newer, rng)
    return (older, newer, SAME) if older != newer else None


AGAIN = (("{S} {past} {thing}", "What {S} {past} was {thing}"), ("{when} {S} {past} {thing}", "{S} {past} {thing} {when}"), ("It was {S} who {past} {thing}", "{S} {past} {thing}"), ("{S} {past} {thing} {when}", "It was {when} that {S} {past} {thing}"))


def happened_again(world):
    """One happening told twice, its words in another order."""
    rng = world.rng
    subject = world.person(first_person=False)
    base, past, objects = rng.choice(of_part(days.DEEDS, world.part))
    objects = [thing for thing in objects if thing.startswith(("the ", "a ", "an ", "two ", "six "))]
    if not objects:
        return None
    thing, when = rng.choice(objects), rng.choice(of_part(days.HOURS[:14], world.part))
    texts = [sentence(form.format(S=subject.name, past=past, thing=thing, when=when)) for form in rng.choice(AGAIN)]
    rng.shuffle(texts)
    return (*texts, SAME)


def parts(world):
    """Two facts as older, and a newer one that repeats one, ends one or adds one; two facts beside two other ones."""
    rng = world.rng
    subject = world.person()
    one, other = rng.sample(EVERY_SIDE, 2)
    if clash(one, other):
        return None
    first, second = Case(world, one, subject), Case(world, other, subject)
    pronoun = subject if subject.kind == "I" else Subject({"f": "she", "m": "he"}[subject.kind], subject.kind)
    part, rest = first.say(), second.about(pronoun).say()
    whole = f"{part.rstrip('.')}{rng.choice((', and ', '; ', ', and besides '))}{clause(rest)}."
    chance = rng.random()
    if chance < 0.35:
        return whole, part, SAME
    if chance < 0.5:
        return whole, second.say() or rest, SAME
    if chance < 0.6:
        return whole, first.say(besides=part) or part, SAME
    if chance < 0.72 and first.distinct:
        newer = first.end() or (first.turned().say() if first.position.exclusive else None)
        return (whole, newer, CONTRADICTION) if newer else None
    if chance < 0.82:
        third = rng.choice(EVERY_SIDE)
        return (whole, Case(world, third, subject).say(), UNRELATED) if not clash(third, one) and not clash(third, other) and third not in (one, other) else None
    return part, whole, UNRELATED


def reported(world):
    """Somebody's word and what is so; a thing asked or dreamt and what is so."""
    rng = world.rng
    case = Case(world)
    chance = rng.random()
    if chance < 0.45 and case.distinct:
        newer = (case.deny() if rng.random() < 0.5 or not case.position.exclusive else None) or (case.turned().say() if case.position.exclusive else None)
        texts = [case.say(), newer]
        if not newer:
            return None
        if rng.random() < 0.7:
            return world.report(texts[0]), world.dressed(newer, tail=0.1), CONTRADICTION
        return texts[0], world.report(newer), CONTRADICTION
    if chance < 0.55:
        return world.report(case.say()), case.say(), SAME
    newer = case.deny() if rng.random() < 0.5 else case.say()
    if not newer:
        return None
    texts = [world.question(case.say()), newer]
    if rng.random() < 0.4:
        texts.reverse()
    return (*texts, UNRELATED)


# How many pairs of each family there are in a thousand of those that are generated.
FAMILIES = {"sides": (sides, 195), "others": (others, 90), "several": (several, 60), "excluded": (excluded, 110), "ended": (ended, 85), "death": (death, 30), "ended-elsewhere": (ended_elsewhere, 75),
            "happenings": (happenings, 105), "then-and-now": (then_and_now, 35), "routine": (routine, 50), "small-talk": (small_talk, 35), "contractions": (contractions, 35),
            "roles": (roles, 50), "said-again": (said_again, 115), "happened-again": (happened_again, 20), "parts": (parts, 45), "reported": (reported, 40)}
