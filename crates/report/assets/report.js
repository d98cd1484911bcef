// The report: the view that the address asks for.

const MAX_HITS = 200;
const MAX_LINKS = 14;
const main = document.getElementById("main");
const find = document.getElementById("find");

function summaryView() {
  return [el("div", {}, el("h1", {}, SUMMARY.title)), runFigures(), beliefPanel(), expectationPanel(), endedPanel(), peoplePanel(), fatePanel(), tablePanel()].filter(Boolean);
}

/** The counts that make a night eventful, in words. */
function eventsOf({ events: [superseded, contested, ended, insights, important, memories] }) {
  return [superseded && `${superseded} superseded`, contested && `${contested} contested`, ended && `${ended} ended`, insights && count(insights, "insight"), important && `${important} important`, count(memories, "memory", "memories")].filter(Boolean).join(", ");
}

/** Nights as links; of many, as a list to choose from. */
function nightChooser(number, nights, chosen) {
  const address = (i) => `#npc=${number}&night=${i}`;
  if (nights.length <= MAX_LINKS) {
    const link = ({ night, ...of }, i) => el("a", { href: address(i), title: eventsOf(of), "aria-current": i === chosen ? "page" : undefined }, night);
    return el("nav", { class: "nights", "aria-label": "Nights" }, nights.map(link));
  }
  const select = el("select", { class: "field", "aria-label": "Night", onchange: () => (location.hash = address(select.selectedIndex)) }, nights.map((of) => el("option", {}, `${of.night} (${eventsOf(of)})`)));
  select.selectedIndex = chosen;
  return el("nav", { class: "nights", "aria-label": "Nights" }, select);
}

function npcView(number, wanted) {
  const npc = npcOf(number);
  const n = Math.min(wanted ?? SUMMARY.npcs[number].opens, npc.nights.length - 1);
  const night = npc.nights[n];
  const title = npc.nights.length > 1 ? npc.npc : `${npc.npc}, night of ${night.night}`;
  return [
    el(
      "div",
      {},
      el("p", { class: "crumbs" }, el("a", { href: "#" }, "← All NPCs")),
      el("h1", { dir: "auto" }, title),
      npc.nights.length > 1 && nightChooser(number, npc.nights, n),
    ),
    night.memories.length > 0 && nightFigures(night.totals),
    ...nightPanels(night, npc.successors),
    historyPanel(npc.history),
  ];
}

function searchView(query) {
  const { hits, more } = searchAll(query, MAX_HITS);
  const people = SUMMARY.npcs.map((row, number) => ({ row, number })).filter(({ row }) => row.npc.toLowerCase().includes(query.toLowerCase()));
  const none = hits.length === 0 && people.length === 0;
  const told = none ? `Nothing found for “${query}”` : `${more ? "More than " : ""}${count(hits.length, "text")}, ${count(people.length, "NPC")}`;
  say(told);
  const hit = ({ number, n, night, text, fate, name = fate === "*" ? "an insight" : undefined, now }) =>
    el(
      "li",
      { class: now ? "superseded" : undefined },
      now ? mark("!", "superseded") : mark(fate, name),
      el("div", { class: "what" }, found(text, query), now && successorLine(now), el("a", { class: "small", href: `#npc=${number}&night=${n}` }, `${SUMMARY.npcs[number].npc}, ${night}`)),
    );
  return [
    el("div", {}, el("p", { class: "crumbs" }, el("a", { href: "#" }, "← All NPCs")), el("h1", {}, "“", words(query), "”"), none ? nothingFound(query) : el("p", { class: "faint" }, told)),
    people.length > 0 && panel("named", "NPCs", undefined, el("ul", { class: "hits" }, people.slice(0, PAGE).map(({ row, number }) => el("li", {}, el("a", { href: `#npc=${number}` }, row.npc))))),
    hits.length > 0 && panel("texts", "Memories, insights and syntheses", undefined, el("ul", { class: "hits" }, hits.map(hit))),
  ].filter(Boolean);
}

function show() {
  const asked = new URLSearchParams(location.hash.slice(1));
  dropCharts();
  const number = Number.parseInt(asked.get("npc"), 10);
  const query = asked.get("find");
  let view;
  if (query && document.activeElement !== find) find.value = query;
  if (query) view = searchView(query);
  else if (number >= 0 && number < NPC_TEXTS.length) view = npcView(number, asked.has("night") ? Math.max(0, Number.parseInt(asked.get("night"), 10) || 0) : undefined);
  else view = summaryView();
  main.replaceChildren(...view.filter(Boolean));
  const heading = main.querySelector("h1").textContent;
  document.title = view.length && (query || number >= 0) ? `${heading} · ${SUMMARY.title}` : SUMMARY.title;
}

addEventListener("hashchange", () => {
  // A skip link and its like lead to an element of the view that is there.
  if (/^#[a-z]+$/.test(location.hash) && document.getElementById(location.hash.slice(1))) return;
  show();
  if (document.activeElement !== find) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
});

let typing;
find.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const query = find.value.trim();
    location.hash = query ? new URLSearchParams({ find: query }).toString() : "";
  }, 200);
});
find.form.addEventListener("submit", (event) => event.preventDefault());
find.form.hidden = false;
document.getElementById("foot").textContent = `Made by Nightfold ${SUMMARY.version}. Everything is in this file; nothing is fetched or sent.`;
show();
