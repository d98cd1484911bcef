// The desk: turn a knob, and the night is planned again.

const DESK = JSON.parse(document.getElementById("desk").textContent);
const main = document.getElementById("main");
const turned = new Map();
const state = { npc: 0, night: 0, asking: false, again: false };
const results = el("div", { class: "results" });
const verdict = el("div", { class: "panel verdict" });
const form = knobForm(DESK, turned, replan);

/** Asks for the night under the knobs as they stand. One question at a time; the last one counts. */
async function replan() {
  form.mark();
  if (state.asking) {
    state.again = true;
    return;
  }
  state.asking = true;
  do {
    state.again = false;
    await askOnce();
  } while (state.again);
  state.asking = false;
}

async function askOnce() {
  const body = JSON.stringify({ npc: state.npc, night: state.night, set: Object.fromEntries(turned) });
  try {
    const answer = await fetch("plan", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    const told = isJson ? await answer.json() : { error: await answer.text() };
    if (answer.ok) showAnswer(told);
    else showWrong(told.error);
  } catch (error) {
    showWrong(`The desk does not answer (${error.message}). Is nightfold still running?`);
  }
}

function showWrong(text) {
  verdict.replaceChildren(el("p", { class: "wrong", role: "alert" }, text), resetButton());
}

function resetButton() {
  return el("button", { class: "button", type: "button", onclick: resetKnobs }, "Reset all knobs");
}

function resetKnobs() {
  turned.clear();
  form.reset();
  replan();
}

/** Memories that meet another fate than before. The day is the same, and so is its order. */
function changesOf(before, after) {
  return before.memories.flatMap((memory, i) => (memory.fate === after.memories[i].fate ? [] : [{ i, from: memory.fate, to: after.memories[i].fate, why: after.memories[i].why, text: memory.text }]));
}

function fatesOf(night) {
  return FATES.map((fate) => night.memories.filter((memory) => memory.fate === fate.mark).length);
}

function showAnswer({ before, after, milliseconds, toml }) {
  const changes = changesOf(before, after);
  const insights = (night) => new Set(night.insights.map((insight) => insight.text));
  const [had, has] = [insights(before), insights(after)];
  const gone = before.insights.filter((insight) => !has.has(insight.text));
  const come = after.insights.filter((insight) => !had.has(insight.text));
  const told = turned.size === 0 ? "As the story has it" : `${count(changes.length, "memory meets", "memories meet")} another fate`;
  const time = el("span", { class: "faint small", id: "time" }, `planned in ${milliseconds.toFixed(1)} ms`);
  verdict.replaceChildren(...[el("strong", {}, told), time, turned.size > 0 && resetButton(), copyButton(toml)].filter(Boolean));
  say(told);
  const open = scrollY;
  dropCharts();
  results.replaceChildren(comparePanel(before, after, changes, gone, come, toml), ...nightPanels(after));
  scrollTo(0, open);
}

function copyButton(toml) {
  const button = el("button", { class: "button", type: "button", id: "copy", disabled: toml === "", onclick: copy }, "Copy as TOML");
  async function copy() {
    try {
      await navigator.clipboard.writeText(toml);
      button.textContent = "Copied";
    } catch {
      // Where the clipboard is not to be had, the text stands selected, ready to be copied by hand.
      const shown = document.getElementById("toml");
      getSelection().selectAllChildren(shown);
      button.textContent = "Selected below";
      shown.scrollIntoView({ block: "nearest" });
    }
  }
  return button;
}

function comparePanel(before, after, changes, gone, come, toml) {
  const line = (name, night) => [el("span", { class: "faint" }, name), strip(fatesOf(night), true), el("span", { class: "number" }, `${night.totals.kept} kept`)];
  const change = ({ from, to, text, why }) => el("li", { "data-fate": to }, mark(from), el("span", { class: "arrow", "aria-label": "becomes" }, "→"), mark(to), el("span", {}, words(text), el("span", { class: "faint small" }, ` ${because(why)}`)));
  const insight = (sign, name) => (insight) => el("li", {}, el("span", { class: "faint small" }, name), mark(sign, "an insight"), words(insight.text));
  return panel(
    "compare",
    "Before and after",
    "as the story has it, and with the knobs turned",
    el("div", { class: "compare" }, line("before", before), line("after", after)),
    key(fatesOf(after)),
    (changes.length > 0 || gone.length > 0 || come.length > 0) && el("ul", { class: "changed" }, changes.map(change), come.map(insight("*", "new")), gone.map(insight("*", "gone"))),
    toml && el("pre", { class: "toml", id: "toml", tabindex: "0", "aria-label": "What differs, as TOML" }, toml),
  );
}

/** Who, and which night. */
function chooser() {
  const nights = el("select", { class: "field", id: "night", onchange: () => choose(state.npc, nights.selectedIndex) });
  const npcs = el("select", { class: "field", id: "npc", onchange: () => choose(npcs.selectedIndex, 0) }, DESK.npcs.map(({ npc }) => el("option", {}, npc)));
  const choose = (npc, night) => {
    [state.npc, state.night] = [npc, night];
    nights.replaceChildren(...DESK.npcs[npc].nights.map((label) => el("option", {}, label)));
    nights.selectedIndex = night;
    replan();
  };
  choose(0, 0);
  return el("div", { class: "choose" }, el("label", {}, "NPC", npcs), el("label", {}, "Night", nights));
}

document.title = `${DESK.title} · Nightfold desk`;
document.getElementById("foot").textContent = "The nights before are as the story has them; words are found by rules. Nothing is written: copy what you like into the story’s configuration.";
main.append(
  el("div", {}, el("h1", {}, DESK.title)),
  chooser(),
  el("div", { class: "desk" }, el("section", { class: "panel knobs", "aria-label": "Knobs" }, form.place), el("div", { class: "results" }, verdict, results)),
);
