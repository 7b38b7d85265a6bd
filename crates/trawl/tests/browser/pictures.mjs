// Pictures of pages, compared with the accepted ones of accepted-pictures.json.
//
// Every character is drawn as a box of half an em, by a font of this file: fonts of the machine, the
// version of the browser, and texts of the same length (times, ids, ports) make no difference. A
// picture is the mean brightness of blocks of 32 by 32 pixels, in 64 levels: one character per
// block, one text per row, so that a difference shows where the page has changed. Some blocks may
// differ: numbers of another length, and edges.
//
//   TRAWL_ACCEPT=1         writes the pictures of all pages as accepted ones
//   TRAWL_SCREENSHOTS=DIR  stores pictures with the real fonts as PNG

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { inflateSync } from "node:zlib";

const FILE = new URL("accepted-pictures.json", import.meta.url);
// Pixels of a block, and pixels of the picture per pixel of the page.
const [BLOCK, SCALE] = [32, 1 / 4];
// Rows of a picture: pages of documentation are long.
const MOST_ROWS = 120;
// A block has changed if its level differs by more; a picture if more than this share of its blocks
// has, or if it is taller or shorter by more rows.
const [LEVELS, SHARE, ROWS] = [5, 0.02, 1];

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

// All characters from U+0021 are a box of .5 em and spaces are empty: a font of 748 bytes.
const FONT = [
  "AAEAAAAKAIAAAwAgT1MvMkUAc48AAAEoAAAAYGNtYXAAEjU/AAABkAAAAKxnbHlm9E30SwAAAkQAAAA0aGVhZC9UtZwAAACsAAAA",
  "NmhoZWEFFgFqAAAA5AAAACRobXR4AjAAeAAAAYgAAAAIbG9jYQAaACcAAAI8AAAACG1heHAABQAGAAABCAAAACBuYW1l8A8TigAA",
  "AngAAABUcG9zdAADAAAAAALMAAAAIAABAAAAAQAA5T/JtV8PPPUAAwPoAAAAAOckuWQAAAAA5yS5ZAA8/8QBuAIwAAAAAwACAAAA",
  "AAAAAAEAAAMg/zgAAAH0ADwAPAG4AAEAAAAAAAAAAAAAAAAAAAABAAEAAAADAAQAAQAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAwH0",
  "AZAABQAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAPz8/PwAAACAv/wMg/zgAAAMgAMgA",
  "AAAAAAAAAAAAAAAAAAAgAAAB9AA8ADwAPAAAAAEAAwAKAAAADAANAAAAAACgAAAAAAAAAAwAAAAgAAAAIAAAAAIAAAAhAAAAnwAA",
  "AAEAAACgAAAAoAAAAAIAAAChAAAgAQAAAAEAACACAAAgAwAAAAIAACAEAAAgCAAAAAEAACAJAAAgCQAAAAIAACAKAAAgJwAAAAEA",
  "ACAoAAAgKAAAAAIAACApAAAgLgAAAAEAACAvAAAgLwAAAAIAACAwAAAv/wAAAAEAAAANABoAGgABADz/xAG4AjAAAwAAFxEhETwB",
  "fDwCbP2UAAEAPP/EAbgCMAADAAAXESERPAF8PAJs/ZQAAAAEADYAAQAAAAAAAQADAAAAAQAAAAAAAgAHAAMAAwABBAkAAQAGAAoA",
  "AwABBAkAAgAOABBCb3hSZWd1bGFyAEIAbwB4AFIAZQBnAHUAbABhAHIAAwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
].join("");

// What changes with time, machine or load.
const VOLATILE = `.plot, .axis-x, .axis-y, progress { visibility: hidden !important; }
  [data-of=elapsed], [data-of=left], [data-of=rate] { display: none !important; }`;

const accepted = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {};
const taken = {};

// Draws all characters as boxes. The policy of the page forbids inline styles and fonts of URLs, and
// permits what a script makes of bytes.
export async function drawBoxes(page) {
  await page.evaluate(async ([font, hidden]) => {
    const bytes = Uint8Array.from(atob(font), (char) => char.charCodeAt(0));
    document.fonts.add(await new FontFace("Box", bytes).load());
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`*, *::before, *::after { font-family: Box !important; letter-spacing: 0 !important; } ${hidden}`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, [FONT, VOLATILE]);
}

// Compares the page as it is with its accepted picture.
export async function compare(page, name, say) {
  const rows = blocks(await capture(page));
  taken[name] = rows;
  if (process.env.TRAWL_ACCEPT || !existsSync(FILE)) return;
  const before = accepted[name];
  if (!before) return say(`has no accepted picture: TRAWL_ACCEPT=1 scripts/test console`);
  const problem = difference(before, rows);
  if (problem) say(`does not look as accepted: ${problem}. TRAWL_SCREENSHOTS=folder shows it, TRAWL_ACCEPT=1 accepts it`);
}

// What differs too much, if anything.
export function difference(before, after) {
  if (Math.abs(before.length - after.length) > ROWS) {
    return `${after.length * BLOCK} pixels tall instead of ${before.length * BLOCK}`;
  }
  if (before[0]?.length !== after[0]?.length) return "another width";
  let [changed, count, first] = [0, 0, null];
  for (let row = 0; row < Math.min(before.length, after.length); row += 1) {
    for (let column = 0; column < before[row].length; column += 1) {
      const by = Math.abs(DIGITS.indexOf(before[row][column]) - DIGITS.indexOf(after[row][column]));
      count += 1;
      if (by <= LEVELS) continue;
      changed += 1;
      first ??= `x ${column * BLOCK}, y ${row * BLOCK}`;
    }
  }
  return changed > Math.max(3, count * SHARE) ? `${changed} of ${count} blocks differ, the first at ${first}` : null;
}

// Stores all pictures as the accepted ones, and reports accepted pictures of no page.
export function finish(say) {
  if (process.env.TRAWL_ACCEPT) {
    const lines = Object.keys(taken).sort().map((name) => `${JSON.stringify(name)}: ${JSON.stringify(taken[name], null, 1)}`);
    writeFileSync(FILE, `{\n${lines.join(",\n")}\n}\n`);
    return;
  }
  if (!existsSync(FILE)) console.log("no pictures are accepted yet: TRAWL_ACCEPT=1 scripts/test console");
  for (const name of Object.keys(accepted)) if (!taken[name]) say(`${name}: an accepted picture of no page`);
}

// A PNG of the page with its real fonts.
export async function store(page, folder, name) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}.png`, await capture(page, 1));
}

async function capture(page, scale = SCALE) {
  const wire = await page.context().newCDPSession(page);
  const size = await page.evaluate(() => [innerWidth, document.documentElement.scrollHeight]);
  const height = Math.min(size[1], BLOCK * MOST_ROWS);
  const clip = { x: 0, y: 0, width: size[0], height, scale };
  const { data } = await wire.send("Page.captureScreenshot", { format: "png", clip, captureBeyondViewport: true });
  await wire.detach();
  return Buffer.from(data, "base64");
}

// The rows of blocks of a PNG.
function blocks(png) {
  const { width, height, channels, pixels } = decode(png);
  const side = BLOCK * SCALE;
  const rows = [];
  for (let top = 0; top + side / 2 < height; top += side) {
    let row = "";
    for (let left = 0; left + side / 2 < width; left += side) {
      let [sum, count] = [0, 0];
      for (let y = top; y < Math.min(top + side, height); y += 1) {
        for (let x = left; x < Math.min(left + side, width); x += 1) {
          const at = (y * width + x) * channels;
          sum += 0.299 * pixels[at] + 0.587 * pixels[at + 1] + 0.114 * pixels[at + 2];
          count += 1;
        }
      }
      row += DIGITS[Math.min(63, Math.floor(sum / count / 4))];
    }
    rows.push(row);
  }
  return rows;
}

// The pixels of a PNG of 8 bits per channel without interlacing, which the browser writes.
function decode(png) {
  const parts = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = 8; at < png.length;) {
    const [length, kind] = [png.readUInt32BE(at), png.toString("latin1", at + 4, at + 8)];
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === "IHDR") [width, height, channels] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3];
    if (kind === "IDAT") parts.push(body);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = new Uint8Array(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x >= channels ? pixels[y * stride + x - channels] : 0;
      const up = y > 0 ? pixels[(y - 1) * stride + x] : 0;
      const corner = y > 0 && x >= channels ? pixels[(y - 1) * stride + x - channels] : 0;
      const by = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      pixels[y * stride + x] = raw[y * (stride + 1) + 1 + x] + by;
    }
  }
  return { width, height, channels, pixels };
}

function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
