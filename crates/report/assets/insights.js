// Insights and their sources, syntheses, and changes to older entries.

/** A text with its sources: lit on the map while it is pointed at, listed on demand. `now` is its successor, if it is superseded. */
function resting(night, sign, { id, name, text, cites, why }, about, spotlight, now) {
  const numbers = cites.filter((cited) => typeof cited === "number");
  const sources = el("div", { hidden: true });
  const button = el(
    "button",
    {
      class: "plain",
      type: "button",
      "aria-expanded": "false",
      onclick: () => {
        if (!sources.children.length) sources.append(citedList(night, cites), el("p", { class: "faint small" }, `${because(why)} · ${id}`));
        sources.hidden = !sources.hidden;
        button.setAttribute("aria-expanded", String(!sources.hidden));
      },
      onfocus: () => spotlight.show(numbers),
      onblur: () => spotlight.rest(),
    },
    `from ${count(cites.length, "memory", "memories")}`,
  );
  return el(
    "li",
    { class: now ? "insight superseded" : "insight", "data-fate": sign, onmouseenter: () => spotlight.show(numbers), onmouseleave: () => spotlight.rest() },
    mark(sign, ""),
    el("div", {}, name && el("h3", { dir: "auto" }, name), words(text, "p"), now && successorLine(now), el("p", { class: "faint small" }, about, cites.length > 0 ? [", ", button] : `: ${because(why)}`), sources),
  );
}

const KINDS = { pattern: "a pattern", causal: "a cause", social: "about someone", self: "about oneself", connection: "across two themes" };

function insightPanel(night, spotlight, successors) {
  if (night.insights.length === 0) return undefined;
  const item = (insight) => resting(night, "*", insight, KINDS[insight.kind] ?? insight.kind, spotlight, holdsNow(successors, insight.id));
  return panel("insights", "Insights", "drawn that night; sources light up on the map", el("ul", { class: "insights" }, night.insights.map(item)));
}

/** The sources of a synthesis, and the repeats and status readings that are collapsed into them. */
function withRepeats(night, cites) {
  const repeats = night.memories.flatMap((memory, i) => (memory.fate === "&" && cites.includes(memory.by) ? [i] : []));
  return [...cites, ...repeats];
}

function toldPanel(night, spotlight, successors) {
  if (night.told.length === 0) return undefined;
  const often = (told) => (told.times > 1 ? ` · ${told.times} times until ${told.until}` : "");
  const item = (told) => resting(night, "~", { ...told, cites: withRepeats(night, told.cites) }, `importance ${told.importance}${often(told)}`, spotlight, holdsNow(successors, told.id));
  return panel("told", "Syntheses", "several memories in one entry", el("ul", { class: "insights" }, night.told.map(item)));
}

function olderPanel(night, spotlight, successors) {
  if (night.older.length === 0) return undefined;
  // The other side of a contested entry is read at once, and so are what ended and the successor of a superseded entry.
  const cited = (cites) => `“${cites.map((cited) => citedText(night, cited)).join("”, “")}”`;
  const beside = { contest: ({ cites }) => ` with ${cited(cites)}`, end: ({ ended, cites }) => `: “${ended}”, because of ${cited(cites)}` };
  const about = ({ more, ...older }) => `${OLDER[older.verb].name}${beside[older.verb]?.(older) ?? ""}${more ? ` (${more} more sources)` : ""}`;
  const successor = ({ id, verb, cites }) => successorOf(night, successors, id, verb === "supersede" ? cites[0] : undefined);
  const item = (older) => resting(night, OLDER[older.verb].mark, older, about(older), spotlight, successor(older));
  return panel("older", "Changes to older entries", undefined, longList(el("ul", { class: "insights" }), night.older, item));
}
