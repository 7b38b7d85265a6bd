// Every field that the official npm client can send has a row in docs/firecrawl.md.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const page = await readFile(new URL("../../docs/firecrawl.md", import.meta.url), "utf8");
const types = await readFile(new URL("node_modules/firecrawl/dist/index.d.ts", import.meta.url), "utf8");

/** The names in the first column of the tables below a heading. */
function rows(heading) {
  const start = page.indexOf(`\n${heading}\n`);
  assert.ok(start >= 0, heading);
  const [section] = page.slice(start + heading.length + 2).split(/^#/m);
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
}

/** The names of the members of an interface, also of one that generic parameters follow. */
function members(name) {
  const start = types.search(new RegExp(`^interface ${name}[ <]`, "m"));
  assert.ok(start >= 0, name);
  const block = types.slice(start).split(/^\}/m)[0];
  return [...block.matchAll(/^ {4}(\w+)\??:/gm)].map(([, member]) => member);
}

const every = rows("### Every scrape: `scrape`, `batch/scrape` and `scrapeOptions` of `crawl`");
const scrape = [...every, ...rows("### `scrape`, besides those of every scrape")];
const job = [
  ...every,
  ...rows("### `batch/scrape` and `scrapeOptions` of `crawl`, besides those of every scrape"),
];
const batch = [...job, ...rows("### `batch/scrape`, besides those before")];
const crawl = rows("### `crawl`");
const map = rows("### `map`");

for (const [name, documented, apart = []] of [
  ["ScrapeOptions", scrape],
  ["ScrapeOptions", job],
  ["CrawlOptions", crawl],
  // The key is a header, and the options are members of the body.
  ["BatchScrapeOptions", batch, ["options", "idempotencyKey"]],
  ["MapOptions", map],
  ["WebhookConfig", ["url", "events", "headers", "metadata"]],
  // Of version 1.
  ["CrawlScrapeOptions", scrape],
  ["CrawlScrapeOptions", job],
  ["ScrapeParams", scrape],
  ["CrawlParams", crawl],
  ["MapParams", map],
]) {
  test(`every field of ${name} is documented`, () => {
    const names = members(name).filter((member) => !apart.includes(member));
    assert.ok(names.length > 3, names.join());
    assert.deepEqual(names.filter((member) => !documented.includes(member)), []);
  });
}

test("every format is documented", () => {
  const [, list] = /^type FormatString = ([^;]+);/m.exec(types);
  const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name);
  const formats = rows("## Formats");
  assert.ok(names.includes("markdown"));
  assert.deepEqual(names.filter((name) => !formats.includes(name)), []);
});
