// A job: progress, results, files.

import {
  ConfirmationRequiredError,
  ConnectionFailedError,
  JobFailedError,
  ServerError,
  WaitTimeoutError,
  apiError,
} from "./errors.js";
import type {
  ChangedItem,
  ChangesPage,
  Confirm,
  CreateExport,
  Export,
  Item,
  JobAccepted,
  JobProgress,
  Mode,
  PublicJob,
  Query,
  ResultsPage,
  SkippedUrl,
  Status,
  UrlExplanation,
} from "./models.js";
import { EventParser } from "./sse.js";
import { type Transport, pause } from "./transport.js";

const ACTIVE = new Set<Status>(["queued", "running"]);
const FINAL = new Set<Status>(["completed", "failed", "aborted"]);

// The server sends a comment every 15 seconds.
const SILENCE_MS = 45_000;
// Failures in a row until `wait` gives up: a server may restart meanwhile.
const PATIENCE = 8;
const BUSY = new Set([429, 500, 502, 503, 504]);

export interface WatchSettings {
  /** Milliseconds until `WaitTimeoutError`; without limit by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface WaitSettings extends WatchSettings {
  /** Called after each change, at most once per second. */
  onProgress?: (progress: JobProgress) => void;
  /** Confirms batch boundaries. */
  continueBatches?: boolean;
}

/** Conditions of results, such as `{ "price[lt]": 20, type: ["page", "image"] }`. */
export type ResultsFilter = Record<string, string | number | boolean | (string | number | boolean)[]>;

export interface ResultsSettings {
  /** Excludes `filter` and `cursor`. */
  offset?: number;
  pageSize?: number;
  /** `next_cursor` of an earlier page. */
  cursor?: string;
  filter?: ResultsFilter;
}

export interface RowsSettings {
  /** The members of each row. */
  fields?: string[];
  filter?: ResultsFilter;
  /** Continues with further results until the job has ended. */
  follow?: boolean;
  signal?: AbortSignal;
}

/** A job on the server. `status` and `info` are as of the last call. */
export class Job<M extends Mode = Mode> {
  readonly id: string;
  status: Status;
  info: PublicJob | undefined;
  readonly #path: string;
  readonly #transport: Transport;

  constructor(transport: Transport, known: JobAccepted | PublicJob) {
    this.#transport = transport;
    this.id = known.job_id;
    this.status = known.status;
    this.info = "counts" in known ? known : undefined;
    this.#path = `/v1/jobs/${this.id}`;
  }

  #updated(info: PublicJob): PublicJob {
    this.info = info;
    this.status = info.status;
    return info;
  }

  /** The current state of the job. */
  async refresh(): Promise<PublicJob> {
    return this.#updated(await this.#transport.json("GET", this.#path));
  }

  /** Continues a job that waits: for a higher rate, at a batch boundary, or for credits. */
  async confirm(body: Confirm = {}): Promise<PublicJob> {
    return this.#updated(await this.#transport.json("POST", `${this.#path}/confirm`, { body }));
  }

  /** Stops the job. Charged results stay readable. */
  async abort(): Promise<PublicJob> {
    const settings = { repeatable: true };
    return this.#updated(await this.#transport.json("POST", `${this.#path}/abort`, settings));
  }

  /**
   * Waits until the job has completed. Throws `JobFailedError`, `ConfirmationRequiredError`, or
   * `WaitTimeoutError`.
   */
  async wait(settings: WaitSettings = {}): Promise<PublicJob> {
    const deadline = Date.now() + (settings.timeoutMs ?? Infinity);
    for (;;) {
      for await (const progress of this.#progress(deadline, settings.signal)) {
        settings.onProgress?.(progress);
        if (!ACTIVE.has(progress.status)) break;
      }
      const info = await this.refresh();
      if (info.status === "completed") return info;
      if (FINAL.has(info.status)) throw new JobFailedError(info);
      if (info.batch_ready && settings.continueBatches) await this.confirm({ continue_batch: true });
      else if (!ACTIVE.has(info.status)) throw new ConfirmationRequiredError(info);
    }
  }

  /** The state of the job after each change, until it has ended; reconnects as needed. */
  watch(settings: WatchSettings = {}): AsyncGenerator<JobProgress, void, undefined> {
    return this.#progress(Date.now() + (settings.timeoutMs ?? Infinity), settings.signal);
  }

  async *#progress(
    deadline: number,
    signal?: AbortSignal,
  ): AsyncGenerator<JobProgress, void, undefined> {
    const parser = new EventParser();
    const left = () => {
      const ms = deadline - Date.now();
      if (ms <= 0) throw new WaitTimeoutError(`${this.id} has not ended: ${this.status}`);
      return Math.min(ms, SILENCE_MS);
    };
    for (let failures = 0; ; ) {
      parser.start();
      let waitMs = parser.retryMs;
      try {
        for await (const event of this.#stream(parser, left, signal)) {
          failures = 0;
          if (event === undefined) return;
          if (typeof event === "number") {
            waitMs = event;
            break;
          }
          this.status = event.progress.status;
          yield event.progress;
          if (event.isLast) return;
        }
        waitMs = Math.min(waitMs, left());
        await pause(waitMs, signal);
        if (FINAL.has((await this.refresh()).status)) return;
      } catch (error) {
        signal?.throwIfAborted();
        const lost = error instanceof ConnectionFailedError || error instanceof ServerError;
        failures += 1;
        if (!lost || failures > PATIENCE) throw error;
        left();
        await pause(Math.min(waitMs, left()), signal);
      }
    }
  }

  /**
   * The events of one connection: a progress, undefined if the client knows the end already, or the
   * milliseconds until the next attempt if the server refuses streams.
   */
  async *#stream(
    parser: EventParser,
    left: () => number,
    signal?: AbortSignal,
  ): AsyncGenerator<{ progress: JobProgress; isLast: boolean } | number | undefined, void, undefined> {
    const stop = new AbortController();
    const signals = signal ? [signal, stop.signal] : [stop.signal];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const rearm = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        stop.abort();
      }, left());
    };
    const headers: Record<string, string> = { ...this.#transport.headers, Accept: "text/event-stream" };
    if (parser.lastId !== undefined) headers["Last-Event-ID"] = parser.lastId;
    const url = `${this.#transport.baseUrl}${this.#path}/events`;
    try {
      rearm();
      const init = { headers, signal: AbortSignal.any(signals) };
      const response = await lossAsError(url, this.#transport.fetch(url, init));
      if (response.status === 204) {
        yield undefined;
        return;
      }
      if (!response.ok || response.body === null) {
        const error = await apiError(response);
        if (!BUSY.has(error.status)) throw error;
        yield Math.min((error.retryAfter ?? 2) * 1000, 10_000);
        return;
      }
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      for (;;) {
        const piece = await lossAsError(url, reader.read());
        if (piece.done) return;
        rearm();
        for (const event of parser.push(decoder.decode(piece.value, { stream: true }))) {
          yield { progress: JSON.parse(event.data) as JobProgress, isLast: event.kind === "end" };
        }
      }
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  /** One page of results, with the total. */
  resultsPage(settings: ResultsSettings = {}): Promise<ResultsPage<M>> {
    const { offset, pageSize, cursor, filter } = settings;
    const query = { offset, page_size: pageSize, cursor, ...filterQuery(filter) };
    return this.#transport.json("GET", `${this.#path}/results`, { query });
  }

  /** The results, page by page; also while the job is running. */
  async *results(settings: ResultsSettings = {}): AsyncGenerator<Item<M>, void, undefined> {
    for (let at = settings; ; ) {
      const page = await this.resultsPage(at);
      yield* page.items;
      if (!page.has_more || page.next_cursor == null) return;
      at = { ...settings, cursor: page.next_cursor };
      delete at.offset;
    }
  }

  /** The results as objects of the selected members, by one stream. */
  async *rows(settings: RowsSettings = {}): AsyncGenerator<Record<string, unknown>, void, undefined> {
    const { fields, filter, follow, signal } = settings;
    const headers = { ...this.#transport.headers, Accept: "application/x-ndjson" };
    for (let count = 0, failures = 0; ; ) {
      const position = filter === undefined ? { offset: count } : {};
      const query = { fields: fields?.join(","), follow, ...filterQuery(filter), ...position };
      const url = this.#transport.url(`${this.#path}/results`, query).href;
      try {
        const init = signal ? { headers, signal } : { headers };
        const response = await lossAsError(url, this.#transport.fetch(url, init));
        if (!response.ok || response.body === null) throw await apiError(response);
        const reader = response.body.getReader();
        const decoder = new TextDecoder();
        for (let rest = ""; ; ) {
          const piece = await lossAsError(url, reader.read());
          if (piece.done) return;
          const lines = (rest + decoder.decode(piece.value, { stream: true })).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) {
            if (line === "") continue;
            count += 1;
            failures = 0;
            yield JSON.parse(line) as Record<string, unknown>;
          }
        }
      } catch (error) {
        signal?.throwIfAborted();
        failures += 1;
        // With a filter the number of lines is no position.
        const isLost = error instanceof ConnectionFailedError && filter === undefined;
        if (!isLost || failures > PATIENCE) throw error;
        await pause(Math.min(failures * 1000, 10_000), signal);
      }
    }
  }

  /** Why the run delivered, skipped or never found a URL, or a path of the site. */
  explain(url: string): Promise<UrlExplanation> {
    return this.#transport.json("POST", `${this.#path}/explain`, { body: { url }, repeatable: true });
  }

  /** Deletes the job, which must have ended, with its results. */
  async delete(): Promise<void> {
    await this.#transport.send("DELETE", this.#path);
  }

  /** The URLs that the run found and did not deliver, with the reason. */
  skipped(query: Query<"get_skipped"> = {}): AsyncGenerator<SkippedUrl, void, undefined> {
    return this.#transport.list(`${this.#path}/skipped`, query);
  }

  /** The number of skipped URLs by reason. */
  async skippedReasons(): Promise<Record<string, number>> {
    const query = { page_size: 1 };
    const body = await this.#transport.json<{ reasons: Record<string, number> }>(
      "GET",
      `${this.#path}/skipped`,
      { query },
    );
    return body.reasons;
  }

  /** The items that differ from an earlier run. */
  changes(query: Query<"get_changes"> = {}): AsyncGenerator<ChangedItem, void, undefined> {
    return this.#transport.list(`${this.#path}/changes`, query);
  }

  /** The first page of changes, with the counts. */
  changesPage(query: Query<"get_changes"> = {}): Promise<ChangesPage> {
    return this.#transport.json("GET", `${this.#path}/changes`, { query });
  }

  /** A link to a file, valid for one download, without credential. */
  export(body: CreateExport): Promise<Export> {
    const settings = { body, repeatable: true };
    return this.#transport.json("POST", `${this.#path}/export`, settings);
  }

  /** The file of an export as a response: `body` is a stream, `blob()` the whole file. */
  async download(body: CreateExport): Promise<Response> {
    const link = await this.export(body);
    // The link is the credential: the API key is not sent, as the link may name another host.
    const response = await lossAsError(link.url, this.#transport.fetch(link.url));
    if (!response.ok) throw await apiError(response);
    return response;
  }
}

/** The query parameters of conditions. */
function filterQuery(filter: ResultsFilter = {}): Record<string, ResultsFilter[string]> {
  const parameter = (condition: string) => {
    const [column = "", ...operator] = condition.split("[");
    return ["filter[" + column + "]", ...operator].join("[");
  };
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [parameter(name), value]));
}

/** Connections fail with errors that differ between runtimes. */
async function lossAsError<T>(url: string, operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw new ConnectionFailedError(`${url} is interrupted: ${String(error)}`, { cause: error });
  }
}
