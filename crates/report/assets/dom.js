// Making elements. All text goes in as text nodes: nothing a player wrote is ever read as HTML.

/** An element with properties (`class`, `data-…`, `aria-…`, `on…` or any attribute) and children; strings become text. */
function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

/** Words of an NPC or a player, set apart so that their writing direction stays their own. */
function words(text, name = "span") {
  return el(name, { class: "words", dir: "auto" }, text);
}

/** As `words`, with the query marked. */
function found(text, query) {
  const at = query ? text.toLowerCase().indexOf(query.toLowerCase()) : -1;
  if (at < 0) return words(text);
  const end = at + query.length;
  return el("span", { class: "words", dir: "auto" }, text.slice(0, at), el("mark", {}, text.slice(at, end)), text.slice(end));
}

/** Text for screen readers only. */
function unseen(text) {
  return el("span", { class: "unseen" }, text);
}

/** `1 memory`, `3 memories`. */
function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/** Announces a text to screen readers. */
function say(text) {
  document.getElementById("live").textContent = text;
}

/** Said where a search has no result. */
function nothingFound(query) {
  return el("p", { class: "faint nothing" }, "Nothing found for “", words(query), "”.");
}

/** Part of a page with a heading and, beside it, a remark. */
function panel(id, title, remark, ...children) {
  return el(
    "section",
    { class: "panel", "aria-labelledby": id },
    el("header", {}, el("h2", { id }, title), remark && el("p", {}, remark)),
    children,
  );
}

/** Number of items of a list that are shown at first. */
const SHOWN_AT_FIRST = 60;

/** A list with a button for the items that are not shown at first. */
function longList(list, items, make) {
  const more = el("button", { class: "button small", type: "button", onclick: () => fill(items.length) });
  const fill = (most) => {
    const from = list.children.length;
    list.append(...items.slice(from, most).map(make));
    more.hidden = list.children.length >= items.length;
    more.textContent = `Show ${items.length - list.children.length} more`;
  };
  fill(SHOWN_AT_FIRST);
  return [list, more];
}

/** A table that opens on demand: the numbers of a chart, to be read. */
function tableBehind(columns, rows) {
  const details = el("details", { class: "table" }, el("summary", {}, "As a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table")) return;
    const cell = (value) =>
      el("td", typeof value === "number" ? { class: "number" } : {}, typeof value === "number" ? value.toLocaleString("en") : value);
    details.append(
      el(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" },
        el(
          "table",
          {},
          el("thead", {}, el("tr", {}, columns.map((name, i) => el("th", { scope: "col", class: i > 0 && typeof rows[0]?.[i] === "number" && "number" }, name)))),
          el("tbody", {}, rows.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row" }, first), rest.map(cell)))),
        ),
      ),
    );
  });
  return details;
}
