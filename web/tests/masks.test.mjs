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

/** The same on a sphere: every case a map before and one after, without values on a sea below the eye. */
const [CASES, CIRCLES, MERIDIANS] = [40, 12, 24];
const ball = (later) => Float32Array.from({ length: CASES * CIRCLES * MERIDIANS }, (_, i) => {
  const [number, circle, meridian] = [Math.floor(i / (CIRCLES * MERIDIANS)), Math.floor(i / MERIDIANS) % CIRCLES, i % MERIDIANS];
  const sea = circle >= 3 && circle < 8 && meridian >= 9 && meridian < 14;
  return sea ? NaN : circle + 3 * Math.sin(number + later + (meridian * Math.PI) / 12);
});
const BALL_TOML = `
title = "soil of a whole planet"
axes = ["case", "latitude", "longitude"]
missing = "mask"
sphere = "equiangular"
[coordinates]
latitude = { first = 90.0, last = -90.0, unit = "degrees_north" }
longitude = { first = 0.0, last = 345.0, unit = "degrees_east" }
[[inputs]]
name = "before"
file = "before.npy"
[[outputs]]
name = "after"
file = "after.npy"
`;
const TINY = ["epochs 1", "device cpu", "test-members 2", "set model.width=4", "set model.lifting=8", "set model.projection=8", "set model.layers=2"];

let site;
let browser;
/** The model's file, a case of input and truth, and what the native program makes of it; model and case of the sphere. */
let model;
let given;
let native;
let sphere;

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
    await writeNpy(at("before.npy"), [CASES, CIRCLES, MERIDIANS], ball(0));
    await writeNpy(at("after.npy"), [CASES, CIRCLES, MERIDIANS], ball(1));
    await writeFile(at("ball.toml"), BALL_TOML);
    await pno("data", "import", "arrays", at("ball.toml"), "--out", at("ball.zarr"));
    await pno("train", "arrays", "--data", at("ball.zarr"), "--method", "pno-r", "--out", at("ball"), ...tiny);
    await pno("export", at("ball"), "--precision", "f32", "--out", at("ball.pno"));
    const [first, second] = [ball(0), ball(1)].map((all) => [...all.slice(0, CIRCLES * MERIDIANS)]);
    await writeNpy(at("ball.npy"), [2 * CIRCLES, MERIDIANS], Float32Array.from([...first, ...second]));
    sphere = { model: await readFile(at("ball.pno")), given: await readFile(at("ball.npy")) };
  });
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** Opens the page with a model and a case of it, of which one panel is waited for. */
async function visit(query, work, panel = "panel-truth", own = { model, given }) {
  const page = await open(browser, `${site.url}?members=3&device=cpu&seed=5${query}`);
  try {
    const explorer = new ExplorerPage(page);
    await explorer.finish();
    await explorer.drop("soil.pno", own.model);
    await explorer.waitForParam("experiment", "arrays");
    await explorer.at("no-truth").waitFor();
    await explorer.drop("case.npy", own.given);
    await explorer.page.waitForSelector(`[data-testid=${panel}][data-state=ready]`);
    await explorer.settle();
    await work(explorer, page);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.close();
  }
}

const PANELS = ["panel-truth", "panel-mean", "panel-std", "panel-error", "panel-member", "panel-hit"];

/**
 * Whether one sees bare card at places of a panel's picture, shares across and upwards from 0 to 1: read from the screen,
 * since what a picture leaves out is what lies behind it.
 */
async function blank(explorer, page, panel, places) {
  const plot = explorer.plot(panel);
  // Crosshair and coastlines lie above the picture.
  await plot.evaluate((plot) => { for (const part of plot.children) if (part.localName !== "canvas") part.style.visibility = "hidden"; });
  const card = await explorer.at(panel).evaluate((panel) => getComputedStyle(panel).backgroundColor);
  const shot = (await plot.screenshot()).toString("base64");
  return page.evaluate(async ([shot, places, card]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${shot}`;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return places.map(([across, upwards]) => {
      const [x, y] = [across * image.width, (1 - upwards) * image.height].map(Math.floor);
      const [red, green, blue] = context.getImageData(x, y, 1, 1).data;
      return card === `rgb(${red}, ${green}, ${blue})`;
    });
  }, [shot, places, card]);
}

describe("a model with a mask", () => {
  test("leaves the sea blank in every picture, and only the sea", async () => {
    const cells = Array.from({ length: POINTS }, (_, i) => [Math.floor(i / COLUMNS), i % COLUMNS]);
    const places = cells.map(([row, column]) => [(column + 0.3) / COLUMNS, (row + 0.3) / ROWS]);
    const wanted = cells.map(([row, column]) => isSea(row, column));
    await visit("", async (explorer, page) => {
      for (const theme of ["light", "dark"]) {
        await explorer.chooseTheme(theme);
        await explorer.settle();
        for (const panel of PANELS) assert.deepEqual(await blank(explorer, page, panel, places), wanted, `${panel}, ${theme}`);
      }
    });
  });

  test("leaves the sea blank on every globe, where a hit is not", async () => {
    const [beside, inside] = [[0.88, 0.5], [0.5, 0.52]];
    await visit("", async (explorer, page) => {
      for (const panel of PANELS) {
        assert.match(await explorer.plot(panel).getAttribute("class"), /globe/);
        assert.deepEqual(await blank(explorer, page, panel, [inside, beside]), [true, false], panel);
      }
    }, "panel-truth", sphere);
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
