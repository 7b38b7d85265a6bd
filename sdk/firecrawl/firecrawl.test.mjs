// The official npm client of Firecrawl, unchanged, against the real binary and a sample site.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Firecrawl } from "firecrawl";

import { Server } from "../typescript/test/server.mjs";

const SITE = "https://docs.lab.test/";
const PAGE = "https://docs.lab.test/keys";

let server;
let app;

before(async () => {
  server = await Server.start();
  app = new Firecrawl({ apiUrl: server.url, apiKey: server.key });
});

after(() => server.remove());

test("scrape delivers Markdown, links and metadata", async () => {
  const page = await app.scrape(PAGE, { formats: ["markdown", "links"], proxy: "basic" });
  assert.match(page.markdown, /^# /);
  assert.ok(page.links.length > 0);
  assert.equal(page.metadata.statusCode, 200);
  assert.equal(page.metadata.sourceURL, PAGE);
});

test("unsupported fields are refused by name", async () => {
  await assert.rejects(app.scrape(PAGE, { formats: ["summary"] }), /formats\[0\]/);
  const schema = { type: "json", prompt: "the price" };
  await assert.rejects(app.scrape(PAGE, { formats: [schema] }), /json is not supported/);
  await assert.rejects(app.startCrawl(SITE, { webhook: "https://a.example/" }), /webhook/);
});

test("crawl delivers documents up to the limit", async () => {
  const options = { limit: 4, sitemap: "include", scrapeOptions: { formats: ["markdown"] } };
  const job = await app.crawl(SITE, { ...options, pollInterval: 1, timeout: 60 });
  assert.equal(job.status, "completed");
  assert.equal(job.data.length, 4);
  assert.deepEqual((await app.getCrawlErrors(job.id)).errors, []);
  const status = await app.getCrawlStatus(job.id, { autoPaginate: false });
  assert.equal(status.completed, 4);
});

test("a started crawl is active and can be cancelled", async () => {
  const started = await app.startCrawl(SITE, { delay: 30 });
  const active = await app.getActiveCrawls();
  assert.deepEqual(active.crawls.map(({ id }) => id), [started.id]);
  assert.equal(await app.cancelCrawl(started.id), true);
  assert.equal((await app.getCrawlStatus(started.id)).status, "cancelled");
});

test("batch scrapes each URL once", async () => {
  const options = { formats: ["markdown"] };
  const job = await app.batchScrape([PAGE, SITE], { options, pollInterval: 1, timeout: 60 });
  assert.equal(job.status, "completed");
  assert.deepEqual(job.data.map(({ metadata }) => metadata.sourceURL).sort(), [SITE, PAGE]);
  assert.deepEqual((await app.getBatchScrapeErrors(job.id)).errors, []);
  const started = await app.startBatchScrape([PAGE, "https://localhost/"], { ignoreInvalidURLs: true });
  assert.deepEqual(started.invalidURLs, ["https://localhost/"]);
});

test("map lists URLs", async () => {
  const { links } = await app.map(SITE, { limit: 5, sitemap: "include" });
  assert.ok(links.length > 0 && links.length <= 5);
  assert.ok(links.every(({ url }) => url.startsWith(SITE)));
});

test("the account is readable", async () => {
  assert.equal((await app.getCreditUsage()).remainingCredits, 0);
  assert.ok((await app.getConcurrency()).maxConcurrency > 0);
  assert.equal((await app.getQueueStatus()).jobsInQueue, 0);
});

test("operations that do not exist say so", async () => {
  await assert.rejects(app.crawlParamsPreview(SITE, "only the blog"), /not supported by this service/);
});

// Node.js 20 has a WebSocket only with `--experimental-websocket`; without one the client polls.
test("the watcher follows a crawl over a WebSocket", async () => {
  const started = await app.startCrawl(SITE, { limit: 2 });
  const watcher = app.watcher(started.id, { kind: "crawl", pollInterval: 1, timeout: 60 });
  const seen = [];
  watcher.on("document", (document) => seen.push(document.metadata.url));
  assert.ok("WebSocket" in globalThis);
  const ends = [];
  watcher.on("done", ({ status }) => ends.push(status));
  watcher.on("error", ({ error }) => ends.push(error));
  await watcher.start();
  assert.deepEqual([seen.length, ends], [2, ["completed"]]);
});
