// Settings: a slider and a number for each key, by section.

const SECTIONS = {
  budget: "Budgets",
  triage: "Fates",
  cluster: "Themes of the day",
  cohesion: "Parts of a theme’s cohesion",
  sleep: "Sleep",
  salience: "What a memory weighs",
  collapse: "Status lines",
  judge: "Judgement of statements",
  themes: "Themes over nights",
  reconcile: "Comparison with older entries",
  synthesis: "Syntheses",
  cap: "Insights on one subject",
};

/** All settings as a form; `changed` holds the keys with another value than the story's, and `onChange` is called after each change. */
function settingsForm({ settings, values }, changed, onChange) {
  // The values that the NPC sleeps by, without the changes: its profile may have others than the story.
  let base = values;
  const made = settings.map((setting) => settingField(setting, () => base[setting.key], changed, onChange));
  const sections = [...new Set(settings.map((setting) => setting.key.split(".")[0]))].map((name, i) => {
    const fields = made.filter((field) => field.key.startsWith(`${name}.`));
    const sum = el("small", {});
    const section = el("details", { open: i < (matchMedia("(min-width: 62rem)").matches ? 2 : 1) }, el("summary", {}, SECTIONS[name] ?? name, " ", sum), fields.map((field) => field.place));
    const mark = () => {
      const n = fields.filter((field) => changed.has(field.key)).length;
      sum.textContent = n ? `${n} changed` : "";
    };
    const filter = (query) => {
      const found = fields.filter((field) => {
        field.place.hidden = !field.says.includes(query);
        return !field.place.hidden;
      });
      section.hidden = found.length === 0;
      if (query && found.length) section.open = true;
      return found.length;
    };
    return { section, mark, filter, open: () => (section.open ||= fields.some((field) => changed.has(field.key))) };
  });
  const mark = () => {
    made.forEach((field) => field.place.classList.toggle("changed-setting", changed.has(field.key)));
    sections.forEach((section) => section.mark());
  };
  const take = () => {
    made.forEach((field) => field.take());
    sections.forEach((section) => section.open());
    mark();
  };
  /** Takes the values of the NPC that is shown; a change to such a value is none. */
  const rebase = (own) => {
    base = own;
    changed.forEach((value, key) => value === base[key] && changed.delete(key));
    take();
  };
  const search = el("input", { class: "field", type: "search", id: "find-setting", placeholder: "Find a setting", "aria-label": "Find a setting by its name, key or meaning" });
  search.addEventListener("input", () => {
    const query = search.value.trim().toLowerCase();
    const found = sections.reduce((sum, section) => sum + section.filter(query), 0);
    say(query ? count(found, "setting") : "");
  });
  mark();
  return { place: el("form", { onsubmit: (event) => event.preventDefault() }, search, sections.map(({ section }) => section)), mark, take, rebase };
}

function settingField(setting, value, changed, onChange) {
  const id = `setting-${setting.key.replace(".", "-")}`;
  const set = (given) => {
    if (given === value()) changed.delete(setting.key);
    else changed.set(setting.key, given);
    onChange();
  };
  const current = () => changed.get(setting.key) ?? value();
  const about = el("p", { id: `${id}-about` }, setting.about);
  const says = `${setting.key} ${setting.name} ${setting.about}`.toLowerCase();
  const label = el("label", { for: id, title: setting.key }, setting.name);
  if (setting.words) {
    const select = el("select", { id, title: setting.key, "aria-describedby": about.id, onchange: () => set(select.value) }, setting.words.map((word) => el("option", { value: word }, word)));
    const take = () => (select.value = current());
    take();
    return { key: setting.key, says, place: el("div", { class: "setting" }, label, select, about), take };
  }
  const { low, high, step } = setting;
  const [from, to] = setting["from_to"];
  const slider = el("input", { type: "range", id, min: from, max: to, step, title: setting.key, "aria-describedby": about.id });
  const number = el("input", { type: "number", min: low ?? undefined, max: high ?? undefined, step: "any", title: setting.key, "aria-label": `${setting.name}, any value` });
  const take = () => ([slider.value, number.value] = [current(), current()]);
  slider.addEventListener("input", () => {
    number.value = slider.value;
    set(Number(slider.value));
  });
  number.addEventListener("input", () => {
    if (number.value === "") return;
    slider.value = number.value;
    set(Number(number.value));
  });
  take();
  return { key: setting.key, says, place: el("div", { class: "setting" }, label, number, slider, about), take };
}

/** Reads the changed settings out of the parameters of an address. Whatever is no setting, or cannot be one's value, is left out. */
function settingsOf(parameters, { settings }) {
  return settings.flatMap(({ key, words }) => {
    const text = parameters.get(key);
    if (text === null) return [];
    const value = words ? text : Number(text);
    const fits = words ? words.includes(text) : text.trim() !== "" && Number.isFinite(value);
    return fits ? [[key, value]] : [];
  });
}
