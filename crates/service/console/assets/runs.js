// Live counts in the list of runs: reloads the rows while a shown run is active.

const EVERY = 3000;

async function refresh() {
  const list = document.getElementById("list");
  if (!list?.querySelector("[data-live]")) return;
  if (!document.hidden && !list.contains(document.activeElement)) {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("list");
      if (fresh) list.replaceChildren(...fresh.childNodes);
    } catch {
      // The server is away for a moment.
    }
  }
  setTimeout(refresh, EVERY);
}

setTimeout(refresh, EVERY);
