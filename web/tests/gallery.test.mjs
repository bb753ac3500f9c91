// A picture of every view of every experiment with the shipped models, to be looked at: in PNO_SCREENSHOTS, else
// target/screenshots, with an index.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { onePage } from "./explorer-page.mjs";
import { launch, open, serve, SCREENSHOTS } from "./harness.mjs";
import { colouredCanvases } from "./pictures.mjs";
import { found } from "./waiting.mjs";

const VIEWS = ["input", "truth", "mean", "error", "std", "member", "quantile", "width", "exceedance", "hit", "crps", "stamps", "difference"];
const LOOKS = [["desktop", "light"], ["desktop", "dark"], ["phone", "light"], ["phone", "dark"]];
/** Of each canvas; a blank one has none, whatever colours its legend has. */
const LEAST_COLOURED = 0.02;
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

async function take(page, target, name, words) {
  await target.screenshot({ path: join(SCREENSHOTS, `${name}.png`), ...(target === page ? { fullPage: true } : {}) });
  const canvases = await colouredCanvases(page);
  assert.ok(canvases.length > 0, `${name} has no canvas`);
  for (const [panel, coloured] of canvases) {
    assert.ok(coloured >= LEAST_COLOURED, `${panel} of ${name} has colours on ${(100 * coloured).toFixed(2)} % of its canvas`);
  }
  taken.push([name, words]);
  return `${name}: ${canvases.map(([panel, coloured]) => `${panel} ${coloured.toFixed(2)}`).join(", ")}`;
}

/** All of them in one page, with the shipped models. */
const share = onePage((query) => open(browser, `${site.url}${query}`));

function visit(experiment, query, work) {
  return share(`?experiment=${experiment}&members=8&device=cpu${query}`, async (explorer, page) => {
    await explorer.settle();
    await work(explorer, page);
    assert.deepEqual(page.problems, []);
  });
}

describe("pictures of the page", () => {
  for (const experiment of ["ks", "darcy", "sswe", "era5"]) {
    test(`every view of ${experiment}`, async (context) => {
      await visit(experiment, "&method2=pno-r", async (explorer) => {
        for (const view of VIEWS) {
          await explorer.at(`view-${view}`).check({ force: true });
          await found(explorer.page, `[data-testid=panel-${view}][data-state=ready]`);
          await explorer.settle();
          context.diagnostic(await take(explorer.page, explorer.at("panels"), `${experiment}-${view}`, `${experiment}: ${view}, two methods`));
        }
      });
    });

    for (const [screen, theme] of LOOKS) {
      test(`the whole page of ${experiment} on a ${screen}, ${theme}`, async () => {
        await visit(experiment, `&theme=${theme}`, async (explorer, page) => {
          await page.setViewportSize(SCREENS[screen]);
          await page.mouse.move(0, 0);
          await explorer.settle();
          await take(page, page, `${experiment}-${screen}-${theme}`, `${experiment} on a ${screen}, ${theme}`);
        });
      });
    }
  }
});
