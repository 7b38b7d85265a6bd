// The client: starts jobs and gives access to the resources of the API.

import { Job, type WaitSettings } from "./job.js";
import type {
  Account,
  AuditEntry,
  ChangeSchedule,
  ChangeWebhook,
  CreateEstimate,
  CreateJob,
  CreateSchedule,
  CreateWebhook,
  CreatedWebhook,
  Delivery,
  Estimate,
  Event,
  JobAccepted,
  JobOptions,
  LedgerLine,
  MapOptions,
  Mode,
  PageAnswer,
  PublicJob,
  Query,
  ReadOptions,
  Schedule,
  UploadedList,
  UrlMap,
  Usage,
  Webhook,
} from "./models.js";
import { Transport, type TrawlSettings } from "./transport.js";

export interface StartSettings {
  /** Without it each call starts a job: the key of a call only makes its repeated attempts safe. */
  idempotencyKey?: string;
}

/** A client of a Trawl server. */
export class Trawl {
  readonly jobs: Jobs;
  readonly lists: Lists;
  readonly schedules: Schedules;
  readonly webhooks: Webhooks;
  readonly account: AccountResource;
  readonly #transport: Transport;

  constructor(settings: TrawlSettings = {}) {
    this.#transport = new Transport(settings);
    this.jobs = new Jobs(this.#transport);
    this.lists = new Lists(this.#transport);
    this.schedules = new Schedules(this.#transport);
    this.webhooks = new Webhooks(this.#transport);
    this.account = new AccountResource(this.#transport);
  }

  /**
   * Starts a job and returns at once. `target` can be a list: of domains in `contacts`, of URLs in
   * `links`, `products` and `markdown`.
   */
  start<M extends Mode>(
    target: M extends "sitemap" ? string : string | string[],
    mode: M,
    options: JobOptions & StartSettings = {},
  ): Promise<Job<M>> {
    const { idempotencyKey, ...members } = options;
    const goal: string | string[] = target;
    const list = mode === "contacts" ? { domains: goal as string[] } : { urls: goal as string[] };
    const where = typeof goal === "string" ? { url: goal } : list;
    const body: CreateJob & { mode: M } = { ...members, ...where, mode };
    return this.jobs.create(body, idempotencyKey === undefined ? {} : { idempotencyKey });
  }

  /** Starts a job and waits until it has completed: `start`, then `Job.wait`. */
  async crawl<M extends Mode>(
    target: M extends "sitemap" ? string : string | string[],
    mode: M,
    options: JobOptions & StartSettings & WaitSettings = {},
  ): Promise<Job<M>> {
    const { onProgress, continueBatches, timeoutMs, signal, ...rest } = options;
    const job = await this.start(target, mode, rest);
    const wait: WaitSettings = {};
    if (onProgress) wait.onProgress = onProgress;
    if (continueBatches) wait.continueBatches = continueBatches;
    if (timeoutMs !== undefined) wait.timeoutMs = timeoutMs;
    if (signal) wait.signal = signal;
    await job.wait(wait);
    return job;
  }

  /**
   * Reads one page at once, without a job. The mode is `markdown` unless it is given. Without
   * `idempotencyKey` each call reads and charges a page.
   */
  read<M extends Mode = "markdown">(
    url: string,
    options: ReadOptions & { mode?: M } & StartSettings = {},
  ): Promise<PageAnswer<M>> {
    const { idempotencyKey, ...members } = options;
    return this.#transport.json("POST", "/v1/pages", {
      body: { ...members, url },
      headers: { "Idempotency-Key": idempotencyKey ?? crypto.randomUUID() },
      repeatable: true,
    });
  }

  /** The URLs of a site that can be found in ten seconds, without a job. */
  map(url: string, options: MapOptions = {}): Promise<UrlMap> {
    return this.#transport.json("POST", "/v1/map", { body: { ...options, url }, repeatable: true });
  }

  /** Expected pages and price of a run, without starting it. */
  estimate(body: CreateEstimate): Promise<Estimate> {
    return this.#transport.json("POST", "/v1/estimate", { body, repeatable: true });
  }
}

/** `/v1/jobs`. */
export class Jobs {
  constructor(private readonly transport: Transport) {}

  /** Starts a job and returns at once. */
  async create<M extends Mode>(
    body: CreateJob & { mode: M },
    settings: StartSettings = {},
  ): Promise<Job<M>> {
    const accepted = await this.transport.json<JobAccepted>("POST", "/v1/jobs", {
      body,
      headers: { "Idempotency-Key": settings.idempotencyKey ?? crypto.randomUUID() },
      repeatable: true,
    });
    return new Job<M>(this.transport, accepted);
  }

  /** A job by its id, with its state. */
  async get(id: string): Promise<Job> {
    const path = `/v1/jobs/${encodeURIComponent(id)}`;
    return new Job(this.transport, await this.transport.json<PublicJob>("GET", path));
  }

  /** The jobs of the account, newest first. */
  async *list(query: Query<"list_jobs"> = {}): AsyncGenerator<Job, void, undefined> {
    for await (const info of this.transport.list<PublicJob>("/v1/jobs", query)) {
      yield new Job(this.transport, info);
    }
  }
}

/** The time in which a server receives a list. */
const UPLOAD_MS = 660_000;

/** `/v1/lists`: lists of up to 1,000,000 URLs. Pass `list_id` to `jobs.create`. */
export class Lists {
  constructor(private readonly transport: Transport) {}

  /** Uploads URLs, or a file (`Blob`) with one URL per line. The list is kept for 7 days. */
  upload(urls: Iterable<string> | Blob): Promise<UploadedList> {
    if (typeof urls === "string") throw new TypeError("urls is one text: pass a list of URLs");
    const content = urls instanceof Blob ? urls : [...urls].join("\n");
    const headers = { "Content-Type": "text/plain" };
    return this.transport.json("POST", "/v1/lists", { content, headers, timeoutMs: UPLOAD_MS });
  }

  /** The number of URLs of a list, and until when jobs can be started over it. */
  get(id: string): Promise<UploadedList> {
    return this.transport.json("GET", `/v1/lists/${encodeURIComponent(id)}`);
  }

  /** Deletes a list; jobs over it keep their URLs. */
  async remove(id: string): Promise<void> {
    await this.transport.send("DELETE", `/v1/lists/${encodeURIComponent(id)}`);
  }
}

/** `/v1/schedules`. */
export class Schedules {
  constructor(private readonly transport: Transport) {}

  /** Creates a schedule: a job request, a cron expression and a time zone. */
  create(body: CreateSchedule): Promise<Schedule> {
    return this.transport.json("POST", "/v1/schedules", { body });
  }

  /** A schedule with its next starts and its last run. */
  get(id: string): Promise<Schedule> {
    return this.transport.json("GET", `/v1/schedules/${encodeURIComponent(id)}`);
  }

  /** The schedules of the account. */
  list(query: Query<"list_schedules"> = {}): AsyncGenerator<Schedule, void, undefined> {
    return this.transport.list("/v1/schedules", query);
  }

  /** Changes the given members. */
  change(id: string, body: ChangeSchedule): Promise<Schedule> {
    return this.transport.json("PATCH", `/v1/schedules/${encodeURIComponent(id)}`, { body });
  }

  /** Starts a run of the schedule now. */
  async run(id: string): Promise<Job> {
    const path = `/v1/schedules/${encodeURIComponent(id)}/run`;
    return new Job(this.transport, await this.transport.json<JobAccepted>("POST", path));
  }

  /** Deletes the schedule; its runs are kept. */
  async remove(id: string): Promise<void> {
    await this.transport.send("DELETE", `/v1/schedules/${encodeURIComponent(id)}`);
  }
}

/** `/v1/webhooks`. `verify` of `@trawl/client/webhooks` verifies a delivery. */
export class Webhooks {
  constructor(private readonly transport: Transport) {}

  /** Registers an endpoint. Store its `secret`: it is returned only here. */
  create(body: CreateWebhook): Promise<CreatedWebhook> {
    return this.transport.json("POST", "/v1/webhooks", { body });
  }

  /** The endpoints of the account. */
  list(): Promise<Webhook[]> {
    return this.transport.json("GET", "/v1/webhooks");
  }

  /** Changes the given members. */
  change(id: string, body: ChangeWebhook): Promise<Webhook> {
    return this.transport.json("PATCH", `/v1/webhooks/${encodeURIComponent(id)}`, { body });
  }

  /** Removes the endpoint with its pending deliveries. */
  async remove(id: string): Promise<void> {
    await this.transport.send("DELETE", `/v1/webhooks/${encodeURIComponent(id)}`);
  }

  /** Sends a `webhook.test` to the endpoint. */
  test(id: string): Promise<Delivery> {
    return this.transport.json("POST", `/v1/webhooks/${encodeURIComponent(id)}/test`);
  }

  /** The deliveries of an endpoint, newest first. */
  deliveries(
    id: string,
    query: Query<"list_deliveries"> = {},
  ): AsyncGenerator<Delivery, void, undefined> {
    return this.transport.list(`/v1/webhooks/${encodeURIComponent(id)}/deliveries`, query);
  }

  /** Sends a delivery again. */
  redeliver(id: string, delivery: string): Promise<Delivery> {
    const path = `/v1/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(delivery)}`;
    return this.transport.json("POST", `${path}/redeliver`);
  }

  /** All events after the given one, delivered or not, in order. */
  async *events(query: Query<"list_events"> = {}): AsyncGenerator<Event, void, undefined> {
    for (let { after } = query; ; ) {
      const body = await this.transport.json<{ items: Event[]; has_more: boolean }>(
        "GET",
        "/v1/events",
        { query: { ...query, after } },
      );
      yield* body.items;
      if (!body.has_more) return;
      after = body.items.at(-1)?.id ?? after;
    }
  }
}

/** `/v1/account`, usage, ledger and audit log. */
export class AccountResource {
  constructor(private readonly transport: Transport) {}

  /** Balance, limits and the key of the request. */
  get(): Promise<Account> {
    return this.transport.json("GET", "/v1/account");
  }

  /** Charges by `source`, `mode` or `day`. */
  usage(query: Query<"get_usage"> = {}): Promise<Usage> {
    return this.transport.json("GET", "/v1/usage", { query });
  }

  /** Every change of the balance, newest first. */
  ledger(query: Query<"list_ledger"> = {}): AsyncGenerator<LedgerLine, void, undefined> {
    return this.transport.list("/v1/ledger", query);
  }

  /** The audit log of the account, newest first. */
  audit(query: Query<"list_audit"> = {}): AsyncGenerator<AuditEntry, void, undefined> {
    return this.transport.list("/v1/audit", query);
  }
}
