// Checks every page of pages.mjs and plays every scenario of scenes.mjs against the server of
// TRAWL_STAGE. Prints all problems and fails if there are any. TRAWL_SCREENSHOTS is a folder for
// screenshots of all pages, TRAWL_ONLY a part of the names of pages and scenarios.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { accessible, checks, keyboardReachesControls, listen, noHorizontalOverflow } from "./checks.mjs";
import { PAGES } from "./pages.mjs";
import { compare, drawBoxes, finish, store } from "./pictures.mjs";
import { SCENES } from "./scenes.mjs";

const stage = JSON.parse(process.env.TRAWL_STAGE);
const only = process.env.TRAWL_ONLY;
const pictures = process.env.TRAWL_SCREENSHOTS;

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
// Each page is visited three times. axe checks each colour scheme and each width once: colours do not
// change the layout. Pictures are compared in both schemes and widths.
const VISITS = [
  { name: "wide", viewport: WIDE, script: true, keyboard: true, axe: "dark" },
  { name: "narrow", viewport: NARROW, script: true, touch: true, axe: "light" },
  { name: "plain", viewport: WIDE, script: false },
];

const path = (text) => text.replace(/\{(\w+)\}/g, (whole, name) => {
  const found = stage.runs[name] ?? stage.places[name];
  if (!found) throw new Error(`the stage has no ${whole}`);
  return found;
});

const wrong = [];
// chromium starts its user interface for each page, which takes half of the time; the shell has none.
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const browser = await chromium.launch({
  executablePath: process.env.TRAWL_CHROMIUM_PATH ?? BROWSERS.find(existsSync),
  args: ["--no-sandbox"],
});

// A timeout that only a hang reaches, even on a slow machine.
const PATIENCE = 180_000;

async function visitor(options) {
  const context = await browser.newContext({ baseURL: stage.url, ...options });
  context.setDefaultTimeout(PATIENCE);
  return context;
}

async function signedIn() {
  const context = await visitor();
  const page = await context.newPage();
  await page.goto("/sign-in");
  await page.fill("[name=email]", stage.email);
  await page.fill("[name=password]", stage.password);
  await page.press("[name=password]", "Enter");
  await page.waitForURL("**/runs");
  const state = await context.storageState();
  await context.close();
  return state;
}

async function lookAt(entry, visit, context) {
  const page = await context.newPage();
  const heard = await listen(page);
  const answer = await page.goto(path(entry.path), { waitUntil: "load" });
  const say = (text) => wrong.push(`${entry.name} (${visit.name}): ${text}`);
  const status = entry.status ?? 200;
  if (answer.status() !== status) say(`answered ${answer.status()}`);
  const words = await page.locator("body").innerText();
  if (!words.includes(entry.says)) say(`does not say ${JSON.stringify(entry.says)}`);
  for (const check of checks(visit)) await check(page, say);
  if (!visit.script) {
    await page.setViewportSize(NARROW);
    await noHorizontalOverflow(page, (text) => say(`narrow: ${text}`));
  }
  // With the real fonts first, because boxes stay.
  const looks = visit.script ? ["light", "dark"] : [];
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look });
    if (visit.axe === look) await accessible(page, say);
    if (pictures) await store(page, pictures, `${entry.name}.${visit.name}-${look}`);
  }
  if (looks.length > 0 && entry.pictured !== false) {
    await drawBoxes(page);
    for (const look of looks) {
      await page.emulateMedia({ colorScheme: look });
      await compare(page, `${entry.name}.${visit.name}-${look}`, say);
    }
  }
  // Last: it moves the focus.
  if (visit.keyboard) await keyboardReachesControls(page, say);
  // The browser itself reports pages that are expected to fail.
  const meant = (text) => status !== 200 && text.includes(`status of ${status}`);
  for (const text of heard.filter((text) => !meant(text))) say(text);
  await page.close();
}

const session = await signedIn();
const isWanted = (name) => !only || name.includes(only);

async function make({ viewport, script, touch }, storageState) {
  return visitor({
    viewport, storageState, javaScriptEnabled: script, hasTouch: touch, colorScheme: "light", reducedMotion: "reduce",
  });
}

// Two pages at a time, for machines with two cores.
const waiting = PAGES.filter((entry) => isWanted(entry.name));
await Promise.all([0, 1].map(async () => {
  const contexts = [];
  for (const visit of VISITS) contexts.push([visit, await make(visit, session), await make(visit, undefined)]);
  for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
    for (const [visit, inside, outside] of contexts) await lookAt(entry, visit, entry.anonymous ? outside : inside);
  }
  for (const [, inside, outside] of contexts) await Promise.all([inside.close(), outside.close()]);
}));
if (!only) finish((text) => wrong.push(text));

for (const [name, play] of Object.entries(SCENES).filter(([name]) => isWanted(name))) {
  const context = await visitor({ storageState: session, viewport: WIDE });
  try {
    await play({ visitor, context, stage, session, path, listen });
  } catch (error) {
    wrong.push(`${name}: ${error.stack}`);
  }
  await context.close();
}

await browser.close();
for (const text of wrong) console.log(text);
console.log(wrong.length === 0 ? "no problems" : `${wrong.length} problems`);
process.exit(wrong.length === 0 ? 0 : 1);
