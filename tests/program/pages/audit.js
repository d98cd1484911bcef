// Finds what keeps people out of a page: too little contrast, controls without a name, focus that cannot be seen,
// ids given twice, references to nothing, headings that skip a level. Returns a line for each finding.
() => {
  const wrong = [];
  const tell = (what, element) => wrong.push(`${what}: <${element.localName}${element.id ? ` id=${element.id}` : ""} class="${element.className}"> ${element.textContent.trim().slice(0, 40)}`);
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".unseen, [inert]");

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((x, i) => x * a + below[i] * (1 - a));
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (!hasText || !isShown(element) || element.closest("script, style, noscript, option, :disabled")) continue;
    const style = getComputedStyle(element);
    const below = ground(element);
    const [one, other] = [light(over(rgba(style.color), below)), light(below)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < least) tell(`contrast ${ratio.toFixed(2)}`, element);
  }

  const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter(isShown);
  for (const control of controls) {
    const named = control.textContent.trim() || control.ariaLabel || control.labels?.length || control.title || control.getAttribute("aria-labelledby");
    if (!named || (control.matches("select, textarea") && !control.ariaLabel && !control.labels.length)) tell("no name", control);
    if (control.disabled) continue;
    control.focus();
    const style = getComputedStyle(control);
    const isSeen = [style, getComputedStyle(control.nextElementSibling ?? control)].some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0);
    if (document.activeElement === control && control.matches(":focus-visible") && !isSeen) tell("focus is not seen", control);
  }

  const ids = new Set();
  for (const element of document.querySelectorAll("[id]")) {
    if (ids.has(element.id)) tell("id given twice", element);
    ids.add(element.id);
  }
  for (const element of document.querySelectorAll("[aria-labelledby], [aria-describedby], label[for]")) {
    const names = ["aria-labelledby", "aria-describedby", "for"].flatMap((name) => (element.getAttribute(name) ?? "").split(" ").filter(Boolean));
    if (names.some((id) => !ids.has(id))) tell("refers to nothing", element);
  }
  let level = 0;
  for (const heading of [...document.querySelectorAll("h1, h2, h3, h4")].filter(isShown)) {
    const own = Number(heading.localName[1]);
    if (own > level + 1) tell(`heading skips from ${level}`, heading);
    level = own;
  }
  if (document.querySelectorAll("main").length !== 1 || !document.documentElement.lang || !document.title) wrong.push("no main, language or title");
  return [...new Set(wrong)];
}
