// The built node against the real binary: n8n's context is replaced, its requests are real.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import { Server } from "../../../sdk/typescript/test/server.mjs";

const { Trawl } = createRequire(import.meta.url)("../dist/nodes/Trawl/Trawl.node.js");
const DEFAULTS = Object.fromEntries(new Trawl().description.properties.map((one) => [one.name, one.default]));

let server;
before(async () => {
  server = await Server.start();
});
after(() => server.remove());

/** Runs the node with parameters; returns the items of its output. */
async function run(parameters, { execution = "1", continueOnFail = false } = {}) {
  const given = { ...DEFAULTS, ...parameters };
  const context = {
    continueOnFail: () => continueOnFail,
    getCredentials: async () => ({ baseUrl: `${server.url}/` }),
    getExecutionId: () => execution,
    getInputData: () => [{ json: {} }],
    getNode: () => ({ id: "5f3c", name: "Trawl", type: "trawl" }),
    getNodeParameter: (name) => given[name],
    getWorkflowDataProxy: () => ({ $runIndex: 0 }),
    helpers: {
      async httpRequestWithAuthentication(name, request) {
        assert.equal(name, "trawlApi");
        const url = new URL(request.url);
        for (const [key, value] of Object.entries(request.qs ?? {})) url.searchParams.set(key, value);
        const headers = { ...request.headers, Authorization: `Bearer ${server.key}` };
        if (request.body) headers["Content-Type"] = "application/json";
        const body = request.body && JSON.stringify(request.body);
        const response = await fetch(url, { method: request.method, headers, body });
        const answer = await response.json();
        if (!response.ok) throw Object.assign(new Error(answer.message), { httpCode: String(response.status) });
        return answer;
      },
    },
  };
  const [items] = await new Trawl().execute.call(context);
  return items.map((item) => item.json);
}

test("crawl returns the results", async () => {
  const target = "https://shop.lab.test/";
  const products = await run({ mode: "products", target });
  assert.equal(products.length, 25);
  assert.ok(products.some((one) => one.name === "Harbour Mug"));
  const some = await run({ mode: "links", target, returnAll: false, limit: 4 }, { execution: "2" });
  assert.equal(some.length, 4);
  const contacts = { mode: "contacts", target: "shop.lab.test", legalBasis: true };
  assert.equal((await run(contacts, { execution: "3" }))[0].domain, "shop.lab.test");
});

test("a repeated step starts no second job", async () => {
  const step = { operation: "start", mode: "links", target: "https://shop.lab.test/", sampleSize: 2 };
  const [first] = await run(step, { execution: "4" });
  const [again] = await run(step, { execution: "4" });
  assert.equal(again.job_id, first.job_id);
  const [other] = await run(step, { execution: "5" });
  assert.notEqual(other.job_id, first.job_id);
  const [job] = await run({ operation: "get", jobId: first.job_id });
  assert.equal(job.job_id, first.job_id);
});

test("failures are errors or items", async () => {
  const nowhere = { target: "https://shop.lab.test/nowhere", request: '{"scope": {"one_page": true}}' };
  await assert.rejects(run(nowhere, { execution: "6" }), /no_data/);
  const [failed] = await run(nowhere, { execution: "7", continueOnFail: true });
  assert.match(failed.error, /no_data/);
  await assert.rejects(run({ operation: "get", jobId: "job_0" }));
});
