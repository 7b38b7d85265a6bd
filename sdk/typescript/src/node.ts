// Files, for Node.js, Deno and Bun.

import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

import { ApiError } from "./errors.js";
import type { Job } from "./job.js";
import type { CreateExport } from "./models.js";

const ATTEMPTS = 4;

/**
 * Writes the results of a job to a file, whose name selects the format unless it is given. The file
 * appears when it is complete. An interrupted download starts again.
 */
export async function download(
  job: Job,
  file: string,
  settings: Partial<CreateExport> = {},
): Promise<void> {
  // `.warc.gz` is the only suffix with two parts.
  const suffix = /\.warc\.gz$/i.test(file) ? "warc" : extname(file).slice(1);
  const format = settings.format ?? (suffix as CreateExport["format"]);
  if (!format) throw new TypeError(`${file} has no suffix: pass format`);
  const part = join(dirname(file), `.${basename(file)}.${process.pid}.part`);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const response = await job.download({ ...settings, format });
      try {
        if (response.body === null) throw new TypeError("the response has no body");
        const body = Readable.fromWeb(response.body as ReadableStream);
        await pipeline(body, createWriteStream(part));
        await rename(part, file);
        return;
      } catch (error) {
        if (error instanceof ApiError || attempt >= ATTEMPTS || isLocal(error)) throw error;
      }
    }
  } finally {
    await rm(part, { force: true });
  }
}

/** Whether the file system refused the file, which a second attempt does not change. */
function isLocal(error: unknown): boolean {
  return typeof (error as { syscall?: unknown }).syscall === "string" && "path" in (error as object);
}
