// Applies the theme that was chosen before the page is painted. A classic script, so that nothing is
// painted before it has run; without it the page follows the system.
{
  const root = document.documentElement;
  const read = () => {
    try { return localStorage.getItem("theme"); } catch { return null; }
  };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
    const select = document.getElementById("theme");
    if (select) select.value = root.dataset.theme ?? "";
  };
  // What needs a script is shown from the first paint on.
  root.dataset.script = "";
  apply(read());
  addEventListener("DOMContentLoaded", () => {
    apply(read());
    document.getElementById("theme")?.addEventListener("change", (event) => {
      const theme = event.target.value;
      try { localStorage.setItem("theme", theme); } catch { /* Not remembered in this browser. */ }
      apply(theme);
    });
  });
  // Another tab has another theme now.
  addEventListener("storage", (event) => { if (event.key === "theme") apply(event.newValue); });
}
