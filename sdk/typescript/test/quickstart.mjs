// Runs in every runtime: a run with progress, its results, and the signature of a delivery.

import { Trawl, verify } from "@trawl/client";

const trawl = new Trawl();
let events = 0;
const job = await trawl.crawl("https://shop.lab.test/", "products", { onProgress: () => (events += 1) });
let products = 0;
for await (const product of job.results({ pageSize: 10 })) products += product.name ? 1 : 0;

const body = '{"id":"evt_1","type":"job.completed","emitted_at":"2026-11-15T09:30:00.000Z","data":{}}';
const key = await crypto.subtle.importKey("raw", new TextEncoder().encode("whsec_x"), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`1000.${body}`)));
const hex = [...mac].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const event = await verify("whsec_x", `t=1000,v1=${hex}`, body, { now: 1000 });
const refused = await trawl.jobs.get("job_0").catch((error) => error.name);
const nowhere = new Trawl({ baseUrl: "http://127.0.0.1:1", retry: { firstPauseMs: 1 } });
const lost = await nowhere.account.get().catch((error) => error.name);
console.log(JSON.stringify({ products, events: events > 0, type: event.type, refused, lost }));
