// Members that would not fit into memory are not drawn, and the page says so.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ExplorerPage, offer } from "./explorer-page.mjs";
import { launch, open, serve } from "./harness.mjs";
import { SMALL } from "./models.mjs";
import { holds } from "./waiting.mjs";

const LARGE = [...SMALL, "--grid", "320x320", "--set", "model.modes=[6,6]"];

let site;
let browser;

before(async () => {
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

test("256 members of a large grid are fewer with two methods side by side, and a sentence says so", async () => {
  await offer(site, {
    "darcy-pno-d.pno": ["darcy", ...LARGE],
    "darcy-pno-r.pno": ["darcy", "--method", "pno-r", ...LARGE],
  });
  const page = await open(browser, `${site.url}?experiment=darcy&members=256&method2=pno-r&device=cpu&view=mean`);
  const explorer = new ExplorerPage(page);
  try {
    await explorer.at("memory-note").waitFor();
    assert.equal(
      await explorer.at("memory-note").innerText(),
      "163 members are drawn for each method instead of 256: a member has 102400 values, and all members together may take 1024 MB here.",
    );
    // They are drawn for as long as somebody waits: so many are announced.
    await explorer.reach("run");
    const announced = () => /^Drawing members: \d+ of 326$/.test(document.querySelector("[data-testid=status] strong").innerText);
    await holds(page, announced, null, { what: "326 members" });
    await explorer.at("compare").selectOption("");
    await explorer.at("memory-note").waitFor({ state: "detached" });
    assert.equal(await explorer.at("members").inputValue(), "256");
    assert.deepEqual(page.problems, []);
  } finally {
    await page.close();
  }
});
