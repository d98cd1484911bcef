// The desk: change a setting, and the night is planned again.

const DESK = JSON.parse(document.getElementById("desk").textContent);
const main = document.getElementById("main");
const changed = new Map();
/** Changed memories, by NPC and id. */
const edits = new Map();
const state = { npc: 0, night: 0, asking: false, again: false };
const [verdict, flips] = [el("div", { class: "panel verdict" }), el("span", { class: "faint small", id: "flips" })];
const [first, rest] = [el("div", { class: "results" }), el("div", { class: "results" })];
/** What is planned of the whole story, which takes longer than the night. */
const [expected, nights] = [el("div", {}), el("div", {})];
const form = settingsForm(DESK, changed, replan);
const choice = chooser();

/** Values that the form has, as text. */
let formOf;

/** Milliseconds without a change after which the night is drawn in full and the whole story is planned: what has changed is on the screen before. */
const CALM = 250;

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

/** Asks the desk about the night under the settings as they are. What fails is told as `error`. */
async function ask(what, more = {}) {
  const body = JSON.stringify({ npc: state.npc, night: state.night, set: Object.fromEntries(changed), edits: [...edits.values()], ...more });
  try {
    const answer = await fetch(what, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    return isJson ? await answer.json() : { error: await answer.text() };
  } catch (error) {
    return { error: `The desk does not answer (${error.message}). Is nightfold still running?` };
  }
}

async function askOnce() {
  const told = await ask("plan");
  if (told.error) return showWrong(told.error);
  takeValues(told.values);
  showAnswer(told);
  askStory();
}

/** Plans the whole story once nothing has changed for a moment; what is asked meanwhile is asked anew. */
async function askStory() {
  clearTimeout(state.calm);
  if (state.telling) {
    state.tellAgain = true;
    return;
  }
  state.calm = setTimeout(async () => {
    state.telling = true;
    const told = await ask("story");
    state.telling = false;
    if (state.tellAgain) {
      state.tellAgain = false;
      return askStory();
    }
    showStory(told);
  }, CALM);
}

function showStory(told) {
  if (told.error) return expected.replaceChildren(el("p", { class: "wrong" }, told.error));
  const flipped = told.expectations.filter(({ holds: [was, is] }) => was !== is);
  flips.textContent = flipped.length ? `${count(flipped.length, "expectation flips", "expectations flip")}` : "";
  if (flipped.length) say(`${verdict.querySelector("strong")?.textContent}; ${flips.textContent}`);
  expected.replaceChildren(...[expectationsPanel(told)].filter(Boolean));
  nights.replaceChildren(...[nightsPanel(told, DESK.npcs, choice.choose, state)].filter(Boolean));
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
  if (!verdict.isConnected) first.replaceChildren(verdict);
}

function resetButton() {
  return el("button", { class: "button", type: "button", onclick: resetSettings }, "Reset all");
}

function resetSettings() {
  changed.clear();
  edits.clear();
  form.take();
  replan();
}

function showAnswer({ before, after, milliseconds, toml: lines, profile }) {
  const text = (of) => of.map((line) => `${line}\n`).join("");
  const toml = text(lines);
  const { fates, changes } = differencesOf(before, after);
  const told = changed.size + edits.size === 0 ? "As the story has it" : `${count(fates, "memory has", "memories have")} another fate`;
  const time = el("span", { class: "faint small", id: "time" }, `planned in ${milliseconds.toFixed(1)} ms`);
  const edited = edits.size > 0 && el("span", { class: "faint small" }, `${count(edits.size, "memory", "memories")} changed`);
  const copied = copyable("as TOML", toml, "toml");
  copied.button.id = "copy";
  copied.button.disabled = toml === "";
  verdict.replaceChildren(...[el("strong", {}, told), flips, edited, time, changed.size + edits.size > 0 && resetButton(), copied.button].filter(Boolean));
  say(told);
  flips.textContent = "";
  const own = profile && copyable(`as a profile of ${DESK.npcs[state.npc].npc}`, text(profile), "profile");
  const settings = toml && [copied.shown, own && el("details", {}, el("summary", {}, "For this NPC alone"), own.shown, own.button)];
  const sides = [["before", before], ["after", after]];
  first.replaceChildren(verdict, differencesPanel(sides, changes, "as the story has it, and as changed here", settings), expected);
  clearTimeout(state.drawing);
  state.drawing = setTimeout(() => drawNight(after), CALM);
}

/** Draws the night in full, with its charts; rows that are open stay open. */
function drawNight(night) {
  const open = scrollY;
  const rows = [...rest.querySelectorAll(".memory[open]")].map((row) => row.dataset.id);
  dropCharts();
  rest.replaceChildren(nights, ...nightPanels(night, undefined, (memory) => memoryTools(memory, tools)));
  night.memories.forEach(({ id }, i) => {
    const row = rest.querySelector(`.memory[data-memory="${i}"]`);
    if (!row) return;
    row.dataset.id = id;
    if (rows.includes(id)) row.open = true;
  });
  scrollTo(0, open);
}

/** What the page does with a memory. */
const tools = {
  ask: (id) => ask("memory", { id }),
  present(key, memory) {
    if (key === "importance") return ["Importance of this memory", memory.importance ?? "not given"];
    if (key === "pinned") return ["Pinned", memory.pinned ? "true" : "false"];
    return [DESK.settings.find((setting) => setting.key === key).name, changed.get(key) ?? JSON.parse(formOf)[key]];
  },
  take({ key, to }, memory) {
    if (key === "importance" || key === "pinned") return tools.edit(memory.id, { ...edited(memory), [key]: to });
    changed.set(key, to);
    form.take();
    replan();
  },
  isEdited: (id) => edits.has(`${state.npc} ${id}`),
  edit(id, values) {
    if (values) edits.set(`${state.npc} ${id}`, { npc: DESK.npcs[state.npc].npc, id, ...values });
    else edits.delete(`${state.npc} ${id}`);
    replan();
  },
};

/** The parts of a memory that can be changed, as they are. */
function edited({ text, importance, kind = "event", pinned = false }) {
  return { text, importance: importance ?? null, kind, pinned };
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
  return { choose, place: el("div", { class: "choose" }, el("label", {}, "NPC", npcs), el("label", {}, "Night", nights)), show };
}

document.title = `${DESK.title} · Nightfold desk`;
document.getElementById("foot").textContent = "The nights before are as the story has them; texts are written by rules. Nothing is written: copy what you like into the story’s configuration.";
main.append(
  el("div", {}, el("h1", {}, DESK.title)),
  choice.place,
  el("div", { class: "desk" }, first, el("section", { class: "panel settings", "aria-label": "Settings" }, form.place), rest),
);
addEventListener("hashchange", () => {
  // A skip link leads to an element of the page: the settings stay in the address.
  if (/^#[a-z]+$/.test(location.hash)) return writeAddress();
  readAddress();
  replan();
});
readAddress();
replan();
