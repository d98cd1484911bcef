// Differences between two plans of the same nights.

/** Importance of a memory that the game did not rate. */
const UNRATED = 5;

/** Memories with another fate than before, and insights gained or lost; the most important first. */
function differencesOf(before, after) {
  const texts = (night) => new Set(night.insights.map((insight) => insight.text));
  const [had, has] = [texts(before), texts(after)];
  const fates = before.memories.flatMap(({ fate, text, importance }, i) => (fate === after.memories[i].fate ? [] : [{ text, importance, from: fate, to: after.memories[i].fate, why: after.memories[i].why }]));
  const insights = (of, other, name) => of.insights.filter(({ text }) => !other.has(text)).map(({ text, importance }) => ({ text, importance, name }));
  const changes = [...fates, ...insights(after, had, "new insight"), ...insights(before, has, "insight lost")];
  // Sorting is stable: of equals the day's order stays.
  return { fates: fates.length, changes: changes.sort((a, b) => (b.importance ?? UNRATED) - (a.importance ?? UNRATED)) };
}

function fatesOf(night) {
  return FATES.map((fate) => night.memories.filter((memory) => memory.fate === fate.mark).length);
}

/** Two plans of a night: the fates as bars, and each difference with its reason. `sides` are name and night of each. */
function differencesPanel(sides, changes, remark, ...more) {
  const line = (name, night) => [el("span", { class: "faint" }, name), strip(fatesOf(night), true), el("span", { class: "number" }, `${night.totals.kept} kept`)];
  const weight = ({ importance }) => el("span", { class: "faint small number weight", title: "importance" }, unseen("importance "), importance ?? "–");
  const change = (of) =>
    of.name
      ? el("li", {}, weight(of), mark("*", "an insight"), el("span", {}, el("span", { class: "faint small" }, `${of.name}: `), words(of.text)))
      : el("li", { "data-fate": of.to }, weight(of), mark(of.from), el("span", { class: "arrow", "aria-label": "becomes" }, "→"), mark(of.to), el("span", {}, words(of.text), el("span", { class: "faint small" }, ` ${because(of.why)}`)));
  return panel(
    "compare",
    "Side by side",
    remark,
    el("div", { class: "compare" }, sides.map(([name, night]) => line(name, night))),
    key(fatesOf(sides[1][1])),
    changes.length > 0 && [el("p", { class: "faint small" }, "Changes, the most important first"), longList(el("ul", { class: "changed" }), changes, change)],
    more,
  );
}

/** Expectations under two settings: what flips first, the rest on demand. */
function expectationsPanel({ expectations }) {
  if (expectations.length === 0) return undefined;
  const tick = (holds, name) => mark(holds ? "+" : "!", `${name}${holds ? "holds" : "does not hold"}`);
  const item = ({ expected, because: why, holds: [was, is], found: what }) =>
    el(
      "li",
      { class: was === is ? undefined : "flipped" },
      was !== is && [tick(was, "before: "), el("span", { class: "arrow", "aria-label": "becomes" }, "→")],
      tick(is, ""),
      el("div", { class: "what" }, words(expected), !(was && is) && el("span", { class: "cause faint" }, "found: ", words(what[is ? 0 : 1]), why && [" · expected because ", words(why)])),
    );
  const list = (some) => longList(el("ul", { class: "story" }), some, item);
  const [flipped, same] = [true, false].map((flips) => expectations.filter(({ holds: [was, is] }) => (was !== is) === flips));
  const [fails, holds] = [false, true].map((of) => same.filter(({ holds: [, is] }) => is === of));
  const held = expectations.filter(({ holds: [, is] }) => is).length;
  return panel(
    "expectations",
    "What the scenario expects",
    `${held} of ${count(expectations.length, "expectation")} ${held === 1 ? "holds" : "hold"}${flipped.length ? `, ${flipped.length} ${flipped.length === 1 ? "flips" : "flip"}` : ""}`,
    flipped.length > 0 && list(flipped),
    fails.length > 0 && [flipped.length > 0 && el("p", { class: "faint small" }, "As before, does not hold"), list(fails)],
    holds.length > 0 && el("details", {}, el("summary", {}, `${holds.length} ${holds.length === 1 ? "holds" : "hold"}${flipped.length ? " as before" : ""}`), list(holds)),
  );
}

/** Every night of every NPC, before and after; the NPCs with the most changes first. */
function nightsPanel({ npcs }, names, choose, chosen) {
  const nights = npcs.reduce((sum, of) => sum + of.length, 0);
  if (nights < 2) return undefined;
  const rows = npcs.map((of, npc) => ({ of, npc, changed: of.reduce((sum, { changed }) => sum + changed, 0) }));
  rows.sort((a, b) => b.changed - a.changed || a.npc - b.npc);
  const cell = (npc, { kept: [was, is], changed }, night) => {
    const label = names[npc].nights[night];
    const told = changed ? `${label}: kept ${was}, now ${is}; ${count(changed, "memory has", "memories have")} another fate` : `${label}: keeps ${is}, as before`;
    const current = npc === chosen.npc && night === chosen.night;
    return el("li", {}, el("button", { class: changed ? "cell changed-night" : "cell", type: "button", "aria-label": told, title: told, "aria-current": current && "true", onclick: () => choose(npc, night) }, was === is ? is : `${was} → ${is}`, changed > 0 && el("small", {}, ` ${changed}`)));
  };
  const row = ({ of, npc }) => el("li", {}, el("h3", { dir: "auto" }, names[npc].npc), el("ul", { class: "cells" }, of.map((night, i) => cell(npc, night, i))));
  const changed = rows.filter((row) => row.changed).length;
  const remark = changed ? `${count(changed, "NPC")} of ${npcs.length} with other fates; of a night: kept before → now, and the number of other fates` : "what each night keeps; choose one to see it";
  return panel("nights", "All nights", remark, longList(el("ul", { class: "all-nights" }), rows, row));
}
