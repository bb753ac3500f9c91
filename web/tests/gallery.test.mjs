// A picture of every view of every experiment, to be looked at: in PNO_SCREENSHOTS, else target/screenshots, with an index.

import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { ExplorerPage, offer } from "./explorer-page.mjs";
import { launch, open, serve, SCREENSHOTS, withFolder } from "./harness.mjs";
import { MODELS } from "./models.mjs";
import { writeNpy } from "./npy.mjs";

const VIEWS = ["input", "truth", "mean", "error", "std", "member", "quantile", "width", "exceedance", "hit", "crps", "stamps", "difference"];
const LOOKS = [["desktop", "light"], ["desktop", "dark"], ["phone", "light"], ["phone", "dark"]];
const SCREENS = { desktop: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } };

let site;
let browser;
const taken = [];

before(async () => {
  await mkdir(SCREENSHOTS, { recursive: true });
  site = await serve();
  browser = await launch();
});
after(async () => {
  const entry = ([name, words]) => `<figure><a href="${name}.png"><img src="${name}.png" alt="" loading="lazy"></a><figcaption>${words}</figcaption></figure>`;
  const style = "body{font:14px system-ui;margin:1rem}main{display:grid;grid-template-columns:repeat(auto-fill,minmax(280px,1fr));gap:1rem}figure{margin:0}img{width:100%;max-height:340px;object-fit:cover;object-position:top;border:1px solid #ccc}";
  const page = `<!doctype html><meta charset="utf-8"><title>Every view of every experiment</title><style>${style}</style><h1>${taken.length} pictures of the page</h1><main>${taken.map(entry).join("\n")}</main>\n`;
  await writeFile(join(SCREENSHOTS, "index.html"), page);
  await browser?.close();
  await site?.close();
});
afterEach(() => site.restore());

async function take(target, name, words) {
  const path = join(SCREENSHOTS, `${name}.png`);
  await target.screenshot({ path, ...(target.goto ? { fullPage: true } : {}) });
  assert.ok((await stat(path)).size > 2000, name);
  taken.push([name, words]);
}

async function visit(experiment, query, work, options = {}) {
  if (experiment !== "ks") await offer(site, { ...MODELS, "era5-pno-r.pno": ["era5", "--method", "pno-r", ...MODELS["era5-pno-d.pno"].slice(1)] });
  const page = await open(browser, `${site.url}?experiment=${experiment}&members=8&device=cpu${query}`, options);
  try {
    const explorer = new ExplorerPage(page);
    if (experiment === "era5") {
      await explorer.at("no-truth").waitFor();
      await withFolder(async (folder) => {
        const frames = Array.from({ length: 8 * 140 }, (_, i) => 283 + 8 * Math.sin(i / 17) + Math.floor(i / 140));
        await writeNpy(join(folder, "case.npy"), [8, 10, 14], frames);
        await explorer.drop("case.npy", await readFile(join(folder, "case.npy")));
      });
      await page.waitForSelector("[data-testid=panel-truth][data-state=ready]");
    }
    await explorer.settle();
    await work(explorer, page);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.close();
  }
}

describe("pictures of the page", () => {
  for (const experiment of ["ks", "darcy", "sswe", "era5"]) {
    test(`every view of ${experiment}`, async () => {
      await visit(experiment, "&method2=pno-r", async (explorer) => {
        for (const view of VIEWS) {
          await explorer.at(`view-${view}`).check({ force: true });
          await explorer.page.waitForSelector(`[data-testid=panel-${view}][data-state=ready]`);
          await explorer.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));
          await take(explorer.at("panels"), `${experiment}-${view}`, `${experiment}: ${view}, two methods`);
        }
      });
    });

    for (const [screen, theme] of LOOKS) {
      test(`the whole page of ${experiment} on a ${screen}, ${theme}`, async () => {
        await visit(experiment, `&theme=${theme}`, async (explorer, page) => {
          await page.mouse.move(0, 0);
          await take(page, `${experiment}-${screen}-${theme}`, `${experiment} on a ${screen}, ${theme}`);
        }, { viewport: SCREENS[screen] });
      });
    }
  }
});
