// Runs on the sample sites: items, progress, paging, states, files.

import assert from "node:assert/strict";
import { Blob } from "node:buffer";
import { mkdtemp, readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";

import {
  ApiError,
  ConfirmationRequiredError,
  InvalidRequestError,
  JobFailedError,
  NotFoundError,
  Trawl,
  WaitTimeoutError,
} from "@trawl/client";
import { download } from "@trawl/client/node";

import { FaultProxy, Server } from "./server.mjs";

const SHOP = "https://shop.lab.test/";
const DOCS = "https://docs.lab.test/";
const SLOW = "https://slow.lab.test/";
const WALL = "https://wall.lab.test/";

let server;
let trawl;

before(async () => {
  const tier = { TRAWL_PROTECTED_TIER: "proxy", TRAWL_PROTECTED_PROXY: "http://127.0.0.1:9" };
  server = await Server.start(tier);
  trawl = new Trawl({ baseUrl: server.url, apiKey: server.key });
});
after(() => server.remove());

const all = (items) => Array.fromAsync?.(items) ?? collect(items);
async function collect(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

test("each mode returns its items", async () => {
  const products = await all((await trawl.crawl(SHOP, "products")).results());
  const mug = products.find((item) => item.name === "Harbour Mug");
  assert.equal(mug.variants.length, 3);
  const german = { options: { preferred_language: "de" } };
  const pages = await all((await trawl.crawl(DOCS, "markdown", german)).results());
  assert.equal(pages.length, 11);
  assert.ok(pages.every((page) => page.markdown && page.language === "de"));
  const legal = { legal_basis_accepted: true };
  const contacts = await all((await trawl.crawl(["shop.lab.test"], "contacts", legal)).results());
  assert.ok(contacts[0].people.some((person) => person.name === "Jonas Lindqvist"));
});

test("results are paged completely and once", async () => {
  const job = await trawl.crawl(SHOP, "links");
  const urls = (await all(job.results({ pageSize: 7 }))).map((item) => item.url);
  assert.equal(new Set(urls).size, 33);
  assert.equal(urls.length, 33);
  const rest = await all(job.results({ offset: 30, pageSize: 2 }));
  assert.deepEqual(rest.map((item) => item.url), urls.slice(30));
  const page = await job.resultsPage({ pageSize: 5 });
  assert.deepEqual([page.total, page.items.length, page.has_more], [33, 5, true]);
});

test("list of URLs is a target", async () => {
  const urls = [`${DOCS}keys`, SHOP];
  const job = await trawl.crawl(urls, "links");
  const found = (await all(job.results())).map((item) => item.url);
  assert.deepEqual(found.sort(), urls.sort());
});

test("uploaded list is the target of jobs", async () => {
  const urls = [`${DOCS}keys`, SHOP];
  const list = await trawl.lists.upload([...urls, SHOP]);
  assert.equal(list.url_count, 2);
  assert.deepEqual(await trawl.lists.get(list.list_id), list);
  const job = await trawl.jobs.create({ mode: "links", list_id: list.list_id });
  await job.wait();
  const found = (await all(job.results())).map((item) => item.url);
  assert.deepEqual(found.sort(), urls.sort());
  await trawl.lists.remove(list.list_id);
  await assert.rejects(trawl.lists.get(list.list_id), NotFoundError);
  const file = new Blob([`# two pages\n${urls.join("\n")}\n`]);
  assert.equal((await trawl.lists.upload(file)).url_count, 2);
  assert.throws(() => trawl.lists.upload(SHOP), TypeError);
  await assert.rejects(trawl.lists.upload([SHOP, "no URL"]), /line 2/);
});

test("page is read at once", async () => {
  const page = await trawl.read(`${DOCS}keys`, { formats: ["item", "links"] });
  assert.equal(page.item.url, `${DOCS}keys`);
  assert.ok(page.item.markdown);
  assert.ok(page.links.length > 0);
  const options = { mode: "links", idempotencyKey: "one page" };
  const shop = await trawl.read(SHOP, options);
  assert.deepEqual(await trawl.read(SHOP, options), shop);
});

test("site is mapped", async () => {
  const { urls } = await trawl.map(DOCS, { search: "keys", limit: 5 });
  assert.ok(urls.some(({ url }) => url === `${DOCS}keys`));
});

test("results are filtered and selected", async () => {
  const job = await trawl.crawl(SHOP, "links");
  const every = await all(job.results());
  const deep = every.filter((item) => item.depth >= 2).map((item) => item.url);
  assert.ok(deep.length > 0 && deep.length < every.length);
  const filter = { "depth[gte]": 2 };
  const found = await all(job.results({ filter, pageSize: 3 }));
  assert.deepEqual(found.map((item) => item.url), deep);
  const rows = await all(job.rows({ fields: ["url"], filter }));
  assert.deepEqual(rows, deep.map((url) => ({ url })));
});

test("rows follow a running job", async () => {
  const job = await trawl.start(SHOP, "links");
  const rows = await all(job.rows({ follow: true }));
  assert.equal(new Set(rows.map((row) => row.url)).size, 33);
});

test("URL is explained and a job deleted", async () => {
  const job = await trawl.crawl(DOCS, "links");
  assert.equal((await job.explain("/keys")).disposition, "delivered");
  await job.delete();
  await assert.rejects(job.refresh(), { status: 404 });
});

test("wait reports progress until the end", async () => {
  const seen = [];
  const job = await trawl.start(SHOP, "links");
  const info = await job.wait({ onProgress: (progress) => seen.push(progress) });
  assert.equal(info.counts.results, 33);
  assert.equal(seen.at(-1).status, "completed");
  assert.equal(seen.at(-1).counts.results, 33);
  assert.deepEqual((await all(job.watch())).map((one) => one.status), ["completed"]);
});

test("a failed job throws its code", async () => {
  const failed = trawl.crawl(`${SHOP}nowhere`, "links", { scope: { one_page: true } });
  await assert.rejects(failed, (error) => {
    assert.ok(error instanceof JobFailedError);
    assert.equal(error.error.code, "no_data");
    assert.equal(error.name, "JobFailedError");
    return true;
  });
});

test("a protected site throws until it is confirmed", async () => {
  const job = await trawl.start(WALL, "links");
  await assert.rejects(job.wait(), (error) => {
    assert.ok(error instanceof ConfirmationRequiredError);
    assert.equal(error.job.credit_per_unit, 5);
    return true;
  });
  await job.confirm({ max_credit_per_unit: 5 });
  assert.equal((await job.wait()).status, "completed");
});

test("wait times out or is aborted, and the job continues", async () => {
  const job = await trawl.start(SLOW, "links");
  await assert.rejects(job.wait({ timeoutMs: 300 }), WaitTimeoutError);
  const stop = new AbortController();
  const waiting = job.wait({ signal: stop.signal });
  setTimeout(() => stop.abort(new Error("cancelled")), 100);
  await assert.rejects(waiting, /cancelled/);
  assert.ok(["queued", "running"].includes((await job.refresh()).status));
  assert.equal((await job.abort()).status, "aborted");
  await assert.rejects(job.wait(), /user_stopped/);
});

test("batches are continued only on request", async () => {
  const small = await Server.start({ TRAWL_BATCH_SIZE: "10" });
  try {
    const job = await new Trawl({ baseUrl: small.url, apiKey: small.key }).start(SHOP, "products");
    await assert.rejects(job.wait(), /continue_batch/);
    assert.equal((await job.wait({ continueBatches: true })).status, "completed");
    assert.equal((await all(job.results())).length, 25);
  } finally {
    await small.remove();
  }
});

test("wait survives a restart of the server", async () => {
  const slow = await Server.start({ TRAWL_HOST_DELAY_MS: "150" });
  try {
    const job = await new Trawl({ baseUrl: slow.url, apiKey: slow.key }).start(SHOP, "links");
    let restart;
    const onProgress = (progress) => {
      if (progress.status === "running") restart ??= slow.stop().then(() => slow.start());
    };
    const info = await job.wait({ onProgress });
    await restart;
    assert.ok(restart);
    assert.equal(info.counts.results, 33);
    assert.equal(new Set((await all(job.results())).map((item) => item.url)).size, 33);
  } finally {
    await slow.remove();
  }
});

test("skipped URLs have reasons", async () => {
  const job = await trawl.crawl(DOCS, "links");
  assert.equal((await job.skippedReasons()).broken, 1);
  const broken = await all(job.skipped({ reason: "broken" }));
  assert.deepEqual(broken.map((one) => one.url), [`${DOCS}troubleshooting`]);
});

test("jobs are listed and found", async () => {
  const job = await trawl.crawl(SHOP, "products", { options: { sample_size: 1 } });
  for await (const newest of trawl.jobs.list({ mode: "products", page_size: 1 })) {
    assert.equal(newest.id, job.id);
    break;
  }
  assert.equal((await trawl.jobs.get(job.id)).info.status, "completed");
});

test("files are complete, also after an interrupted download", async () => {
  const proxy = await FaultProxy.start("");
  const own = await Server.start({ TRAWL_PUBLIC_URL: proxy.url });
  proxy.target = own.url;
  try {
    const folder = await mkdtemp(join(tmpdir(), "trawl-files-"));
    const job = await new Trawl({ baseUrl: proxy.url, apiKey: own.key }).crawl(SHOP, "products");
    proxy.faults = [{ match: "GET /downloads/", action: "cut" }];
    await download(job, join(folder, "all.json"));
    assert.equal(JSON.parse(await readFile(join(folder, "all.json"), "utf8")).length, 25);
    assert.equal(proxy.count("GET /downloads/"), 2);
    await download(job, join(folder, "variants.csv"), { table: "variants" });
    await assert.rejects(download(job, join(folder, "all.pdf")), InvalidRequestError);
    await assert.rejects(download(job, join(folder, "all")), /no suffix/);
    assert.deepEqual((await readdir(folder)).sort(), ["all.json", "variants.csv"]);
    const kept = await trawl.crawl(DOCS, "links", { formats: ["raw_html"] });
    await download(kept, join(folder, "docs.warc.gz"));
    const archive = gunzipSync(await readFile(join(folder, "docs.warc.gz"))).toString("latin1");
    assert.ok(archive.startsWith("WARC/1.1\r\n") && archive.includes("WARC-Type: response\r\n"));
    const link = await job.export({ format: "json" });
    assert.equal((await fetch(link.url)).status, 200);
    assert.equal((await fetch(link.url)).status, 410);
    assert.ok((await (await job.download({ format: "md" })).text()).startsWith("|"));
    assert.ok(ApiError.prototype instanceof Error);
  } finally {
    await own.remove();
    proxy.close();
  }
});
