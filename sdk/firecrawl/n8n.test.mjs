// The requests that the n8n node of Firecrawl sends, by the description in its package.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";

import { Server } from "../typescript/test/server.mjs";

const require = createRequire(import.meta.url);
const API = "@mendable/n8n-nodes-firecrawl/dist/nodes/Firecrawl/api";
const SITE = "https://docs.lab.test/";

let server;
let documented;

before(async () => {
  server = await Server.start();
  const text = await readFile(new URL("../../docs/firecrawl.md", import.meta.url), "utf8");
  documented = new Set([...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name));
});

after(() => server.remove());

/** The Base URL of the node's credential is that of the operations. */
async function call(method, path, body) {
  const response = await fetch(`${server.url}/v2${path}`, {
    method,
    headers: { Authorization: `Bearer ${server.key}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/** All names that the routing of an operation puts into bodies. */
function bodyNames(value, inside = false, names = new Set()) {
  if (Array.isArray(value)) {
    for (const entry of value) bodyNames(entry, false, names);
  } else if (value && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) {
      if (inside) names.add(name);
      const isBody = name === "body" || (inside && name === "scrapeOptions");
      bodyNames(member, isBody && typeof member === "object", names);
    }
  }
  return names;
}

// They exist in the node only: it removes them before it sends the body.
const INTERNAL = new Set(["additionalFields", "customBody", "useCustomBody"]);

for (const operation of ["scrape", "crawl", "map", "batchScrape"]) {
  test(`every field that ${operation} can send is documented`, () => {
    const names = bodyNames(require(`${API}/${operation}`).properties);
    assert.ok(names.size > 5, [...names].join());
    const unknown = [...names].filter((name) => !documented.has(name) && !INTERNAL.has(name));
    assert.deepEqual(unknown, []);
  });
}

test("scrape with the defaults of the node", async () => {
  const { status, body } = await call("POST", "/scrape", {
    url: `${SITE}keys`,
    integration: "n8n",
    formats: ["markdown", "links"],
    onlyMainContent: true,
    headers: {},
    waitFor: 0,
    mobile: false,
    skipTlsVerification: false,
    timeout: 30000,
    removeBase64Images: true,
    blockAds: true,
    storeInCache: true,
    proxy: "basic",
    includeTags: [],
    parsers: [{ type: "pdf" }],
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(body.data.markdown, /^# /);
});

test("crawl with the defaults of the node, its status and its cancellation", async () => {
  const started = await call("POST", "/crawl", {
    url: SITE,
    integration: "n8n",
    limit: 500,
    maxConcurrency: 100,
    prompt: "",
    ignoreSitemap: false,
    ignoreQueryParameters: false,
    allowExternalLinks: false,
    allowSubdomains: false,
    excludePaths: [""],
    includePaths: [],
    delay: 30,
    formats: ["markdown"],
    scrapeOptions: {
      formats: { format: [{ type: "markdown" }] },
      onlyMainContent: true,
      headers: {},
      waitFor: 0,
      proxy: "basic",
    },
  });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  const { id } = started.body;
  assert.ok((await call("GET", "/crawl/active")).body.crawls.some((crawl) => crawl.id === id));
  assert.equal((await call("GET", `/crawl/${id}`)).body.status, "scraping");
  assert.deepEqual((await call("DELETE", `/crawl/${id}`)).body, { success: true, status: "cancelled" });
  assert.equal((await call("GET", `/crawl/${id}/errors`)).status, 200);
});

test("batch with the defaults of the node, and its status", async () => {
  const started = await call("POST", "/batch/scrape", {
    urls: [SITE, `${SITE}keys`],
    integration: "n8n",
    formats: ["markdown"],
    onlyMainContent: true,
    maxConcurrency: 50,
    ignoreInvalidURLs: true,
    waitFor: 0,
    proxy: "basic",
  });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  assert.equal((await call("GET", `/batch/scrape/${started.body.id}`)).status, 200);
  assert.equal((await call("GET", `/batch/scrape/${started.body.id}/errors`)).status, 200);
});

test("map with the defaults of the node, and the test of its credential", async () => {
  const options = { sitemap: "include", includeSubdomains: false, limit: 5000, timeout: 10000 };
  const { status, body } = await call("POST", "/map", { url: SITE, integration: "n8n", ...options });
  assert.equal(status, 200);
  assert.ok(body.links.length > 0);
  assert.equal((await call("GET", "/team/credit-usage")).status, 200);
});
