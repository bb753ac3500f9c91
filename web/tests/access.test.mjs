// For everybody: an automated check, keys, tables, fingers, reduced motion, on every experiment.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { complaints } from "./axe.mjs";
import { onePage, sharedPages } from "./explorer-page.mjs";
import { launch, open, serve } from "./harness.mjs";
import { MODELS } from "./models.mjs";
import { until } from "./waiting.mjs";

const EXPERIMENTS = ["ks", "darcy", "sswe", "era5"];
const SCREENS = { desktop: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } };

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
afterEach(() => site.restore());

const load = (query, options) => open(browser, `${site.url}${query}`, options);
const share = sharedPages((query) => load(query), () => site);
/** A page of its own: where the keyboard goes depends on what was clicked before. */
const alone = (query, work) => onePage(load)(query, work);
/** For visitors with a phone. */
const shareTouched = sharedPages((query) => load(query, { viewport: SCREENS.phone, hasTouch: true, isMobile: true }), () => site);

function visit(query, work, from = share) {
  const models = /experiment=ks|^\?members/.test(query) ? null : MODELS;
  return from(query, async (explorer, page) => {
    if (query.includes("era5")) await explorer.at("no-truth").waitFor();
    else await explorer.finish();
    return work(explorer, page);
  }, models);
}

describe("axe-core finds nothing serious", () => {
  test("and would find it: a button without a name", async () => {
    await visit("?members=2&device=cpu", async (_, page) => {
      const button = await page.evaluateHandle(() => document.querySelector("main").appendChild(document.createElement("button")));
      assert.match((await complaints(page)).join(), /^button-name \(1\)/);
      await button.evaluate((element) => element.remove());
    });
  });

  for (const experiment of EXPERIMENTS) {
    for (const [screen, viewport] of Object.entries(SCREENS)) {
      test(`in ${experiment} on a ${screen}, light and dark, with a table open`, async () => {
        await visit(`?experiment=${experiment}&members=2&device=cpu`, async (explorer, page) => {
          await page.setViewportSize(viewport);
          for (const theme of ["light", "dark"]) {
            await explorer.chooseTheme(theme);
            assert.deepEqual(await complaints(page), [], theme);
          }
          await explorer.at("view-truth").check({ force: true });
          await explorer.at("open-numbers-truth").click();
          assert.deepEqual(await complaints(page), [], "one view");
          await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
          assert.deepEqual(await complaints(page), [], "all that can be opened");
          await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = false)));
        });
      });
    }
  }
});

describe("every picture", () => {
  for (const experiment of ["ks", "darcy", "sswe"]) {
    test(`of ${experiment} has a sentence and a table of its numbers`, async () => {
      await visit(`?experiment=${experiment}&members=3&device=cpu`, async (explorer, page) => {
        const panels = Object.keys(await explorer.panelStates()).map((name) => name.slice("panel-".length));
        assert.ok(panels.length >= 8, `${panels}`);
        for (const panel of panels) {
          assert.match(await explorer.sentence(`panel-${panel}`), /: .*\. At .*: .*\./, panel);
          await explorer.at(`open-numbers-${panel}`).focus();
          await page.keyboard.press("Enter");
          const table = explorer.at(`numbers-${panel}`);
          await table.waitFor();
          const cells = await table.locator("td").allInnerTexts();
          assert.equal(cells.length, 1 + 64, `${panel}: a corner and eight by eight`);
          assert.ok(cells.slice(1).every((text) => /\d|inside|truth/.test(text)), `${panel}: ${cells}`);
          assert.equal(await table.locator("th[scope=row]").count(), 8);
          await page.keyboard.press("Enter");
        }
      });
    });
  }

  test("tells the numbers of the file that is saved", async () => {
    await visit("?experiment=darcy&members=2&device=cpu&view=truth", async (explorer, page) => {
      await explorer.at("open-numbers-truth").click();
      await explorer.at("numbers-truth").locator("tbody tr").first().waitFor();
      const rows = await explorer.at("numbers-truth").locator("tbody tr").evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText)));
      await explorer.at("save-truth").click();
      const [download] = await Promise.all([page.waitForEvent("download"), explorer.at("save-json-truth").click()]);
      const { values } = JSON.parse(await readFile(await download.path(), "utf8"));
      const flat = values.flat();
      const found = rows.flat().map(Number);
      const near = (value) => flat.some((v) => Math.abs(v - value) <= 0.006 * Math.abs(v) + 1e-9);
      assert.ok(found.every(near), `${found}`);
      assert.ok(new Set(found).size > 10);
    });
  });

  test("tells hits from misses without colours", async () => {
    await visit("?experiment=darcy&members=2&device=cpu&view=hit", async (explorer) => {
      const { values } = await explorer.pixels("panel-hit");
      const opacities = new Set(values.map((pixel) => pixel >>> 24));
      assert.ok(opacities.size > 1, `${[...opacities]}`);
      assert.match(await explorer.at("panel-hit").locator(".key").innerText(), /below\s+inside\s+above/);
    });
  });
});

describe("keys", () => {
  test("reach everything", async () => {
    await visit("?members=2&device=cpu", async (_, page) => {
      const wanted = await page.evaluate(() => {
        const all = document.querySelectorAll("main :is(button, select, input, summary, a[href], [tabindex='0'])");
        const groups = new Set();
        let count = 0;
        for (const element of all) {
          // A file input that a button opens.
          if (element.tabIndex < 0) continue;
          const closed = element.closest("details:not([open])");
          if (element.disabled || (closed && element.parentElement !== closed) || !element.checkVisibility()) continue;
          // One of a group of radio buttons is a stop, the arrow keys reach the others.
          if (element.type === "radio") groups.add(element.name);
          else count += 1;
        }
        return count + groups.size;
      });
      const reached = await page.evaluate(() => document.activeElement.blur()).then(async () => {
        const stops = new Set();
        for (let k = 0; k < 2 * wanted; k++) {
          await page.keyboard.press("Tab");
          const stop = await page.evaluate(() => {
            const element = document.activeElement;
            if (!element || element === document.body) return null;
            const box = element.getBoundingClientRect();
            const outline = getComputedStyle(element.type === "radio" ? element.nextElementSibling : element).outlineStyle;
            return { name: element.type === "radio" ? element.name : [...document.querySelectorAll("*")].indexOf(element), seen: box.width > 0, outline };
          });
          if (stop === null) break;
          stops.add(stop.name);
          assert.notEqual(stop.outline, "none", `the focus is seen at ${JSON.stringify(stop)}`);
        }
        return stops.size;
      });
      assert.equal(reached, wanted);
    }, alone);
  });

  test("save a picture and enlarge it", async () => {
    await visit("?members=2&device=cpu", async (explorer, page) => {
      await explorer.at("save-mean").focus();
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
      assert.equal(download.suggestedFilename(), "ks-seed7-mean.png");
      await explorer.at("enlarge-mean").focus();
      await page.keyboard.press("Space");
      await explorer.waitForParam("view", "mean");
    });
  });
});

describe("fingers", () => {
  for (const experiment of ["ks", "darcy", "sswe"]) {
    test(`move the point of ${experiment}`, async () => {
      await visit(`?experiment=${experiment}&members=2&device=cpu`, async (explorer, page) => {
        const before = await explorer.sentence("panel-truth");
        const [x, y] = await explorer.onScreen("panel-truth", [0.2, 0.3]);
        await page.touchscreen.tap(x, y);
        await until(async () => (await explorer.sentence("panel-truth")) !== before, "another point");
      }, shareTouched);
    });
  }
});

describe("reduced motion", () => {
  const running = (page) => page.evaluate(() => document.getAnimations().filter((a) => a.playState === "running").length);

  test("is respected: nothing moves by itself while the page works", async () => {
    const release = site.hold("worker_bg.wasm");
    for (const [reducedMotion, moves] of [["no-preference", true], ["reduce", false]]) {
      const page = await open(browser, `${site.url}?members=2&device=cpu`, { reducedMotion });
      await page.getByTestId("status").waitFor();
      assert.equal((await running(page)) > 0, moves, reducedMotion);
      await page.close();
    }
    release();
  });
});
