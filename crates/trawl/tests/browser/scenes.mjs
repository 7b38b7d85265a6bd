// Scenarios of a user, played from start to end. A scenario throws when a check fails.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { ACCOUNT_SCENES } from "./account.mjs";
import { READING_SCENES } from "./reading.mjs";

async function signIn(page, stage, password = stage.password) {
  await page.fill("[name=email]", stage.email);
  await page.fill("[name=password]", password);
  await page.press("[name=password]", "Enter");
}

export const SCENES = {
  ...ACCOUNT_SCENES,
  ...READING_SCENES,

  // Without script, by keyboard: a wrong password, the right one, redirect to the requested page,
  // and sign-out.
  async "signing in and out"({ visitor, stage, path }) {
    const context = await visitor({ javaScriptEnabled: false });
    const page = await context.newPage();
    const wanted = path("/runs/{links}/results?sort=depth&order=asc");
    await page.goto(wanted);
    assert.match(page.url(), /\/sign-in\?next=/);
    await signIn(page, stage, "wrong");
    await page.getByText("E-mail or password is wrong.").waitFor();
    assert.equal(await page.inputValue("[name=email]"), stage.email, "typed values are kept");
    await signIn(page, stage);
    await page.waitForURL(`**${wanted}`);
    const [cookie] = await context.cookies();
    assert.equal(cookie.httpOnly, true);
    assert.equal(cookie.sameSite, "Lax");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/sign-in");
    await context.addCookies([cookie]);
    await page.goto("/runs");
    assert.match(page.url(), /\/sign-in/, "an ended session stays ended");
    await context.close();
  },

  // A sign-in link cannot redirect to another host. (Once: sign-in attempts are limited.)
  async "next cannot leave the host"({ visitor, stage }) {
    const context = await visitor();
    const page = await context.newPage();
    await page.goto(`/sign-in?next=${encodeURIComponent("/\\evil.test")}`);
    await signIn(page, stage);
    await page.waitForURL(`${stage.url}/runs`);
    await context.close();
  },

  // A schedule without script: an invalid expression is shown at its field; then it is paused,
  // resumed, run and deleted.
  async "a schedule is created, paused, resumed and deleted"({ visitor, session, path }) {
    const context = await visitor({ storageState: session, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(path("/schedules/new?from={links}"));
    await page.getByText("Every day at 06:00, UTC").waitFor();
    assert.equal(await page.locator("#preview li").count(), 5);
    await page.selectOption("[name=every]", "custom");
    await page.fill("[name=cron]", "0 0 30 2 *");
    await page.fill("[name=timezone]", "Europe/Berlin");
    await page.fill("[name=name]", "<b>Nightly</b>");
    await page.getByRole("button", { name: "Create schedule" }).click();
    await page.getByText("never fires").first().waitFor();
    assert.equal(await page.getAttribute("[name=cron]", "aria-invalid"), "true");
    assert.equal(await page.inputValue("[name=url]"), "http://links.lab/", "typed values are kept");
    await page.selectOption("[name=every]", "day");
    await page.fill("[name=at]", "02:30");
    await page.getByRole("button", { name: "Show the next starts" }).click();
    await page.getByText("Every day at 02:30, Europe/Berlin").waitFor();
    await page.getByRole("button", { name: "Create schedule" }).click();
    await page.waitForURL("**/schedules/sch_*");
    await page.getByText("Every day at 02:30, Europe/Berlin").first().waitFor();
    await page.getByRole("link", { name: "Change the request" }).click();
    assert.equal(await page.inputValue("[name=url]"), "http://links.lab/");
    await page.getByText("Images").click();
    await page.getByRole("button", { name: "Save request" }).click();
    await page.waitForURL("**/schedules/sch_*");
    await page.getByText('"include_images": true').waitFor();
    await page.getByRole("heading", { name: "<b>Nightly</b>" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("None while the schedule is paused").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.selectOption("[name=every]", "custom");
    await page.fill("[name=cron]", "*/2 * * * *");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("leave at least 5 minutes").first().waitFor();
    await page.getByRole("button", { name: "Run now" }).click();
    await page.waitForURL("**/runs/job_*");
    await page.goto("/schedules");
    await page.getByRole("link", { name: "<b>Nightly</b>" }).click();
    await page.getByText("Delete…").click();
    await page.getByRole("button", { name: "Delete the schedule" }).click();
    await page.waitForURL("**/schedules");
    assert.equal(await page.getByText("Nightly").count(), 0);
    await context.close();
  },

  // With script, the next starts follow the fields.
  async "next starts follow the form of a schedule"({ context, listen }) {
    const page = await context.newPage();
    const heard = await listen(page);
    await page.goto("/schedules/new");
    await page.fill("[name=timezone]", "Europe/Berlin");
    await page.selectOption("[name=every]", "week");
    await page.selectOption("[name=weekday]", "5");
    await page.fill("[name=at]", "07:45");
    await page.getByText("Every Friday at 07:45, Europe/Berlin").waitFor();
    assert.equal(await page.locator("#preview li").count(), 5);
    assert.deepEqual(heard, []);
  },

  // A page of another site can neither use the session cookie nor frame the console.
  async "cross-site forms and frames are rejected"({ context, stage, path }) {
    const page = await context.newPage();
    const abort = `${stage.url}${path("/runs/{stuck}/abort")}`;
    await page.route("http://evil.test/", (route) => route.fulfill({
      contentType: "text/html",
      body: `<form method=post action="${abort}"><button>win</button></form><iframe src="${stage.url}/runs"></iframe>`,
    }));
    await page.goto("http://evil.test/");
    const frame = page.frames()[1];
    assert.ok(!frame || !(await frame.content()).includes("Sign out"), "the console is not framed");
    const [answer] = await Promise.all([page.waitForResponse(abort), page.click("button")]);
    assert.ok([303, 403].includes(answer.status()), `rejected: ${answer.status()}`);
    // Same origin, with the cookie, without the form token.
    const forged = await context.request.post(abort, { form: { form_token: "AAAA" } });
    assert.equal(forged.status(), 403);
    const run = await context.newPage();
    await run.goto(path("/runs/{stuck}"));
    await run.getByText("running").first().waitFor();
  },

  // Estimate and request follow the form; the run is then watched to its end.
  async "a new run"({ context, stage, listen }) {
    // The list is open meanwhile: the run appears there live.
    const list = await context.newPage();
    await list.goto("/runs");
    const page = await context.newPage();
    const heard = await listen(page);
    await page.goto("/runs/new");
    await page.getByText("Broken links").click();
    await page.fill("[name=url]", stage.slow);
    await page.getByText("Your balance").waitFor();
    await page.getByText("1 credit per URL").waitFor();
    const request = page.locator("#request");
    await page.waitForFunction(() => document.getElementById("request").textContent.includes("slow.lab"));
    assert.match(await request.innerText(), /"include_broken":true/);
    await page.getByRole("button", { name: "Start the run" }).click();
    await page.waitForURL("**/runs/job_*");
    const job = page.url();
    await page.getByText("completed").waitFor();
    assert.match(await page.locator("#run [data-of=results]").innerText(), /^\d+$/);
    await page.getByRole("link", { name: "http://slow.lab/", exact: true }).first().waitFor();
    await list.bringToFront();
    await list.locator("tr", { hasText: "slow.lab" }).getByText("completed").waitFor();
    await page.bringToFront();
    await page.getByRole("link", { name: "Repeat" }).click();
    assert.equal(await page.inputValue("[name=url]"), stage.slow);
    assert.equal(await page.isChecked("[name='scope.include_broken']"), true);
    assert.deepEqual(heard, [], job);
  },

  // API errors are shown at their field, and typed values are kept; also without script.
  async "form errors are shown at their field"({ visitor, stage, session }) {
    const context = await visitor({ storageState: session, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto("/runs/new");
    await page.fill("[name=url]", "http://localhost/<script>alert(1)</script>");
    await page.getByText("Images").click();
    await page.getByText("Continue up to a maximum").click();
    await page.fill("[name=max_credit_per_unit]", "many");
    await page.getByRole("button", { name: "Start the run" }).click();
    assert.equal(await page.getAttribute("[name=url]", "aria-invalid"), "true");
    assert.equal(await page.getAttribute("[name=max_credit_per_unit]", "aria-invalid"), "true");
    assert.equal(await page.inputValue("[name=url]"), "http://localhost/<script>alert(1)</script>");
    assert.equal(await page.isChecked("[name='scope.include_images']"), true);
    await page.fill("[name=url]", stage.slow);
    await page.getByRole("button", { name: "Estimate" }).click();
    await page.getByText("Your balance").waitFor();
    assert.equal(await page.inputValue("[name=max_credit_per_unit]"), "many");
    await context.close();
  },

  // The button shows the price, and the run continues.
  async "a waiting run is confirmed"({ context, path }) {
    const page = await context.newPage();
    await page.goto(path("/runs/{large}"));
    await page.getByText("Batch 2 delivers up to 200 URLs at 1 credit per URL: at most 200 credits.").waitFor();
    await page.getByRole("button", { name: "Start batch 2 for up to 200 credits" }).click();
    await page.getByRole("button", { name: "Start batch 3 for up to 200 credits" }).waitFor();
    await page.goto(path("/runs/{walled}"));
    await page.getByText("Each further URL costs 5 credits instead of 1 credit.").waitFor();
    await page.getByRole("button", { name: "Continue at 5 credits per URL" }).click();
    await page.locator(".chip", { hasText: "completed" }).waitFor();
  },

  // Several runs are selected without script; an action asks first.
  async "runs are searched and exported together"({ visitor, session }) {
    const context = await visitor({ storageState: session, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto("/runs");
    await page.getByLabel("Site or name contains").fill("HANDBOOK");
    await page.getByRole("button", { name: "Filter" }).click();
    const boxes = page.locator("[name=id]");
    assert.equal(await boxes.count(), 1);
    await boxes.first().check();
    await page.getByRole("button", { name: "Delete selected…" }).click();
    await page.getByRole("button", { name: "Delete 1 run" }).waitFor();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.goto("/runs?q=handbook");
    await boxes.first().check();
    await page.getByRole("button", { name: "Export selected" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: /handbook\.lab/ }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^markdown-handbook\.lab-/);
    await context.close();
  },

  // Results are searched, and the file has what the page shows.
  async "a selection of results is exported"({ context, path }) {
    const page = await context.newPage();
    await page.goto(path("/runs/{links}"));
    await page.getByLabel("Search").fill("nothing has this text");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("No results match").waitFor();
    await page.getByLabel("Search").fill("");
    await page.selectOption("[name=status]", "2xx");
    await page.getByRole("button", { name: "Filter" }).click();
    const matching = await page.getByText(/ URLs match$/).innerText();
    const rows = Number(matching.split(" of ")[0].replaceAll(",", ""));
    assert.ok(rows > 0, matching);
    await page.selectOption("#export-format", "jsonl");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the selection" }).click(),
    ]);
    const lines = readFileSync(await download.path(), "utf8").trim().split("\n").map(JSON.parse);
    assert.equal(lines.length, rows);
    assert.ok(lines.every((item) => item.status_code >= 200 && item.status_code < 300));
    await page.locator("#results tbody a").first().click();
    await page.getByRole("heading", { name: "Values" }).waitFor();
    assert.equal(JSON.parse(await page.locator("#json").innerText()).url, lines[0].url);
  },

  // A program of the page has the id of the run, and its text is copied.
  async "results are used from a program"({ context, path, stage }) {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: stage.url });
    const page = await context.newPage();
    await page.goto(path("/runs/{links}/use"));
    await page.getByRole("button", { name: "Copy curl" }).click();
    await page.getByText("Copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(copied.includes(path("/v1/jobs/{links}/results")), copied);
  },

  // Nine numbers of a run: none is alone in its row.
  async "the numbers of a run fill their rows"({ visitor, session, path }) {
    const context = await visitor({ storageState: session, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.goto(path("/runs/{products}/progress"));
    const rows = await page.locator("dl.facts").first().evaluate((facts) => {
      const tops = [...facts.children].map((one) => one.getBoundingClientRect().top);
      return [...new Set(tops)].map((top) => tops.filter((other) => other === top).length);
    });
    assert.ok(rows.length > 1 && rows.at(-1) > 1, `members of each row: ${rows}`);
    await context.close();
  },

  async "an export is downloaded"({ context, path }) {
    const page = await context.newPage();
    await page.goto(path("/runs/{links}/exports"));
    for (const format of ["csv", "json", "xlsx"]) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `Download ${format}`, exact: true }).click(),
      ]);
      assert.match(download.suggestedFilename(), new RegExp(`^links-links\\.lab-.*\\.${format}$`));
    }
  },

  async "a run is aborted"({ visitor, session, path }) {
    const context = await visitor({ storageState: session, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(path("/runs/{stuck}"));
    await page.getByText("Abort…").click();
    await page.getByRole("button", { name: "Abort the run" }).click();
    await page.locator(".chip", { hasText: "aborted" }).first().waitFor();
    await context.close();
  },

  // A theme is remembered, applied before the first paint, and follows the system without script.
  async "a theme is chosen"({ visitor, session }) {
    const context = await visitor({ storageState: session, colorScheme: "light" });
    const page = await context.newPage();
    await page.goto("/runs");
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.selectOption("#theme", "dark");
    const dark = await ground();
    assert.notEqual(dark, light);
    // The first frame is dark already.
    await page.addInitScript(() => requestAnimationFrame(() => {
      window.firstGround = getComputedStyle(document.documentElement).colorScheme;
    }));
    await page.goto("/schedules");
    assert.equal(await ground(), dark, "remembered");
    assert.equal(await page.evaluate(() => window.firstGround), "dark");
    assert.equal(await page.inputValue("#theme"), "dark");
    await page.selectOption("#theme", "");
    await page.emulateMedia({ colorScheme: "dark" });
    assert.equal(await ground(), dark, "the system");
    await context.close();
    const plain = await visitor({ storageState: session, colorScheme: "dark", javaScriptEnabled: false });
    const without = await plain.newPage();
    await without.goto("/runs");
    assert.equal(await without.evaluate(() => getComputedStyle(document.body).backgroundColor), dark);
    assert.equal(await without.locator("#theme").isVisible(), false, "no control without effect");
    await plain.close();
  },

  // Shortcuts work outside of fields, are listed, and can be turned off.
  async "keyboard shortcuts"({ context, listen }) {
    const page = await context.newPage();
    const heard = await listen(page);
    await page.goto("/runs");
    const focused = () => page.evaluate(() => document.activeElement.id);
    await page.keyboard.press("/");
    assert.equal(await focused(), "q");
    await page.keyboard.type("ng?");
    assert.equal(await page.inputValue("#q"), "ng?", "keys in a field are text");
    await page.locator("h1").click();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.getByText("New run").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.keyboard.press("Control+n");
    await page.keyboard.press("n");
    await page.waitForURL("**/runs/new");
    await page.locator("h1").click();
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.waitForURL("**/runs");
    await page.goto("/account/keys");
    await page.locator("h1").click();
    await page.keyboard.press("/");
    await page.waitForURL("**/runs#q");
    assert.equal(await focused(), "q", "the search of another page");
    await page.goto("/runs");
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await dialog.getByLabel("Use these shortcuts").uncheck();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.keyboard.press("n");
    await page.keyboard.press("/");
    assert.equal(await focused(), "open-shortcuts", "turned off");
    await page.evaluate(() => localStorage.removeItem("shortcuts"));
    assert.deepEqual(heard, []);
  },

  // One row on a phone; the sections are behind a button, also without script.
  async "the header of a phone"({ visitor, session }) {
    const viewport = { width: 390, height: 844 };
    const context = await visitor({ storageState: session, viewport, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto("/runs");
    const { height } = await page.locator("header.top").boundingBox();
    assert.ok(height <= 64, `the header is ${height} pixels high`);
    const sections = page.getByRole("navigation", { name: "Console" });
    assert.equal(await sections.isVisible(), false);
    await page.getByRole("button", { name: "Menu" }).click();
    await sections.getByRole("link", { name: "Schedules" }).click();
    await page.waitForURL("**/schedules");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await context.close();
  },

  // An error page of a signed-in user has the navigation.
  async "a wrong address keeps the navigation"({ context }) {
    const page = await context.newPage();
    await page.goto("/no/such/page");
    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Runs", exact: true }).click();
    await page.waitForURL("**/runs");
  },

  // The sign-in page and the first page after it, each with its assets.
  async "a first visit transfers few bytes"({ visitor, stage }) {
    const context = await visitor();
    const page = await context.newPage();
    const wire = await context.newCDPSession(page);
    await wire.send("Network.enable");
    let bytes = 0;
    wire.on("Network.loadingFinished", (event) => { bytes += event.encodedDataLength; });
    const weigh = (name) => {
      console.log(`${name} transfers ${bytes} bytes`);
      assert.ok(bytes > 1_000 && bytes <= 60_000, `${name}: ${bytes} bytes`);
      bytes = 0;
    };
    await page.goto("/welcome", { waitUntil: "networkidle" });
    weigh("the sign-in page");
    await page.goto("/sign-in?next=/welcome");
    await signIn(page, stage);
    await page.waitForURL("**/welcome", { waitUntil: "load" });
    await page.getByText("First steps").waitFor();
    weigh("the first page");
    await context.close();
  },
};
