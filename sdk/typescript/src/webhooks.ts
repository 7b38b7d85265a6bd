// Verifies and parses webhook deliveries, with WebCrypto.

import { SignatureError } from "./errors.js";
import type { Event } from "./models.js";

export const SIGNATURE_HEADER = "X-Service-Signature";

export interface VerifySettings {
  /** Accepted age of a signature in seconds. */
  tolerance?: number;
  /** Unix time in seconds. */
  now?: number;
}

/**
 * The event of a delivery, after its signature is verified. `signature` is the header
 * `X-Service-Signature`, `body` the body as received, before any parsing. Throws `SignatureError`.
 * A delivery can arrive more than once: ignore an `id` that is known.
 */
export async function verify(
  secret: string,
  signature: string | null | undefined,
  body: Uint8Array | ArrayBuffer | string,
  settings: VerifySettings = {},
): Promise<Event> {
  const { tolerance = 300, now = Date.now() / 1000 } = settings;
  const parts = new Map<string, string>();
  for (const part of (signature ?? "").split(",")) {
    const [name = "", value = ""] = part.trim().split("=", 2);
    parts.set(name, value);
  }
  const timestamp = parts.get("t") ?? "";
  const given = parts.get("v1") ?? "";
  if (!/^\d+$/.test(timestamp)) {
    throw new SignatureError(`the header ${SIGNATURE_HEADER} is missing or has no timestamp`);
  }
  const age = Math.abs(now - Number(timestamp));
  if (age > tolerance) {
    throw new SignatureError(`the signature is ${age.toFixed(0)} s old; ${tolerance} s are accepted`);
  }
  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
  const prefix = encoder.encode(`${timestamp}.`);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);
  const key = await crypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  // Compares in constant time.
  const mac = Uint8Array.from(given.match(/[0-9a-f]{2}/g) ?? [], (hex) => parseInt(hex, 16));
  const isGenuine = mac.length * 2 === given.length && (await crypto.subtle.verify("HMAC", key, mac, signed));
  if (!isGenuine) {
    throw new SignatureError("the signature does not match: other secret, or a changed body");
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as Event;
}
