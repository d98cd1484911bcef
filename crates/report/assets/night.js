// One night of one NPC: all its panels, and the highlight that they share.

/** The memories pointed at, on the map or in the list. A held selection stays lit when nothing else is pointed at. */
function newSpotlight() {
  let held = [];
  let button;
  const spotlight = { lit: new Set(), heard: new Set(), open: () => {} };
  const light = (memories) => {
    const next = new Set(memories);
    if (next.size === spotlight.lit.size && [...next].every((i) => spotlight.lit.has(i))) return;
    spotlight.lit = next;
    spotlight.heard.forEach((listener) => listener());
  };
  spotlight.show = light;
  spotlight.rest = () => light(held);
  spotlight.hold = (memories, by) => {
    button?.setAttribute("aria-pressed", "false");
    const again = button === by;
    [held, button] = again ? [[], undefined] : [memories, by];
    if (!again) by.setAttribute("aria-pressed", "true");
    light(held);
  };
  return spotlight;
}

function nightFigures(totals) {
  const figure = (name, value, beside) => el("div", {}, el("dt", {}, name), el("dd", {}, value, beside && el("small", {}, ` ${beside}`)));
  const figures = el(
    "dl",
    { class: "figures" },
    figure("memories", totals.memories.toLocaleString("en")),
    figure("different", totals.distinct.toLocaleString("en")),
    figure("kept", totals.kept.toLocaleString("en"), totals.distinct > 0 && `${percent(totals.reduction)} fewer`),
    figure("important ones whole", `${totals.important_kept} of ${totals.important}`),
  );
  return el("div", {}, figures, totals.important_ended?.map((ended) => el("p", {}, endedLine(ended))));
}

/** Something important that ended on a night: its id and the words that no longer hold. */
function endedLine({ id, text }) {
  return [mark("!", "superseded"), " important, and ended: ", el("code", {}, id), " ", el("span", { dir: "auto" }, text)];
}

/** All panels of a night. `successors` are the supersessions of all nights of its NPC, where those are at hand; `tools` makes what a page offers to do with a memory. */
function nightPanels(night, successors = supersessions([night]), tools = undefined) {
  const spotlight = newSpotlight();
  const older = olderPanel(night, spotlight, successors);
  const told = toldPanel(night, spotlight, successors);
  const story = storyPanel(night);
  if (night.memories.length === 0) return [story, told, older, night.insights.length > 0 && insightPanel(night, spotlight, successors)].filter(Boolean);
  const insights = insightPanel(night, spotlight, successors);
  return [
    story,
    insights && (told || older) ? el("div", { class: "pair" }, insights, el("div", { class: "stack" }, [told, older])) : [insights, told, older],
    memoryPanel(night, spotlight, { successors, tools }),
    el("div", { class: "pair wide-left" }, mapPanel(night, spotlight), themePanel(night, spotlight)),
    el("div", { class: "pair" }, flowPanel(night), budgetPanel(night)),
    night.notes && panel("notes", "Notes", undefined, el("ul", {}, night.notes.map((note) => el("li", {}, note)))),
  ]
    .flat()
    .filter(Boolean);
}
