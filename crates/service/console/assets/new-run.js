// Updates estimate and request while the user types. Without this script the page has a button for
// the estimate.

const form = document.getElementById("new-run");
const places = {
  estimate: document.getElementById("estimate"),
  request: document.getElementById("request"),
};

// Milliseconds without input before an estimate is requested.
const PAUSE = 700;

let timer;
let asking;
let lookedAt = "";

// The fields that an estimate depends on: target, scope and options.
function subject() {
  const fields = new FormData(form);
  const names = /^(mode|url|route|urls|domains|scope\..*|options\..*)$/;
  return JSON.stringify([...fields].filter(([name]) => names.test(name)));
}

// Whether the URL looks complete: no estimate for `https://exa`.
function isComplete() {
  const fields = new FormData(form);
  if (fields.get("mode") === "contacts") return true;
  return /^(https?:\/\/)?[^\s\/.]+\.[^\s\/.]{2,}|^https?:\/\/(localhost|\[|\d+\.)/i.test(fields.get("url").trim());
}

async function ask(what, signal) {
  const answer = await fetch("/runs/new/" + what, {
    method: "POST",
    body: new URLSearchParams(new FormData(form)),
    signal,
  });
  // Signed out or rejected: the form shows the error when it is sent.
  if (!answer.ok) return;
  places[what].innerHTML = await answer.text();
}

async function update() {
  ask("request").catch(() => {});
  const now = subject();
  if (now === lookedAt || !isComplete()) return;
  lookedAt = now;
  asking?.abort();
  asking = new AbortController();
  places.estimate.setAttribute("aria-busy", "true");
  try {
    await ask("estimate", asking.signal);
    places.estimate.removeAttribute("aria-busy");
  } catch (error) {
    if (error.name !== "AbortError") lookedAt = "";
  }
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(update, PAUSE);
});

// The browser may restore a filled form.
if (form.elements.url.value || form.elements.domains.value) update();
