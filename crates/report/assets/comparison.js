// The page of a comparison: the same nights under two settings, one night at a time.

const COMPARISON = JSON.parse(document.getElementById("comparison").textContent);
const main = document.getElementById("main");

/** Differences of every night, by NPC. */
const DIFFERENCES = COMPARISON.npcs.map(({ nights }) => nights.map(([one, other]) => differencesOf(one, other)));

/** NPC and night of the address, or the night that differs most. */
function chosen() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const [npc, night] = ["npc", "night"].map((name) => Number.parseInt(asked.get(name), 10));
  if (COMPARISON.npcs[npc]?.nights[night]) return { npc, night };
  const all = DIFFERENCES.flatMap((nights, npc) => nights.map(({ changes }, night) => ({ npc, night, n: changes.length })));
  return all.reduce((most, one) => (one.n > most.n ? one : most), all[0]);
}

/** A night under one of the settings: what is told of it, and its insights. */
function side(night, name, id) {
  const texts = storyList(night.story);
  return panel(id, name, `keeps ${night.totals.kept} of ${night.totals.distinct}`, texts || el("p", { class: "faint" }, "nothing to tell"));
}

function nightView({ npc, night }) {
  const { npc: name, nights } = COMPARISON.npcs[npc];
  const [one, other] = nights[night];
  const [left, right] = COMPARISON.settings;
  const heading = el("h2", { id: "night", dir: "auto" }, `${name}, night of ${one.night}`);
  return [
    heading,
    el("div", { class: "pair" }, side(one, left, "one"), side(other, right, "other")),
    differencesPanel([[left, one], [right, other]], DIFFERENCES[npc][night].changes, `the fate under ${left} → the fate under ${right}, and the reason of the second`),
  ];
}

function show() {
  const at = chosen();
  const names = COMPARISON.npcs.map(({ npc, nights }) => ({ npc, nights: nights.map(([one]) => one.night) }));
  const npcs = COMPARISON.npcs.map(({ nights }, npc) => nights.map((sides, night) => ({ kept: sides.map((side) => side.totals.kept), changed: DIFFERENCES[npc][night].changes.length })));
  const open = (npc, night) => (location.hash = new URLSearchParams({ npc, night }).toString());
  const alike = COMPARISON.same > 0 && `${count(COMPARISON.same, "night ends", "nights end")} alike under both`;
  main.replaceChildren(
    ...[
      el("div", {}, el("h1", {}, COMPARISON.title), el("p", { class: "faint" }, [COMPARISON.settings.join(" → "), alike].filter(Boolean).join(" · "))),
      expectationsPanel(COMPARISON),
      at ? nightsPanel({ npcs }, names, open, at) : el("p", {}, "Every night ends alike under both settings."),
      ...(at ? nightView(at) : []),
    ].filter(Boolean),
  );
}

addEventListener("hashchange", () => {
  // A skip link leads to an element of the page.
  if (/^#[a-z]+$/.test(location.hash)) return;
  show();
  document.getElementById("night")?.scrollIntoView();
});
document.title = `${COMPARISON.title} · Nightfold`;
document.getElementById("foot").textContent = `Made by Nightfold ${COMPARISON.version}. Everything is in this file; nothing is fetched or sent.`;
show();
