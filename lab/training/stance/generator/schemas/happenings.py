"""Happenings: things that occur once, or again on another occasion, and are true for ever after.

Nothing ends a happening; only a denial or a correction contradicts it.
"""

from .model import schema

SCHEMAS = [
    schema(
        "payment", "a:person b:person w:ware n:amount", "event trade", free="b w n", swap="a b", negatable=False,
        holds="""
            {a} <paid> {b.o} {n} coppers for {w}
            {b} <got> {n} coppers from {a.o} for {w}
            {a} <gave> {b.o} {n} coppers for {w}
            {b} <was> paid {n} coppers for {w} by {a.o}
            {n} coppers <was> what {a} <paid> {b.o} for {w}
            {a} <bought> {w} from {b.o} for {n} coppers
            {b} <sold> {a.o} {w} for {n} coppers
        """,
        parts="""
            {a} <bought> {w} from {b.o} | {b} <sold> {a.o} {w}
        """,
        stays="""
            {a} <asked> {b.o} the price of {w}
            {b} <weighed> the {w2} for {x.o}
            {a} <ate> at {b.p} table
            {a} <paid> {x.o} {n2} coppers for a hat
        """,
        more="""
            at the market
            before the rain <began>
            although it <was> too dear
        """,
    ),
    schema(
        "fight", "a:person b:person", "event regard", free="b", swap="a b", negatable=False,
        holds="""
            {a} <hit> {b.o} in the face
            {a} <struck> {b.o} in the face
            {b} <was> hit in the face by {a.o}
            {b} <got> a blow in the face from {a.o}
        """,
        parts="""
            {a} <hit> {b.o} | {b} <was> hit by {a.o} | {a} <struck> {b.o}
        """,
        other="""
            {a} never <laid> a hand on {b.o}
            {a} <was> not the one who <hit> {b.o}; it <was> {x}
            {b} <invented> the story that {a} <hit> {b.m}
        """,
        stays="""
            {a} <kicked> {x.p} dog
            {b} <wrote> to {a.o}
            {a} and {b} <drank> a beer together
            {x} <hit> {b.o} on the arm
        """,
        more="""
            in the tavern
            in front of the children
            because of a card game
        """,
    ),
    schema(
        "rescue", "a:person b:person m:monster", "event", free="b m", swap="a b", negatable=True,
        holds="""
            {a} <saved> {b.o} from the {m.n}
            {a} <rescued> {b.o} from the {m.n}
            {b} <was> saved from the {m.n} by {a.o}
            it <was> {a} who <saved> {b.o} from the {m.n}
            {b} <was> rescued from the {m.n} by {a.o}
            the one who <saved> {b.o} from the {m.n} <was> {a}
        """,
        parts="""
            {b} <was> rescued by {a.o} | {a} <rescued> {b.o}
        """,
        other="""
            {a} only <watched> while {x} <saved> {b.o} from the {m.n}
            {b} <was> never in danger from the {m.n}
            {a} <left> {b.o} to the {m.n} and <saved> nobody
            {a} <told> a lie: it <was> {x} who <saved> {b.o} from the {m.n}
        """,
        stays="""
            {b} <thanked> {a.o}
            {a} <told> the tale of the {m2.n}
            {b} <is> afraid of the {m.n}
            {x} <painted> a picture of the {m.n}
            {a} <saved> {x.o} from drowning
        """,
        more="""
            with a burning torch
            at the last moment
            near the old quarry
            for the sake of an old friendship
        """,
    ),
    schema(
        "delivery", "a:other b:person t:thing", "event own", free="b t", swap="a b", negatable=False,
        holds="""
            {a} <brought> {b.o} {t.a} from the harbour
            {b} <was> brought {t.a} from the harbour by {a.o}
            {a} <fetched> {b.o} {t.a} from the harbour
            from the harbour {a} <brought> {b.o} {t.a}
            {t.a} <was> brought to {b.o} from the harbour by {a.o}
        """,
        parts="""
            {a} <brought> {b.o} {t.a}
        """,
        stays="""
            {a} <brought> {b.o} {t2.a} from the hills
            {b} <sent> {a.o} to {x.o}
            {x} <sold> {b.o} {t.a}
            {a} <was> at the harbour with {x.o}
        """,
        more="""
            and a sack of nails
            before breakfast
            in a handcart
            without being asked
        """,
    ),
    schema(
        "victory", "a:other e:contest t:town", "event", free="e t", negatable=True,
        holds="""
            {a} <won> the {e.n} prize in {t} this year
            the prize of this year's {e.n} in {t} <was> won by {a.o}
            this year {a} <won> the prize of the {e.n} in {t}
            the winner of the prize of this year's {e.n} in {t} <is> {a}
            it <was> {a} who <won> the {e.n} prize in {t} this year
        """,
        other="""
            {x} and not {a} <won> the {e.n} prize in {t} this year
            {a} <lost> to {x.o} in the fight for this year's {e.n} prize in {t}
            the {e.n} prize in {t} <was> taken from {a.o} for cheating and given to {x.o}
            nobody <won> the {e.n} prize in {t} this year
            this year's winner of the {e.n} prize in {t} <is> {x}
        """,
        stays="""
            {x} <won> the {e.n} prize in {t} last year
            {a} <won> the {e2.n} prize in {t2} this year
            {a} <danced> all night in {t}
            {x} <came> to the {e.n} in {t}
        """,
        more="""
            ahead of {x.o}
            in pouring rain
            and {x} <shouted> with joy
            against all hope
        """,
    ),
    schema(
        "poisoning", "a:other b:other", "event guilt", free="b", negatable=True,
        holds="""
            {a} <poisoned> {b.p} well
            {b.p} well <was> poisoned by {a.o}
            it <was> {a} who <poisoned> {b.p} well
            {a} <put> poison into {b.p} well
            the one who <poisoned> {b.p} well <was> {a}
            poison <was> put into {b.p} well by {a.o}
        """,
        parts="""
            {b.p} well <was> poisoned | somebody <poisoned> {b.p} well
        """,
        other="""
            {x} and not {a} <poisoned> {b.p} well | {b.p} well <was> poisoned by {x.o}, not by {a.o}
            {b.p} well <was> never poisoned; a dead rat <spoiled> the water
            {a} <is> innocent: nobody <poisoned> {b.p} well
            {a} <had> no hand in the poisoning of {b.p} well
        """,
        stays="""
            {b} <dug> a new well
            {a} <drank> from {b.p} well last week
            {x} <is> digging near {b.p} well
            {a} <sold> {b.o} a bucket
        """,
        more="""
            out of revenge
            with the help of {x.o}
            and {x} <saw> it
            at the order of the duke
        """,
    ),
    schema(
        "lesson", "a:other b:person s:subject", "event teach", free="s b", swap="a b", negatable=False,
        holds="""
            {a} <taught> {b.o} some {s} this morning
            {b} <got> a lesson in {s} from {a.o} this morning
            this morning {a} <gave> {b.o} a lesson in {s}
            {b} <was> given a lesson in {s} by {a.o} this morning
            {b} <had> a lesson in {s} with {a.o} this morning
        """,
        stays="""
            {a} <gave> {b.o} a lesson in {s2} yesterday
            {b} <praised> {a.o}
            {a} <had> supper with {x.o}
            {x} <learned> {s2} as a child
        """,
        more="""
            in the courtyard
            for three coppers
            in spite of a sore throat
        """,
    ),
    schema(
        "meal", "a:person d:dish", "event", free="a d", negatable=False,
        holds="""
            {a} <ate> {d} for supper
            {a} <had> {d} for supper
            {a.p} supper <was> {d}
            for supper {a} <had> {d}
            {a} <dined> on {d}
        """,
        stays="""
            {a} <ate> {d2} for supper
            {x} <cooked> {d2} for {a.o}
            {a} <is> hungry
            {a} <had> bread for breakfast
        """,
        more="""
            at {x.p} house
            with a mug of ale
            and <fell> asleep at the table
            by candlelight
        """,
        held_out=True,
    ),
    schema(
        "sighting", "a:other p:place", "event place", free="a p", negatable=False,
        holds="""
            I <saw> {a.o} {p.at} this morning
            this morning I <saw> {a.o} {p.at}
            I <caught> sight of {a.o} {p.at} this morning
            I <noticed> {a.o} {p.at} this morning
            this morning I <noticed> {a.o} {p.at}
        """,
        parts="""
            I <saw> {a.o} this morning
        """,
        other="""
            the person I <saw> {p.at} this morning <was> {x} and not {a}
            I <was> mistaken: it <was> {x} that I <saw> {p.at} this morning, not {a}
            {a} <was> not the person I <saw> {p.at} this morning
        """,
        stays="""
            {a} <is> {p2.at} now
            I <saw> {a.o} {p2.at} yesterday
            {x} <saw> {a.o} {p2.at}
            I <talked> to {x.o} this morning
        """,
        more="""
            with {x.o}
            before sunrise
        """,
    ),
]
