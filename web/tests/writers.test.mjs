// Each snippet of "Copy embed code" in a page of its system's own output, served from another origin.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { elsewhere, figures } from "./embed-page.mjs";
import { ExplorerPage } from "./explorer-page.mjs";
import { launch, open, serve, withFolder } from "./harness.mjs";
import { WRITERS } from "./writers.mjs";

let site;
let browser;
const snippets = {};

before(async () => {
  site = await serve({ headers: { "access-control-allow-origin": "*" } });
  browser = await launch();
  const page = await open(browser, `${site.url}?experiment=ks&members=2&device=cpu&view=std&seed=12`);
  const explorer = new ExplorerPage(page);
  await page.getByText("Copy embed code").click();
  for (const system of Object.keys(WRITERS)) {
    // Not where it is on the screen: what comes in above it may move it.
    await explorer.at(`embed-system-${system}`).dispatchEvent("click");
    snippets[system] = await explorer.at("embed-text").textContent();
  }
  await page.close();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

for (const [system, { missing, write }] of Object.entries(WRITERS)) {
  const reason = missing();
  // An automatic run has everything; elsewhere what is missing is told.
  const skip = reason && !process.env.CI ? reason : false;
  test(`the snippet for ${system} is a live figure in a page of ${system}`, { skip }, async () => {
    assert.equal(reason, null);
    await withFolder(async (folder) => {
      const path = await write(folder, snippets[system]);
      const host = await elsewhere({ folder });
      const page = await open(browser, `${host.origin}/${path}`, { others: [site.url] });
      try {
        await page.locator("iframe").first().scrollIntoViewIfNeeded();
        const [figure] = await figures(page);
        await figure.finish();
        assert.deepEqual(await figure.panelStates(), { "panel-std": "ready" });
        const query = new URL(figure.page.url()).searchParams;
        assert.deepEqual([query.get("seed"), query.get("view"), query.get("members")], ["12", "std", "2"]);
      } finally {
        await page.close();
        await host.close();
      }
    });
  });
}
