// Walks the first five minutes of a new account: the sign-in link, a sample run, the first API call,
// an assistant, a schedule, and the preview and run of an own site. Prints problems and how long the
// parts took, and fails if there are any problems.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { listen } from "./checks.mjs";

const stage = JSON.parse(process.env.TRAWL_STAGE);
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const browser = await chromium.launch({
  executablePath: process.env.TRAWL_CHROMIUM_PATH ?? BROWSERS.find(existsSync),
  args: ["--no-sandbox"],
});
const context = await browser.newContext({ baseURL: stage.url, viewport: { width: 1280, height: 900 } });
// A timeout that only a hang reaches, even on a slow machine.
context.setDefaultTimeout(180_000);
const page = await context.newPage();
const heard = await listen(page);

const began = Date.now();
const took = (what) => console.log(`${what} after ${((Date.now() - began) / 1000).toFixed(1)} s`);
const done = (name) => page.locator(`[data-step=${name}][data-taken]`).waitFor();
const secret = async (id) => /Bearer (key_live_\w+)/.exec(await page.locator(`#${id}`).innerText())[1];
const call = (path, key, options = {}) => fetch(stage.url + path, {
  ...options,
  headers: { authorization: `Bearer ${key}`, ...options.headers },
});

try {
  // The link of the first start signs in, once.
  await page.goto(`/welcome?once=${stage.once}`);
  await page.getByRole("heading", { name: "Crawl your first site" }).waitFor();
  assert.ok(!page.url().includes("once="), "the token does not stay in the address");
  await page.getByText("0 of 4 done").waitFor();
  const other = await browser.newContext({ baseURL: stage.url });
  const late = await other.newPage();
  await late.goto(`/welcome?once=${stage.once}`);
  assert.match(late.url(), /\/sign-in/, "a link works once");
  await other.close();

  // A sample run to its results.
  await page.getByRole("button", { name: "Docs, as Markdown" }).click();
  await page.waitForURL("**/runs/job_*");
  await page.getByText("completed").first().waitFor();
  const job = /job_\w+/.exec(page.url())[0];
  await page.goto(`/runs/${job}/results`);
  await page.getByText("docs.lab.test").first().waitFor();
  took("results of a sample");

  // The first API call ticks its step without a reload.
  await page.goto("/");
  assert.match(page.url(), /\/welcome$/, "a sample is no own run");
  await done("sample");
  await page.getByRole("button", { name: "Create a key and put it in" }).click();
  const key = await secret("code");
  assert.ok((await page.locator("#code").innerText()).includes(job), "the code reads the sample run");
  const results = await call(`/v1/jobs/${job}/results`, key);
  assert.equal(results.status, 200);
  await done("call");
  await page.getByText("2 of 4 done").waitFor();
  took("the first API call");

  await page.getByRole("button", { name: "Create a key for an assistant" }).click();
  const assistant = await secret("claude");
  await call("/mcp", assistant, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "walk", version: "1" } },
    }),
  });
  await done("assistant");

  await page.getByRole("link", { name: "Create a schedule" }).click();
  await page.fill("[name=name]", "Every morning");
  await page.getByRole("button", { name: "Create schedule" }).click();
  await page.waitForURL("**/schedules/sch_*");
  await page.goto("/welcome");
  await done("schedule");
  await page.getByText("4 of 4 done").waitFor();
  took("all steps");

  // An own site: its preview with both prices, and its run under the path.
  await page.fill("[name=url]", stage.own);
  await page.check("[name=mode][value=links]");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("heading", { name: "Preview of one page" }).waitFor();
  const price = await page.locator("#preview-price").innerText();
  assert.match(price, /credits? under this path · whole site: /);
  assert.equal(await page.inputValue("[name=url]"), stage.own, "the typed URL is kept");
  await page.getByRole("button", { name: "Start the run" }).click();
  await page.waitForURL("**/runs/job_*");
  await page.getByText("completed").first().waitFor();
  await page.goto("/");
  assert.ok(!page.url().includes("/welcome"), "the runs of the account");
  assert.deepEqual(heard, []);
} catch (error) {
  console.log(`${page.url()}: ${error.stack}`);
  console.log((await page.locator("body").innerText()).slice(0, 2000));
  process.exitCode = 1;
}
await browser.close();
