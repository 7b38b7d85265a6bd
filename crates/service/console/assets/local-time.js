// Shows times in the time zone of the reader. Their titles have them in UTC.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const two = (value) => String(value).padStart(2, "0");

// The local time in the form and length that the server has written.
function localize(time) {
  const at = new Date(time.dateTime);
  if (time.dataset.local || Number.isNaN(at.getTime())) return;
  time.dataset.local = "1";
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const shown = `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  time.textContent = shown.slice(0, time.textContent.length);
}

function localizeAll(place) {
  for (const time of place.querySelectorAll("time[datetime]")) localize(time);
}

localizeAll(document);
const note = document.getElementById("zone");
if (note && zone) note.textContent = `Times in ${zone.replaceAll("_", " ")}`;
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) if (node instanceof Element) localizeAll(node.parentElement ?? node);
  }
}).observe(document.body, { childList: true, subtree: true });
