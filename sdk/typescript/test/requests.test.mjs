// Requests: errors, retries, idempotency; webhooks, schedules, account.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { promisify } from "node:util";

import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionFailedError,
  InsufficientCreditsError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  SignatureError,
  Trawl,
  verify,
} from "@trawl/client";

import { FaultProxy, Server } from "./server.mjs";

const SHOP = "https://shop.lab.test/";

let server;
let proxy;
let trawl;

before(async () => {
  server = await Server.start();
  proxy = await FaultProxy.start(server.url);
  const retry = { firstPauseMs: 10, longestPauseMs: 50 };
  trawl = new Trawl({ baseUrl: proxy.url, apiKey: server.key, retry });
});
beforeEach(() => {
  proxy.faults = [];
  proxy.seen = [];
});
after(async () => {
  proxy.close();
  await server.remove();
});

async function count(items) {
  let found = 0;
  for await (const item of items) found += item ? 1 : 0;
  return found;
}

test("an invalid request names each field", async () => {
  const options = { sample_size: 0, max_pages: -1 };
  await assert.rejects(trawl.start(SHOP, "links", { options }), (error) => {
    assert.ok(error instanceof InvalidRequestError);
    assert.deepEqual([error.status, error.code], [422, "validation_failed"]);
    const fields = error.errors.map((one) => one.field).sort();
    assert.deepEqual(fields, ["options.max_pages", "options.sample_size"]);
    assert.match(error.requestId, /^req_/);
    assert.match(error.message, /options\.max_pages/);
    return true;
  });
});

test("errors have a class per status", async () => {
  await assert.rejects(trawl.jobs.get(`job_${"0".repeat(32)}`), NotFoundError);
  const other = new Trawl({ baseUrl: server.url, apiKey: "key_live_wrong" });
  await assert.rejects(other.account.get(), AuthenticationError);
  await assert.rejects(trawl.start("https://example.com/", "links"), (error) => {
    assert.ok(error instanceof InsufficientCreditsError);
    assert.equal(error.problem.available, 0);
    return true;
  });
  proxy.faults = [{ match: "GET /v1/account", action: "status", status: 418 }];
  await assert.rejects(trawl.account.get(), (error) => {
    assert.deepEqual([error.constructor, error.code], [ApiError, "http_418"]);
    return true;
  });
});

test("a client without key or with another URL is refused", () => {
  assert.throws(() => new Trawl({ baseUrl: "http://127.0.0.1:1" }), ConfigurationError);
  assert.throws(() => new Trawl({ baseUrl: "127.0.0.1", apiKey: "key" }), ConfigurationError);
});

test("a lost response does not start a second job", async () => {
  const earlier = await count(trawl.jobs.list({ mode: "sitemap" }));
  const lost = { match: "POST /v1/jobs", action: "drop" };
  proxy.faults = [lost, { ...lost }];
  await trawl.crawl(SHOP, "sitemap");
  assert.equal(proxy.count("POST /v1/jobs"), 3);
  assert.equal(await count(trawl.jobs.list({ mode: "sitemap" })), earlier + 1);
});

test("each call starts a job unless the key is repeated", async () => {
  const [first, second] = [await trawl.start(SHOP, "links"), await trawl.start(SHOP, "links")];
  assert.notEqual(first.id, second.id);
  const same = { idempotencyKey: "nightly 7" };
  const again = [await trawl.start(SHOP, "links", same), await trawl.start(SHOP, "links", same)];
  assert.equal(again[0].id, again[1].id);
});

test("reading is repeated, at most four times", async () => {
  const match = "GET /v1/account";
  proxy.faults = [
    { match, action: "status", status: 503 },
    { match, action: "status", status: 502, retryAfter: null },
    { match, action: "drop" },
  ];
  assert.equal((await trawl.account.get()).credits, 0);
  assert.equal(proxy.count(match), 4);
  proxy.seen = [];
  proxy.faults = Array.from({ length: 9 }, () => ({ match, action: "status", status: 503 }));
  await assert.rejects(trawl.account.get(), ServerError);
  assert.equal(proxy.count(match), 4);
  proxy.faults = Array.from({ length: 9 }, () => ({ match: "GET /v1/usage", action: "drop" }));
  await assert.rejects(trawl.account.usage(), /4 attempts/);
  const nowhere = new Trawl({ baseUrl: "http://127.0.0.1:1", apiKey: "key", retry: { attempts: 1 } });
  await assert.rejects(nowhere.account.get(), ConnectionFailedError);
});

test("a rate limit is waited for only if it is short", async () => {
  const fault = { match: "GET /v1/account", action: "status", status: 429 };
  proxy.faults = [{ ...fault }];
  assert.equal((await trawl.account.get()).credits, 0);
  proxy.faults = [{ ...fault, retryAfter: "3600" }];
  await assert.rejects(trawl.account.get(), (error) => {
    assert.ok(error instanceof RateLimitedError);
    assert.equal(error.retryAfter, 3600);
    return true;
  });
});

test("a request with an effect is not repeated after a lost response", async () => {
  proxy.faults = [{ match: "POST /v1/schedules", action: "drop" }];
  const created = trawl.schedules.create({ cron: "@daily", request: { mode: "links", url: SHOP } });
  await assert.rejects(created, ConnectionFailedError);
  assert.equal(proxy.count("POST /v1/schedules"), 1);
  for await (const schedule of trawl.schedules.list()) await trawl.schedules.remove(schedule.id);
});

test("progress falls back to polling while streams are refused", async () => {
  const job = await trawl.start(SHOP, "links");
  proxy.faults = [{ match: `GET /v1/jobs/${job.id}/events`, action: "status", status: 429 }];
  assert.equal((await job.wait()).status, "completed");
  assert.deepEqual(proxy.faults, []);
});

test("a schedule is created, changed, run and removed", async () => {
  const request = { mode: "products", url: SHOP, options: { sample_size: 3 } };
  const schedule = await trawl.schedules.create({ cron: "0 6 * * *", request });
  assert.equal((await trawl.schedules.change(schedule.id, { paused: true })).paused, true);
  const first = await trawl.schedules.run(schedule.id);
  await first.wait();
  const second = await trawl.schedules.run(schedule.id);
  await second.wait();
  const changes = await second.changesPage();
  assert.equal(changes.since, first.id);
  assert.equal(await count(second.changes({ page_size: 1 })), changes.total);
  assert.equal(await count(trawl.jobs.list({ schedule: schedule.id })), 2);
  await trawl.schedules.remove(schedule.id);
});

test("account, usage, ledger, audit and estimate are read", async () => {
  assert.equal((await trawl.account.get()).limits.batch_size, 10_000);
  assert.equal((await trawl.account.usage({ group_by: "mode" })).group_by, "mode");
  assert.equal(await count(trawl.account.ledger()), 0);
  assert.ok((await count(trawl.account.audit({ action: "key.created" }))) > 0);
  const estimate = await trawl.estimate({ mode: "links", url: "https://docs.lab.test/" });
  assert.equal(estimate.estimated_pages, 33);
});

test("a delivery of the server is verified", async () => {
  const folder = await mkdtemp(join(tmpdir(), "trawl-tls-"));
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const flags = ["-addext", "basicConstraints=critical,CA:FALSE", "-days", "2", "-nodes"];
  const files = ["-keyout", "key.pem", "-out", "cert.pem"];
  const command = ["req", "-x509", "-newkey", "rsa:2048", ...files, ...flags, ...names];
  await promisify(execFile)("openssl", command, { cwd: folder });
  let delivered;
  const delivery = new Promise((done) => (delivered = done));
  const tls = {
    key: await readFile(join(folder, "key.pem")),
    cert: await readFile(join(folder, "cert.pem")),
  };
  const receiver = createServer(tls, (request, response) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece)).on("end", () => {
      response.writeHead(204).end();
      delivered([request.headers["x-service-signature"], Buffer.concat(pieces)]);
    });
  });
  await new Promise((done) => receiver.listen(0, "127.0.0.1", done));
  const { port } = receiver.address();
  const own = await Server.start({
    TRAWL_ALLOW_WEBHOOK_NETWORKS: `127.0.0.1:${port}`,
    TRAWL_EXTRA_CA: join(folder, "cert.pem"),
  });
  try {
    const client = new Trawl({ baseUrl: own.url, apiKey: own.key });
    const url = `https://127.0.0.1:${port}/trawl`;
    const { secret, id } = await client.webhooks.create({ url, events: ["job.completed"] });
    const job = await client.crawl(SHOP, "links");
    const [signature, body] = await delivery;
    const event = await verify(secret, signature, body);
    assert.equal(event.type, "job.completed");
    assert.equal(event.data.job.job_id, job.id);
    assert.deepEqual(await verify(secret, signature, body.toString()), event);
    await assert.rejects(verify("whsec_other", signature, body), /does not match/);
    await assert.rejects(verify(secret, signature, `${body} `), /does not match/);
    await assert.rejects(verify(secret, signature.slice(0, -2), body), /does not match/);
    const late = { now: Date.now() / 1000 + 301 };
    await assert.rejects(verify(secret, signature, body, late), /old/);
    await assert.rejects(verify(secret, null, body), SignatureError);
    assert.equal(await count(client.webhooks.deliveries(id)), 1);
    assert.ok((await count(client.webhooks.events({ page_size: 1 }))) > 0);
    await client.webhooks.remove(id);
    assert.deepEqual(await client.webhooks.list(), []);
  } finally {
    await own.remove();
    receiver.close();
    receiver.closeAllConnections();
  }
});
