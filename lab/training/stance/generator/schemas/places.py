"""Places: who is there, what stands open, what is closed, built or in ruins."""

from .model import schema

SCHEMAS = [
    schema(
        "whereabouts", "a:other p:place", "place", free="a", rival="p",
        holds="""
            {a} <is> {p.at} now
            right now {a} <is> {p.at}
            {a} <is> to be found {p.at} now
            {a} <is> staying {p.at} at present
            at this moment {a} <is> {p.at}
        """,
        ended="""
            {a} <is> no longer {p.at}
            {a} <is> not {p.at} any more
            {a} <has> left {p}
            {a} <is> gone from {p}
            {a} <has> gone from {p}
        """,
        ending="""
            {a} <went> away from {p} and <is> on the road
            {a} <rode> off to the coast this very hour
            they <threw> {a.o} out of {p} | {a} <was> thrown out of {p}
            {a} <packed> {a.s} things and <left> {p}
            {a} <has> set out for {p2} | {a} <has> gone off to {p2}
            the place {p.at} where {a} <was> <stands> empty
            {a} <walked> out and <is> now {p2.at}
            nobody <can> find {a.o} {p.at} any more
        """,
        back="""
            {a} <came> back to {p} | {a} <returned> to {p}
            {a} <is> {p.at} again | {a} <is> back {p.at}
        """,
        other="""
            {a} <is> {p2.at} now, not {p.at}
            {a} <is> far away at sea now
            {a} <is> lying in bed at home, not {p.at}
        """,
        stays="""
            {a} <was> {p2.at} yesterday
            {x} <is> {p.at} too
            {a} <will> go to {p2} tomorrow
            {x} <has> left {p}
            {a} often <goes> to {p2}
        """,
        more="""
            with {x.o}
            to mend a wheel
            because of the rain
            and <is> looking for {x.o}
        """,
    ),
    schema(
        "home", "a:person t:town", "home", free="a", rival="t",
        holds="""
            {a} <lives> in {t}
            {a} <=has> {a.s} home in {t}
            {a.p} home <is> in {t}
            {a} <is> settled in {t}
            {a} <dwells> in {t}
            {t} <is> {a.p} home
        """,
        ended="""
            {a} no longer <lives> in {t}
            {a} <lives> in {t} no more
            {a.p} home <is> no longer in {t}
            {a} <has> moved away from {t}
            {t} <is> no longer {a.p} home
        """,
        ending="""
            {a} <moved> from {t} to {t2} | {a} <left> {t} to live in {t2}
            {a} <sold> the house in {t} and <went> away for good
            {a} <was> banished from {t} | they <banished> {a.o} from {t}
            {a} <has> settled down in {t2} for good
            {a} <packed> everything on a cart and <left> {t} for ever
            {a} <turned> {a.s} back on {t} for good
        """,
        back="""
            {a} <moved> back to {t} | {a} <came> back to live in {t}
        """,
        stays="""
            {a} <spent> a week in {t2} | {a} <was> in {t2} for a week
            {x} <lives> in {t} too
            {a} <likes> the markets of {t2}
            {a} <was> born in {t2}
            {x} <moved> away from {t}
        """,
        more="""
            with {x.o}
            since the war
        """,
    ),
    schema(
        "gate", "o:opening t:town", "opening", free="o t",
        holds="""
            the {o.n} in {t} <is> (shut/closed)
            in {t} the {o.n} <is> (shut/closed)
            the {o.n} in {t} <is> not open
            the {o.n} in {t} <stands> closed
        """,
        ended="""
            the {o.n} in {t} <is> open
            the {o.n} in {t} <stands> open
            in {t} the {o.n} <is> open
            the {o.n} in {t} <is> no longer (shut/closed)
            the {o.n} in {t} <is> not closed any more
        """,
        ending="""
            {x} <opened> the {o.n} in {t} | the {o.n} in {t} <was> opened by {x.o}
            they <unlocked> the {o.n} in {t}, and people <walk> through it freely
            {x} <broke> down the {o.n} in {t} | the {o.n} in {t} <was> broken down by {x.o}
            the guards <let> everybody through the {o.n} in {t} again
            the {o.n} in {t} <hangs> wide open on its hinges
            the wind <blew> the {o.n} in {t} wide open
            {x} <left> the {o.n} in {t} standing open all night
        """,
        back="""
            {x} <shut> the {o.n} in {t} again | the {o.n} in {t} <was> shut again by {x.o}
            {x} <barred> the {o.n} in {t}, and nobody <gets> through
            the {o.n} in {t} <is> closed once more
        """,
        stays="""
            {x} <painted> the {o.n} in {t}
            the {o2.n} in {t} <is> open
            {x} <is> guarding the {o.n} in {t}
            the {o.n} in {t} <is> made of oak
            {x} <opened> the {o.n} in {t2}
        """,
        more="""
            because of the fever
            by order of {x.o}
            and {x} <holds> the key
            since the siege
        """,
    ),
    schema(
        "lock", "r:room a:person", "lock", free="r a",
        holds="""
            the door of {a.p} {r.n} <is> locked
            {a.p} {r.n} <is> locked
            {a} <keeps> the {r.n} locked
            {a.p} {r.n} <is> under lock and key
        """,
        ended="""
            the door of {a.p} {r.n} <is> unlocked
            {a.p} {r.n} <is> not locked any more
            {a.p} {r.n} <is> no longer locked
            anyone <can> walk into {a.p} {r.n}
            {a.p} {r.n} <stands> unlocked
        """,
        ending="""
            {a} <unlocked> the {r.n} | {a} <turned> the key and <opened> the {r.n}
            {x} <picked> the lock of {a.p} {r.n} | the lock of {a.p} {r.n} <was> picked by {x.o}
            {a} <took> the lock off the {r.n} for good
            {x} <kicked> in the door of {a.p} {r.n}
            {a} <opened> the {r.n} to all the guests
            {a} <threw> away the lock of the {r.n} and <let> everybody in
        """,
        back="""
            {a} <locked> the {r.n} again | {a} <put> the {r.n} under lock and key again
        """,
        stays="""
            {a} <swept> the {r.n}
            {x.p} {r.n} <is> unlocked
            {a} <=has> two keys on a ring
            {a} <showed> {x.o} the {r.n}
            there <is> a mouse in {a.p} {r.n}
        """,
        more="""
            day and night
            for fear of thieves
            and {x} <keeps> the key
            since the burglary
        """,
    ),
    schema(
        "road", "r:route t:town", "road", free="r t",
        holds="""
            the {r.n} to {t} <is> blocked
            the {r.n} to {t} <is> impassable
            nobody <can> pass along the {r.n} to {t}
            the {r.n} to {t} <is> closed to all traffic
            there <is> no getting through on the {r.n} to {t}
        """,
        ended="""
            the {r.n} to {t} <is> clear
            the {r.n} to {t} <is> free again
            the {r.n} to {t} <is> open to traffic
            the {r.n} to {t} <is> no longer blocked
            one <can> pass freely along the {r.n} to {t}
        """,
        ending="""
            {x} <cleared> the {r.n} to {t} | the {r.n} to {t} <was> cleared by {x.o}
            wagons <are> rolling along the {r.n} to {t} once more
            {x} <came> through on the {r.n} to {t} without any trouble
            the rubble on the {r.n} to {t} <has> been carted away
            the merchants <travel> along the {r.n} to {t} as they please
            the soldiers <opened> the {r.n} to {t} to everybody
        """,
        back="""
            the {r.n} to {t} <is> blocked again | once more nobody <gets> through on the {r.n} to {t}
        """,
        stays="""
            {x} <walked> along the {r2.n} to {t}
            {x} <owns> a house by the {r.n} to {t}
            the {r2.n} to {t} <is> clear
            {x} <asked> the way to {t}
            the {r.n} to {t2} <is> clear
        """,
        more="""
            because of the snow
            because of bandits
            and {x} <is> stuck there
            until the engineers <come>
        """,
    ),
    schema(
        "shop", "s:shop t:town", "shop", free="s t",
        holds="""
            the {s.n} in {t} <is> open for business
            the {s.n} in {t} <is> open to customers
            in {t} the {s.n} <is> open for business
            the {s.n} in {t} <serves> customers
            the {s.n} in {t} <welcomes> customers
        """,
        ended="""
            the {s.n} in {t} <is> closed
            the {s.n} in {t} <is> shut
            the {s.n} in {t} <is> closed to customers
            the {s.n} in {t} no longer <serves> customers
            the {s.n} in {t} <is> not open any more
        """,
        ending="""
            {x} <closed> the {s.n} in {t} for good | the {s.n} in {t} <was> closed for good by {x.o}
            the {s.n} in {t} <burnt> to the ground | a fire <destroyed> the {s.n} in {t}
            the owner of the {s.n} in {t} <put> boards across the door and <left>
            the {s.n} in {t} <went> bankrupt
            the watch <sealed> the {s.n} in {t}
            the {s.n} in {t} <gave> up trade for good
            they <tore> down the {s.n} in {t}
        """,
        back="""
            the {s.n} in {t} <reopened> | the {s.n} in {t} <opened> its doors again
        """,
        stays="""
            {x} <bought> a candle at the {s.n} in {t}
            the {s2.n} in {t} <is> closed
            {x} <works> at the {s.n} in {t}
            the {s.n} in {t2} <is> closed
            the {s.n} in {t} <got> a new roof
        """,
        more="""
            from dawn to dusk
            since the new owner <came>
            and {x} <likes> to go there
            even on holy days
        """,
    ),
    schema(
        "building", "b:building t:town", "building", free="b t",
        holds="""
            the {b.n} in {t} <is> in ruins
            the {b.n} in {t} <lies> in ruins
            the {b.n} in {t} <is> destroyed
            in {t} the {b.n} <is> a ruin
            only rubble <is> left of the {b.n} in {t}
            nothing but a ruin <is> left of the {b.n} in {t}
        """,
        ended="""
            the {b.n} in {t} <stands> again
            the {b.n} in {t} <has> been rebuilt
            the {b.n} in {t} <is> rebuilt
            the {b.n} in {t} <is> restored
            the {b.n} in {t} <is> no longer a ruin
        """,
        ending="""
            {x} <rebuilt> the {b.n} in {t} | the {b.n} in {t} <was> rebuilt by {x.o}
            the masons <finished> the new {b.n} in {t} on the spot of the old one
            the {b.n} in {t} <rose> from its ruins
            the last stone of the restored {b.n} in {t} <was> laid
            the people of {t} <built> up the {b.n} again
            the {b.n} in {t} now <=has> new walls and a new roof
        """,
        back="""
            the {b.n} in {t} <collapsed> again | the {b.n} in {t} <fell> down once more
            {x} <destroyed> the {b.n} in {t} a second time
        """,
        stays="""
            {x} <drew> a picture of the {b.n} in {t}
            the {b2.n} in {t} <has> been rebuilt
            {x} <was> born near the {b.n} in {t}
            {x} <paid> for the {b2.n} in {t}
        """,
        more="""
            after the great fire
            because of the siege
            and owls <live> in it
            since the earthquake
        """,
    ),
    schema(
        "building site", "a:other b:building t:town", "site", free="t",
        holds="""
            {a} <is> building {b.a} in {t}
            {a} <is> at work on a new {b.n} in {t}
            {b.a} <is> being built in {t} by {a.o}
            {a.p} new {b.n} in {t} <is> under construction
            {a.p} {b.n} in {t} <is> still being built
        """,
        ended="""
            {a.p} {b.n} in {t} <is> finished
            {a.p} {b.n} in {t} <is> complete
            the {b.n} that {a} <built> in {t} <is> finished
            {a} <has> finished the {b.n} in {t}
            {a.p} {b.n} in {t} <stands> complete
        """,
        ending="""
            {a} <put> the last tile on the {b.n} in {t} and <moved> in
            {a} <gave> up building the {b.n} in {t} | {a} <abandoned> the half-built {b.n} in {t}
            {a.p} half-built {b.n} in {t} <was> torn down
            the council <forbade> {a.o} to go on with the {b.n} in {t}
            the storm <swept> away {a.p} half-built {b.n} in {t}
            {a} <has> stopped all work on the {b.n} in {t}
        """,
        stays="""
            {a} <bought> 40 beams from the sawmill
            {x} <is> helping {a.o}
            {a} <fell> off a ladder
            {x} <has> finished the {b2.n} in {t}
            {a} <thanked> the masons in {t}
        """,
        more="""
            for the duke
            since last spring
            and it <costs> a fortune
            with the help of {x.o}
        """,
        negatable=True,
    ),
    schema(
        "ship", "t:town", "ship", rival="t",
        holds="""
            the queen's ship <is> in the harbour of {t}
            the queen's ship <lies> at anchor in {t}
            the queen's ship <is> at anchor in the harbour of {t}
            in the harbour of {t} <lies> the queen's ship
            the ship of the queen <is> in the harbour of {t}
        """,
        ended="""
            the queen's ship <is> no longer in {t}
            the queen's ship <has> left {t}
            the queen's ship <is> gone from the harbour of {t}
            the queen's ship <is> not in {t} any more
            the queen's ship no longer <lies> in the harbour of {t}
        """,
        ending="""
            the queen's ship <sailed> from {t} on the morning tide
            the queen's ship <raised> its anchor in {t} and <was> gone by noon
            the queen's ship <sank> in the harbour of {t} | the queen's ship <went> down in the harbour of {t}
            the queen's ship <is> on its way from {t} to {t2}
            the berth of the queen's ship in {t} <is> empty
        """,
        back="""
            the queen's ship <returned> to {t} | the queen's ship <came> back to {t}
        """,
        stays="""
            a fishing boat <left> {t}
            {x} <painted> the queen's ship
            the duke's ship <is> in the harbour of {t2}
            {x} <is> a sailor on the queen's ship
        """,
        more="""
            with a cargo of silk
            because of the storm
            and {x} <is> on board
        """,
    ),
]
