// Knobs: a slider and a number for each key, by section.

const SECTIONS = {
  budget: "Budgets",
  triage: "Fates",
  cluster: "Themes of the day",
  cohesion: "What cohesion is made of",
  sleep: "Sleep",
  themes: "Themes over nights",
  reconcile: "Against what is known",
  synthesis: "Telling as one",
  cap: "Insights on one subject",
};

/** All knobs as a form; `turned` holds the keys that stand elsewhere than the story has them, and `changed` is told. */
function knobForm({ knobs, values }, turned, changed) {
  const made = knobs.map((knob) => knobField(knob, values[knob.key], turned, changed));
  const sections = [...new Set(knobs.map((knob) => knob.key.split(".")[0]))].map((name, i) => {
    const fields = made.filter((field) => field.key.startsWith(`${name}.`));
    const count = el("small", {});
    const section = el("details", { open: i < (matchMedia("(min-width: 62rem)").matches ? 2 : 1) }, el("summary", {}, SECTIONS[name] ?? name, " ", count), fields.map((field) => field.place));
    return { section, mark: () => (count.textContent = [fields.filter((field) => turned.has(field.key)).length].map((n) => (n ? `${n} turned` : "")).join("")) };
  });
  const mark = () => {
    made.forEach((field) => field.place.classList.toggle("turned", turned.has(field.key)));
    sections.forEach((section) => section.mark());
  };
  mark();
  return { place: el("form", { onsubmit: (event) => event.preventDefault() }, sections.map(({ section }) => section)), mark, reset: () => made.forEach((field) => field.reset()) };
}

function knobField(knob, value, turned, changed) {
  const id = `knob-${knob.key.replace(".", "-")}`;
  const take = (given) => {
    if (given === value) turned.delete(knob.key);
    else turned.set(knob.key, given);
    changed();
  };
  const about = el("p", { id: `${id}-about` }, knob.about);
  // Broken at underscores, where it must be broken.
  const name = knob.key.split(".")[1].split("_").flatMap((part, i) => (i ? ["_", el("wbr"), part] : [part]));
  const label = el("label", { for: id, title: knob.key }, name);
  if (knob.words) {
    const select = el("select", { id, "aria-describedby": about.id, onchange: () => take(select.value) }, knob.words.map((word) => el("option", { value: word }, word)));
    const reset = () => (select.value = value);
    reset();
    return { key: knob.key, place: el("div", { class: "knob" }, label, select, about), reset };
  }
  const { low, high, step } = knob;
  const [from, to] = knob["from_to"];
  const slider = el("input", { type: "range", id, min: from, max: to, step, "aria-describedby": about.id });
  const number = el("input", { type: "number", min: low ?? undefined, max: high ?? undefined, step: "any", "aria-label": `${knob.key}, any value` });
  const reset = () => ([slider.value, number.value] = [value, value]);
  slider.addEventListener("input", () => {
    number.value = slider.value;
    take(Number(slider.value));
  });
  number.addEventListener("input", () => {
    if (number.value === "") return;
    slider.value = number.value;
    take(Number(number.value));
  });
  reset();
  return { key: knob.key, place: el("div", { class: "knob" }, label, number, slider, about), reset };
}
