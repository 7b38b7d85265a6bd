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
  await assert.rejects(app.startCrawl(SITE, { webhook: "http://a.example/" }), /webhook/);
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

test("a started batch has a status and can be cancelled", async () => {
  const started = await app.startBatchScrape([PAGE, SITE], { idempotencyKey: "one" });
  const again = await app.startBatchScrape([PAGE, SITE], { idempotencyKey: "one" });
  assert.equal(again.id, started.id);
  let job;
  do job = await app.getBatchScrapeStatus(started.id);
  while (job.status === "scraping");
  assert.deepEqual([job.status, job.data.length], ["completed", 2]);
  await assert.rejects(app.cancelBatchScrape(started.id), /the job is over/);
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

/** Methods of the client for the operations that exist here. */
const TESTED = [
  "scrape", "map", "startCrawl", "getCrawlStatus", "cancelCrawl", "crawl", "getCrawlErrors",
  "getActiveCrawls", "startBatchScrape", "getBatchScrapeStatus", "getBatchScrapeErrors",
  "cancelBatchScrape", "batchScrape", "getConcurrency", "getCreditUsage", "getQueueStatus", "watcher",
];

/** The same operations under their names in version 1. */
const RENAMED = [
  "scrapeUrl", "crawlUrl", "asyncCrawlUrl", "checkCrawlStatus", "checkCrawlErrors", "mapUrl",
  "batchScrapeUrls", "asyncBatchScrapeUrls", "checkBatchScrapeStatus", "checkBatchScrapeErrors",
];

/** Methods of the client for operations that do not exist here. */
const UNSUPPORTED = [
  "crawlParamsPreview", "getCreditUsageHistorical", "getTokenUsage", "getTokenUsageHistorical",
  "scrapeExecute", "deleteScrapeBrowser",
];

test("every method of the client for these operations is known", () => {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(Firecrawl.prototype));
  const related = methods.filter((name) => /crawl|scrape|^map|watch|concurrency|queue|usage/i.test(name));
  const known = [...TESTED, ...RENAMED, ...UNSUPPORTED];
  assert.deepEqual(related.filter((name) => !known.includes(name)), []);
  assert.deepEqual(known.filter((name) => !methods.includes(name)), []);
});

test("names of version 1 work on the client", async () => {
  assert.match((await app.scrapeUrl(PAGE, { formats: ["markdown"] })).markdown, /^# /);
  const crawl = await app.crawlUrl(SITE, { limit: 2, pollInterval: 1 });
  assert.equal(crawl.data.length, 2);
  const started = await app.asyncCrawlUrl(SITE, { limit: 2 });
  assert.ok(["scraping", "completed"].includes((await app.checkCrawlStatus(started.id)).status));
  assert.deepEqual((await app.checkCrawlErrors(started.id)).errors, []);
  assert.ok((await app.mapUrl(SITE, { limit: 5 })).links.length > 0);
  assert.equal((await app.batchScrapeUrls([PAGE], { pollInterval: 1 })).data.length, 1);
  const { id } = await app.asyncBatchScrapeUrls([PAGE]);
  assert.ok(["scraping", "completed"].includes((await app.checkBatchScrapeStatus(id)).status));
  assert.deepEqual((await app.checkBatchScrapeErrors(id)).errors, []);
});

test("the client of version 1 works below /firecrawl", async () => {
  const { v1 } = new Firecrawl({ apiUrl: `${server.url}/firecrawl`, apiKey: server.key });
  const page = await v1.scrapeUrl(PAGE, { formats: ["markdown"] });
  assert.match(page.markdown, /^# /);
  const crawl = await v1.crawlUrl(SITE, { limit: 3, maxDepth: 3 }, 1);
  assert.deepEqual([crawl.status, crawl.data.length], ["completed", 3]);
  const started = await v1.asyncCrawlUrl(SITE, { delay: 30 });
  assert.equal((await v1.checkCrawlStatus(started.id)).status, "scraping");
  assert.equal((await v1.cancelCrawl(started.id)).status, "cancelled");
  assert.deepEqual((await v1.checkCrawlErrors(started.id)).errors, []);
  const batch = await v1.batchScrapeUrls([PAGE, SITE], { formats: ["markdown"] }, 1);
  assert.equal(batch.data.length, 2);
  const { id } = await v1.asyncBatchScrapeUrls([PAGE], {});
  assert.ok(["scraping", "completed"].includes((await v1.checkBatchScrapeStatus(id)).status));
  assert.deepEqual((await v1.checkBatchScrapeErrors(id)).errors, []);
  const { links } = await v1.mapUrl(SITE, { limit: 5 });
  assert.ok(links.length > 0 && links.every((link) => typeof link === "string"));
  const starts = [
    () => v1.crawlUrlAndWatch(SITE, { limit: 2 }),
    () => v1.batchScrapeUrlsAndWatch([PAGE, SITE], { formats: ["markdown"] }),
  ];
  for (const start of starts) {
    const watcher = await start();
    const pages = [];
    watcher.addEventListener("document", ({ detail }) => pages.push(detail));
    const end = await new Promise((done) => {
      watcher.addEventListener("done", ({ detail }) => done(detail.status));
      watcher.addEventListener("error", ({ detail }) => done(detail.error));
    });
    assert.deepEqual([end, pages.length], ["completed", 2]);
  }
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
