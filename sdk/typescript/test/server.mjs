// The real binary on loopback, and a proxy in front of it that injects faults.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import { createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** `TRAWL_BIN`, or the debug build of the workspace. */
function binary() {
  const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, "target");
  const path = resolve(process.env.TRAWL_BIN ?? join(target, "debug/trawl"));
  if (!existsSync(path)) throw new Error(`no binary ${path}: run 'cargo build -p trawl', or set TRAWL_BIN`);
  return path;
}

function freePort() {
  return new Promise((done) => {
    const one = createSocket();
    one.listen(0, "127.0.0.1", () => {
      const { port } = one.address();
      one.close(() => done(port));
    });
  });
}

/** A server with a new database. It can be stopped and started again on the same port. */
export class Server {
  static async start(settings = {}) {
    const server = new Server();
    server.folder = await mkdtemp(join(tmpdir(), "trawl-sdk-"));
    server.settings = settings;
    const listen = `127.0.0.1:${await freePort()}`;
    server.url = `http://${listen}`;
    server.listen = listen;
    await server.start();
    server.key = await server.#credentials();
    return server;
  }

  async start() {
    const inherited = Object.entries(process.env).filter(([name]) => !/proxy/i.test(name));
    const env = {
      ...Object.fromEntries(inherited),
      TRAWL_DATA: join(this.folder, "data"),
      TRAWL_LISTEN: this.listen,
      TRAWL_CHROMIUM: "none",
      TRAWL_FIRST_CREDITS: "0",
      TRAWL_LOG: "error",
      TRAWL_HOST_DELAY_MS: "5",
      TRAWL_RETRY_MS: "50",
      TRAWL_FIRST_BYTE_MS: "4000",
      TRAWL_RATE_PER_MINUTE: "100000",
      TRAWL_RATE_BURST: "100000",
      ...this.settings,
    };
    this.process = spawn(binary(), ["serve"], { env, stdio: ["ignore", "pipe", "inherit"] });
    this.ended = new Promise((done) => this.process.once("exit", done));
    for await (const line of createInterface({ input: this.process.stdout })) {
      if (line.startsWith("Trawl listens on ")) break;
    }
    this.process.stdout.resume();
  }

  async stop() {
    this.process.kill("SIGTERM");
    await this.ended;
  }

  async remove() {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #credentials() {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      const text = await readFile(join(this.folder, "data/first-credentials.txt"), "utf8").catch(() => "");
      const key = /API key\s+(\S+)/.exec(text);
      if (key) return key[1];
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error("the first credentials are not written");
  }
}

/**
 * Forwards to a server. Each of `faults` applies to the next request whose line starts with its
 * `match`: `drop` forwards it and closes the connection instead of the response, `cut` closes it
 * after half of the body, `status` responds without forwarding.
 */
export class FaultProxy {
  faults = [];
  seen = [];

  static async start(target) {
    const proxy = new FaultProxy();
    proxy.target = target;
    proxy.http = createServer((request, response) => proxy.#handle(request, response));
    await new Promise((done) => proxy.http.listen(0, "127.0.0.1", done));
    proxy.url = `http://127.0.0.1:${proxy.http.address().port}`;
    return proxy;
  }

  count(start) {
    return this.seen.filter((line) => line.startsWith(start)).length;
  }

  close() {
    this.http.close();
    this.http.closeAllConnections();
  }

  #handle(request, response) {
    const line = `${request.method} ${request.url}`;
    this.seen.push(line);
    const at = this.faults.findIndex((fault) => line.startsWith(fault.match));
    const [fault] = at < 0 ? [] : this.faults.splice(at, 1);
    if (fault?.action === "status") {
      const headers = fault.retryAfter === null ? {} : { "Retry-After": fault.retryAfter ?? "0" };
      request.resume();
      response.writeHead(fault.status, headers).end();
      return;
    }
    const { method, headers } = request;
    const onward = httpRequest(this.target + request.url, { method, headers }, (answer) => {
      if (fault?.action === "drop") {
        answer.resume().on("end", () => request.socket.destroy());
        return;
      }
      if (fault?.action === "cut") {
        const pieces = [];
        answer.on("data", (piece) => pieces.push(piece)).on("end", () => {
          const whole = Buffer.concat(pieces);
          response.writeHead(answer.statusCode, { "Content-Length": whole.length });
          response.write(whole.subarray(0, whole.length / 2), () => request.socket.destroy());
        });
        return;
      }
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
      answer.on("error", () => request.socket.destroy());
    });
    onward.on("error", () => request.socket.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  }
}
