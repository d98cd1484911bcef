"""Stores, herds, crops and the states of common objects: full or empty, lit or dark, clean or dirty."""

from .model import schema

SCHEMAS = [
    schema(
        "stock", "a:other s:store p:place", "stock", free="s a",
        holds="""
            {a.p} store of {s} {p.at} <is> full
            {a} <=has> plenty of {s} {p.at}
            there <is> plenty of {s} in {a.p} store {p.at}
            {a.p} store {p.at} <is> well stocked with {s}
            {a} <=has> a good stock of {s} {p.at}
        """,
        ended="""
            {a.p} store of {s} {p.at} <is> empty
            {a} <=has> no {s} left {p.at}
            {a} <has> run out of {s} {p.at}
            there <is> no {s} left in {a.p} store {p.at}
            {a.p} store {p.at} <is> bare of {s}
        """,
        ending="""
            rats <ate> all the {s} in {a.p} store {p.at}
            a fire <destroyed> {a.p} whole store of {s} {p.at}
            {x} <carried> off the last of {a.p} {s} | the last of {a.p} {s} <was> carried off by {x.o}
            {a} <sold> the whole stock of {s} {p.at} | the whole of {a.p} stock of {s} {p.at} <was> sold
            {a} <scraped> together the last of the {s} {p.at}
            {a} <gave> all the {s} {p.at} to the poor
        """,
        back="""
            {a.p} store {p.at} <has> been filled with {s} again
            {x} <filled> up {a.p} store of {s} {p.at}
        """,
        stays="""
            {a} <bought> a scale
            {x} <=has> no {s} left
            {a} <counted> the {s2} on the shelf
            {x} <asked> {a.o} for a little {s}
        """,
        more="""
            for the whole winter
            thanks to a good harvest
            and {x} <guards> it
        """,
        negatable=False,
    ),
    schema(
        "herd", "a:other h:herd n:many", "herd", rival="n", free="a h",
        holds="""
            {a} <=has> {n} {h}
            {a} <owns> {n} {h}
            {a} <is> the owner of {n} {h}
            the number of {a.p} {h} <is> {n}
            {n} {h} <belong> to {a.o}
        """,
        parts="""
            {a} <keeps> {h} | {a} <=has> {h}
        """,
        ending="""
            {a} <sold> all {a.s} {h} | all of {a.p} {h} <were> sold
            a sickness <killed> every one of {a.p} {h}
            wolves <got> into the fold, and not one of {a.p} {h} <is> left
            {a} <gave> half of the {n} {h} to {x.o}
            {x} <stole> some of {a.p} {n} {h}, and only a few <remain>
            {a} <bought> more {h} and no longer <=has> only {n}
            {a} no longer <keeps> any {h}
        """,
        other="""
            {a} never <owned> any {h}
            {a} <=has> {n2} {h}, not {n}
            {a} <=has> no {h} at all
        """,
        stays="""
            {a} <took> the {h} to the pond
            {x} <bought> {n} {h2}
            {a} <=has> {n2} {h2}
            {x} <counted> {a.p} wagons
            {a} <sold> a basket of eggs
        """,
        more="""
            since the horse fair
            and {x} <looks> after them
        """,
        negatable=True,
    ),
    schema(
        "crop", "a:other c:crop", "crop", free="a c",
        holds="""
            {a.p} {c} field <is> doing well
            {a.p} {c} field <is> thriving
            the {c} field of {a.o} <is> in fine shape
            {a.p} {c} field <promises> a good harvest
        """,
        ended="""
            {a.p} {c} field <is> ruined
            {a.p} {c} field <is> laid waste
            {a.p} {c} field <is> destroyed
            nothing <is> left alive in {a.p} {c} field
            the {c} field of {a.o} <is> a wasteland
        """,
        ending="""
            hail <destroyed> {a.p} {c} field | {a.p} {c} field <was> destroyed by hail
            the river <flooded> {a.p} {c} field and <drowned> every plant
            blight <has> killed everything in {a.p} {c} field
            {x} <set> fire to {a.p} {c} field | {a.p} {c} field <was> set on fire by {x.o}
            beetles <ate> {a.p} {c} field bare
            {a} <dug> under the rotten {c} field
        """,
        stays="""
            {a} <bought> a new plough
            {x} <walked> past {a.p} {c} field
            {x.p} {c} field <is> ruined | {x.p} {c} field <is> laid waste
            {a} <sold> last year's {c} seed
            hail <destroyed> {a.p} {c2} field
        """,
        more="""
            thanks to the rain
            and {x} <envies> it
            in spite of the beetles
        """,
        negatable=False,
    ),
    schema(
        "lamp", "r:room a:person", "light", free="r a",
        holds="""
            the lamp in {a.p} {r.n} <is> lit
            the lamp in {a.p} {r.n} <burns>
            the lamp in {a.p} {r.n} <is> burning
            a lit lamp <hangs> in {a.p} {r.n}
            there <is> a lamp burning in {a.p} {r.n}
        """,
        ended="""
            the lamp in {a.p} {r.n} <is> out
            the lamp in {a.p} {r.n} <is> dark
            the lamp in {a.p} {r.n} <is> not lit any more
            the lamp in {a.p} {r.n} no longer <burns>
            the lamp in {a.p} {r.n} <has> gone out
        """,
        ending="""
            {x} <blew> out the lamp in {a.p} {r.n} | the lamp in {a.p} {r.n} <was> blown out by {x.o}
            a gust of wind <put> out the lamp in {a.p} {r.n}
            the lamp in {a.p} {r.n} <ran> out of oil and <died>
            {x} <extinguished> the lamp in {a.p} {r.n} | {x} <put> out the lamp in {a.p} {r.n}
            the {r.n} of {a.o} <is> dark since {x} <smashed> the only lamp
        """,
        back="""
            {x} <lit> the lamp in {a.p} {r.n} again | the lamp in {a.p} {r.n} <was> lit again by {x.o}
        """,
        stays="""
            {a} <bought> oil for the lamp
            {x} <blew> out the candle in the hall
            {a} <cleaned> the window of the {r.n}
            the lamp in {x.p} {r.n} <is> out
            {x} <slept> in the {r.n}
        """,
        more="""
            because {x} <reads> there
            and {x} <is> sitting under it
            in spite of the wind
        """,
    ),
    schema(
        "vessel", "a:person w:liquid", "vessel", free="a w",
        holds="""
            {a.p} barrel of {w} <is> full
            {a.p} {w} barrel <is> full
            the barrel in which {a} <keeps> {w} <is> full
            the barrel of {w} that {a} <owns> <is> full
            {a.p} barrel of {w} <is> a full one
        """,
        ended="""
            {a.p} barrel of {w} <is> empty
            there <is> nothing left in {a.p} barrel of {w}
            {a.p} {w} barrel <is> empty
            the barrel in which {a} <keeps> {w} <is> empty
            {a.p} barrel of {w} <holds> nothing any more
        """,
        ending="""
            {a.p} barrel of {w} <burst>, and everything <spilled> on the floor
            {x} <emptied> {a.p} barrel of {w} | {a.p} barrel of {w} <was> emptied by {x.o}
            {a} <emptied> the whole barrel of {w} into the gutter
            {x} <took> everything out of {a.p} barrel of {w}
            the guests <used> up {a.p} whole barrel of {w}
        """,
        back="""
            {a} <filled> the barrel of {w} again | the barrel of {w} <was> filled again by {a.o}
        """,
        stays="""
            {a} <pushed> a barrel of {w2} into the yard
            {x.p} barrel of {w} <is> empty
            {a} <bought> a new barrel
            {x} <sat> down on {a.p} barrel
        """,
        more="""
            and {x} <knows> it
            since market day
            for the long winter
        """,
    ),
    schema(
        "tame animal", "a:person n:animal", "animal", free="a n",
        holds="""
            {a.p} {n.n} <is> in the stable
            {a.p} {n.n} <stands> in the stable
            in the stable <is> {a.p} {n.n}
            {a} <keeps> the {n.n} in the stable
            {a.p} {n.n} <is> safe in the stable
        """,
        ended="""
            {a.p} {n.n} <is> gone from the stable
            {a.p} {n.n} <is> no longer in the stable
            {a.p} {n.n} <is> missing from the stable
            {a.p} {n.n} <has> disappeared from the stable
            {a.p} {n.n} <is> not in the stable any more
        """,
        ending="""
            {a.p} {n.n} <ran> away into the hills
            {x} <bought> {a.p} {n.n} and <took> it away | {a.p} {n.n} <was> bought by {x.o} and taken away
            {x} <stole> {a.p} {n.n} in the night | {a.p} {n.n} <was> stolen in the night by {x.o}
            wolves <killed> {a.p} {n.n}
            {a.p} {n.n} <got> loose, and nobody <can> find it
            {a} <sold> the {n.n} at the fair
            {a.p} {n.n} <died> of old age
        """,
        back="""
            {x} <brought> {a.p} {n.n} back to the stable | {a.p} {n.n} <was> brought back to the stable by {x.o}
            {a.p} {n.n} <came> back to the stable on its own
        """,
        stays="""
            {x} <fed> {a.p} {n.n}
            {a} <called> the {n.n} by its name
            {x.p} {n2.n} <ran> away into the hills
            {a} <bought> a brush for the {n.n}
            {x} <likes> {a.p} {n.n}
        """,
        more="""
            because of the cold
            and it <is> asleep
            and {x} <is> looking after it
        """,
        negatable=False,
    ),
    schema(
        "cleanliness", "a:person r:room", "clean", free="a r",
        holds="""
            {a.p} {r.n} <is> spotless
            {a.p} {r.n} <is> clean
            not a speck of dirt <is> in {a.p} {r.n}
            there <is> no dirt in {a.p} {r.n}
            {a.p} {r.n} <is> perfectly clean
        """,
        ended="""
            {a.p} {r.n} <is> filthy
            {a.p} {r.n} <is> dirty
            {a.p} {r.n} <is> covered in dirt
            there <is> dirt all over {a.p} {r.n}
            {a.p} {r.n} <is> not clean any more
        """,
        ending="""
            the pigs <got> into {a.p} {r.n} and <left> their mud everywhere
            {x} <spilled> soot all over {a.p} {r.n}
            nobody <has> swept {a.p} {r.n} for weeks, and the dust <lies> thick
            {x} <walked> through {a.p} {r.n} in muddy boots and <left> tracks everywhere
            the flood <left> slime all over {a.p} {r.n}
        """,
        back="""
            {x} <scrubbed> {a.p} {r.n} clean again | {a.p} {r.n} <was> scrubbed clean again by {x.o}
        """,
        stays="""
            {a} <bought> a new broom
            {x.p} {r.n} <is> filthy
            {x} <painted> {a.p} {r.n}
            {a} <met> {x.o} in the {r.n}
        """,
        more="""
            for the visit of {x.o}
            thanks to {x.o}
            and {a} <is> proud of it
        """,
        held_out=True,
        negatable=False,
    ),
]
