"""Owners of things: debts, possessions, loans, gifts, thefts, exchanges and hiding places."""

from .model import schema

SCHEMAS = [
    schema(
        "debt", "a:person b:person n:amount", "debt", free="a b",
        holds="""
            {a} <owes> {b.o} {n} silver
            {a} <is> {n} silver in debt to {b.o}
            {a} <=has> to pay {b.o} {n} silver
            {b} <is> owed {n} silver by {a.o}
            {a.p} debt to {b.o} <is> {n} silver
            there <is> a debt of {n} silver that {a} must pay to {b.o}
            {n} silver <is> what {a} <owes> {b.o}
        """,
        parts="""
            {a} <owes> {b.o} (money/silver)
            {a} <is> in {b.p} debt | {a} <is> in debt to {b.o}
        """,
        ended="""
            {a} <owes> {b.o} nothing
            {a} <is> out of {b.p} debt
            {a} no longer <owes> {b.o} anything
            there <is> no debt left between {a.o} and {b.o}
            {a} and {b} <are> quits
        """,
        ending="""
            {a} <repaid> {b.o} the {n} silver | {b} <got> the {n} silver back from {a.o}
            {a} <paid> {b.o} back the {n} silver | {b} <was> paid back the {n} silver by {a.o}
            {a} <settled> {a.s} debt with {b.o} | {a} <paid> off {a.s} debt to {b.o}
            {b} <forgave> {a.o} the debt | {b} <let> {a.o} off the debt
            {b} <counted> {a.p} {n} silver and <tore> up the note
            {a} <put> {n} silver on the table before {b.o}, and so we <are> even
            {b} finally <has> the {n} silver that {a} <owed> | {a.p} {n} silver <is> in {b.p} purse at last
            {a} <cleared> the whole debt by working for {b.o}
            {b} <struck> {a.p} name from the book of debts
            {a} <gave> {b.o} every last coin of the {n} silver
            {x} <paid> {a.p} debt to {b.o} | {a.p} debt to {b.o} <was> paid by {x.o}
        """,
        other="""
            {a} never <borrowed> a single coin from {b.o}
            it <is> {b} and not {a} who <is> in debt
            {a.p} debt to {b.o} <is> a mistake in the ledger
        """,
        stays="""
            {b} <asked> {a.o} about the {n} silver yesterday
            {a} <bought> bread from {b.o} for 2 coppers
            {a} <owes> {x} a favour
            {b} <lent> {x} a purse of gold
            {a} <promised> to pay {b.o} soon
            {a} <paid> {x} for a barrel of ale
        """,
        more="""
            for a sack of flour
            for the repair of the cart
            since the harvest feast
            and {a} <=has> no idea how to find the money
        """,
    ),
    schema(
        "possession", "a:other t:thing", "own", free="t", rival="a",
        holds="""
            the {t.n} <belongs> to {a.o}
            {a} <owns> the {t.n}
            {a} <is> the owner of the {t.n}
            the {t.n} <is> {a.p} property
            the owner of the {t.n} <is> {a}
            the {t.n} <is> {a.p}
        """,
        ended="""
            the {t.n} no longer <belongs> to {a.o}
            {a} <is> not the owner of the {t.n} any more
            {a} no longer <owns> the {t.n}
            the {t.n} <is> {a.p} no longer
            the {t.n} <is> out of {a.p} hands
        """,
        ending="""
            {a} <sold> the {t.n} to {x.o} | {x} <bought> the {t.n} from {a.o} | the {t.n} <was> sold to {x.o} by {a.o}
            {a} <gave> the {t.n} away | {a} <made> a present of the {t.n}
            {a} <lost> the {t.n} to {x.o} at dice | {x} <won> the {t.n} from {a.o} at dice
            {a} <traded> the {t.n} for a mule | {a} <got> a mule in exchange for the {t.n}
            {a} <threw> the {t.n} into the sea
            {x} <inherited> the {t.n} from {a.o}
            the {t.n} <passed> from {a.o} to {x.o} for good
            {a} <melted> the {t.n} down for scrap
        """,
        other="""
            the {t.n} <is> {x.p} | the {t.n} <belongs> to {x.o}
            {x} and nobody else <owns> the {t.n}
            the {t.n} always <belonged> to {x.p} family and never to {a.o}
            the guild <is> the sole owner of the {t.n}
            the {t.n} <is> the property of the crown
        """,
        stays="""
            {a} <polished> the {t.n} | the {t.n} <was> polished by {a.o}
            {a} <showed> {x.o} the {t.n} at the feast
            {x} <admired> the {t.n} at {a.p} table
            {x} <borrowed> the {t.n} for one evening
            the {t.n} <is> older than the village
        """,
        more="""
            and it <was> once a gift from the queen
            thanks to the will of an uncle
            and {x} <wants> to buy it
        """,
    ),
    schema(
        "loan", "a:person b:person t:thing", "own loan", free="a b t", swap="a b",
        holds="""
            {a} <lent> {b.o} {a.s} {t.n}, and it <is> still with {b.o}
            {b} <has> borrowed {a.p} {t.n} and not returned it
            {b} still <=has> the {t.n} that {a} <lent> {b.m}
            {a.p} {t.n} <is> on loan to {b.o}
            {a.p} {t.n} <is> with {b.o} on loan
            {a} <is> waiting for {b.o} to return the {t.n}
        """,
        ended="""
            {a} <has> got {a.s} {t.n} back from {b.o}
            the {t.n} that {b} <borrowed> <is> back with {a.o}
            the {t.n} <is> back in {a.p} hands after {b} <used> it
            {a} once more <=has> the {t.n} that {b} <borrowed>
            {b} <has> returned the {t.n} to {a.o}
        """,
        ending="""
            {b} <gave> {a.o} the {t.n} back | {b} <returned> the {t.n} to {a.o} | {a} <got> the {t.n} back from {b.o}
            {b} <brought> the {t.n} back to {a.p} door
            {b} <lost> the {t.n} that {a} <lent> | the {t.n} that {a} <lent> {b.o} <is> lost
            {b} <broke> the {t.n} that {a} <lent>, and <threw> it away
            {a} <told> {b.o} to keep the {t.n} for good | {a} <made> {b.o} a present of the borrowed {t.n}
            {a} <came> and <took> the {t.n} home from {b.p} house
            {b} <sold> the {t.n} that {a} <lent> | the {t.n} that {a} <lent> {b.o} <was> sold
            {x} <carried> the {t.n} back from {b.o} to {a.o}
            {a} <found> the {t.n} back on {a.s} shelf with a note of thanks from {b.o}
        """,
        stays="""
            {b} <thanked> {a.o} for the {t.n}
            {b} <used> the {t.n} the whole day
            {a} <lent> {x} a pair of boots
            {a} <asked> when {b} would return the {t.n}
            {x} <saw> the {t.n} in {b.p} house
        """,
        more="""
            since the harvest feast
            and {x} <is> angry about it
            and {x} <knows> it
        """,
        negatable=False,
    ),
    schema(
        "gift", "a:person b:person t:thing", "own gift", free="b", swap="a b",
        holds="""
            {a} <gave> {b.o} {t.a} as a present
            {a} <made> {b.o} a present of {t.a}
            {b} <got> {t.a} from {a.o} as a gift
            {b} <was> given {t.a} by {a.o} as a gift
            {a.p} gift to {b.o} <was> {t.a}
            {b} <received> {t.a} as a gift from {a.o}
        """,
        parts="""
            {a} <gave> {b.o} a present | {b} <got> a present from {a.o}
        """,
        other="""
            {a} never <gave> {b.o} any present at all
            the {t.n} <was> no gift: {b} <paid> {a.o} for it
            {b} <took> the {t.n} without asking; it <was> never a gift from {a.o}
            {b} never <got> {t.a} from {a.o}
            the {t.n} that {b} <got> <was> a gift from {x.o} and not from {a.o}
        """,
        stays="""
            {a} <gave> {b.o} a pair of gloves as a present | {b} <got> a pair of gloves from {a.o} as a gift
            {b} <gave> {x.o} a basket of apples
            {b} <thanked> {a.o} with a kiss on the cheek
            {a} <lent> {b.o} a handcart
            {b} <hung> the {t.n} over the hearth
        """,
        more="""
            for saving the goats
            at the midsummer feast
            in front of the whole family
            and a bag of nuts besides
        """,
    ),
    schema(
        "theft", "a:other b:person t:thing", "own theft", free="b t", swap="a b",
        holds="""
            {a} <stole> {b.p} {t.n}
            {a} <robbed> {b.o} of {b.s} {t.n}
            {b.p} {t.n} <was> stolen by {a.o}
            it <was> {a} who <stole> {b.p} {t.n}
            {b} <was> robbed of {b.s} {t.n} by {a.o}
        """,
        parts="""
            {a} <robbed> {b.o} | {b} <was> robbed by {a.o}
            {b.p} {t.n} <was> stolen | somebody <stole> {b.p} {t.n}
        """,
        other="""
            {a} <is> innocent of the theft of {b.p} {t.n} | {a} <=has> nothing to do with the theft of {b.p} {t.n}
            it <was> {x} and not {a} who <stole> {b.p} {t.n} | {x}, not {a}, <stole> {b.p} {t.n}
            {b.p} {t.n} <was> never stolen at all; it <was> only mislaid
            {b} <found> the {t.n} under a bench, so {a} never <took> it
            {a} <was> wrongly blamed for {b.p} missing {t.n}
            {b} <told> a lie about the theft of {b.s} {t.n}: {a} <took> nothing
            the real thief of {b.p} {t.n} <is> {x}
        """,
        stays="""
            {a} <stole> a loaf from the bakery
            {a} <is> hiding from the watch
            {b} <bought> a new {t.n} at the fair
            {x} <saw> {a.o} near {b.p} house that night
            {b} <told> the watch about the {t.n}
            {a} <gave> {b.o} back the stolen {t.n}
        """,
        more="""
            during the feast
            with the help of two boys
            out of hunger
        """,
    ),
    schema(
        "exchange", "a:person b:person t:thing", "event own", free="b t", negatable=False,
        holds="""
            {a} <traded> {t.a} with {b.o} for a sack of wool
            {b} <got> {t.a} from {a.o} for a sack of wool
            {a} <gave> {b.o} {t.a} in exchange for a sack of wool
            for a sack of wool {a} <gave> {b.o} {t.a}
            {a} <swapped> {t.a} for {b.p} sack of wool
            {b} <gave> {a.o} a sack of wool in exchange for {t.a}
        """,
        parts="""
            {b} <got> {t.a} from {a.o} | {a} <gave> {b.o} {t.a}
        """,
        other="""
            {a} and {b} never <traded> {t.a} for wool
            the trade of {t.a} for wool between {a.o} and {b.o} never <took> place
        """,
        stays="""
            {a} <gave> {x.o} {t2.a} in exchange for a goose
            {b} <weighed> the wool
            {x} <traded> a mule for two pigs
            {a} <drank> a cup of wine with {b.o}
        """,
        more="""
            at the fair in {town}
            and a jar of honey
            after an hour of haggling
        """,
    ),
    schema(
        "hiding place", "a:person t:thing s:spot", "hidden own", free="a t", rival="s",
        holds="""
            {a.p} {t.n} <is> hidden {s.at}
            {a} <keeps> {a.s} {t.n} hidden {s.at}
            {a.p} {t.n} <lies> {s.at}, out of sight
            the hiding place of {a.p} {t.n} <is> {s.at}
            {a} <=has> {a.s} {t.n} hidden {s.at}
            {s.at} <lies> {a.p} {t.n}, well hidden
        """,
        ended="""
            {a.p} {t.n} <is> no longer {s.at}
            {a.p} {t.n} <is> gone from {s}
            the place {s.at} where {a} <hid> the {t.n} <is> empty
            {a.p} {t.n} <has> vanished from {s}
            {a.p} {t.n} <is> not {s.at} any more
        """,
        ending="""
            {a} <dug> out {a.s} {t.n} and <sold> it
            {a} <moved> {a.s} {t.n} to another hiding place | {a} <took> {a.s} {t.n} to a new hiding place
            {x} <found> {a.p} {t.n} {s.at} and <took> it
            {x} <stole> {a.p} {t.n} from its hiding place | {a.p} {t.n} <was> stolen from its hiding place by {x.o}
            {a} <carries> {a.s} {t.n} openly on {a.s} belt
            {a} <fetched> {a.s} {t.n} from {s} | {a} <took> {a.s} {t.n} back from {s}
            {a.p} {t.n} <hangs> over the hearth for all to see
            {a} <sold> the {t.n} to {x.o} last week
            {a} <buried> {a.s} {t.n} in the woods
        """,
        back="""
            {a} <hid> {a.s} {t.n} {s.at} again | {a} <put> {a.s} {t.n} back {s.at}
        """,
        stays="""
            {a} <hid> a bag of coins {s.at}
            {x} <searched> the house and <found> nothing
            {a} <polished> {a.s} {t.n} one evening
            {x} <knows> where {a.p} {t.n} <is>
            a nest of mice <is> {s.at}
        """,
        more="""
            and only {x} <knows> of it
            for fear of thieves
            because {x} <wants> to steal it
        """,
    ),
    schema(
        "heir", "a:other b:other", "heir", rival="a",
        holds="""
            {a} <is> {b.p} heir
            {b.p} heir <is> {a}
            {a} <will> inherit everything from {b.o}
            {a} <is> the heir of {b.o}
            {b} <has> named {a.o} as the sole heir
        """,
        ended="""
            {a} <is> no longer {b.p} heir
            {a} <is> not {b.p} heir any more
            {a} <will> inherit nothing from {b.o}
            {a} no longer <stands> in {b.p} will
            {a} <is> cut out of {b.p} will
        """,
        ending="""
            {b} <disowned> {a.o} | {a} <was> disowned by {b.o}
            {b} <burnt> the will and <named> {x.o} instead of {a.o}
            {b} <left> everything to the temple and not a coin to {a.o}
            {b} <struck> {a.p} name from the will | {a.p} name <was> struck from the will by {b.o}
            the judge <gave> {b.p} whole estate to {x.o} instead of {a.o}
        """,
        stays="""
            {a} <visited> {b.o} on a holy day
            {x} <was> disowned by an uncle
            {b} <bought> a new house
            {a} <lent> {x.o} a silver coin
        """,
        more="""
            and {x} <is> furious
            by a will made last autumn
            in spite of {x.o}
        """,
    ),
]
