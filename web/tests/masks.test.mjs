// A model of a field that never has a value on the sea: the sea is blank on the page, and counts nowhere.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { apart } from "./compare.mjs";
import { ExplorerPage } from "./explorer-page.mjs";
import { launch, open, pno, serve, withFolder } from "./harness.mjs";
import { readNpy, writeNpy } from "./npy.mjs";
import { until } from "./waiting.mjs";

const [TIMES, ROWS, COLUMNS] = [160, 10, 14];
const POINTS = ROWS * COLUMNS;
const STEPS = 4;
/** Sea in the lower left corner; rows are counted from below. */
const isSea = (row, column) => row < 4 && column < 6;
const seaAt = (i) => isSea(Math.floor((i % POINTS) / COLUMNS), i % COLUMNS);
const SEA = 24;

/** A field that is NaN on the sea. */
const field = Float32Array.from({ length: TIMES * POINTS }, (_, i) => {
  const [time, row, column] = [Math.floor(i / POINTS), Math.floor((i % POINTS) / COLUMNS), i % COLUMNS];
  return isSea(row, column) ? NaN : row + 3 * Math.sin(0.4 * time + 0.6 * column);
});

const TOML = `
title = "soil"
axes = ["time", "latitude", "longitude"]
missing = "mask"
[windows]
steps = ${STEPS}
[coordinates]
latitude = { first = 40.0, last = 49.0, unit = "degrees_north" }
longitude = { first = 10.0, last = 23.0, unit = "degrees_east" }
[[inputs]]
name = "soil"
file = "soil.npy"
[[outputs]]
name = "soil"
file = "soil.npy"
`;
const TINY = ["epochs 1", "device cpu", "test-members 2", "set model.width=4", "set model.lifting=8", "set model.projection=8", "set model.layers=2"];

let site;
let browser;
/** The model's file, a case of input and truth, and what the native program makes of it. */
let model;
let given;
let native;

before(async () => {
  await withFolder(async (folder) => {
    const at = (name) => join(folder, name);
    await writeNpy(at("soil.npy"), [TIMES, ROWS, COLUMNS], field);
    await writeFile(at("soil.toml"), TOML);
    await pno("data", "import", "arrays", at("soil.toml"), "--out", at("soil.zarr"));
    const tiny = TINY.flatMap((words) => `--${words}`.split(" "));
    await pno("train", "arrays", "--data", at("soil.zarr"), "--method", "pno-r", "--out", at("run"), ...tiny);
    await pno("export", at("run"), "--precision", "f32", "--out", at("soil.pno"));
    model = await readFile(at("soil.pno"));
    await writeNpy(at("case.npy"), [2 * STEPS, ROWS, COLUMNS], field.slice(0, 2 * STEPS * POINTS));
    given = await readFile(at("case.npy"));
    await writeNpy(at("in.npy"), [STEPS, ROWS, COLUMNS], field.slice(0, STEPS * POINTS));
    await pno("predict", at("soil.pno"), "--input", at("in.npy"), "--members", 3, "--seed", 5, "--device", "cpu", "--out", at("m.npy"));
    native = await readNpy(at("m.npy"));
  });
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** Opens the page with the model and the case, of which one panel is waited for. */
async function visit(query, work, panel = "panel-truth") {
  const page = await open(browser, `${site.url}?members=3&device=cpu&seed=5${query}`);
  try {
    const explorer = new ExplorerPage(page);
    await explorer.finish();
    await explorer.drop("soil.pno", model);
    await explorer.waitForParam("experiment", "arrays");
    await explorer.at("no-truth").waitFor();
    await explorer.drop("case.npy", given);
    await explorer.page.waitForSelector(`[data-testid=${panel}][data-state=ready]`);
    await explorer.settle();
    await work(explorer, page);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.close();
  }
}

/** Opacity of the middle of every cell of a panel, `[row from below][column]`. */
async function opacity(explorer, panel) {
  const { width, height, values } = await explorer.pixels(panel);
  const at = (row, column) => {
    const x = Math.floor(((column + 0.5) / COLUMNS) * width);
    const y = Math.floor((1 - (row + 0.5) / ROWS) * height);
    return values[y * width + x] >>> 24;
  };
  return Array.from({ length: ROWS }, (_, row) => Array.from({ length: COLUMNS }, (_, column) => at(row, column)));
}

describe("a model with a mask", () => {
  test("leaves the sea blank in every picture, and only the sea", async () => {
    await visit("", async (explorer) => {
      for (const panel of ["panel-truth", "panel-mean", "panel-std", "panel-error", "panel-member"]) {
        const found = await opacity(explorer, panel);
        const wanted = found.map((row, y) => row.map((_, x) => (isSea(y, x) ? 0 : 255)));
        assert.deepEqual(found, wanted, panel);
      }
    });
  });

  test("gives the members of the native program, NaN on the sea, and scores of the land", async () => {
    await visit("", async (explorer) => {
      const members = await withFolder((folder) => explorer.saved("members", folder));
      assert.deepEqual(members.shape, [3, STEPS, ROWS, COLUMNS]);
      members.values.forEach((value, i) => assert.equal(Number.isNaN(value), seaAt(i), `value ${i}: ${value}`));
      const land = (values) => Float32Array.from(values.filter((_, i) => !seaAt(i)));
      assert.ok(apart(land(members.values), land(native.values)) < 1e-3);
      assert.ok((await explorer.number("score-crps")) > 0);
    });
  });

  test("says that there is no value under the cross-hair", async () => {
    await visit("&view=mean", async (explorer, page) => {
      const says = async ([row, column], wanted) => {
        await page.mouse.click(...(await explorer.onScreen("panel-mean", [(column + 0.5) / COLUMNS, (row + 0.5) / ROWS])));
        const sentence = () => explorer.sentence("panel-mean");
        await until(async () => wanted.test(await sentence()), `${wanted}`, { seen: sentence });
      };
      await says([1, 2], /° E: no value\./);
      await says([7, 9], /° E: [−\d.]+\d\./);
    }, "panel-mean");
  });

  test("refuses a case that has no value on the land", async () => {
    const bytes = await withFolder(async (folder) => {
      const values = field.slice(0, 2 * STEPS * POINTS);
      values[POINTS - 1] = NaN;
      await writeNpy(join(folder, "bad.npy"), [2 * STEPS, ROWS, COLUMNS], values);
      return readFile(join(folder, "bad.npy"));
    });
    await visit("", async (explorer) => {
      await explorer.drop("bad.npy", bytes);
      await explorer.at("no-truth").waitFor();
      assert.match(await explorer.at("no-truth").innerText(), /bad\.npy has the value NaN at position 139/);
    });
  });
});

assert.equal(SEA, field.slice(0, POINTS).filter(Number.isNaN).length);
