// What the desk offers for a memory: why it has its fate and what would change that, and to change the memory itself.

const MEMORY_KINDS = ["event", "chat", "thought", "status", "reflection"];

/** A line of text that is copied, or selected if the clipboard is closed. */
function copyable(name, text, id) {
  const shown = el("pre", { class: "toml", id, tabindex: "0", "aria-label": name }, text);
  const button = el("button", { class: "button small", type: "button", onclick: copy }, `Copy ${name}`);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // Without access to the clipboard the text is selected, ready to be copied by hand.
      getSelection().selectAllChildren(shown);
      button.textContent = "Selected below";
      shown.scrollIntoView({ block: "nearest" });
    }
  }
  return { button, shown };
}

/** A value as a reader would write it. */
function written(value) {
  return typeof value === "number" ? String(Math.round(value * 1e4) / 1e4) : String(value);
}

/**
 * The tools of a memory. `desk` asks about it (`ask`), knows what it would be set to (`present`), takes a way (`take`), and takes a
 * changed memory (`edit`; without one the memory is as the story has it).
 */
function memoryTools(memory, desk) {
  const answer = el("div", { class: "answer", role: "status" });
  const question = memory.fate === "+" ? "What would let it go?" : "What would keep it?";
  const button = el("button", { class: "button small ask", type: "button", onclick: ask }, question);
  async function ask() {
    button.disabled = true;
    answer.replaceChildren(el("p", { class: "faint" }, "Trying every setting …"));
    const told = await desk.ask(memory.id);
    button.disabled = false;
    answer.replaceChildren(...(told.error ? [el("p", { class: "wrong" }, told.error)] : answerOf(told, memory, desk)));
  }
  return el("div", { class: "tools" }, button, answer, editForm(memory, desk));
}

function answerOf({ ways, line, expectation }, memory, desk) {
  const aim = memory.fate === "+" ? "lets it go" : "keeps it";
  const item = (way) => {
    const [name, from] = desk.present(way.key, memory);
    const others = way.others === 0 ? "nothing else changes" : `${count(way.others, "other memory changes", "other memories change")}`;
    return el("li", {}, el("button", { class: "plain way", type: "button", title: way.key, onclick: () => desk.take(way, memory) }, `${name}: ${written(from)} → ${written(way.to)}`), el("span", { class: "faint small" }, ` ${others}`));
  };
  const list = ways.length > 0 ? [el("p", { class: "faint small" }, `Each of these alone ${aim}; choose one to try it`), el("ul", { class: "ways" }, ways.map(item))] : [el("p", {}, `No single setting ${aim}, and neither does its rating.`)];
  const texts = [["as an expectation", expectation, "expectation"], ["as a line of its day", line, "line"]].map(([name, text, id]) => copyable(name, text, `${id}-of-memory`));
  return [...list, ...texts.flatMap(({ button, shown }) => [shown, button])];
}

/** Text, importance, kind and pin of a memory, to be changed. */
function editForm(memory, desk) {
  const text = el("textarea", { class: "field", rows: 3, "aria-label": "Text", dir: "auto" });
  text.value = memory.text;
  const importance = el("input", { class: "field", type: "number", min: 1, max: 10, step: 1, value: memory.importance });
  const kind = el("select", { class: "field" }, MEMORY_KINDS.map((name) => el("option", { value: name, selected: name === (memory.kind ?? "event") }, name)));
  const pinned = el("input", { type: "checkbox", checked: memory.pinned });
  const submit = (event) => {
    event.preventDefault();
    const rating = importance.value === "" ? null : Number(importance.value);
    desk.edit(memory.id, { text: text.value, importance: rating, kind: kind.value, pinned: pinned.checked });
  };
  const back = desk.isEdited(memory.id) && el("button", { class: "button small", type: "button", onclick: () => desk.edit(memory.id) }, "As the story has it");
  const form = el("form", { class: "edit", onsubmit: submit }, text, el("div", { class: "fields" }, el("label", {}, "Importance ", importance), el("label", {}, "Kind ", kind), el("label", {}, pinned, " pinned"), el("button", { class: "button small", type: "submit" }, "Try it"), back));
  return el("details", { class: "change" }, el("summary", {}, "Change this memory"), form);
}
