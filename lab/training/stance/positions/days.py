"""Happenings and habits of days, of which any two can stand side by side."""
from words import listed

# Base and past form of each deed, and what it is done to.
DEEDS = [(base, past, listed(objects)) for base, past, objects in (line.split(":", 2) for line in """light:lit:the lamp, the stove, the candles in the hall, the beacon
open:opened:the gate, the letter, the parcel, the shutters, the valve
close:closed:the hatch, the shop early, the window, the account book
sell:sold:a calf, six eggs, an old coat, two tickets, a bolt of cloth
buy:bought:a loaf, new shoes, a newspaper, salt, a spool of thread
eat:ate:the soup, two apples, cold beans, the last biscuit
cook:cooked:a stew, dinner for six, rice, eggs
carry:carried:the water up, the crates, a sack of coal, the baby to bed
mend:mended:the net, a fence post, my boots, the printer tray
break:broke:a cup, the handle, a plate, the seal
wash:washed:the shirts, the floor, the dishes, the dog
write:wrote:a letter, the report, two pages, a note for the night shift
read:read:a chapter, the notice, the manual, an old letter
clean:cleaned:the filters, the stairs, the stable, the whiteboard
strike:struck:the bell, my brother, a bargain, the dog
pay:paid:the ferryman, the bill, the driver, the cook
lend:lent:the ladder to the neighbour, a pen to the new one, ten to a friend
borrow:borrowed:a spade, a charger, the ladder, some flour
find:found:a coin, a glove on the stairs, a nest, the lost page
lose:lost:a glove, a bet, my hat in the wind, a button
give:gave:the boy a coin, the guard a bribe, a talk, the horse some hay
take:took:the early bus, a walk, the medicine, a photograph
send:sent:a message, the samples, flowers, the boy for bread
bring:brought:firewood, the post, coffee for all, the keys back
see:saw:a heron, the doctor, a strange light, the inspector
hear:heard:a knock, the bells, a quarrel next door, the news on the radio
meet:met:the auditor, an old friend, the courier, two strangers
help:helped:the smith, a lost child, the cook, the new pupil with sums
visit:visited:the grave, the market, my aunt, the clinic
call:called:the doctor, a taxi, the landlord, the watch
teach:taught:the boy a song, two lessons, the dog a trick
lock:locked:the chest, the shed, the side door
count:counted:the sheep, the takings, the crates, the votes
repair:repaired:the pump, the roof, a bicycle, the antenna
paint:painted:the fence, a portrait, the door frame
dig:dug:a ditch, up the carrots, a grave
cut:cut:the hedge, the bread, a finger, the rope
burn:burned:the letters, the rubbish, the toast
hide:hid:a letter, the bottle, behind the curtain
follow:followed:the stranger, a fox, the tracks
refuse:refused:the offer, a second helping, the bribe
sign:signed:the contract, the register, a petition
load:loaded:the cart, the ship, the dishwasher
win:won:at cards, a prize, the race
play:played:the organ, cards, football with the children
drink:drank:two cups, a whole jug, nothing but water
sleep:slept:in the barn, badly, until noon
walk:walked:to the river, home alone, the dog
ride:rode:to market, the grey mare, out before light
work:worked:late, in the field, on the engine
sit:sat:by the fire, on the wall, with the sick
swim:swam:in the lake, to the buoy
sing:sang:in church, for the guests
fall:fell:off the ladder, asleep at the table
leave:left:the house at noon, a tip, the party early
arrive:arrived:late, with the first boat, at the station
wait:waited:at the gate, two hours, in the rain
argue:argued:with the clerk, about the bill
laugh:laughed:at the joke, out loud
dance:danced:at the feast, with the widow
ask:asked:for a day off, the way, about the noise
offer:offered:the guest a chair, forty for the horse, my help
promise:promised:nothing, the child a story""".splitlines())]
AMOUNT_DEEDS = (("pay", "paid", "{q} {n}"), ("offer", "offered", "{q} {n}"), ("lend", "lent", "{q} {n}"), ("give", "gave", "{q} {n}"), ("win", "won", "{n} from {q}"), ("earn", "earned", "{n}"), ("spend", "spent", "{n} on {t}"),
                ("collect", "collected", "{n} from {q}"), ("lose", "lost", "{n} at cards"), ("find", "found", "{n} under the floor"), ("ask", "asked", "{n} for {t}"))
# Happenings of one subject that sound like opposites.
OPPOSED = [tuple(pair.split("|")) for pair in """{S} was born|{S} died
{S} arrived|{S} left
{S} fell ill|{S} got well
{S} fell asleep|{S} woke up
{S} laughed|{S} wept
{S} came in|{S} went out
{S} went up the hill|{S} came down the hill
{S} lost the first game|{S} won the second game
{S} quarrelled with {q}|{S} sang with {q}
{S} bought {t}|{S} sold {t}
{S} pushed {q}|{S} helped {q} up
{S} praised {q}|{S} scolded {q}
{S} opened the window|{S} closed the window
{S} put on a coat|{S} took off a coat
{S} lit the fire|{S} put out the fire
{S} filled the jug|{S} emptied the jug
{S} got on the bus|{S} got off the bus
{S} started the engine|{S} stopped the engine
{S} said yes to {q}|{S} said no to {q}
{S} won at dice|{S} lost at dice
{S} lent {q} {n}|{S} borrowed {n} from {q}
{S} gave {q} a kiss|{S} slapped {q}
{S} raised the flag|{S} lowered the flag
{S} tied up the boat|{S} untied the boat
{S} hid {t}|{S} found {t}
{S} answered {q}|{S} did not answer {q}
{S} slept well|{S} lay awake all night
{S} spoke up|{S} kept silent
{S} won the vote|{S} lost the vote
{S} got up early|{S} got up late
{S} ran to {q}|{S} ran away from {q}
{S} rang the bell|{S} did not ring the bell
{S} loaded the cart|{S} unloaded the cart
{S} dropped {t}|{S} picked up {t}""".splitlines()]
# A happening, and a state of a later day that may hold after it.
THEN_AND_NOW = [tuple(pair.split("|")) for pair in """{S} gave {q} {t}|{q} has no {o}
{S} bought {t}|{S} [own] no {o}
{S} locked {d}|{d} is open
{S} opened {d}|{d} is shut
{S} fell ill|{S} [be] in good health
{S} mended {m}|{m} is broken
{m} broke down|{m} is running
{S} went to {town}|{S} [be] at home
{S} came home|{S} [be] away
{S} quarrelled with {q}|{S} and {q} are friends
{S} danced with {q}|{S} and {q} do not speak
{S} won {n} at dice|{S} [have] hardly a coin
{S} painted {t} white|{t} is green
{S} put {t} on the table|{t} is on the shelf
{S} lent {q} {n}|{q} owes nobody anything
{S} filled the jug|The jug is empty
{S} drank with {q}|{S} [do] not drink
{S} ate fish|{S} [eat] no fish
{S} swept the floor|The floor is dirty
{S} laughed all evening|{S} [be] sad
{S} trusted {q} with the keys|{S} [trust] nobody
{S} lit the lamp|The lamp is out
{S} saw {q} at the fair|{q} is in prison
{S} learnt a song|{S} cannot sing
{S} paid the bill|{S} [owe] {n}
{S} woke up early|{S} [be] asleep
{S} slept until noon|{S} [be] tired
{S} worked for {q} last summer|{S} [work] for {r}
{S} lived in {town} as a child|{S} [live] in the new flats
{S} sold {t} to {q}|{S} [have] {t2}
{S} met {q} in {town}|{q} lives on the coast""".splitlines()]
HABITS = listed("""feed the hens, bake bread, check the air filters, ring the bell, water the plants, sweep the yard, open the shop, do the accounts, walk the dog, drill the recruits, eat at the long table, pray in the chapel,
    read the paper, inspect the ropes, teach the small ones, milk the goats, take the bus, clean the boards, drink coffee with the others, stand watch at the wall, play chess, mend nets, write the log, empty the bins, swim in the pool,
    visit the sick, count the stock, practise the trumpet, run along the river, bathe, lay the tables, polish boots, sort the post, rest, study, lock the doors, call my mother, cook for the crew, grind corn, hold office hours""")
HOURS = listed("""at dawn, at six, at seven, before breakfast, at nine, at noon, after lunch, at three, in the afternoon, at five, at dusk, after supper, at midnight, in the evening, on Mondays, on Tuesdays, on Wednesdays, on Fridays, on Sundays,
    at half past eight, every other day, in winter, in summer, at the first bell, after the shift, during the break, once a month, at the corner table, at the window table, on market days""")
ACTIVITIES = listed("""baking bread, asleep, sitting by the fire, chopping wood, writing a letter, on the phone, having lunch, talking to a stranger, mending a net, drawing water, checking the valves, standing at the gate, singing, waiting for the bus,
    feeding the dog, watching the rain, reading a map, drying the dishes, playing cards, looking for a glove, typing, carrying crates, combing a horse, drinking tea, arguing with the clerk, painting a door, weeding, counting coins, walking to the well, laughing""")
GREETINGS = listed("""Good morning!, Good evening to you., Hello there!, Hi!, Welcome back., Farewell., Goodbye!, See you tomorrow., Good night., Take care!, Safe travels., Until next time., Well met., Nice to see you again., Have a good one!, Sleep well., Bye for now!, How do you do?, Hey!, Peace be with you.""")
THANKS = listed("""Thank you so much!, Thanks a lot., I am very grateful to you., Many thanks for the help., That was kind of you., Much obliged., You are welcome., Don't mention it., It was nothing., Thanks for the chat!, I owe you one.""")
AGREEMENTS = listed("""Yes., I agree., Exactly!, You are right., That is true., No doubt about it., Absolutely., No., I don't think so., Not really., Maybe., I am not sure., Oh wow!, Really?, That is interesting., How funny!, What a pity., I see., Ha ha!, Of course., Never mind., Good idea!, No way!, I had no idea., Same here., Me neither., Well I never!""")
SMALL_TALK = [line for line in """What a lovely day it is.
It looks like rain again.
The soup is better than last time.
I can't believe how quickly this year has gone.
I think the music was a bit loud.
That was a great game.
The new film was rather boring.
I would love to see the sea one day.
How is your family?
Did you hear the news?
What are you doing tomorrow?
I will stop by on {day} if I have time.
Let us have a drink on {day}.
I will be at the market tomorrow with {q}.
Tomorrow I will clean the shed.
Shall we eat together on {day}?
I might go fishing with {q}.
I was just talking to {q}.
{q} sends greetings.
I love {food}.
I never cared much for the winter here.
The bread was good this morning.
I think {q} did well.
That hat suits you.
You look tired today.
It is cold in here.
I could sleep for a week.
This street is so quiet at night.
Have you seen {q} today?
Where did you get that?
I wish the week were over.
Can you help me with this?
I have so much to do.
The weather was better yesterday.
Have you ever been to {town}?
I've always wanted to visit {town}.
I bet {q} is going to win.
My feet hurt.
I must get back to work.
Do you like {food}?
{food} is my favourite.
I had {food} for lunch.
It's getting late.
We should do this more often.
I am going to bed.
I am hungry.""".splitlines()]
