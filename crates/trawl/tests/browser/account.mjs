// Scenarios of the account pages, of OAuth applications, and of the operator.

import assert from "node:assert/strict";
import { createServer } from "node:http";

export const ACCOUNT_SCENES = {
  // The secret is shown once; a revoked key is rejected.
  async "an API key is created and revoked"({ context, listen }) {
    const page = await context.newPage();
    const heard = await listen(page);
    await page.goto("/account/keys");
    await page.fill("[name=name]", "<b>nightly</b>");
    await page.selectOption("[name=source]", "n8n");
    await page.getByLabel("Test key").check();
    await page.getByRole("button", { name: "Create key" }).click();
    const secret = await page.locator("#secret").innerText();
    assert.match(secret, /^key_test_\w{38}$/);
    await page.getByRole("button", { name: "Copy" }).waitFor();
    const call = () => page.request.get("/v1/account", { headers: { authorization: `Bearer ${secret}` } });
    assert.equal((await call()).status(), 200);
    await page.goto("/account/keys");
    assert.ok(!(await page.content()).includes(secret), "it is shown once");
    const row = page.locator("tr", { hasText: "<b>nightly</b>" });
    assert.match(await row.innerText(), /n8n/);
    await row.getByText("Revoke…").click();
    assert.equal((await call()).status(), 200, "asking revokes nothing");
    await row.getByRole("button", { name: "Revoke the key" }).click();
    await row.getByText("revoked", { exact: true }).waitFor();
    assert.equal((await call()).status(), 401);
    assert.deepEqual(heard, []);
  },

  // Without script: an invalid URL, a valid one, its secret, a test, a change, removal.
  async "a webhook is created, tested and removed"({ visitor, session }) {
    const context = await visitor({ storageState: session, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto("/account/webhooks");
    await page.fill("[name=url]", "https://127.0.0.1/in");
    await page.getByLabel("All events").uncheck();
    await page.getByLabel("job.failed").check();
    await page.getByRole("button", { name: "Create webhook" }).click();
    assert.equal(await page.getAttribute("[name=url]", "aria-invalid"), "true");
    assert.equal(await page.isChecked("[name='job.failed']"), true, "checked boxes are kept");
    await page.fill("[name=url]", "https://hooks.lab/second");
    await page.getByRole("button", { name: "Create webhook" }).click();
    assert.match(await page.locator("#secret").innerText(), /^whsec_/);
    await page.getByRole("link", { name: "https://hooks.lab/second" }).click();
    assert.equal(await page.isChecked("[name='job.completed']"), false);
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("webhook.test").first().waitFor();
    await page.getByRole("button", { name: "Redeliver" }).first().click();
    await page.getByText("webhook.test").first().waitFor();
    await page.getByLabel("Active", { exact: true }).uncheck();
    await page.getByLabel("job.completed").check();
    await page.getByRole("button", { name: "Save" }).click();
    assert.equal(await page.isChecked("[name=active]"), false);
    assert.equal(await page.isChecked("[name='job.completed']"), true);
    await page.getByText("Remove…").click();
    await page.getByRole("button", { name: "Remove the webhook" }).click();
    await page.waitForURL("**/account/webhooks");
    assert.ok(!(await page.content()).includes("hooks.lab/second"));
    await context.close();
  },

  // The content security policy allows the redirect to the application only.
  async "OAuth consent"({ context, path, listen }) {
    const reached = [];
    const application = createServer((request, response) => {
      reached.push(request.url);
      response.setHeader("content-type", "text/html").end("<title>back</title><link rel=icon href=data:,>");
    });
    await new Promise((ready) => application.listen(0, "127.0.0.1", ready));
    const port = application.address().port;
    const page = await context.newPage();
    const heard = await listen(page);
    const ask = path("/oauth/authorize?{ask}").replace("49152", port);
    await page.goto(ask);
    await page.getByText("See your runs and their results").waitFor();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.waitForURL(`http://127.0.0.1:${port}/**`);
    assert.match(page.url(), /[?&]error=access_denied&/);
    await page.goto(ask);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.waitForURL(`http://127.0.0.1:${port}/**`);
    const sent = new URL(page.url());
    assert.match(sent.searchParams.get("code"), /^oac_/);
    assert.equal(sent.searchParams.get("state"), "a b");
    // Errors of the request are returned to the application without a question.
    await page.goto(ask.replace("S256", "plain"));
    assert.match(page.url(), /\/back\?error=invalid_request&/);
    assert.equal(reached.length, 3);
    application.close();
    application.closeAllConnections();
    assert.deepEqual(heard, []);
  },

  async "an application is disconnected"({ context }) {
    const page = await context.newPage();
    await page.goto("/account/applications");
    const cards = page.locator("article");
    const before = await cards.count();
    assert.ok(before > 0);
    await cards.first().getByText("Disconnect…").click();
    await cards.first().getByRole("button", { name: "Disconnect the application" }).click();
    await page.waitForFunction((count) => document.querySelectorAll("article").length === count - 1, before);
  },

  // Nothing is offered that the operator has not set up.
  async "a service without a payment provider sells nothing"({ context }) {
    const page = await context.newPage();
    await page.goto("/account");
    await page.getByText("Available credits").waitFor();
    assert.equal(await page.getByText("Auto top-up").count(), 0);
    assert.equal(await page.getByText("Buy credits").count(), 0);
  },

  // Without script: an account is created, suspended, resumed, and gets a new password.
  async "the operator manages an account"({ visitor, session }) {
    const context = await visitor({ storageState: session, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto("/operator");
    await page.fill("[name=new_email]", "eve@example.com");
    await page.getByRole("button", { name: "Create account" }).click();
    const first = await page.locator("#secret").innerText();
    await page.goto("/operator?q=eve");
    await page.getByRole("link", { name: "eve@example.com" }).click();
    await page.getByText("Suspend…").click();
    await page.getByRole("button", { name: "Suspend the account" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("Reset password…").click();
    await page.getByRole("button", { name: "Reset the password" }).click();
    assert.notEqual(await page.locator("#secret").innerText(), first);
    await context.close();
  },

  async "a domain is blocked and released"({ context }) {
    const page = await context.newPage();
    await page.goto("/operator/refusals");
    await page.fill("[name=subject]", "never.example");
    await page.getByRole("button", { name: "Add" }).click();
    const row = page.locator("tr", { hasText: "never.example" });
    await row.getByText("Remove…").click();
    await row.getByRole("button", { name: "Remove the opt-out" }).click();
    await page.getByText("No opt-outs.").waitFor();
  },

  async "the operator grants credits"({ context, stage }) {
    const page = await context.newPage();
    await page.goto("/operator");
    const has = async () => {
      const row = page.locator("tr", { hasText: stage.email });
      return Number((await row.locator("td.number").first().innerText()).replaceAll(",", ""));
    };
    const before = await has();
    await page.fill("[name=email]", "nobody@example.com");
    await page.fill("[name=credits]", "5");
    await page.getByRole("button", { name: "Grant" }).click();
    await page.getByText("no account has this e-mail").waitFor();
    await page.fill("[name=email]", stage.email);
    await page.fill("[name=credits]", "1,234");
    await page.getByRole("button", { name: "Grant" }).click();
    await page.waitForURL("**/operator");
    assert.equal(await has(), before + 1_234);
  },
};
