"""Wordings of debts, errands, repeated deeds, relations and of states that a verb excludes.

`|` parts wordings of one fact; `//` two sides that exclude each other; `>>` an end that leaves its
first side behind, but not the other way round. An indented line continues the one above.
"""

import re

OWES = """{a} <owes> {b.o} {amount} @u | {a} <is> {amount} @u in {b.p} debt | {a} <has> yet to pay {b.o} {amount} @u |
{b} <is> owed {amount} @u by {a.o} | {a} <=has> a debt of {amount} @u with {b.o} | {b.p} claim on {a.o} <is>
    {amount} @u |
the debt {a} <=has> with {b.o} <is> {amount} @u | what {a} <owes> {b.o} <comes> to {amount} @u"""

REPAID = """{a} <paid> {b.o} back the {amount} @u | {a} <gave> {b.o} the {amount} @u {a.h} owed | {a} <settled> the
    debt with {b.o} |
{a} <squared> the debt with {b.o} | {a} <cleared> the debt of {amount} @u with {b.o} | {a} and {b} <are> square now
    | {a} <owes> {b.o} nothing any more |
{a} <repaid> {b.o} in full | {a} finally <handed> {b.o} the {amount} @u | {b} <got> the {amount} @u back from {a.o} |
{a} <returned> the {amount} @u to {b.o} | {b} <forgave> {a.o} the debt | {a} <paid> off the whole debt to {b.o} |
{a} <has> made good the {amount} @u owed to {b.o} | {b} <struck> {a.p} debt from the book | {b} <let> {a.o} off the
    {amount} @u |
{a} <put> the {amount} @u {a.h} owed into {b.p} hand | {a} no longer <owes> {b.o} the {amount} @u"""

PAID = """{a} <paid> {b.o} {amount} @u for the {thing.n} | {a} <gave> {b.o} {amount} @u at the {building.n} | {a}
    <lost> {amount} @u at dice to {b.o} |
{a} <lent> {b.o} {amount} @u | {a} <borrowed> {amount} @u from {b.o} | {a} <spent> {amount} @u on {ware} | {a} <won>
    {amount} @u at cards |
{a} <found> {amount} @u in the street | {a} <tipped> {b.o} {amount} @u | {a} <earned> {amount} @u on the {event.n} |
    {a} <paid> {amount} @u in tolls |
{a} <dropped> {amount} @u into the alms box"""

STOCKS = """there <are> {many} @g in {x.p} barn | {x.p} barn <holds> {many} @g || {x} now <=has> {many} @g in all |
    in all {x} now <=has> {many} @g || the garrison of {town} <is> {many} men strong |
{many} men <make> up the garrison of {town} || {town} <has> {many} houses | there <are> {many} houses in {town} ||
    the rent of the {building.n} <is> {many} silver a month |
for the {building.n} the rent <is> {many} silver a month || {x} <is> {many} years old | {x.p} age <is> {many} || {x}
    <=has> {few} children | {x} <is> a parent of {few} ||
the toll at the {opening.n} <is> {few} coppers | {few} coppers <is> the toll at the {opening.n} || {x.p} wage <is>
    {many} coppers a week | {x} <earns> a wage of {many} coppers a week ||
the well in {town} <is> {many} feet deep | {many} feet <is> the depth of the well in {town} || {x.p} crew <numbers>
    {many} | {x.p} crew <is> {many} strong || the purse in {x.p} desk <holds> {many} coins | there <are> {many}
    coins in the purse in {x.p} desk"""

EVENT_COUNTS = """{a} <sold> {many} @g at the market | {a} <bought> {many} @g | {a} <caught> {many} trout | {many}
    guests <came> to {a.p} feast | {a} <baked> {many} loaves |
{a} <shot> {few} hares | {a} <picked> {many} apples | {a} <counted> {many} carts on the road | {few} travellers
    <stayed> the night with {a.o} |
{a} <drank> {few} cups of ale | {a} <walked> {many} miles | {a} <slept> for {few} hours"""

DEEDS = """swept|sweeping the common room; fed|feeding the hens; washed|washing the tables; chopped|chopping
    firewood; baked|baking bread; watered|watering the garden; checked|checking the locks;
rang|ringing the chapel bell; groomed|grooming the horses; milked|milking the cows; patrolled|patrolling the wall;
    oiled|oiling the hinges; scrubbed|scrubbing the floor; counted|counting the coins; practised|practising with the
    bow;
read|reading to the children; cleaned|cleaning the stables; walked|walking along the river; visited|visiting the
    grave; brewed|brewing ale; played|playing the lute; carried|carrying water to the kitchen;
swam|swimming in the lake; lit|lighting the lamps; polished|polishing the silver; mended|mending a net;
    trained|training the recruits; prayed|praying in the chapel; peeled|peeling turnips; sharpened|sharpening the
    knives;
talked|talking with {x}; played|playing cards with {x}; ate|eating supper with {x}; danced|dancing with {x};
    bargained|bargaining with {x}; fished|fishing with {x}; argued|arguing with {x}"""

TIMES = """before opening|after closing|this morning|at dusk|at noon|before breakfast|late at night|on
    {weekday}|after the {event.n}|in the rain|during the {event.n}|while {y} watched"""
AGAIN = """again|once more|a second time|for the third time|twice today|one more time|yet again|again today|again
    with the help of {z}|together with {z} this time|once again before bed|anew"""

TOWARDS = """<is> going to @p|<is> on the way to @p|<is> heading to @p||<is> stopping by @p|<is> dropping in at
    @p||<passed> by @p|<walked> past @p||<is> coming back from @p|<is> on the way back from @p||
<is> looking in at @p for a moment||<waited> outside @p||<ran> to @p||<went> to @p with {y}||<asked> the way to
    @p||<is> fetching {y} from @p"""
LIVES = """<lives> at @p|<dwells> at @p||<is> staying at @p|<is> stopping over at @p||<is> posted at @p|<is>
    stationed at @p||<lodges> at @p|<rents> a bed at @p"""
GONE = """<has> left @p for good|<has> moved out of @p|<is> not at @p any more|<is> no longer at @p|<has> gone from
    @p to {town} to stay"""
HAUNTS = """bank|market|forge|chapel|mill|bakery|library|harbour|town hall|inn|bathhouse|brewery|guardhouse|post
    house|tannery|school|hospital|shipyard|apothecary's|stables"""

HAPPENINGS = """hit|kissed|thanked|insulted|greeted|robbed|chased|tripped|saved|fed|cheated at cards|lent money
    to|beat at chess|wrote to|sang for|shouted at|visited|gave a flower to|lied to|cooked for|bought a drink for|
helped|followed home|laughed at|bit|carried across the stream|apologised to|waved to"""
ONE_WAY = """is older than|is taller than|is the father of|is heavier than|is stronger than|outranks|is the son
    of|is the captor of|is richer than|is the grandfather of|is the elder brother of|is the master of|is the
    apprentice of|is the heir of|is faster than"""
MUTUAL = """{a} <is> married to {b.o}|{b} <is> married to {a.o}||{a} <is> a cousin of {b.o}|{b} <is> a cousin of
    {a.o}||{a} <lives> next door to {b.o}|{b} <lives> next door to {a.o}||{a} and {b} <are> friends|{b} and {a}
    <are> friends||
{a} <is> as tall as {b.o}|{b} <is> as tall as {a.o}||{a} <is> engaged to {b.o}|{b} <is> engaged to {a.o}||{a} and
    {b} <are> rivals|{b} and {a} <are> rivals||{a} <is> {b.p} business partner|{b} <is> {a.p} business
    partner"""

SIDES = """
{a} <loves> {b.o} | {a} <is> in love with {b.o} // {a} <hates> {b.o} | {a} <detests> {b.o} | {a} cannot stand {b.o}
{a} <trusts> {b.o} | {a} <=has> faith in {b.o} // {a} <is> suspicious of {b.o} | {a} <distrusts> {b.o} | {a} <=has>
    no faith in {b.o}
{a} <admires> {b.o} | {a} <looks> up to {b.o} // {a} <despises> {b.o} | {a} <looks> down on {b.o}
{a} <serves> in the royal guard | {a} <is> a soldier of the royal guard >> {a} <deserted> from the royal guard | {a}
    <ran> away from the royal guard
{a} <guards> the {opening.n} | {a} <stands> guard at the {opening.n} >> {a} <abandoned> the post at the {opening.n}
    | {a} <walked> off from guard duty at the {opening.n} for good
{a} <keeps> the {thing.n} of {x} | {a} still <=has> the {thing.n} of {x} >> {a} <sold> the {thing.n} of {x} | {a}
    <parted> with the {thing.n} of {x} for money
{a} <remembers> the password | {a} still <knows> the password // {a} <forgot> the password | {a} no longer <knows>
    the password
{a} <is> allowed to enter the {building.n} | {a} <may> enter the {building.n} // {a} <is> forbidden to enter the
    {building.n} | {a} <is> not allowed to enter the {building.n}
{a} <believes> in the gods | {a} <=has> faith in the gods // {a} <denies> the gods | {a} <does> not believe in the
    gods
{a} <owns> the {building.n} | the {building.n} <belongs> to {a.o} >> {a} <sold> the {building.n} | {a} <gave> the
    {building.n} away
{a} <supports> the rebels | {a} <is> for the rebels // {a} <opposes> the rebels | {a} <is> against the rebels
{a} <works> for {b.o} | {a} <is> in {b.p} service >> {a} <quit> working for {b.o} | {b} <dismissed> {a.o} | {a}
    <left> {b.p} service
{a} <is> hiding in the crypt of {town} | {a} <=has> a hiding place in the crypt of {town} >> {a} <was> caught in the
    crypt of {town} | {a} <was> found out in the crypt of {town}
{a} <likes> the taste of {dish} | {a} <is> fond of {dish} // {a} <dislikes> {dish} | {a} cannot stand the taste of
    {dish}
{a} <can> swim | {a} <knows> how to swim // {a} cannot swim | {a} never <learned> to swim
{a} <can> read and write | {a} <knows> letters // {a} cannot read or write | {a} <is> illiterate
{a} <leads> {faction} | {a} <is> the leader of {faction} >> {a} <was> thrown out of {faction} | {a} <was> expelled
    from {faction}
{a} <obeys> {ruler} | {a} <does> what {ruler} commands // {a} <defies> {ruler} | {a} <refuses> to obey {ruler}
{a} <knows> who stole the {thing.n} | {a} <knows> the thief of the {thing.n} // {a} <=has> no idea who stole the
    {thing.n} | {a} <does> not know who stole the {thing.n}
{a} <fears> the {monster.n} | {a} <is> afraid of the {monster.n} // {a} <=has> no fear of the {monster.n} | {a}
    <does> not fear the {monster.n}
{a} never <drinks> ale | {a} <keeps> away from ale // {a} <drinks> ale every day | not a day <goes> by without ale
    for {a.o}
{a} <eats> no meat | {a} never <eats> meat // {a} <eats> meat every day | {a} <=has> meat daily
{a} <forgave> {b.o} for the fire | {a} <has> pardoned {b.o} for the fire // {a} still <blames> {b.o} for the fire |
    {a} <has> not forgiven {b.o} for the fire
{a} <accepts> the offer of {b.o} | {a} <says> yes to {b.p} offer // {a} <rejects> the offer of {b.o} | {a} <turns>
    down {b.p} offer
{a} <is> bound by oath to {b.o} | {a} <=has> sworn an oath to {b.o} >> {a} <broke> the oath to {b.o} | {b}
    <released> {a.o} from the oath
{a} <is> under arrest | {a} <is> in custody >> {a} <was> set free | {a} <was> released from custody
{a} <is> banned from the {shop.n} | {a} <may> not set foot in the {shop.n} // {a} <is> welcome in the {shop.n} | the
    {shop.n} <is> open to {a.o}
{a} <wants> to sell the {building.n} | {a} <is> looking for a buyer for the {building.n} >> {a} <refuses> to sell
    the {building.n} | {a} <has> given up selling the {building.n}
{a} <plans> to leave {town} | {a} <intends> to leave {town} // {a} <has> decided to stay in {town} | {a} <wants> to
    remain in {town}
{a} <hides> the truth from {b.o} | {a} <keeps> the truth from {b.o} >> {a} <told> {b.o} the whole truth | {a}
    <confessed> everything to {b.o}
{a} <speaks> Elvish | {a} <knows> the Elvish tongue // {a} <does> not speak Elvish | {a} <knows> no Elvish
{a} <is> on {b.p} side | {a} <stands> with {b.o} // {a} <is> against {b.o} | {a} <has> turned against {b.o}
{a} <protects> {b.o} | {a} <keeps> {b.o} safe // {a} <is> a threat to {b.o} | {a} <is> a danger to {b.o}
{a} <smokes> a pipe every evening | every evening {a} <smokes> a pipe >> {a} <gave> up smoking | {a} <has> stopped
    smoking
{a} <lives> with {b.o} | {a} and {b} <share> a house // {a} <lives> alone | nobody <shares> {a.p} house
{a} <believes> {b.p} story | {a} <thinks> {b.p} story <is> true // {a} <thinks> {b.p} story <is> a lie | {a} <does>
    not believe {b.p} story
{a} <agrees> with {b.o} about the tax | {a} and {b} <are> of one mind about the tax // {a} <disagrees> with {b.o}
    about the tax | {a} and {b} <are> at odds about the tax
"""


def facts(table, gap):
    """Groups of wordings of a table: the groups parted by `gap`, the wordings by `|`."""
    table = re.sub(r"\s+", " ", table)
    return [[wording.strip() for wording in group.split("|")] for group in table.split(gap)]


def sides(table=SIDES):
    """Lines of `SIDES` as the wordings of either side, and whether the second only ends the first."""
    for line in re.sub(r"\n +", " ", table).strip().splitlines():
        one_way = ">>" in line
        first, second = facts(line, ">>" if one_way else "//")
        yield first, second, one_way
