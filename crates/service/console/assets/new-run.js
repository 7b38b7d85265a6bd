// The estimate and the request beside the form, as one types. Without this script the page has a
// button for the estimate.

const form = document.getElementById("new-run");
const places = {
  estimate: document.getElementById("estimate"),
  request: document.getElementById("request"),
};

// How long nobody types before a site is looked at.
const PAUSE = 700;

let timer;
let asking;
let lookedAt = "";

// What an estimate depends on; other fields change the request alone.
function subject() {
  const fields = new FormData(form);
  const mode = fields.get("mode");
  return mode + " " + (mode === "contacts" ? fields.get("domains") : fields.get("url"));
}

// An address that is typed to its end: asking about `https://exa` helps nobody.
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
  // Signed out, or refused: the form itself will say so.
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

// Coming back to a form that is filled in.
if (form.elements.url.value || form.elements.domains.value) update();
