"""Things as they are: price, material, colour, quality, whole or broken, genuine or false."""

from .model import schema

SCHEMAS = [
    schema(
        "price", "w:ware n:amount", "price", rival="n", free="w",
        holds="""
            {w} <costs> {n} coppers a measure
            the price of {w} <is> {n} coppers a measure
            a measure of {w} <costs> {n} coppers
            for a measure of {w} one <pays> {n} coppers
            {w} <sells> at {n} coppers a measure
            {n} coppers <is> the price of a measure of {w}
        """,
        ending="""
            the price of {w} <went> from {n} to {n2} coppers a measure | {w} <went> from {n} to {n2} coppers a measure
            {w} <has> become dearer than {n} coppers a measure
            {w} now <sells> at {n2} coppers a measure | the price of {w} <is> now {n2} coppers a measure
            the price of {w} <doubled> | {w} <costs> twice as much as before
            the merchants <changed> the price of {w} to {n2} coppers a measure
            {w} <has> become twice as dear
        """,
        other="""
            nobody <sells> {w} for {n} coppers a measure any more
            {w} <is> given away free of charge
            {w} <costs> {n2} coppers a measure, not {n}
            one now <pays> {n2} coppers for a measure of {w}
            a measure of {w} <costs> a whole gold piece
        """,
        stays="""
            {x} <bought> three measures of {w}
            {x} <paid> {n} coppers for a bowl of soup
            the {w} of this year <is> of good quality
            {x} <complained> about the price of {w}
            a barrel of {w} <arrived> by boat
        """,
        more="""
            in every shop of the town
            because the roads <are> bad
            and {w2} <costs> even more
        """,
        negatable=True,
    ),
    schema(
        "tax", "w:ware t:town r:ruler n:few", "law price", free="t w", rival="n",
        holds="""
            {t} <takes> a tax of {n} coppers on each sack of {w}
            in {t} there <is> a tax of {n} coppers on each sack of {w}
            the tax on a sack of {w} in {t} <is> {n} coppers
            each sack of {w} in {t} <is> taxed at {n} coppers
            {n} coppers <is> the tax on a sack of {w} in {t}
        """,
        ended="""
            {w} <is> free of tax in {t}
            there <is> no tax on {w} in {t} any more
            {t} no longer <takes> any tax on {w}
            the tax on {w} in {t} <is> gone
            no tax <is> due on {w} in {t}
        """,
        ending="""
            {r} <abolished> the tax on {w} in {t} | the tax on {w} in {t} <was> abolished by {r}
            {r} <set> the tax on {w} in {t} to {n2} coppers a sack
            {r} <moved> the tax on {w} in {t} to {n2} coppers a sack
            the tax on a sack of {w} in {t} <was> changed to {n2} coppers
            {r} <doubled> the tax on {w} in {t}
            the merchants in {t} <pay> nothing for their {w} since the feast
        """,
        stays="""
            {x} <paid> the tax on {w2} in {t}
            {x} <sold> a sack of {w} in {t2}
            {r} <needs> money
            {w} <is> free of tax in {t2}
        """,
        more="""
            since last spring
            because of the war
            and {x} <collects> it
        """,
        held_out=True,
    ),
    schema(
        "material", "m:material t:metalware b:other", "matter", rival="m", free="b t",
        holds="""
            {b.p} {t.n} <is> made of {m}
            {b.p} {t.n} <is> of {m}
            the {t.n} that {b} <owns> <is> of {m}
            the {t.n} of {b.o} <is> made of {m}
            {m} <is> what {b.p} {t.n} <is> made of
            the material of {b.p} {t.n} <is> {m}
        """,
        other="""
            {b.p} {t.n} <is> only painted wood | {b.p} {t.n} <is> nothing but painted wood
            {b.p} {t.n} <is> made of {m2}, not of {m} | not {m} but {m2} <is> what {b.p} {t.n} <is> made of
            there <is> not a trace of {m} in {b.p} {t.n}
            {b.p} {t.n} <is> a fake made of clay
            {b} <swore> that the {t.n} <is> {m}, but it <is> {m2}
        """,
        stays="""
            {b.p} {t.n} <is> very old
            {b} <keeps> the {t.n} in a velvet bag
            {x} <owns> {t.a} of {m2} | {x} <=has> {t.a} made of {m2}
            {b} <showed> the {t.n} to a jeweller
        """,
        more="""
            and it <is> worth a fortune
            and it <bears> the mark of the old king
        """,
    ),
    schema(
        "fake", "t:metalware b:other", "matter", free="b t",
        holds="""
            {b.p} {t.n} <is> genuine
            {b.p} {t.n} <is> real
            the {t.n} of {b.o} <is> no forgery
            {b.p} {t.n} <is> the real thing
            {b.p} {t.n} <is> authentic
        """,
        ended="""
            {b.p} {t.n} <is> (a fake/a forgery)
            {b.p} {t.n} <is> a cheap copy
            the {t.n} of {b.o} <is> false
            {b.p} {t.n} <is> counterfeit
            {b.p} {t.n} <is> nothing but an imitation
        """,
        ending="""
            the jeweller <scratched> {b.p} {t.n} and <found> lead underneath
            {x} <confessed> to having made the copy that {b} now <takes> for the true {t.n}
            {b} <was> cheated: the {t.n} <is> worthless
            the true {t.n} <was> in {x.p} house the whole time, and {b} <=has> a copy
            the paint <came> off {b.p} false {t.n}
        """,
        stays="""
            {b} <paid> a lot for the {t.n}
            {b.p} {t.n} <is> kept in a locked box
            {x} <asked> {b.o} about the {t.n}
            {x.p} {t.n} <is> a fake | {x.p} {t.n} <is> a forgery
        """,
        more="""
            and {b} <can> prove it
            and it <is> very old
            according to a letter from the maker
        """,
        held_out=True,
    ),
    schema(
        "colour", "c:colour t:painted", "colour", rival="c", free="t",
        holds="""
            the {t.n} <is> {c}
            the {t.n} <is> painted {c}
            the {t.n} <is> {c} in colour
            the colour of the {t.n} <is> {c}
            {c} <is> the colour of the {t.n}
        """,
        ending="""
            {x} <painted> the {t.n} {c2} | the {t.n} <was> painted {c2} by {x.o}
            the {t.n} <got> a new coat of {c2}
            the {t.n} <turned> {c2} in the smoke of the fire
            {x} <covered> all the {c} of the {t.n} with {c2}
            the council <had> the {t.n} repainted from {c} to {c2}
        """,
        other="""
            the {t.n} <is> {c2}, not {c} | not {c} but {c2} <is> the colour of the {t.n}
            there <is> not a speck of {c} on the {t.n}
            a plain {c2} <is> the colour of the {t.n}
            the {t.n} <was> never {c} | the {t.n} <has> never been {c}
            the {t.n} <is> now {c2}
        """,
        stays="""
            the {t.n} <was> {c2} in my childhood
            {x} <bought> a bucket of {c2} paint
            the {t.n} of the next village <is> {c2}
            the {t.n} <needs> mending
            {x} <likes> the colour of the {t.n}
        """,
        more="""
            because {x} <loves> that colour
            and {x} <likes> it that way
            since the midsummer feast
        """,
    ),
    schema(
        "broken", "a:person t:thing", "repair", free="a t",
        holds="""
            {a.p} {t.n} <is> broken
            {a.p} {t.n} <is> in pieces
            the {t.n} that {a} <owns> <is> broken
            {a} <=has> a broken {t.n}
            {a.p} {t.n} <is> damaged beyond use
        """,
        ended="""
            {a.p} {t.n} <is> as good as new
            {a.p} {t.n} <is> mended
            {a.p} {t.n} <is> whole again
            {a.p} {t.n} <is> in one piece again
            {a.p} {t.n} <has> been repaired
            {a.p} {t.n} <is> fixed
        """,
        ending="""
            {x} <mended> {a.p} {t.n} | {a.p} {t.n} <was> mended by {x.o} | {x} <repaired> {a.p} {t.n}
            {x} <put> {a.p} {t.n} back together
            {a} <had> the {t.n} repaired in town
            the crack in {a.p} {t.n} <is> gone thanks to {x.p} skill
            {a} <fixed> {a.s} {t.n} at last
            {a} <got> the {t.n} back from the workshop without a scratch
        """,
        back="""
            {a.p} {t.n} <broke> again | {a.p} {t.n} <went> to pieces again
            {x} <dropped> {a.p} {t.n} and <broke> it once more
        """,
        stays="""
            {a} <bought> the {t.n} in {y.p} shop
            {a} <is> angry about the {t.n}
            {x.p} {t.n} <was> repaired last week
            {x} <looked> at the {t.n} and <shook> {x.s} head
            {a} <asked> {x.o} what a repair would cost
        """,
        more="""
            because {x} <dropped> it
            since the storm
            and nobody <can> mend it
            and {x} <laughed> about it
        """,
    ),
    schema(
        "quality", "b:building t:town q:quality", "quality", free="b t",
        holds="""
            the {b.n} in {t} <is> {q}
            in {t} the {b.n} <is> {q}
            it <is> clear that the {b.n} in {t} <is> {q}
            the {b.n} they <=have> in {t} <is> {q}
            anyone <can> see that the {b.n} in {t} <is> {q}
        """,
        ended="""
            the {b.n} in {t} <is> {q.done}
            in {t} the {b.n} <is> {q.done}
            it <is> clear that the {b.n} in {t} <is> {q.done}
            the {b.n} they <=have> in {t} <is> {q.done}
            anyone <can> see that the {b.n} in {t} <is> {q.done}
        """,
        ending="""
            the {b.n} in {t} <has> become {q.done} | the {b.n} in {t} <has> turned {q.done}
            {x} <has> made the {b.n} in {t} {q.done}
            since yesterday the {b.n} in {t} <is> {q.done}
            nobody <calls> the {b.n} in {t} {q} any more
            thanks to {x.o} the {b.n} in {t} <is> now {q.done}
        """,
        other="""
            the {b.n} in {t} <is> not {q} any more | the {b.n} in {t} <is> no longer {q}
            the {b.n} in {t} <was> never {q}
        """,
        stays="""
            the {b2.n} in {t} <is> {q.done}
            the {b.n} in {t2} <is> {q.done}
            {x} <walked> past the {b.n} in {t}
            the {b.n} in {t} <was> built by {x.o}
        """,
        more="""
            even at night
            and {x} <knows> it
            because of {x.o}
        """,
    ),
]
