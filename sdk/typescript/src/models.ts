// Names for the schemas of the API. `schema.ts` is generated from the OpenAPI document.

import type { components, operations } from "./schema.js";

type Schemas = components["schemas"];

export type Account = Schemas["Account"];
export type AuditEntry = Schemas["AuditEntry"];
export type ChangedItem = Schemas["Change_Item"];
export type ChangesPage = Schemas["ChangesPage"];
export type ChangeSchedule = Schemas["ChangeSchedule"];
export type ChangeWebhook = Schemas["ChangeWebhook"];
export type Confirm = Schemas["Confirm"];
export type ContactItem = Schemas["ContactItem"];
export type CreatedWebhook = Schemas["CreatedWebhook"];
export type CreateEstimate = Schemas["CreateEstimate"];
export type CreateExport = Schemas["CreateExport"];
export type CreateJob = Schemas["CreateJob"];
export type CreateSchedule = Schemas["CreateSchedule"];
export type CreateWebhook = Schemas["CreateWebhook"];
export type Delivery = Schemas["Delivery"];
export type Estimate = Schemas["Estimate"];
export type Event = Schemas["Event"];
export type Export = Schemas["Export"];
export type FieldError = Schemas["FieldError"];
export type JobAccepted = Schemas["JobAccepted"];
export type JobError = Schemas["JobError"];
export type JobProgress = Schemas["JobProgress"];
export type LedgerLine = Schemas["LedgerLine"];
export type LinkItem = Schemas["LinkItem"];
export type MarkdownItem = Schemas["MarkdownItem"];
export type Mode = Schemas["Mode"];
export type Problem = Schemas["Problem"];
export type ProductItem = Schemas["ProductItem"];
export type PublicJob = Schemas["PublicJob"];
export type Schedule = Schemas["Schedule"];
export type SitemapItem = Schemas["SitemapItem"];
export type SkippedUrl = Schemas["SkippedUrl"];
export type Status = Schemas["Status"];
export type UrlExplanation = Schemas["UrlExplanation"];
export type UploadedList = Schemas["UploadedList"];
export type UrlMap = Schemas["UrlMap"];
export type Usage = Schemas["Usage"];
export type Webhook = Schemas["Webhook"];

/** The type of an item by the mode of its job. */
export interface ItemTypes {
  links: LinkItem;
  sitemap: SitemapItem;
  products: ProductItem;
  markdown: MarkdownItem;
  contacts: ContactItem;
}

/** Items of a job whose mode is `M`. */
export type Item<M extends Mode = Mode> = ItemTypes[M];

/** A page of results of a job whose mode is `M`. */
export type ResultsPage<M extends Mode = Mode> = Omit<Schemas["ResultsPage"], "items"> & {
  items: Item<M>[];
};

/** A page that was read at once in mode `M`. */
export type PageAnswer<M extends Mode = Mode> = Omit<Schemas["PageAnswer"], "item"> & {
  item?: Item<M>;
};

/** Members of the request for a page besides its URL. */
export type ReadOptions = Omit<Schemas["ReadPage"], "url" | "mode">;

/** Members of the request for a map besides its URL. */
export type MapOptions = Omit<Schemas["CreateMap"], "url">;

/** Members of a job request besides its mode and its target. */
export type JobOptions = Omit<CreateJob, "mode" | "url" | "domains" | "urls">;

type Operation = keyof operations;

/** The query parameters of an operation. Iterators manage the position. */
export type Query<O extends Operation> = Omit<
  NonNullable<operations[O]["parameters"]["query"]>,
  "page" | "offset"
>;
