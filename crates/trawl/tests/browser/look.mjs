// Checks every page of pages.mjs and plays every scenario of scenes.mjs against the server of
// TRAWL_STAGE. Prints all problems and fails if there are any. TRAWL_SCREENSHOTS is a folder for
// screenshots of all pages.

import { existsSync, mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { checks, listen } from "./checks.mjs";
import { PAGES } from "./pages.mjs";
import { SCENES } from "./scenes.mjs";

const stage = JSON.parse(process.env.TRAWL_STAGE);
const only = process.env.TRAWL_ONLY;
const pictures = process.env.TRAWL_SCREENSHOTS;
if (pictures) mkdirSync(pictures, { recursive: true });

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
// axe checks each colour scheme and each width once. Colours do not change the layout, so that dark
// and narrow together need no extra check.
const LOOKS = [
  { name: "light-wide", viewport: WIDE, colorScheme: "light", script: true, keyboard: true },
  { name: "dark-wide", viewport: WIDE, colorScheme: "dark", script: true, axe: true },
  { name: "light-narrow", viewport: NARROW, colorScheme: "light", script: true, axe: true },
  { name: "plain-wide", viewport: WIDE, colorScheme: "light", script: false },
  { name: "plain-narrow", viewport: NARROW, colorScheme: "light", script: false },
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

async function lookAt(entry, look, context) {
  const page = await context.newPage();
  const heard = await listen(page);
  const answer = await page.goto(path(entry.path), { waitUntil: "load" });
  const say = (text) => wrong.push(`${entry.name} (${look.name}): ${text}`);
  const status = entry.status ?? 200;
  if (answer.status() !== status) say(`answered ${answer.status()}`);
  const words = await page.locator("body").innerText();
  if (!words.includes(entry.says)) say(`does not say ${JSON.stringify(entry.says)}`);
  for (const check of checks(look)) await check(page, say);
  if (pictures) await page.screenshot({ path: `${pictures}/${entry.name}.${look.name}.png`, fullPage: true });
  // The browser itself reports pages that are expected to fail.
  const meant = (text) => status !== 200 && text.includes(`status of ${status}`);
  for (const text of heard.filter((text) => !meant(text))) say(text);
  await page.close();
}

const session = await signedIn();

async function lookAtAll(look) {
  const { viewport, colorScheme, script } = look;
  const make = (storageState) => visitor({
    viewport, colorScheme, storageState, javaScriptEnabled: script, reducedMotion: "reduce",
  });
  const [inside, outside] = [await make(session), await make(undefined)];
  for (const entry of PAGES.filter((entry) => !only || entry.name.includes(only))) {
    await lookAt(entry, look, entry.anonymous ? outside : inside);
  }
  await inside.close();
  await outside.close();
}

// Two at a time, for machines with two cores.
const waiting = [...LOOKS];
await Promise.all([0, 1].map(async () => {
  for (let look = waiting.shift(); look; look = waiting.shift()) await lookAtAll(look);
}));

for (const [name, play] of Object.entries(SCENES).filter(([name]) => !only || name.includes(only))) {
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
