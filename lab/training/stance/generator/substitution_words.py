"""Words that stand in for each other or exclude each other, and the nouns and sentences they fit.

A line of an axis is `nouns : value / value ; value / value`: the values between two semicolons exclude
each other, `=` joins synonyms of one value, `!` marks values that cannot
stand before a noun; an indented line continues the one above. In a sentence, `[a|b]` are synonyms.
"""

THINGS = """
p sword, dagger, axe, sickle, razor, chisel, spear: sharp=keen/blunt=dull; straight/crooked=bent;
    clean/dirty=soiled/rusty=rusted; new=brand-new/old=ancient/half-finished; long/short; heavy/light;
    cursed=hexed/blessed; one-handed/two-handed; sheathed/drawn=unsheathed
p coin, bar, nugget, ingot: !real silver=genuine silver/!fake silver=false silver; !real gold=genuine gold/!fool's
    gold; !pure gold/!gilded lead; real=genuine/fake=counterfeit=forged; silver/golden=gold/copper/lead; worn/newly
    struck
p ring, necklace, brooch, crown, chalice, medal: real=genuine=authentic/fake=counterfeit=forged=false;
    costly=expensive/cheap=inexpensive; polished/tarnished; enchanted=magical/ordinary=commonplace;
    valuable=precious/worthless=valueless; plain=unadorned/ornate=decorated; !still for sale/sold
p letter, will, contract, pass, charter: genuine=authentic/forged=fake; sealed/open; signed/unsigned;
    legible=readable/illegible=unreadable; valid/void=invalid; secret/public; handwritten/printed; !addressed to
    me/!addressed to the mayor
p jug, barrel, chest, purse, sack, basket, crate, bucket: empty/full/half full; open/closed=shut;
    large=big/small=little; heavy/light; leaky/watertight; round=circular/square; deep/shallow; sealed/unsealed
p lamp, lantern, candle, torch, brazier: lit=lighted/unlit; bright/dim; tall/short; !hanging on a chain/!standing on
    the floor; round/square
p boots, gloves: waterproof/leaky; new/worn-out; clean/dirty; tight/loose; !dry/!wet=soaked
p rope, belt, ladder, chain, net: long/short; strong=sturdy/weak; thick/thin; wet/dry; broken/intact=undamaged;
    tight/loose
p map, ledger, portrait, book: complete/incomplete=unfinished; accurate=correct/inaccurate=wrong; old=ancient/new;
    thick/thin; blank/filled-in; borrowed/stolen/inherited; !on the top shelf/!on the bottom shelf; original/copied
c cloak, coat, tunic, hood, scarf, shawl: red=scarlet/grey=gray/blue/green/brown/black/white/yellow/purple;
    long/short; clean=spotless/dirty=filthy; thick/thin; plain/embroidered; torn=ripped/mended=patched;
    woollen/silken=silk/linen/leather; warm/flimsy; old/new; wet/dry
c hat, cap, helmet: round/pointed; black/white/red/green/blue; plain/feathered; new/battered; wide=broad/narrow;
    felt/straw/leather
b house, cottage, tower, barn, inn, mill: stone/wooden=timber/brick; tall=high/low;
    inhabited=occupied/empty=unoccupied=vacant; new/old; clean/dirty; ruined/intact; large=big/small; dry/damp;
    haunted/free of ghosts; noisy/quiet; safe/dangerous=unsafe; private/public; guarded/unguarded; warm/cold;
    crowded/deserted; thatched/tiled; square/round; !on the north bank/!on the south bank; !owned by the
    guild/!owned by the crown
b gate, door, window, hatch: open/closed=shut; locked/unlocked; wooden/iron; narrow/wide=broad; barred/unbarred;
    guarded/unguarded; rotten/sound; green/red/black/blue/white
b bridge, road, path, street: wide=broad/narrow; safe/dangerous=perilous; straight/winding; paved/unpaved;
    passable/impassable; steep/level=flat; muddy/dry; free to use/tolled; crowded=busy/deserted=empty;
    blocked=obstructed/clear
b well, pond, river, lake, canal: deep/shallow; clean/dirty=foul; frozen/unfrozen; clear/murky=cloudy;
    poisoned/drinkable; dry/full; salty/fresh; calm/rough
b room, cellar, kitchen, hall, workshop, attic: clean/dirty; tidy=neat/untidy=messy; dark/bright; warm/cold=chilly;
    dry/damp=moist; large=spacious/small=cramped; locked/unlocked; furnished/bare=unfurnished; rented out/vacant;
    upstairs/downstairs; heated/unheated; windowless/windowed
b field, garden, meadow, orchard: fertile/barren=infertile; wild/tended=cultivated; flooded=inundated/dry;
    fenced/unfenced; ploughed/unploughed; sunny/shady; large/small; !north of the river/!south of the river
b temple, shrine, tavern, school: holy=sacred/profaned; open/closed; famous=renowned/unknown; rich/poor; !to the
    left of the town hall/!to the right of the town hall; !east of the square/!west of the square; marble/wooden
n horse, mare, pony, mule, ox: young/old=aged; tame/wild=untamed; fast=swift/slow; healthy/sick=ill;
    black/white/brown/grey; lame/sound; calm/skittish; fat/lean=thin; shod/unshod; branded/unbranded; strong/weak;
    stubborn/obedient=docile
n dog, hound, cat, goat: tame/wild=feral; male/female; blind/sharp-eyed; friendly/vicious; alive=!living/!dead;
    black/white/grey/spotted=speckled; big=large/small=little; deaf/keen-eared; trained/untrained; old/young;
    fierce/gentle=mild; !house-trained/!not house-trained
f bread, cheese, meat, butter: fresh/stale/mouldy; soft/hard; edible/inedible; white/brown; !for sale/!sold out;
    homemade/shop-bought
f wine, cider, ale, mead, stew, soup: sweet/sour/bitter; strong/weak; hot/cold;
    cheap=inexpensive/expensive=costly=dear; tasty=delicious/tasteless; thick/thin; spicy/mild; clear/cloudy;
    imported/local; safe to drink/poisoned; watered-down/undiluted
m spoon, key, bowl, buckle, statue, flute, cup, comb:
    silver/golden=gold/bronze/iron/copper/brass/pewter/wooden/bone/ivory/clay=earthenware/steel/tin/marble/glass
m table, bench, box, staff, cradle, shield: oak/pine/ash/walnut/cherry/birch/elm/willow/cedar/beech/iron/stone
"""

TRAITS = """
honest=truthful/dishonest=untruthful; brave=courageous/cowardly=craven; rich=wealthy/poor=penniless;
    loyal=faithful/disloyal=treacherous; kind/cruel; generous/stingy=miserly;
polite=courteous/rude=impolite; clever=smart/stupid=foolish; strong/weak=feeble; tall/short; fat/thin=skinny;
    bald/long-haired; bearded/clean-shaven; literate/illiterate; guilty/innocent=guiltless;
free/enslaved; married=wedded/unmarried=single/widowed; noble=highborn/lowborn;
    trustworthy=reliable/untrustworthy=unreliable; hard-working=industrious=diligent/lazy=idle; patient/impatient;
humble=modest/arrogant=haughty; careful=cautious/careless=reckless; sane/mad=insane; blind=sightless/sharp-eyed;
    deaf/keen-eared; talkative=chatty/taciturn=silent; stubborn=obstinate/yielding; shy=timid/bold;
left-handed/right-handed; skilled=skilful/unskilled=unskilful; trained/untrained; pious=devout/godless;
    healthy=well/sick=ill=unwell; armed/unarmed; immortal=undying/mortal;
    blond=fair-haired/dark-haired/red-haired/grey-haired;
blue-eyed/green-eyed/brown-eyed; sociable/unsociable; respected/despised; famous=renowned/unknown; fertile/barren;
    merciful/merciless=ruthless; well-bred/ill-bred; childless/blessed with children; obedient/disobedient;
learned=educated/uneducated; employed/unemployed; two-legged/one-legged; one-eyed/two-eyed;
    violent/peaceful=peaceable; sober by habit/drunken by habit; foreign/native to this town;
able to swim/unable to swim; able to read/unable to read; older than sixty=past sixty/younger than sixty;
    right-minded/wrong-headed; fit for duty/unfit for duty; selfish/unselfish=selfless;
"""

ROLES = """
miller baker smith|blacksmith priest innkeeper|landlord tanner ferryman beekeeper potter weaver cooper
    mason|stonemason carpenter herbalist midwife cobbler|shoemaker brewer fletcher
shepherd chandler tailor fishmonger butcher scribe gravedigger judge sailor|seaman thatcher farmer bard|minstrel
    hangman barber glassblower hunter|huntsman locksmith|lock-maker
"""

EXCLUSIVE = """
{a} <is> {b.p} @w: ally/enemy=foe; master/servant; lord/vassal; friend/enemy; husband=spouse/brother
{a} <is> {b.p} @w: elder brother=older brother/younger brother/twin
    brother/father/son/uncle/nephew/cousin/grandfather; elder sister=older sister/younger sister/twin
    sister/mother/daughter/aunt/niece/cousin
{a} <is> {b.p} @w: brother/half-brother/cousin/no kin; sister/stepsister/cousin/mother;
    father=dad/stepfather/uncle/brother; guest/prisoner=captive; landlord/tenant; teacher/pupil=student;
    boss=employer/employee
{a} <is> in the castle as @w: a guest=a visitor/a prisoner=a captive; a servant/the master; an envoy/a hostage
the garrison <is> commanded by {b.o}, @w: a captain/a lieutenant/a sergeant/a colonel; a general/a major
{a} <is> @w: a knight/a squire; a bachelor=an unmarried man/a married man/a widower; a virgin/the mother of three; a
    novice=a beginner/a veteran=an old hand; a nobleman/a commoner; a slave/a freeman; an honest man/a liar; a
    hero/a coward; a genius/a simpleton=a fool; a human/an elf/a dwarf/an orc/a ghost; a child=a kid/a grown-up=an
    adult; a patriot/a traitor; an amateur/a professional; a loner/a family man; a Saltmere man/a Northwold man
{a} <is> a @w by birth: Dane/Saxon/Frank/Norman/Welshman=man of Wales/Scot/Breton/Frisian; northerner/southerner;
    easterner/westerner; foreigner=stranger to this land/native; princess/peasant
the animal in {b.p} stable <is> @w: a mare/a mule/a donkey/an ox/a goat/a stallion; a bull/a cow; a foal/an old horse
the pet that {b} <keeps> <is> @w: a raven/a cat/a dog/a ferret/a hedgehog/an owl/a toad; a hen/a cockerel=a rooster;
    a puppy/a full-grown dog; a kitten/an old tomcat
the beast that guards the vault <is> @w: a dragon/a griffin/a basilisk/a troll/a giant spider; a lion/a bear/a wolf;
    a golem/a ghost
the drink in {b.p} flask <is> @w: water/wine/brandy/vinegar/cider/milk; poison/medicine; antidote/venom
the soup that {b} <sells> on feast days <tastes> of @w: garlic/onion/fish/leek/pumpkin/mushroom; salt/sugar;
    honey/vinegar
the road to {b.p} farm <leads> @w: north/south/east/west; uphill/downhill; inland/along the coast; left at the
    oak/right at the oak
{b.p} house <stands> @w: on the left side of the street/on the right side of the street; north of the river/south of
    the river; inside the walls/outside the walls=beyond the walls; above the mill/below the mill; upstream of the
    ford/downstream of the ford; in front of the chapel/behind the chapel; near the well/far from the well
{b.p} room <is> @w: on the ground floor/on the upper floor; upstairs/downstairs; at the front of the house/at the
    back of the house; the first on the left/the first on the right
{b.p} daughter <was> born in @w: January/March/May/July/September/December; spring/summer/autumn/winter;
    Redford/Stonewell/Harrowgate
the treasure <lies> @w: on the surface/deep underground; east of the old oak/west of the old oak; under the
    well/under the altar; on the left bank/on the right bank
the war between the two dukes <is> @w: over=at an end/still going on; lost/won; just beginning/nearly over
{b} <keeps> the shop key @w: on the left hip/on the right hip; in the drawer/under the mat/around the neck; in the
    top drawer/in the bottom drawer
the mayor of this town <is> @w: a man/a woman; a merchant=a trader/a soldier/a priest; elected/hereditary; a
    local/an outsider; a crook=a swindler/an honest soul
the prisoner in the tower <is> @w: alive=living/dead; asleep to the world/awake to the world; guarded/unguarded;
    chained=in chains/unchained; guilty/innocent; condemned/pardoned; young/old=aged; deaf/keen of hearing;
    tied=bound/untied=unbound
the watch at the gate <is> @w: doubled/halved; corrupt/honest; asleep on duty every night/alert every night; on
    foot/on horseback; paid by the guild/paid by the crown; volunteer/hired; armed with bows/unarmed
the price of bread in this town <is> @w: fixed/free; high/low; rising=going up/falling=going down;
    fair/unfair=unjust; one copper/two coppers/three coppers; taxed/untaxed
"""

SYNONYMS = """
{a} [<bought>|<purchased>] the {thing.n} from {x} ; {a} [<began>|<started>] to learn the lute
{a} [<fixed>|<repaired>|<mended>] the {thing.n} of {x} ; {a} [<hid>|<concealed>] the {thing.n} under the bed
{a} [<shut>|<closed>] the {opening.n} ; the {building.n} [<collapsed>|<fell> down] in the storm
{a} [<assisted>|<helped>] {x} with the harvest ; {a} [<lifted>|<raised>] the {thing.n} over the wall
{a} [<received>|<got>] a letter from {x} ; {a} [<demanded>|<insisted> on] a fair price
{a} [<summoned>|<called> for] the healer ; {a} [<answered>|<replied> to] the letter of {x}
{a} [<fled>|<ran> away] from {town} ; {a} [<slew>|<killed>] the {monster.n}
{a} [<constructed>|<built>] the {building.n} ; {a} [<gathered>|<collected>] herbs for {x}
{a} [<wept>|<cried>] at the grave ; {a} [<quarrelled>|<argued>] with {x} about the fence
{a} [<murdered>|<killed>] the steward in cold blood ; {a} [<vanished>|<disappeared>] near {town}
{a} [<rescued>|<saved>] {x} from the {monster.n} ; {a} [<permits>|<allows>] fishing in the pond
{a} [<forbade>|<banned>] dancing in the hall ; {a} [<possesses>|<owns>] the {thing.n} of the late king
{a} [<despises>|<scorns>] {x} ; {a} [<detests>|<loathes>] {x} ; {a} [<adores>|<worships>] {x}
{a} [<chose>|<picked>] the {thing.n} ; {a} [<resides>|<lives>] in {town} ; {a} [<labours>|<toils>] in the mine
{a} [<tossed>|<threw>] the {thing.n} into the river ; {a} [<discovered>|<found>] the {thing.n} in the cave
{a} [<wants>|<desires>] revenge on {x} ; {a} [<spotted>|<noticed>] {x} at the market
{a} [<finished>|<completed>] the {thing.n} for {x} ; {a} [<halted>|<stopped>] at the {building.n}
{a} [<travelled>|<journeyed>] to {town} ; {a} [<yelled>|<shouted>] at {x}
{a} [<stole>|<took> without leave] the {thing.n} of {x} ; {a} [<robbed>|<mugged>] {x} on the road
{a} [<tricked>|<fooled>] {x} ; {a} [<cheated>|<swindled>] {x} at cards ; {a} [<injured>|<hurt>] {x}
{a} [<conquered>|<captured>] the castle ; {a} [<burnt>|<set> fire to] the {building.n}
{a} [<donated>|<gave>] {amount} silver to the temple ; {a} [<lent>|<loaned>] {x} the {thing.n}
{a} [<inquired>|<asked>] about the {event.n} ; {a} [<phoned>|<rang>] {x} ; {a} [<greeted>|<welcomed>] {x} at the gate
{a} [<tutors>|<teaches>] the children of {x} ; {a} [<governs>|<rules>] {town}
{a} [<recalls>|<remembers>] the {event.n} well ; {a} [<postponed>|<put> off] the {event.n}
{a} [<cancelled>|<called> off] the {event.n} ; {a} [<perished>|<died>] at sea ; {a} [<wed>|<married>] {x} in {town}
{a} [<smashed>|<shattered>] the window ; {a} [<misplaced>|<mislaid>] the key of the {building.n}
{a} [<extinguished>|<put> out] the fire ; {a} [<ignited>|<lit>] the beacon ; {a} [<dreads>|<fears>] the {monster.n}
{a} [<trusts>|<=has> faith in] {x} ; {a} [<seized>|<grabbed>] the {thing.n} ; {a} [<pardoned>|<forgave>] {x}
{a} [<betrayed>|<sold> out] {x} ; {a} <is> a [thief|robber] ; {a} <is> [exhausted|worn out]
{a} <is> [furious|enraged] with {x} ; {a} <is> [glad|happy] about the {event.n} ; {a} <is> [frightened|scared] of {x}
{a} <is> a [physician|doctor] ; {a} <is> a [wizard|sorcerer] ; {a} <is> a [merchant|trader]
{a} <is> an [attorney|lawyer] ; {a} <is> [jealous|envious] of {x} ; {a} <is> a [drunkard|sot]
{a} <is> a [vagrant|tramp] ; {a} <is> a [soldier|man-at-arms] ; {a} <is> [fond of|attached to] {x}
{a} <is> [cunning|sly] ; {a} <is> [certain|sure] of winning ; {a} <is> [wounded|injured]
the [stranger|unknown man] at the bar is {x.p} spy ; the [road|way] to {town} is long
the [woods|forest] near {town} is full of wolves ; the [lad|boy] of {x} is my apprentice
the [lass|girl] with the {thing.n} is {x.p} niece ; the [kids|children] of {x} are noisy
the [rubbish|trash] lies behind the {building.n} ; the [stairs|steps] to the cellar are slippery
the [peddler|hawker] comes on {weekday} ; the [cemetery|graveyard] lies behind the chapel
the [jail|prison] of {town} is full ; the [tavern|alehouse] of {x} is popular ; the [boat|vessel] of {x} leaks
the [reward|bounty] for the {monster.n} is {many} gold ; the [mistake|error] in the ledger is {x.p}
the [present|gift] from {x} is on the table ; the [robe|gown] of {x} is torn
the [captain|skipper] of the ship is {x} ; the [fight|brawl] at the {building.n} was started by {x}
the [feast|banquet] is paid for by {x} ; the [crop|harvest] of {x} was poor
the [remedy|cure] for the {illness} is known to {x} ; the [stone|rock] blocks the road to {town}
the [duke's heir|heir of the duke] is {x} ; the [entrance|way in] of the cave is hidden
the [enemy|foe] is camped near {town} ; the [summit|top] of the hill is bare
the [seashore|coast] near {town} is rocky ; the [lady|mistress] of the house is {x.p} aunt
the [dwelling|home] of {x} is humble ; the [storm|tempest] sank {x.p} boat
the [sum|amount] in the purse is {amount} silver ; the [quarrel|dispute] over the field is settled
the {building.n} <is> [enormous|huge] ; the {building.n} <is> [tiny|very small] ; the {animal.n} <is> [unwell|sick]
the {route} <is> [hazardous|dangerous] ; the {thing.n} <is> [priceless|beyond price]
the {thing.n} <is> [beautiful|lovely] ; the {thing.n} <is> [hideous|ugly] ; the {animal.n} <is> [quick|fast]
the {room.n} <is> [filthy|very dirty] ; the {opening.n} <is> [ajar|half open]
the {event.n} <is> [splendid|magnificent] ; the {thing.n} <is> [missing|lost] ; the {thing.n} <is> [damaged|harmed]
the {thing.n} <is> [rare|scarce] ; the {building.n} <is> [ancient|very old]
the {building.n} <is> [abandoned|deserted] ; the riddle <is> [difficult|hard] ; the lock <is> [simple|easy to open]
the guard <is> [watchful|vigilant] ; the task <is> [essential|vital] ; the tale <is> [false|untrue]
the tale <is> [true|a fact] ; the plan <is> [secret|hidden] ; the law <is> [strict|severe]
the winter <is> [harsh|severe] in {town} ; the ale of {x} <is> [superb|excellent]
the ale of {x} <is> [awful|terrible] ; the answer of {x} <is> [correct|right]
the answer of {x} <is> [wrong|incorrect] ; the slope <is> [sheer|very steep] ; the {animal.n} <is> [plump|fat]
the {animal.n} <is> [skinny|thin] ; the {thing.n} <is> [inexpensive|cheap] ; the {thing.n} <is> [ordinary|common]
{x} <is> [well-known|famous] in {town} ; the crowd <is> [enormous|vast] ; {a} <is> [weary|tired] of {town}
"""

LOCALITIES = """p:on the table|by the door|in the cupboard|over the hearth c:on the peg|in the wardrobe b:at the end
    of the lane|behind the chapel|near the market
n:in the yard|behind the mill f:in the cellar|on the counter m:on the shelf|in the great hall"""
