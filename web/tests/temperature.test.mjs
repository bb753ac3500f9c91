// Real weather: the case that comes with the page, its coastlines, times and units. On the CPU, with untrained models.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { apart } from "./compare.mjs";
import { sharedPages } from "./explorer-page.mjs";
import { built, launch, open, pno, serve, withFolder } from "./harness.mjs";
import { untrained } from "./models.mjs";
import { readNpy, writeNpy } from "./npy.mjs";
import { found } from "./waiting.mjs";

const CASE = "2014-02-24";
const FILE = built(`cases/air-${CASE}.npy`);
const [ROWS, COLUMNS] = [25, 53];
const MODEL = ["era5", "--set", "model.width=6", "--set", "model.lifting=12", "--set", "model.projection=12", "--grid", "4x10x14", "--set", "model.modes=[4,4,6]"];

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

const share = sharedPages((query) => open(browser, `${site.url}${query}`), () => site);
/** No models, and a small one. */
const NONE = {};
const SMALL = { "era5-pno-d.pno": MODEL };

function visit(query, work, models = NONE) {
  return share(`?experiment=era5&device=cpu&members=3${query}`, async (explorer, page) => {
    await explorer.finish();
    return work(explorer, page);
  }, models);
}

/** Where a point of the grid is in the picture: rows from below, columns from the left. */
const at = (row, column) => `${((column + 0.5) / COLUMNS).toFixed(4)},${((row + 0.5) / ROWS).toFixed(4)}`;
const number = (words) => Number(words.replace("−", "-"));
const saved = (explorer, what) => withFolder((folder) => explorer.saved(what, folder));

describe("the shipped case", () => {
  test("is there without a model, as input and truth", async () => {
    await visit("", async (explorer, page) => {
      assert.deepEqual(await explorer.panelStates(), { "panel-input": "ready", "panel-truth": "ready" });
      assert.equal(await explorer.at("case").inputValue(), CASE);
      assert.match(await explorer.at("case").innerText(), /26 Feb 2014, North America/);
      assert.ok((await explorer.colours("panel-truth")) > 50, "a picture");
      assert.deepEqual(page.problems, []);
    });
  });

  test("has degrees Celsius of the file's kelvins", async () => {
    const { shape, values } = await readNpy(FILE);
    assert.deepEqual(shape, [20, ROWS, COLUMNS]);
    for (const [row, column, lead] of [[0, 0, 1], [12, 20, 4], [24, 52, 10]]) {
      const kelvin = values[((9 + lead) * ROWS + row) * COLUMNS + column];
      assert.ok(kelvin > 220 && kelvin < 310, `${kelvin} K`);
      await visit(`&view=truth&lead=${lead}&at=${at(row, column)}`, async (explorer) => {
        const shown = number(await explorer.at("value-truth").innerText());
        // Three digits are shown.
        assert.ok(Math.abs(shown - (kelvin - 273.15)) <= 0.051, `${shown} °C for ${kelvin} K`);
        assert.match(await explorer.sentence("panel-truth"), / °C to /);
      });
    }
  });

  test("says where and when", async () => {
    await visit(`&view=truth&lead=2&at=${at(12, 20)}`, async (explorer, page) => {
      assert.equal(await explorer.at("lead-words").innerText(), "12 h ahead · Wed 26 Feb 2014, 18:00 UTC");
      assert.match(await explorer.sentence("panel-truth"), /At 45° N, 110° W: /);
      assert.match(await explorer.at("panel-truth").locator(".axis-x").innerText(), /120° W\s+90° W\s+60° W/);
      assert.match(await explorer.at("panel-truth").locator(".axis-y").innerText(), /20° N\s+40° N\s+60° N/);
      await explorer.at("step").click();
      await explorer.settle();
      assert.equal(await explorer.at("lead-words").innerText(), "18 h ahead · Thu 27 Feb 2014, 00:00 UTC");
      await explorer.slide("lead", 10);
      await explorer.waitForParam("lead", 10);
      assert.match(await explorer.sentence("panel-truth"), /60 h ahead/);
      assert.deepEqual(page.problems, []);
    });
  });

  test("is named by its source, and by no other", async () => {
    await visit("", async (explorer, page) => {
      const words = await page.locator("#app").innerText();
      assert.match(words, /NCEP\/NCAR Reanalysis 1/);
      assert.match(words, /15° N to 75° N, 160° W to 30° W/);
      assert.doesNotMatch(words, /ERA5|Europe/);
    });
  });

  test("is part of the address, and one that is not there has its sentence", async () => {
    await visit(`&case=${CASE}`, async (explorer) => {
      assert.equal(await explorer.at("address-problem").count(), 0);
      assert.equal(await explorer.at("case").inputValue(), CASE);
    });
    // The list is compared with the address when it comes: in another page.
    await visit("&case=1816-07-01", async (explorer) => {
      assert.match(await explorer.at("address-problem").innerText(), /case=1816-07-01, but no such case comes with the page; 2014-02-24 is used/);
      assert.equal((await explorer.panelStates())["panel-truth"], "ready");
    }, {});
  });
});

describe("coastlines", () => {
  test("lie in the window of the map, where the coasts are", async () => {
    await visit("&view=truth", async (explorer) => {
      const points = await explorer.at("panel-truth").locator(".coasts .over").evaluate((path) =>
        [...path.getAttribute("d").matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]));
      assert.ok(points.length > 500, `${points.length} points`);
      // The window reaches half a cell beyond the outermost points, and is 1000 wide and high.
      const place = (lon, lat) => [((lon + 360 - 198.75) / 132.5) * 1000, ((76.25 - lat) / 62.5) * 1000];
      const nearest = ([x, y]) => Math.min(...points.map(([px, py]) => Math.hypot(px - x, py - y)));
      for (const [name, lon, lat] of [["Cape Sable", -81.1, 25.1], ["Cape Flattery", -124.7, 48.4], ["Cape Race", -53.1, 46.7]]) {
        assert.ok(nearest(place(lon, lat)) < 8, `${name}: ${nearest(place(lon, lat))}`);
      }
      assert.ok(nearest(place(-98, 39)) > 60, "Kansas has no coast");
      const far = points.filter(([x, y]) => Math.min(x, y) < -150 || Math.max(x, y) > 1150);
      assert.deepEqual(far, []);
    });
  });

  test("are drawn over every map but the stamps, and not on shallow water", async () => {
    await visit("", async (explorer, page) => {
      assert.equal(await page.locator(".coasts").count(), 2);
      await explorer.at("experiment-sswe").check({ force: true });
      await found(page, "[data-testid=panel-truth][data-state=ready] .globe");
      assert.equal(await page.locator(".coasts").count(), 0);
    });
  });
});

describe("with a model", () => {
  /** Offers a model, and a case of its own grid beside the shipped one. */
  async function offerCase(values) {
    await withFolder(async (folder) => {
      const [file, path] = [join(folder, "model.pno"), join(folder, "case.npy")];
      await writeFile(file, await untrained(...MODEL));
      const { task } = JSON.parse(await pno("inspect", file, "--json"));
      await writeNpy(path, [8, 10, 14], values);
      const shipped = JSON.parse(await readFile(built("cases/index.json"), "utf8"));
      const own = { file: "own.npy", note: { experiment: "era5", start: "2020-01-01T06:00", title: "Here", credit: "made up", task } };
      site.override("cases/own.npy", { body: await readFile(path) });
      site.override("cases/index.json", { body: JSON.stringify({ cases: [...shipped.cases, own] }) });
    });
  }
  const values = Array.from({ length: 8 * 140 }, (_, i) => 278 + 9 * Math.sin(i / 17) + Math.floor(i / 140));

  test("the case that fits its grid is forecast and scored, as the native program does", async () => {
    await offerCase(values);
    await visit("&seed=5", async (explorer, page) => {
      assert.equal(await explorer.at("case").inputValue(), "2020-01-01T06:00");
      assert.equal(await explorer.at("case").locator("option").count(), 1, "the other one does not fit");
      assert.ok((await explorer.number("score-crps")) > 0);
      const [input, members] = [await saved(explorer, "input"), await saved(explorer, "members")];
      assert.deepEqual([input.shape, members.shape], [[4, 10, 14], [3, 4, 10, 14]]);
      await withFolder(async (folder) => {
        const [model, field, out] = ["m.pno", "in.npy", "out.npy"].map((name) => join(folder, name));
        await writeFile(model, await untrained(...MODEL));
        await writeNpy(field, [4, 10, 14], values.slice(0, 4 * 140));
        await pno("predict", model, "--input", field, "--members", 3, "--seed", 5, "--device", "cpu", "--out", out);
        assert.ok(apart(members.values, (await readNpy(out)).values) < 1e-3);
      });
      assert.deepEqual(page.problems, []);
    }, SMALL);
  });

  test("that is shipped it is called what its source calls it", async () => {
    await share("?experiment=era5&device=cpu&members=2&view=truth", async (explorer, page) => {
      await explorer.finish();
      assert.equal(await explorer.number("score-members"), 2);
      assert.match(await explorer.sentence("panel-truth"), /^Truth of Air temperature 6 h ahead/);
      assert.doesNotMatch(await page.locator("#app").innerText(), /2 m temperature/);
    });
  });

  test("another draw keeps the case and changes the members", async () => {
    await offerCase(values);
    await visit("&seed=5", async (explorer) => {
      const [truth, before] = [await saved(explorer, "truth"), await saved(explorer, "members")];
      await explorer.at("seed").fill("6");
      await explorer.at("seed").blur();
      await explorer.settle();
      const after = await saved(explorer, "members");
      assert.deepEqual((await saved(explorer, "truth")).values, truth.values);
      assert.ok(apart(after.values, before.values) > 1e-4, "other members");
    }, SMALL);
  });

  test("without a case for its grid says what to drop", async () => {
    await visit("", async (explorer) => {
      assert.match(await explorer.at("no-truth").innerText(), /drop a NumPy file of the shape \[4, 10, 14\]/);
      assert.equal(await explorer.at("case").count(), 0);
    }, { ...SMALL });
  });
});
