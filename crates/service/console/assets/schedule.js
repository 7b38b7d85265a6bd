// Shows the next starts of a schedule while its fields change.

const form = document.querySelector("form:has(.timetable)");
const preview = document.getElementById("preview");
let newest = 0;

async function refresh() {
  const turn = ++newest;
  const fields = new URLSearchParams();
  for (const name of ["every", "at", "weekday", "monthday", "cron", "timezone"]) {
    fields.set(name, form.elements[name].value);
  }
  try {
    const answer = await fetch(`/schedules/preview?${fields}`, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.ok && turn === newest) preview.replaceChildren(...page.body.childNodes);
  } catch {
    // The server is away for a moment; it checks the fields anyway.
  }
}

if (form && preview) {
  const zone = form.elements.timezone;
  // A new schedule is in the zone of the reader.
  if (zone.value === "UTC" && form.id === "new-schedule") {
    zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
    if (zone.value !== "UTC") refresh();
  }
  let timer;
  form.querySelector(".timetable").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, 200);
  });
}
