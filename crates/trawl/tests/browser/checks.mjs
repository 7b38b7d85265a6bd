// Checks that apply to every page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Collects script errors, policy violations and dialogs, and counts layout shifts from the start.
export async function listen(page) {
  const heard = [];
  page.on("console", (message) => {
    if (message.type() === "error") heard.push(`console error: ${message.text()}`);
  });
  page.on("pageerror", (error) => heard.push(`a script failed: ${error}`));
  page.on("dialog", (dialog) => {
    heard.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  // Images of shops are not available here.
  await page.route(/^https:/, (route) => route.fulfill({ status: 200, contentType: "image/svg+xml", body: "<svg xmlns='http://www.w3.org/2000/svg'/>" }));
  await page.addInitScript(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const moved = entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.textContent);
        if (!entry.hadRecentInput) window.shifts.push({ by: entry.value, moved });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return heard;
}

export function checks(visit) {
  const always = [noForeignScript, noHorizontalOverflow];
  if (!visit.script) return always;
  const live = [...always, noLayoutShift, readableText];
  if (visit.touch) live.push(touchTargets);
  return live;
}

// No script of a crawled site runs, and only http and https URLs are links.
async function noForeignScript(page, say) {
  const found = await page.evaluate(() => ({
    ran: window.poisoned !== undefined,
    scripts: [...document.querySelectorAll("script")].filter((it) => !it.src.startsWith(`${location.origin}/assets/`)).length,
    handlers: [...document.querySelectorAll("*")].flatMap((it) => it.getAttributeNames()).filter((it) => it.startsWith("on") || it === "style").length,
    links: [...document.querySelectorAll("a[href], [src], form[action]")]
      .map((it) => it.getAttribute("href") ?? it.getAttribute("src") ?? it.getAttribute("action"))
      .filter((it) => !/^(https?:\/\/|\/(?!\/)|#|\?)/.test(it)),
  }));
  if (found.ran) say("a script of a crawled site has run");
  if (found.scripts) say(`${found.scripts} scripts are not ours`);
  if (found.handlers) say(`${found.handlers} attributes could run something`);
  if (found.links.length) say(`links that are not the web: ${found.links}`);
}

export async function noHorizontalOverflow(page, say) {
  const [content, room] = await page.evaluate(() =>
    [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  if (content > room + 1) say(`is ${content} wide in a window of ${room}`);
}

async function noLayoutShift(page, say) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const shifts = await page.evaluate(() => window.shifts);
  const shift = shifts.reduce((sum, { by }) => sum + by, 0);
  if (shift > 0.001) say(`its layout shifts by ${shift.toFixed(4)}: ${shifts.flatMap(({ moved }) => moved).join(" ")}`);
}

export async function accessible(page, say) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  }));
  for (const { id, help, nodes } of violations) {
    say(`axe: ${id}: ${help}: ${nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary.replaceAll("\n", " ")}`).join(" | ")}`);
  }
}

// The Tab key reaches every control, and the focus is visible. Controls are known by their place: a
// live list replaces its rows while the keyboard is elsewhere.
export async function keyboardReachesControls(page, say) {
  const wanted = await page.evaluate(() => {
    const usable = "a[href], button, input:not([type=hidden]), select, textarea, summary";
    window.usableControls = () => [...document.querySelectorAll(usable)].filter((it) => {
      const radio = it.type === "radio" && !it.checked;
      return it.checkVisibility({ visibilityProperty: true }) && !radio && !it.disabled;
    });
    document.activeElement?.blur();
    window.focused = [];
    addEventListener("focusin", () => {
      const it = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(it);
      const place = window.usableControls().indexOf(it);
      if (place >= 0) window.focused.push([place, outlineStyle !== "none" && parseFloat(outlineWidth) > 0]);
    });
    return window.usableControls().length;
  });
  // Long lists repeat the same controls.
  const turns = Math.min(wanted, 60);
  const press = async (times) => {
    for (let pressed = 0; pressed < times; pressed += 1) await page.keyboard.press("Tab");
    return page.evaluate(() => [new Set(window.focused.map(([place]) => place)).size, window.focused.filter(([, outlined]) => !outlined)]);
  };
  let [met, hidden] = await press(turns);
  // Regions that scroll take the focus, too.
  if (met < turns) [met, hidden] = await press(20);
  for (const [place] of hidden) say(`control ${place} has no visible focus`);
  if (met < turns) say(`the keyboard reaches ${met} of ${turns}`);
}

// No text is smaller than 12 pixels.
async function readableText(page, say) {
  const small = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Set();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const it = node.parentElement;
      if (!node.data.trim() || !it.checkVisibility({ visibilityProperty: true })) continue;
      const size = parseFloat(getComputedStyle(it).fontSize);
      if (size < 12) found.add(`${size} px: ${node.data.trim().slice(0, 40)}`);
    }
    return [...found].slice(0, 5);
  });
  for (const text of small) say(`text of ${text}`);
}

// On a touch screen, buttons and fields are at least 44 pixels high, other controls 24. Links in a
// sentence are exempt, as in WCAG 2.5.8.
async function touchTargets(page, say) {
  const small = await page.evaluate(() => {
    const found = [];
    const inSentence = (it) => {
      const around = it.closest("p, li, dd, summary, label, legend, .hint, pre, td, span");
      return it.tagName === "A" && around && around.textContent.trim() !== it.textContent.trim();
    };
    for (const it of document.querySelectorAll("a[href], button, select, summary, input:not([type=hidden]), textarea")) {
      if (!it.checkVisibility({ visibilityProperty: true }) || it.closest(".skip")) continue;
      const isField = it.matches("button, .button, select, input:not([type=checkbox], [type=radio])");
      const needed = isField && !it.closest(".bottom, .code, .copyline, .copied") ? 44 : 24;
      // A tap on its label is a tap on a box.
      const target = it.matches("[type=checkbox], [type=radio]") ? it.labels[0] ?? it : it;
      const { height } = target.getBoundingClientRect();
      if (height + 0.5 >= needed || inSentence(it)) continue;
      found.push(`${height.toFixed(0)} of ${needed} px: ${it.outerHTML.slice(0, 100)}`);
    }
    return found.slice(0, 5);
  });
  for (const text of small) say(`a target has ${text}`);
}
