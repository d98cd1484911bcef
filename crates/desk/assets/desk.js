// The desk: change a setting, and the night is planned again.

const DESK = JSON.parse(document.getElementById("desk").textContent);
const main = document.getElementById("main");
const changed = new Map();
const state = { npc: 0, night: 0, asking: false, again: false };
const results = el("div", { class: "results" });
const verdict = el("div", { class: "panel verdict" });
const form = settingsForm(DESK, changed, replan);
const choice = chooser();

/** Values that the form has, as text. */
let formOf;

/** Importance of a memory that the game did not rate. */
const UNRATED = 5;

/** Takes the night and the changed settings from the address. */
function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const index = (name, otherwise, count) => {
    const n = Number.parseInt(parameters.get(name), 10);
    return n >= 0 && n < count ? n : otherwise;
  };
  state.npc = index("npc", DESK.opens, DESK.npcs.length);
  const npc = DESK.npcs[state.npc];
  state.night = index("night", npc?.opens ?? 0, npc?.nights.length ?? 0);
  changed.clear();
  settingsOf(parameters, DESK).forEach(([key, value]) => changed.set(key, value));
  choice.show();
  form.take();
}

/** Keeps the night and the changed settings in the address: a link opens them again. */
function writeAddress() {
  const parameters = new URLSearchParams({ npc: state.npc, night: state.night });
  changed.forEach((value, key) => parameters.set(key, value));
  // No step of the history: a slider makes many.
  history.replaceState(undefined, "", `#${parameters}`);
}

/** Asks for the night under the settings as they are. One request at a time; the last one counts. */
async function replan() {
  form.mark();
  writeAddress();
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
  const body = JSON.stringify({ npc: state.npc, night: state.night, set: Object.fromEntries(changed) });
  try {
    const answer = await fetch("plan", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    const told = isJson ? await answer.json() : { error: await answer.text() };
    if (!answer.ok) return showWrong(told.error);
    takeValues(told.values);
    showAnswer(told);
  } catch (error) {
    showWrong(`The desk does not answer (${error.message}). Is nightfold still running?`);
  }
}

/** Gives the form the values that the night sleeps by, unless it has them: sliders are not moved under the hand. */
function takeValues(values) {
  const shown = JSON.stringify(values);
  if (shown === formOf) return;
  formOf = shown;
  form.rebase(values);
  writeAddress();
}

function showWrong(text) {
  verdict.replaceChildren(el("p", { class: "wrong", role: "alert" }, text), resetButton());
}

function resetButton() {
  return el("button", { class: "button", type: "button", onclick: resetSettings }, "Reset all settings");
}

function resetSettings() {
  changed.clear();
  form.take();
  replan();
}

/** Memories with another fate than before, and insights gained or lost; the most important first. */
function changesOf(before, after) {
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

function showAnswer({ before, after, milliseconds, toml: lines }) {
  const toml = lines.map((line) => `${line}\n`).join("");
  const { fates, changes } = changesOf(before, after);
  const told = changed.size === 0 ? "As the story has it" : `${count(fates, "memory has", "memories have")} another fate`;
  const time = el("span", { class: "faint small", id: "time" }, `planned in ${milliseconds.toFixed(1)} ms`);
  verdict.replaceChildren(...[el("strong", {}, told), time, changed.size > 0 && resetButton(), copyButton(toml)].filter(Boolean));
  say(told);
  const open = scrollY;
  dropCharts();
  results.replaceChildren(comparePanel(before, after, changes, toml), ...nightPanels(after));
  scrollTo(0, open);
}

function copyButton(toml) {
  const button = el("button", { class: "button", type: "button", id: "copy", disabled: toml === "", onclick: copy }, "Copy as TOML");
  async function copy() {
    try {
      await navigator.clipboard.writeText(toml);
      button.textContent = "Copied";
    } catch {
      // Without access to the clipboard the text is selected, ready to be copied by hand.
      const shown = document.getElementById("toml");
      getSelection().selectAllChildren(shown);
      button.textContent = "Selected below";
      shown.scrollIntoView({ block: "nearest" });
    }
  }
  return button;
}

function comparePanel(before, after, changes, toml) {
  const line = (name, night) => [el("span", { class: "faint" }, name), strip(fatesOf(night), true), el("span", { class: "number" }, `${night.totals.kept} kept`)];
  const weight = ({ importance }) => el("span", { class: "faint small number weight", title: "importance" }, unseen("importance "), importance ?? "–");
  const change = (of) =>
    of.name
      ? el("li", {}, weight(of), mark("*", "an insight"), el("span", {}, el("span", { class: "faint small" }, `${of.name}: `), words(of.text)))
      : el("li", { "data-fate": of.to }, weight(of), mark(of.from), el("span", { class: "arrow", "aria-label": "becomes" }, "→"), mark(of.to), el("span", {}, words(of.text), el("span", { class: "faint small" }, ` ${because(of.why)}`)));
  return panel(
    "compare",
    "Before and after",
    "as the story has it, and with the settings changed",
    el("div", { class: "compare" }, line("before", before), line("after", after)),
    key(fatesOf(after)),
    changes.length > 0 && [el("p", { class: "faint small" }, "Changes, the most important first"), longList(el("ul", { class: "changed" }), changes, change)],
    toml && el("pre", { class: "toml", id: "toml", tabindex: "0", "aria-label": "Differences, as TOML" }, toml),
  );
}

/** The choice of the NPC and of the night. */
function chooser() {
  const nights = el("select", { class: "field", id: "night", onchange: () => choose(state.npc, nights.selectedIndex) });
  const npcs = el("select", { class: "field", id: "npc", onchange: () => choose(npcs.selectedIndex, DESK.npcs[npcs.selectedIndex].opens) }, DESK.npcs.map(({ npc }) => el("option", {}, npc)));
  const show = () => {
    npcs.selectedIndex = state.npc;
    nights.replaceChildren(...(DESK.npcs[state.npc]?.nights ?? []).map((label) => el("option", {}, label)));
    nights.selectedIndex = state.night;
  };
  const choose = (npc, night) => {
    [state.npc, state.night] = [npc, night];
    show();
    replan();
  };
  return { place: el("div", { class: "choose" }, el("label", {}, "NPC", npcs), el("label", {}, "Night", nights)), show };
}

document.title = `${DESK.title} · Nightfold desk`;
document.getElementById("foot").textContent = "The nights before are as the story has them; texts are written by rules. Nothing is written: copy what you like into the story’s configuration.";
main.append(
  el("div", {}, el("h1", {}, DESK.title)),
  choice.place,
  el("div", { class: "desk" }, el("section", { class: "panel settings", "aria-label": "Settings" }, form.place), el("div", { class: "results" }, verdict, results)),
);
addEventListener("hashchange", () => {
  // A skip link leads to an element of the page: the settings stay in the address.
  if (/^#[a-z]+$/.test(location.hash)) return writeAddress();
  readAddress();
  replan();
});
readAddress();
replan();
