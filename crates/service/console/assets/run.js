// The live page of a run: the event stream updates bar, numbers, plot and the list of URLs in
// flight; results are reloaded as they arrive. The page is reloaded when the run stops or ends.

const run = document.getElementById("run");
const plot = document.getElementById("plot");
const fetching = document.getElementById("fetching");
const hosts = document.getElementById("hosts");
const announce = document.getElementById("announce");

// Maximum points of the plot.
const MOST = 300;
// Window of the result rate, in milliseconds.
const WINDOW = 10_000;
const [WIDTH, HEIGHT] = [600, 100];
// Pauses between announcements and between reloads of the results, in milliseconds.
const [SAY_EVERY, RELOAD_EVERY] = [15_000, 3_000];

const points = (plot?.dataset.points ?? "").split(" ").filter(Boolean)
  .map((point) => point.split(",").map(Number));

// The initial times are of the server; the local clock may differ.
const ahead = Date.now() - Number(run?.dataset.now);
const seen = [];
let said = Date.now();

function set(name, value) {
  for (const place of document.querySelectorAll(`[data-of="${name}"]`)) {
    if (place.textContent !== value) place.textContent = value;
  }
}

const number = (value) => Number(value).toLocaleString("en-US");
const plural = (value, noun) => (Number(value) === 1 ? noun : `${noun}s`);
const count = (value, noun) => `${number(value)} ${plural(value, noun)}`;

function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const [whole, rest, large, small] = seconds < 3_600
    ? [Math.floor(seconds / 60), seconds % 60, "min", "s"]
    : [Math.floor(seconds / 3_600), Math.floor(seconds % 3_600 / 60), "h", "min"];
  return rest === 0 ? `${whole} ${large}` : `${whole} ${large} ${rest} ${small}`;
}

function draw() {
  if (!plot || points.length < 2) return;
  const [from, to] = [points[0][0], points.at(-1)[0]];
  const most = Math.max(1, ...points.map(([, rate]) => rate));
  const x = (at) => ((at - from) / Math.max(1, to - from)) * WIDTH;
  const y = (rate) => HEIGHT - (rate / most) * (HEIGHT - 6);
  const line = points.map(([at, rate]) => `${x(at).toFixed(1)},${y(rate).toFixed(1)}`).join(" L");
  plot.querySelector(".curve").setAttribute("d", `M${line}`);
  plot.querySelector(".area").setAttribute("d", `M0,${HEIGHT} L${line} L${WIDTH},${HEIGHT} Z`);
  set("peak", most.toFixed(1));
}

// Adds the current result rate to the plot.
function follow(results) {
  const now = Date.now() - ahead;
  seen.push([now, results]);
  while (seen.length > 2 && now - seen[1][0] >= WINDOW) seen.shift();
  const [since, before] = seen[0];
  if (now - since < 500) return;
  points.push([now, ((results - before) / (now - since)) * 1000]);
  if (points.length > MOST) points.shift();
  draw();
}

// Text nodes only: URLs come from crawled sites.
function list(place, lines) {
  place?.replaceChildren(...lines.map((text) => {
    const line = document.createElement("li");
    line.textContent = text;
    line.title = text;
    return line;
  }));
}

function hostOf(url) {
  try { return new URL(url).host; } catch { return url; }
}

// The bar and the time that the known URLs need: results of a sample, otherwise processed URLs.
function advance(progress) {
  const sample = Number(run.dataset.target ?? 0);
  const of = sample || Math.max(progress.counts.pages, progress.fetched);
  const done = sample ? Math.min(progress.counts.results, sample) : progress.fetched;
  const bar = run.querySelector("progress");
  if (bar) [bar.max, bar.value] = [Math.max(of, 1), done];
  const left = progress.rate > 0 ? Math.ceil((of - done) / progress.rate) : 0;
  set("left", left > 0 ? ` · about ${duration(left)} left` : "");
  if (Date.now() - said >= SAY_EVERY) {
    said = Date.now();
    announce.textContent = `${number(done)} of ${number(of)}, ${count(progress.counts.results, "result")}`;
  }
}

function show(progress) {
  set("pages", number(Math.max(progress.counts.pages, progress.fetched)));
  set("results", number(progress.counts.results));
  set("results-word", plural(progress.counts.results, "result"));
  set("products", number(progress.counts.products));
  set("fetched", number(progress.fetched));
  set("credits", number(progress.credits_used));
  set("credits-word", plural(progress.credits_used, "credit"));
  set("rate", progress.rate === null ? "–" : progress.rate.toFixed(1));
  list(fetching, progress.fetching.slice(0, 6));
  const counted = new Map();
  for (const host of progress.fetching.map(hostOf)) counted.set(host, (counted.get(host) ?? 0) + 1);
  list(hosts, [...counted].slice(0, 6).map(([host, count]) => `${host} · ${count}`));
  advance(progress);
  follow(progress.counts.results);
}

// Shows the balance, and new results where they are shown in the order of their arrival, unless the
// reader is in the middle of them.
let shown = null;
async function reload(state) {
  if (document.hidden || state === shown) return;
  const place = document.getElementById("results");
  const grows = place?.hasAttribute("data-refresh") ?? false;
  const isRead = () => place.contains(document.activeElement) || String(getSelection()) !== "";
  if (grows && isRead()) return;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const balance = page.querySelector(".balance b")?.textContent;
    for (const it of document.querySelectorAll(".balance b")) it.textContent = balance ?? it.textContent;
    if (grows) {
      const fresh = page.getElementById("results");
      if (!fresh || isRead()) return;
      place.replaceChildren(...fresh.childNodes);
    }
    shown = state;
  } catch {
    // The server is away for a moment.
  }
}

if (run?.dataset.live) {
  const first = run.dataset.status;
  const stream = new EventSource(run.dataset.live);
  let state = null;
  const hear = (event) => {
    const progress = JSON.parse(event.data);
    show(progress);
    state = `${progress.counts.results} ${progress.fetched}`;
    // Another status needs another page: prompts and actions.
    if (progress.status !== first) {
      stream.close();
      announce.textContent = `The run is ${progress.status.replace("_", " ")}: ${count(progress.counts.results, "result")}`;
      setTimeout(() => location.reload(), 300);
    }
  };
  stream.addEventListener("progress", hear);
  stream.addEventListener("end", hear);
  addEventListener("pagehide", () => stream.close());
  if (["queued", "running"].includes(first)) {
    const started = Number(run.dataset.since) + ahead;
    setInterval(() => set("elapsed", duration(Math.max(0, Math.floor((Date.now() - started) / 1000)))), 1000);
    setInterval(() => reload(state), RELOAD_EVERY);
  }
}
