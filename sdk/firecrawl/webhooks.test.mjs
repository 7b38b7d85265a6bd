// Webhooks and watchers of the official npm client of Firecrawl, unchanged, against the real binary.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { Firecrawl } from "firecrawl";

import { Server } from "../typescript/test/server.mjs";

const SITE = "https://docs.lab.test/";

let server;
let app;
let receiver;
const seen = [];

before(async () => {
  server = await Server.start({ TRAWL_ALLOW_WEBHOOK_NETWORKS: "127.0.0.1" });
  app = new Firecrawl({ apiUrl: server.url, apiKey: server.key });
  receiver = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const raw = Buffer.concat(parts);
    seen.push({ raw, headers: request.headers, body: JSON.parse(raw) });
    response.writeHead(204).end();
  });
  await new Promise((done) => receiver.listen(0, "127.0.0.1", done));
});

after(async () => {
  receiver.close();
  receiver.closeAllConnections();
  await server.remove();
});

async function until(find) {
  for (let attempt = 0; attempt < 1200; attempt += 1) {
    const found = find();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`not received: ${seen.map(({ body }) => body.type).join()}`);
}

test("a crawl is reported page by page, signed", async () => {
  const url = `http://127.0.0.1:${receiver.address().port}/hook`;
  const webhook = { url, headers: { "x-run": "7" }, metadata: { run: "7" } };
  const { id } = await app.startCrawl(SITE, { limit: 3, webhook });
  await until(() => seen.find(({ body }) => body.id === id && body.type === "crawl.completed"));
  const types = seen.map(({ body }) => body.type);
  assert.deepEqual(types, ["crawl.started", "crawl.page", "crawl.page", "crawl.page", "crawl.completed"]);
  const secret = `whsec_${createHmac("sha256", server.key).update("firecrawl webhooks").digest("hex")}`;
  for (const { raw, headers, body } of seen) {
    const expected = createHmac("sha256", secret).update(raw).digest("hex");
    assert.equal(headers["x-firecrawl-signature"], `sha256=${expected}`);
    assert.equal(headers["x-run"], "7");
    assert.deepEqual(body.metadata, { run: "7" });
  }
});

test("the watcher waits while the requests of the account are used up", async () => {
  const limited = await Server.start({ TRAWL_RATE_PER_MINUTE: "600", TRAWL_RATE_BURST: "12" });
  try {
    const client = new Firecrawl({ apiUrl: limited.url, apiKey: limited.key });
    const { id } = await client.startCrawl(SITE, { limit: 5, delay: 1 });
    const watcher = client.watcher(id, { kind: "crawl", pollInterval: 1, timeout: 120 });
    const ends = [];
    const pages = [];
    watcher.on("document", (document) => pages.push(document.metadata.url));
    watcher.on("done", ({ status }) => ends.push(status));
    watcher.on("error", ({ error }) => ends.push(error));
    const watched = watcher.start();
    // Another client of the account uses up its requests for some looks of the watcher.
    let refused = 0;
    while (refused < 30) {
      const headers = { Authorization: `Bearer ${limited.key}` };
      const { status } = await fetch(`${limited.url}/v1/account`, { headers });
      if (status === 429) refused += 1;
      await new Promise((done) => setTimeout(done, status === 429 ? 100 : 5));
    }
    await watched;
    assert.deepEqual([ends, new Set(pages).size], [["completed"], 5]);
  } finally {
    await limited.remove();
  }
});

test("the watcher goes on after a restart of the service", async () => {
  const { id } = await app.startCrawl(SITE, { limit: 4, delay: 2 });
  const watcher = app.watcher(id, { kind: "crawl", pollInterval: 1, timeout: 120 });
  const ends = [];
  let pages = 0;
  watcher.on("document", () => (pages += 1));
  watcher.on("done", ({ status }) => ends.push(status));
  watcher.on("error", ({ error }) => ends.push(error));
  const watched = watcher.start();
  await until(() => pages > 0);
  await server.stop();
  await server.start();
  await watched;
  assert.deepEqual(ends, ["completed"]);
  assert.equal((await app.getCrawlStatus(id)).completed, 4);
});
