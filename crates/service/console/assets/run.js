// Live progress of a run: the event stream updates the numbers, the plot and the list of URLs in
// flight. The page is reloaded when the run stops or ends.

const run = document.getElementById("run");
const plot = document.getElementById("plot");
const fetching = document.getElementById("fetching");
const hosts = document.getElementById("hosts");

// Maximum points of the plot.
const MOST = 300;
// Window of the result rate, in milliseconds.
const WINDOW = 10_000;
const [WIDTH, HEIGHT] = [600, 100];

const points = (plot?.dataset.points ?? "").split(" ").filter(Boolean)
  .map((point) => point.split(",").map(Number));

// The initial times are of the server; the local clock may differ.
const ahead = Date.now() - Number(run?.dataset.now);
const seen = [];

function set(name, value) {
  const place = run.querySelector(`[data-of="${name}"]`);
  if (place && place.textContent !== value) place.textContent = value;
}

const number = (value) => Number(value).toLocaleString("en-US");

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

function show(progress) {
  set("pages", number(progress.counts.pages));
  set("results", number(progress.counts.results));
  set("products", number(progress.counts.products));
  set("fetched", number(progress.fetched));
  set("credits", number(progress.credits_used));
  set("rate", progress.rate === null ? "–" : progress.rate.toFixed(1));
  list(fetching, progress.fetching.slice(0, 6));
  const counted = new Map();
  for (const host of progress.fetching.map(hostOf)) counted.set(host, (counted.get(host) ?? 0) + 1);
  list(hosts, [...counted].slice(0, 6).map(([host, count]) => `${host} · ${count}`));
  follow(progress.counts.results);
}

if (run?.dataset.live) {
  const first = run.dataset.status;
  const stream = new EventSource(run.dataset.live);
  const hear = (event) => {
    const progress = JSON.parse(event.data);
    show(progress);
    // Another status needs another page: prompts and actions.
    if (progress.status !== first) {
      stream.close();
      location.reload();
    }
  };
  stream.addEventListener("progress", hear);
  stream.addEventListener("end", hear);
  addEventListener("pagehide", () => stream.close());
}
