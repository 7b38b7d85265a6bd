// Keyboard shortcuts, which the dialog of "?" lists. Nothing happens while a field has the focus, with
// another key held, or after they are turned off.

const PATHS = { r: "/runs", s: "/schedules", a: "/account", d: "/docs" };
// Milliseconds between the keys of "g r".
const PAUSE = 1500;

const dialog = document.getElementById("shortcuts");
const opener = document.getElementById("open-shortcuts");
const choice = document.getElementById("use-shortcuts");
let wentAt = -Infinity;

const isOn = () => {
  try { return localStorage.getItem("shortcuts") !== "off"; } catch { return true; }
};

function isTyping(element) {
  if (element?.isContentEditable || element?.matches("textarea, select")) return true;
  return element?.matches("input:not([type=checkbox], [type=radio], [type=submit], [type=button])");
}

function search() {
  const fields = [...document.querySelectorAll("main input[type=search]")];
  const field = fields.find((it) => it.checkVisibility());
  // The browser focuses the field that the fragment names.
  if (!field) location.assign("/runs#q");
  field?.focus();
  field?.select();
}

function press(key, at) {
  if (at - wentAt < PAUSE) {
    wentAt = -Infinity;
    if (PATHS[key]) location.assign(PATHS[key]);
    return Boolean(PATHS[key]);
  }
  if (key === "g") wentAt = at;
  else if (key === "/") search();
  else if (key === "n") location.assign("/runs/new");
  else if (key === "?") dialog.showModal();
  else return false;
  return true;
}

if (dialog) {
  opener.addEventListener("click", () => dialog.showModal());
  choice.checked = isOn();
  choice.addEventListener("change", () => {
    try { localStorage.setItem("shortcuts", choice.checked ? "on" : "off"); } catch { /* Private. */ }
  });
  document.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, isComposing, timeStamp, target } = event;
    if (ctrlKey || metaKey || altKey || isComposing || dialog.open || !isOn() || isTyping(target)) return;
    if (press(key, timeStamp)) event.preventDefault();
  });
}
