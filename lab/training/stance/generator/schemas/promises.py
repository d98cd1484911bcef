"""What is still to come: promises, quests, plans, wagers, threats and expected guests."""

from .model import schema

SCHEMAS = [
    schema(
        "promise of a thing", "a:person b:person t:thing", "promise own", free="t", free_state="a b", swap="a b",
        holds="""
            {a} <promised> to bring {b.o} the {t.n}
            {b} <=has> {a.p} promise to bring the {t.n}
            {a} <gave> {b.o} {a.s} word to bring the {t.n}
            {a} <has> promised {b.o} the {t.n}
            {a} <is> bound by a promise to bring {b.o} the {t.n}
            {b} <was> promised the {t.n} by {a.o}
        """,
        ending="""
            {a} <kept> {a.s} promise and <brought> {b.o} the {t.n}
            {a} <brought> {b.o} the {t.n} | {b} <got> the {t.n} from {a.o} | {a} <handed> {b.o} the {t.n}
            {a} <broke> {a.s} promise about the {t.n} | {a} <broke> {a.s} word about the {t.n}
            {b} <let> {a.o} off the promise | {b} <released> {a.o} from the promise
            {a} <gave> the promised {t.n} to {x.o} instead of {b.o}
            {a} <took> back {a.s} word: {b} <will> never get the {t.n}
            the {t.n} that {a} <promised> <is> now in {b.p} hands
            {a} <laughed> at {b.o} and <said> that the {t.n} would never come
            the {t.n} <was> lost at sea, so {a} <cannot> bring it to {b.o} any more
            {a} <refuses> to bring {b.o} the {t.n} after all
        """,
        other="""
            {a} never <promised> {b.o} any {t.n}
            {b} only <imagined> the promise; {a} <said> nothing of {t.a}
            it <was> {x} and not {a} who <promised> {b.o} the {t.n}
        """,
        stays="""
            {a} <promised> {x.o} a basket of eggs
            {b} <asked> {a.o} about the {t.n}
            {a} <brought> {b.o} a jug of milk
            {b} <is> waiting for the {t.n}
            {a} <told> {x.o} about the {t.n}
        """,
        more="""
            before the first snow
            in return for a horse
            by the next full moon
        """,
        negatable=True,
    ),
    schema(
        "promise of a deed", "a:person b:person e:errand", "promise", free="e", free_state="a b", swap="a b",
        holds="""
            {a} <promised> {b.o} to {e}
            {a} <gave> {b.o} {a.s} word to {e}
            {a} <promised> that {a.h} would {e} for {b.o}
            {b} <=has> {a.p} word that {a.h} would {e}
            {a} <has> pledged to {e} for {b.o}
            {b} <was> promised by {a.o} that {a.h} would {e}
        """,
        ending="""
            {a} {e.done} as promised
            {a} <kept> {a.s} word to {b.o} and {e.done}
            {a} <went> back on {a.s} word and <will> not {e}
            {a} <broke> {a.s} promise to {e} | {a} <broke> {a.s} word and did not {e}
            {b} <told> {a.o} that the promise to {e} <is> off
            {a} flatly <refused> to {e} after all
            the promise <is> kept: {a} duly {e.done}
            {b} <released> {a.o} from the promise to {e} | {a} <was> released by {b.o} from the promise to {e}
            {a} <will> never {e} for {b.o}, whatever was promised
            {x} {e.done} before {a} could do it as promised, so the promise <is> void
        """,
        other="""
            {a} never <promised> {b.o} to {e}
            {a} only <joked> about it and <promised> nothing to {b.o}
            {b} <made> up the story that {a} <promised> to {e}
        """,
        stays="""
            {a} <promised> {x.o} to {e2}
            {b} <told> {x.o} about the promise and <warned> {a.o}
            {a} {e2.done} for {x.o}
            {b} <believes> that {a} <is> a good worker
            {x} <promised> {b.o} to {e}
        """,
        more="""
            before winter
            for a bag of silver
            in spite of the bad weather
            as soon as the guests <leave>
        """,
    ),
    schema(
        "quest", "a:person m:monster t:town", "quest monster", free="t", free_state="a",
        holds="""
            {a} <is> to kill the {m.n} in {t}
            {a} <must> slay the {m.n} in {t}
            {a} <=has> orders to kill the {m.n} in {t}
            {a.p} task <is> to kill the {m.n} in {t}
            {a} <=has> the task of killing the {m.n} in {t}
        """,
        ending="""
            {a} <killed> the {m.n} in {t} | the {m.n} in {t} <was> killed by {a.o}
            {x} <killed> the {m.n} in {t} first, so {a} <=has> no reason to go any more
            {a} <gave> up the hunt for the {m.n} for good | {a} <abandoned> the hunt for the {m.n}
            {a} <came> home with the head of the {m.n} on a spear
            the order to kill the {m.n} <was> withdrawn
            {a} <was> relieved of the task, and {x} <will> kill the {m.n} instead
            the {m.n} in {t} <is> dead by {a.p} hand
        """,
        other="""
            {a} <is> to spare the {m.n} in {t} | {a} <is> not to harm the {m.n} in {t}
            {a} <is> to guard the {m.n} in {t} and not to hurt it
            nobody ever <told> {a.o} to kill the {m.n}
        """,
        stays="""
            {a} <bought> a new spear
            {x} <is> to kill the {m2.n} in {t2}
            {a} <set> out for {t}
            the {m.n} <ate> a cow
            {x} <is> afraid of the {m.n}
        """,
        more="""
            for a purse of gold
            before the next new moon
            by order of {x.o}
        """,
        negatable=True,
    ),
    schema(
        "plan to travel", "a:person t:town s:season", "plan", free="a",
        holds="""
            {a} <will> travel to {t} in {s}
            {a} <is> going to travel to {t} in {s}
            {a} <plans> to travel to {t} in {s}
            {a} <intends> to go to {t} in {s}
            in {s} {a} <is> going to {t}
            {a.p} plan <is> to travel to {t} in {s}
        """,
        parts="""
            {a} <plans> to travel to {t} | {a} <intends> to go to {t}
        """,
        ending="""
            {a} <has> given up the journey to {t} | {a} <has> dropped the plan of going to {t}
            {a} <will> stay at home and not go to {t}
            {a} no longer <wants> to go to {t}
            {a} <sold> the travelling coach, for the journey to {t} <is> off
            {a} <has> decided against {t} and <will> go to {t2} in its place
            {a} <called> off the journey to {t} | the journey to {t} <was> called off by {a.o}
            nothing <will> come of {a.p} journey to {t}
        """,
        stays="""
            {a} <bought> a map of {t}
            {a} <was> in {t} once as a child
            {x} <will> travel to {t2} in {s}
            {a} <asked> {x.o} about the road
            {x} <has> given up the journey to {t2}
        """,
        more="""
            to buy horses
            with {x.o}
            to visit an old aunt
            because of the war
        """,
    ),
    schema(
        "expected guest", "a:other t:town d:weekday", "plan place", free="a", rival="d",
        holds="""
            {a} <is> expected in {t} on {d}
            {a} <is> due in {t} on {d}
            {a} <will> arrive in {t} on {d}
            on {d} {a} <will> come to {t}
            {t} <expects> {a.o} on {d}
            {a.p} arrival in {t} <is> expected on {d}
        """,
        ending="""
            {a} <arrived> in {t} this morning | {a} <reached> {t} this morning
            {a} <sent> word that the journey to {t} <is> off
            {a} <is> no longer expected in {t}
            {a} <turned> back half-way and <will> not come to {t} at all
            {a} <will> not come to {t} on {d} but on {d2}
            {a} <drowned> on the way to {t}
            the whole of {t} <waited> for {a.o} on {d}, and in vain
            {a} <decided> to stay at home and not to come to {t}
        """,
        stays="""
            {x} <will> arrive in {t} on {d2}
            {x} <is> cleaning the guest room for {a.o}
            {a} <was> in {t} last year
            {x} <arrived> in {t} this morning
            {a} <wrote> a letter to {x.o}
        """,
        more="""
            with a wagon of wine
            by boat
            and {x} <is> nervous
            to see {x.o}
        """,
    ),
    schema(
        "wager", "a:person b:person e:contest n:amount", "debt wager", free="e",
        holds="""
            {a} <=has> a bet of {n} silver with {b.o} on the {e.n}
            {a} and {b} <=have> a bet of {n} silver on the {e.n}
            {b} <=has> a wager of {n} silver with {a.o} on the {e.n}
            there <is> a bet of {n} silver between {a.o} and {b.o} on the {e.n}
            a wager of {n} silver on the {e.n} <stands> between {a.o} and {b.o}
        """,
        ended="""
            the bet between {a.o} and {b.o} on the {e.n} <is> off
            {a} and {b} no longer <=have> a bet on the {e.n}
            the wager between {a.o} and {b.o} on the {e.n} <is> settled
            the bet between {a.o} and {b.o} on the {e.n} <is> over
            there <is> no bet between {a.o} and {b.o} on the {e.n} any more
        """,
        ending="""
            {a} <won> the bet on the {e.n} and <got> {n} silver from {b.o}
            {a} <lost> the bet on the {e.n} and <paid> {b.o} {n} silver
            {a} <called> off the bet on the {e.n} with {b.o} | the bet on the {e.n} with {b.o} <was> called off by {a.o}
            {b} <backed> out of the bet with {a.o} on the {e.n}
            {a} and {b} <agreed> to forget their bet on the {e.n}
        """,
        stays="""
            {a} <watched> the {e.n} with {b.o}
            {b} <lost> a bet on the {e2.n}
            {x} <laughed> about {a.p} bet
            {a} <is> looking forward to the {e.n}
        """,
        more="""
            in spite of the law
            and {x} <holds> the money
            because of a silly quarrel
        """,
        negatable=False,
    ),
    schema(
        "threat", "a:other b:person", "threat", free="b",
        holds="""
            {a} <threatens> to burn down {b.p} house
            {a} <swears> to burn down {b.p} house
            {a} <is> threatening to set {b.p} house on fire
            {a} <has> threatened {b.o} with the burning of {b.s} house
            {a} <wants> to burn down {b.p} house and <says> so
        """,
        ending="""
            {a} <took> back the threat against {b.p} house | {a} <withdrew> the threat against {b.p} house
            {a} <burnt> down {b.p} house | {b.p} house <was> burnt down by {a.o}
            {a} <said> that {b} must fear nothing for the house any more
            {a} <has> given up the plan of burning {b.p} house
            {b.p} house <went> up in flames, as {a} <threatened>
        """,
        other="""
            {a} never <threatened> {b.p} house
            {a} <promises> to protect {b.p} house | {a} <swears> to guard {b.p} house
        """,
        stays="""
            {a} <shouted> at {b.o} in the street
            {b} <is> afraid of {a.o}
            {a} <threatens> to leave the guild
            {b} <bought> two buckets
        """,
        more="""
            before the month <is> over
            because of an unpaid bill
        """,
        held_out=True,
        negatable=False,
    ),
]
