// What was concluded, and what it rests on; what was told as one; what became of older entries.

/** A text with what it rests on: lit on the map while it is pointed at, listed when asked for. */
function resting(night, sign, { id, name, text, cites, why }, about, spotlight) {
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
    { class: "insight", "data-fate": sign, onmouseenter: () => spotlight.show(numbers), onmouseleave: () => spotlight.rest() },
    mark(sign, ""),
    el("div", {}, name && el("h3", { dir: "auto" }, name), words(text, "p"), el("p", { class: "faint small" }, about, cites.length > 0 ? [", ", button] : `: ${because(why)}`), sources),
  );
}

const KINDS = { pattern: "a pattern", causal: "a cause", social: "about someone", self: "about oneself", connection: "across two themes" };

function insightPanel(night, spotlight) {
  if (night.insights.length === 0) return undefined;
  const item = (insight) => resting(night, "*", insight, KINDS[insight.kind] ?? insight.kind, spotlight);
  return panel("insights", "Insights", "drawn that night; sources light up on the map", el("ul", { class: "insights" }, night.insights.map(item)));
}

/** What is told, and the readings of a status or the repeats that each of it stands for. */
function withRepeats(night, cites) {
  const repeats = night.memories.flatMap((memory, i) => (memory.fate === "&" && cites.includes(memory.by) ? [i] : []));
  return [...cites, ...repeats];
}

function toldPanel(night, spotlight) {
  if (night.told.length === 0) return undefined;
  const item = (told) => resting(night, "~", { ...told, cites: withRepeats(night, told.cites) }, `importance ${told.importance}`, spotlight);
  return panel("told", "Told as one", "several memories in one entry", el("ul", { class: "insights" }, night.told.map(item)));
}

function olderPanel(night, spotlight) {
  if (night.older.length === 0) return undefined;
  // The other side of what is contested is read at once.
  const about = ({ verb, cites, more }) => `${OLDER[verb].name}${verb === "contest" ? ` with “${cites.map((cited) => citedText(night, cited)).join("”, “")}”` : ""}${more ? ` (${more} more sources)` : ""}`;
  const item = (older) => resting(night, OLDER[older.verb].mark, older, about(older), spotlight);
  return panel("older", "What became of older entries", undefined, longList(el("ul", { class: "insights" }), night.older, item));
}
