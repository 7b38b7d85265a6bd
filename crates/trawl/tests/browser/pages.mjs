// Every page of the console. Each is looked at in a real browser: light and dark, wide and
// narrow, with script and without, by keyboard, and by axe. A new page is a line here.
//
//   name       the name of its screenshots
//   path       where it is; {links} is the run or the place of that name from the stage (see
//              console.rs)
//   anonymous  it is seen without a session
//   says       words that must stand on it, with script and without

export const PAGES = [
  { name: "sign-in", path: "/sign-in", says: "Sign in", anonymous: true },
  { name: "nothing-here", path: "/no/such/page", says: "Nothing here", status: 404 },
  { name: "runs", path: "/runs", says: "links.lab" },
  { name: "runs-filtered", path: "/runs?mode=contacts&status=completed", says: "List of domains" },
  { name: "runs-none", path: "/runs?status=aborted", says: "No runs here" },
  { name: "new-run", path: "/runs/new", says: "What do you want?" },
  { name: "new-run-repeated", path: "/runs/new?from={contacts}", says: "poisoned.lab" },
  { name: "run-running", path: "/runs/{stuck}", says: "Being fetched" },
  { name: "run-paused", path: "/runs/{large}", says: "Start batch 2 for up to 200 credits" },
  { name: "run-walled", path: "/runs/{walled}", says: "Go on at 5 credits a URL" },
  { name: "run-done", path: "/runs/{links}", says: "As it was asked for" },
  { name: "links", path: "/runs/{links}/results", says: "Inlinks" },
  { name: "links-sorted", path: "/runs/{links}/results?sort=inlinks&order=desc&status=2xx", says: "As found" },
  { name: "tree", path: "/runs/{links}/tree", says: "links.lab" },
  { name: "charts", path: "/runs/{links}/charts", says: "Status codes" },
  { name: "left-out", path: "/runs/{products}/skipped", says: "Why URLs were left out" },
  { name: "exports", path: "/runs/{links}/exports", says: "Download csv" },
  { name: "events", path: "/runs/{links}/events", says: "job.completed" },
  { name: "changes", path: "/runs/{again}/changes", says: "Added 5" },
  { name: "changes-added", path: "/runs/{again}/changes?kind=added", says: "5 changes" },
  { name: "changes-first", path: "/runs/{first}/changes", says: "nothing to hold it against" },
  { name: "changes-choose", path: "/runs/{links}/changes", says: "There is no other completed run of this mode here" },
  { name: "schedules", path: "/schedules", says: "Every morning" },
  { name: "schedule", path: "/schedules/{schedule}", says: "Next starts" },
  { name: "schedule-new", path: "/schedules/new", says: "Cron expression" },
  { name: "schedule-of-run", path: "/schedules/new?from={links}", says: "Make the schedule" },
  { name: "markdown", path: "/runs/{markdown}/results", says: "Tokens" },
  { name: "markdown-page", path: "/runs/{markdown}/results/2", says: "All pages" },
  { name: "products", path: "/runs/{products}/results", says: "in stock" },
  { name: "contacts", path: "/runs/{contacts}/results", says: "found" },
  { name: "account", path: "/account", says: "Credits to spend" },
  { name: "ledger", path: "/account/ledger", says: "Run (" },
  { name: "keys", path: "/account/keys", says: "New key" },
  { name: "webhooks", path: "/account/webhooks", says: "hooks.lab" },
  { name: "webhook", path: "/account/webhooks/{webhook}", says: "webhook.test" },
  { name: "applications", path: "/account/applications", says: "<script>" },
  { name: "consent", path: "/oauth/authorize?{ask}", says: "You will be sent to a program on this computer" },
  { name: "consent-unsafe", path: "/oauth/authorize?client_id=nobody", says: "not safe to answer", status: 400, anonymous: true },
  { name: "operator", path: "/operator", says: "Grant credits" },
  { name: "operator-queue", path: "/operator/queue", says: "Parts at work" },
  { name: "operator-refusals", path: "/operator/refusals", says: "blocked.example" },
  { name: "hostile-links", path: "/runs/{hostile_links}/results", says: "poisoned.lab" },
  { name: "hostile-tree", path: "/runs/{hostile_links}/tree", says: "poisoned.lab" },
  { name: "hostile-left-out", path: "/runs/{hostile_links}/skipped", says: "URL" },
  { name: "hostile-markdown", path: "/runs/{hostile_markdown}/results", says: "poisoned.lab" },
  { name: "hostile-page", path: "/runs/{hostile_markdown}/results/2", says: "of" },
  { name: "hostile-products", path: "/runs/{hostile_products}/results", says: "9.90" },
];
