// Scenarios of what works without a run: one page, the URLs of a site, and why a URL is missing.

import assert from "node:assert/strict";

const PAGE = "http://handbook.lab/";

export const READING_SCENES = {
  // The text of a page is beside its picture; options of other modes are hidden.
  async "a page is read beside its picture"({ context, listen }) {
    const page = await context.newPage();
    const heard = await listen(page);
    await page.goto(`/read?url=${encodeURIComponent(PAGE)}`);
    await page.getByText("More options").click();
    assert.ok(await page.locator("[name='options.main_content']").isVisible());
    await page.selectOption("[name=mode]", "products");
    assert.ok(!(await page.locator("[name='options.main_content']").isVisible()));
    await page.selectOption("[name=mode]", "markdown");
    await page.getByText("Links of the page").click();
    await page.getByRole("button", { name: "Read the page" }).click();
    const picture = page.locator("img.page-picture");
    await picture.waitFor();
    await page.waitForFunction(() => document.querySelector("img.page-picture").naturalWidth > 100);
    const [text, image] = await Promise.all([
      page.locator(".rendered").boundingBox(),
      picture.boundingBox(),
    ]);
    assert.ok(image.x > text.x + text.width / 2, "beside the text");
    await page.getByText("From the cache").waitFor();
    await page.getByText(/^\d+ links? of the page$/).click();
    await page.getByRole("region", { name: "Links of the page" }).getByRole("link").first().waitFor();
    assert.ok((await page.locator("#request").innerText()).includes("/v1/pages"));
    assert.deepEqual(heard, []);
  },

  // Without script: the URLs of a site, each of which can be read.
  async "the URLs of a site are listed"({ visitor, session }) {
    const context = await visitor({ storageState: session, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`/map?url=${encodeURIComponent(PAGE)}`);
    await page.fill("[name=limit]", "4");
    await page.getByRole("button", { name: "List the URLs" }).click();
    await page.getByRole("heading", { name: "4 URLs" }).waitFor();
    assert.equal(await page.locator("tbody tr").count(), 4);
    await page.locator("tbody a").first().click();
    await page.waitForURL("**/read?url=*");
    assert.ok((await page.inputValue("[name=url]")).startsWith(PAGE));
    await context.close();
  },

  // Why a URL is missing, with the rules of the run.
  async "a missing URL is explained"({ context, path }) {
    const page = await context.newPage();
    await page.goto(path("/runs/{links}/skipped"));
    await page.fill("#url", "/not/linked/anywhere");
    await page.getByRole("button", { name: "Explain" }).click();
    const panel = page.getByRole("region", { name: "Explanation" });
    await panel.getByText("never found", { exact: true }).waitFor();
    assert.ok((await panel.innerText()).includes("scope: passes"));
  },
};
