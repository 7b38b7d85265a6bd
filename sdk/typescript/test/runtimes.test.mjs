// The client in Node.js, Deno and Bun, and the examples of the documentation.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Server } from "./server.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const run = promisify(execFile);
const RUNTIMES = {
  node: [process.execPath],
  deno: [path("runtimes/node_modules/@deno/linux-x64-glibc/deno"), "run", "--allow-net", "--allow-env", "--no-lock"],
  bun: [path("runtimes/node_modules/@oven/bun-linux-x64/bin/bun"), "run"],
};

let server;
let env;

/** Fails a race after some time, without keeping the process alive. */
const pauseUnref = (ms) =>
  new Promise((_, reject) => setTimeout(() => reject(new Error("no result in time")), ms).unref());

before(async () => {
  server = await Server.start();
  const inherited = Object.entries(process.env).filter(([name]) => !/proxy/i.test(name));
  env = { ...Object.fromEntries(inherited), TRAWL_URL: server.url, TRAWL_KEY: server.key };
});
after(() => server.remove());

for (const [name, [program, ...args]] of Object.entries(RUNTIMES)) {
  const missing = !existsSync(program) && `${name} is not installed on this platform`;
  test(`runs in ${name}`, { skip: missing }, async () => {
    const { stdout } = await run(program, [...args, path("quickstart.mjs")], { env });
    const expected = { products: 25, events: true, type: "job.completed" };
    const errors = { refused: "InvalidRequestError", lost: "ConnectionFailedError" };
    const found = JSON.parse(stdout);
    assert.ok(["InvalidRequestError", "NotFoundError"].includes(found.refused), stdout);
    assert.deepEqual(found, { ...expected, ...errors, refused: found.refused });
  });
}

const chromium = ["chromium-headless-shell", "chromium"]
  .flatMap((name) => (process.env.PATH ?? "").split(":").map((folder) => join(folder, name)))
  .find((file) => existsSync(file));

test("runs in a browser", { skip: !chromium && "no Chromium" }, async () => {
  const script = (await readFile(path("quickstart.mjs"), "utf8"))
    .replace('"@trawl/client"', '"/dist/index.js"')
    .replace("new Trawl()", `new Trawl({ baseUrl: location.origin, apiKey: "${server.key}" })`)
    .replace("new Trawl({ baseUrl: \"http://127.0.0.1:1\",", 'new Trawl({ baseUrl: "http://127.0.0.1:1", apiKey: "key",')
    .replace(/console\.log\((.*)\);/, 'await fetch("/found", { method: "POST", body: $1 });');
  let found;
  const printed = new Promise((done) => (found = done));
  // The page and the API have one origin, as behind a proxy of the user's own site.
  const site = createServer(async (request, response) => {
    const url = new URL(request.url, "http://site");
    if (url.pathname.startsWith("/v1/")) {
      const { method, headers } = request;
      const onward = httpRequest(server.url + request.url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    } else if (url.pathname === "/found") {
      let text = "";
      for await (const piece of request) text += piece;
      found(JSON.parse(text));
      response.end();
    } else if (url.pathname.startsWith("/dist/")) {
      response.writeHead(200, { "Content-Type": "text/javascript" });
      response.end(await readFile(path(`..${url.pathname}`)));
    } else {
      response.writeHead(200, { "Content-Type": "text/html" });
      response.end(`<!doctype html><script type="module">${script}</script>`);
    }
  });
  await new Promise((done) => site.listen(0, "127.0.0.1", done));
  const profile = await mkdtemp(join(tmpdir(), "trawl-browser-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, "--remote-debugging-port=0"];
  const browser = spawn(chromium, [...flags, `http://127.0.0.1:${site.address().port}/`], { stdio: "ignore" });
  try {
    const result = await Promise.race([printed, pauseUnref(60_000)]);
    assert.deepEqual([result.products, result.events, result.type], [25, true, "job.completed"]);
    assert.equal(result.lost, "ConnectionFailedError");
  } finally {
    const ended = new Promise((done) => browser.once("exit", done));
    browser.kill("SIGKILL");
    await ended;
    site.close();
    site.closeAllConnections();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});

test("only the entry for files needs a runtime with Node modules", async () => {
  for (const file of await readdir(path("../dist"))) {
    if (!file.endsWith(".js") || file === "node.js") continue;
    const text = await readFile(path(`../dist/${file}`), "utf8");
    assert.doesNotMatch(text, /from "(node:|[^.])/, file);
  }
});

const PAGES = ["../README.md", "../../../docs/sdk-typescript.md"];
for (const page of PAGES) {
  test(`examples of ${page} run`, async () => {
    const text = await readFile(path(page), "utf8");
    const examples = [...text.matchAll(/```(?:js|javascript|ts|typescript)\n([\s\S]*?)```/g)];
    assert.ok(examples.length > 0);
    for (const [at, [, code]] of examples.entries()) {
      // Beside the tests, so that the name of the package is found.
      const file = path(`example-${page.includes("README") ? "readme" : "docs"}-${at}.tmp.mjs`);
      await writeFile(file, code);
      const folder = await mkdtemp(join(tmpdir(), "trawl-example-"));
      try {
        await run(process.execPath, [file], { env, cwd: folder });
      } finally {
        await rm(file);
      }
    }
  });
}
