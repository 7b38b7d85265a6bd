// Sends requests: credential, retries, errors.

import { ConfigurationError, ConnectionFailedError, apiError, retryAfter } from "./errors.js";

export interface RetryPolicy {
  /** Number of attempts, including the first one. */
  attempts: number;
  /** The pause doubles from `firstPauseMs` to `longestPauseMs`, with jitter. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** If the server asks for more with `Retry-After`, the error is thrown at once. */
  longestRetryAfterMs: number;
}

export interface TrawlSettings {
  /** URL of the server; `TRAWL_URL` of the environment, or `http://127.0.0.1:8080`. */
  baseUrl?: string;
  /** API key; `TRAWL_KEY` of the environment by default. */
  apiKey?: string;
  /** Milliseconds until the response to a request. */
  timeoutMs?: number;
  retry?: Partial<RetryPolicy>;
  /** Replaces the `fetch` of the runtime. */
  fetch?: typeof fetch;
}

export interface RequestSettings {
  query?: object;
  body?: unknown;
  /** Takes the place of a JSON `body`; `headers` has its type. */
  content?: string | Blob;
  /** Instead of the timeout of the client. */
  timeoutMs?: number;
  headers?: Record<string, string>;
  /** A second attempt does no harm. */
  repeatable?: boolean;
  signal?: AbortSignal | undefined;
}

const REPEATABLE = new Set(["GET", "HEAD", "PUT", "DELETE", "PATCH"]);
const UNCERTAIN = new Set([500, 502, 503, 504]);

/** Waits, or throws the reason of an aborted signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

function environment(name: string): string | undefined {
  const global = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return global.process?.env?.[name];
}

/** Whether the error of `fetch` says that the request was not sent. */
function notSent(error: unknown): boolean {
  const code = (error as { cause?: { code?: string } }).cause?.code ?? (error as { code?: string }).code;
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "ConnectionRefused";
}

/** `fetch failed` has its reason in its cause. */
function causes(error: unknown): string {
  const inner = (error as { cause?: unknown } | null)?.cause;
  return inner instanceof Error ? `${String(error)}: ${inner.message}` : String(error);
}

export class Transport {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;

  constructor(settings: TrawlSettings) {
    const url = settings.baseUrl ?? environment("TRAWL_URL") ?? "http://127.0.0.1:8080";
    const key = settings.apiKey ?? environment("TRAWL_KEY");
    if (!key) throw new ConfigurationError("no API key: pass apiKey or set TRAWL_KEY");
    if (!/^https?:\/\//.test(url)) {
      throw new ConfigurationError(`baseUrl "${url}" does not begin with http:// or https://`);
    }
    this.baseUrl = url.replace(/\/+$/, "");
    this.headers = { Authorization: `Bearer ${key}` };
    this.timeoutMs = settings.timeoutMs ?? 60_000;
    this.fetch = settings.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.retry = {
      attempts: 4,
      firstPauseMs: 500,
      longestPauseMs: 8_000,
      longestRetryAfterMs: 60_000,
      ...settings.retry,
    };
  }

  /** The URL of a path; a list gives a parameter for each of its values. */
  url(path: string, query: object = {}): URL {
    const url = new URL(this.baseUrl + path);
    for (const [name, value] of Object.entries(query) as [string, QueryValue | QueryValue[]][]) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined && one !== null) url.searchParams.append(name, String(one));
      }
    }
    return url;
  }

  /** A successful response. */
  async send(method: string, path: string, settings: RequestSettings = {}): Promise<Response> {
    const repeatable = settings.repeatable ?? REPEATABLE.has(method);
    const url = this.url(path, settings.query);
    const headers: Record<string, string> = { ...this.headers, ...settings.headers };
    const init: RequestInit = { method, headers };
    if (settings.body !== undefined) {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(settings.body);
    } else if (settings.content !== undefined) {
      init.body = settings.content;
    }
    for (let attempt = 1; ; attempt += 1) {
      const timeoutMs = settings.timeoutMs ?? this.timeoutMs;
      const answer = await this.#attempt(url, init, timeoutMs, settings.signal);
      let waitMs: number | undefined;
      if (answer instanceof Response) {
        if (answer.ok) return answer;
        const error = await apiError(answer);
        waitMs = this.#afterResponse(attempt, answer, error.code, repeatable);
        if (waitMs === undefined) throw error;
      } else {
        const again = (repeatable || notSent(answer.cause)) && attempt < this.retry.attempts;
        if (!again) {
          const reason = causes(answer.cause);
          const message = `${method} ${url.href} failed after ${attempt} attempts: ${reason}`;
          throw new ConnectionFailedError(message, { cause: answer.cause });
        }
        waitMs = this.pauseMs(attempt);
      }
      await pause(waitMs, settings.signal);
    }
  }

  /** A response of any status, or the cause of its loss, whose type differs between runtimes. */
  async #attempt(
    url: URL,
    init: RequestInit,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Response | { cause: unknown }> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
      return await this.fetch(url, { ...init, signal: either });
    } catch (cause) {
      signal?.throwIfAborted();
      return { cause };
    }
  }

  #afterResponse(attempt: number, response: Response, code: string, repeatable: boolean) {
    const { status } = response;
    const wanted =
      status === 429 || code === "idempotency_in_progress" || (repeatable && UNCERTAIN.has(status));
    if (!wanted || attempt >= this.retry.attempts) return undefined;
    const asked = retryAfter(response);
    if (asked === undefined) return this.pauseMs(attempt);
    return asked * 1000 <= this.retry.longestRetryAfterMs ? asked * 1000 : undefined;
  }

  pauseMs(attempt: number): number {
    const full = Math.min(this.retry.longestPauseMs, this.retry.firstPauseMs * 2 ** (attempt - 1));
    return full * (0.5 + Math.random() / 2);
  }

  async json<T>(method: string, path: string, settings: RequestSettings = {}): Promise<T> {
    const response = await this.send(method, path, settings);
    return (await response.json()) as T;
  }

  /** The items of all pages of a list. */
  async *list<T>(path: string, query: object = {}): AsyncGenerator<T, void, undefined> {
    for (let page = 1; ; page += 1) {
      const body = await this.json<Page<T>>("GET", path, { query: { ...query, page } });
      yield* body.items;
      const more = body.has_more ?? page * (body.page_size ?? 0) < (body.total ?? 0);
      if (!more) return;
    }
  }
}

type QueryValue = string | number | boolean | null | undefined;

interface Page<T> {
  items: T[];
  has_more?: boolean;
  page_size?: number;
  total?: number;
}
