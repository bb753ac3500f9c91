// KS step by step: rows that come one by one, starts that are observed, and the same members on a finer grid. On the CPU, with
// the shipped model.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { apart } from "./compare.mjs";
import { elsewhere, figures } from "./embed-page.mjs";
import { ExplorerPage, onePage } from "./explorer-page.mjs";
import { built, launch, open, pno, serve, withFolder } from "./harness.mjs";
import { readNpy } from "./npy.mjs";
import { holds } from "./waiting.mjs";

const MODEL = "models/ks-step-pno-f.pno";
const FEW = "?experiment=ks-step&method=pno-f&members=3&seed=5&device=cpu";
const CELLS = 256;
const STEPS = 20;

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

const visit = onePage((query) => open(browser, `${site.url}${query}`));
const saved = (explorer, what) => withFolder((folder) => explorer.saved(what, folder));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Members of the native program for the input on the screen, which must be exact there. */
async function native(explorer, steps, ...more) {
  return withFolder(async (folder) => {
    const { path } = await explorer.saved("input", folder);
    const out = `${folder}/out.npy`;
    const asked = ["--members", 3, "--seed", 5, "--steps", steps, "--device", "cpu"];
    await pno("predict", built(MODEL), "--input", path, ...asked, ...more, "--out", out);
    return readNpy(out);
  });
}

/** Two ways of rounding: chaos makes what is left of them larger. */
const ROUNDED = (step) => (step < 10 ? 1e-3 : 1e-2);
/** Two grids: a small difference grows by about a third with every step, and is largest where the flow is. Other members are 1 apart. */
const ON_TWO_GRIDS = (step) => (step < 5 ? 1e-3 : step < 12 ? 1e-2 : 1e-1);

/** Every member at every step is the same, to a share of its standard deviation. */
function same(found, wanted, limitAt = ROUNDED) {
  assert.deepEqual(found.shape, wanted.shape);
  for (let at = 0; at < found.values.length; at += CELLS) {
    const limit = limitAt((at / CELLS) % STEPS);
    const share = apart(found.values.subarray(at, at + CELLS), wanted.values.subarray(at, at + CELLS));
    assert.ok(share < limit, `row ${at / CELLS} differs by ${share} of its standard deviation`);
  }
}

describe("KS step by step", () => {
  test("is in the switch where a model of it is shipped, and nowhere else", async () => {
    await visit(FEW.replace("ks-step", "darcy"), async (explorer) => {
      await explorer.at("experiment-ks-step").waitFor({ state: "attached" });
    });
    site.override("models/index.json", { body: '{"models":[]}' });
    const page = await open(browser, `${site.url}?experiment=ks`);
    await new ExplorerPage(page).finish();
    assert.equal(await page.getByTestId("experiment-ks-step").count(), 0);
    await page.close();
  });

  test("goes on row by row, with the members of the native program", async () => {
    await visit(FEW, async (explorer, page) => {
      await explorer.finish();
      assert.ok(Object.values(await explorer.panelStates()).every((state) => state === "ready"));
      assert.match(await explorer.sentence("panel-mean"), / At time 40, x 37\.5: /);
      same(await saved(explorer, "members"), await native(explorer, STEPS));
      await explorer.at("step").click();
      await explorer.settle();
      await explorer.waitForParam("lead", 21);
      assert.equal(await explorer.at("lead-words").innerText(), "42 time units ahead");
      assert.deepEqual((await saved(explorer, "members")).shape, [3, 21, CELLS]);
      // Time goes upwards, and there is room above.
      const { width, height, values } = await explorer.pixels("panel-mean");
      const rows = Array.from({ length: height }, (_, y) => values.slice(y * width, (y + 1) * width));
      assert.ok(rows[2].every((pixel) => pixel === 0), "nothing has come at the top");
      for (const share of [0.55, 0.98]) {
        const colours = new Set(rows[Math.floor(share * height)]);
        assert.ok(colours.size > 10, `${colours.size} colours at ${share} of the height`);
      }
      assert.deepEqual(page.problems, []);
    });
  });

  test("goes on for longer than a picture has room, and is verified at every step so far", async () => {
    await visit(`${FEW}&lead=26`, async (explorer) => {
      await explorer.finish();
      assert.match(await explorer.sentence("panel-truth"), / At time 52, x 37\.5: /);
      assert.deepEqual((await saved(explorer, "members")).shape, [3, 26, CELLS]);
      const words = await holds(explorer.page, () => {
        const words = document.querySelector("[data-testid=verified-words-0]")?.innerText ?? "";
        return words.includes("26 steps") && words;
      });
      assert.match(words, /^3 members against the truth: 6656 values, of 26 steps\.$/);
    });
  });

  test("asks for a row that has not come when it is pointed at", async () => {
    await visit(`${FEW}&lead=21`, async (explorer) => {
      await explorer.finish();
      const [x, y] = await explorer.onScreen("panel-truth", [0.5, 30.5 / 41]);
      await explorer.page.mouse.click(x, y);
      await explorer.waitForParam("lead", 30);
      await explorer.settle();
      assert.deepEqual((await saved(explorer, "truth")).shape, [30, CELLS]);
    });
  });

  test("is nudged where the visitor presses on the start", async () => {
    await visit(FEW, async (explorer) => {
      await explorer.finish();
      const plain = await saved(explorer, "input");
      const [x, y] = await explorer.onScreen("panel-input", [0.5, 0.5]);
      await explorer.page.mouse.click(x, y);
      await explorer.settle();
      const nudged = await saved(explorer, "input");
      const lift = nudged.values[CELLS / 2] - plain.values[CELLS / 2];
      assert.ok(lift > 1 && lift < 3, `lifted by ${lift}`);
      await explorer.at("undo").click();
      await explorer.settle();
      assert.deepEqual((await saved(explorer, "input")).values, plain.values);
    });
  });
});

describe("how well we know today", () => {
  test("changes what the network sees, and not what really happens", async () => {
    await visit(FEW, async (explorer, page) => {
      await explorer.finish();
      const [exact, truth] = [await saved(explorer, "input"), await saved(explorer, "truth")];
      const wanted = await native(explorer, STEPS, "--observe", "noise=0.3,every=4");
      assert.equal(await explorer.at("observe-words").innerText(), "exactly");
      assert.equal(await explorer.at("start-line").getAttribute("data-observed"), null);
      await explorer.slide("observe", 30);
      await explorer.at("every-4").check({ force: true });
      await explorer.waitForParam("observe", "0.3,4");
      await explorer.settle();
      assert.equal(await explorer.at("observe-words").innerText(), "to ± 30 %, at one point in 4");
      assert.equal(await explorer.at("start-line").getAttribute("data-observed"), "64");
      const seen = await saved(explorer, "input");
      const off = mean(seen.values.map((value, at) => Math.abs(value - exact.values[at])));
      assert.ok(off > 0.2 && off < 2, `off by ${off}`);
      assert.deepEqual((await saved(explorer, "truth")).values, truth.values);
      same(await saved(explorer, "members"), wanted);
      assert.deepEqual(page.problems, []);
    });
  });

  test("stands in the address, and in a figure of somebody else's page", async () => {
    await visit(`${FEW}&observe=0.1`, async (explorer) => {
      await explorer.finish();
      assert.equal(await explorer.at("observe").inputValue(), "10");
      assert.equal(await explorer.at("start-line").getAttribute("data-observed"), "256");
    });
    const host = await elsewhere();
    const keys = FEW.slice(1).replaceAll("=", '="').replaceAll("&", '" ');
    const script = `<script src="${site.url}pno-forecast.js" defer></script>`;
    const element = `<pno-forecast ${keys}" observe="0.3,4" view="input" style="height:420px"></pno-forecast>`;
    const page = await open(browser, host.show(script + element), { others: [site.url] });
    const [figure] = await figures(page);
    await figure.finish();
    assert.equal(await figure.at("start-line").getAttribute("data-observed"), "64");
    assert.deepEqual(page.problems, []);
    await page.close();
    await host.close();
  });
});

describe("the same members on a finer grid", () => {
  test("are the same functions at every step, beside the same truth", async () => {
    await visit(FEW, async (explorer, page) => {
      await explorer.finish();
      const [members, truth] = [await saved(explorer, "members"), await saved(explorer, "truth")];
      await explorer.at("finer-1").check({ force: true });
      await explorer.waitForParam("finer", 1);
      await explorer.settle();
      const [finer, finerTruth] = [await saved(explorer, "members"), await saved(explorer, "truth")];
      assert.deepEqual(finer.shape, [3, STEPS, 2 * CELLS]);
      const coarse = finerTruth.values.filter((_, at) => at % 2 === 0);
      assert.ok(apart(coarse, truth.values) < 1e-5);
      same({ shape: members.shape, values: finer.values.filter((_, at) => at % 2 === 0) }, members, ON_TWO_GRIDS);
      assert.deepEqual(page.problems, []);
    });
  });

  test("are not offered where points between the observed ones are unknown", async () => {
    await visit(`${FEW}&observe=0.1,4`, async (explorer) => {
      await explorer.finish();
      assert.equal(await explorer.at("finer-1").count(), 0);
      await explorer.at("every-1").check({ force: true });
      await explorer.at("finer-1").waitFor({ state: "attached" });
    });
  });
});
