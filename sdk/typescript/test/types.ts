// Compiled, not run: the types that callers see.

import { type Job, type LinkItem, type ProductItem, Trawl } from "../src/index.js";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

export async function check(trawl: Trawl): Promise<void> {
  const products = await trawl.crawl("https://shop.lab.test/", "products");
  const job: Same<typeof products, Job<"products">> = true;
  for await (const item of products.results()) {
    const type: Same<typeof item, ProductItem> = true;
    console.log(item.name, type, job);
  }
  const { items } = await (await trawl.start("https://shop.lab.test/", "links")).resultsPage();
  const links: Same<typeof items, LinkItem[]> = true;
  console.log(links, items.length);
  await trawl.start(["example.com"], "contacts", { legal_basis_accepted: true });
  await trawl.start(["https://example.com/"], "links");
  // @ts-expect-error: a sitemap belongs to one site
  await trawl.start(["https://example.com/"], "sitemap");
  const page = await trawl.read("https://shop.lab.test/", { mode: "links" });
  const item: Same<typeof page.item, LinkItem | undefined> = true;
  console.log(page.url, item);
  // @ts-expect-error: an unknown option
  await trawl.start("https://shop.lab.test/", "links", { options: { sample_sise: 1 } });
  // @ts-expect-error: an unknown mode
  await trawl.start("https://shop.lab.test/", "images");
}
