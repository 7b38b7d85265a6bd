// Live counts in the list of runs: reloads the rows while a shown run is active.

const EVERY = 3000;

async function refresh() {
  const list = document.getElementById("list");
  if (!list?.querySelector("[data-live]")) return;
  // Replacing a row would take the focus and the selection away from it.
  const isFocused = () => list.contains(document.activeElement) || list.querySelector(":checked");
  if (!document.hidden && !isFocused()) {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("list");
      if (fresh && !isFocused()) list.replaceChildren(...fresh.childNodes);
    } catch {
      // The server is away for a moment.
    }
  }
  setTimeout(refresh, EVERY);
}

setTimeout(refresh, EVERY);
