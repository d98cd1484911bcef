// Light and dark: the system's preference, unless a reader chose.

const SYSTEM_DARK = matchMedia("(prefers-color-scheme: dark)");
const schemeListeners = new Set();

function showScheme() {
  const chosen = document.querySelector("input[name=scheme]:checked").value;
  const dark = chosen === "dark" || (chosen === "auto" && SYSTEM_DARK.matches);
  document.documentElement.dataset.scheme = dark ? "dark" : "light";
  schemeListeners.forEach((listener) => listener());
}

/** The value of one of the page's colours, for canvases, which do not read style sheets. */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

document.querySelector(".scheme").addEventListener("change", showScheme);
SYSTEM_DARK.addEventListener("change", showScheme);
showScheme();
