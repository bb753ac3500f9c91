// Every operator in the browser's worker: the members it draws, on the CPU and on WebGPU, are those of the native program.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { after, before, describe, test } from "node:test";
import { apart } from "./compare.mjs";
import { DIST, built, launch, open, pno, serve, withFolder } from "./harness.mjs";
import { readNpy, writeNpy } from "./npy.mjs";
import { allowSoftwareGpu, until } from "./waiting.mjs";

// The software adapter is slow: two members on small grids.
const MEMBERS = 2;
const SEED = 3;
/** Largest difference from the native program, as a share of the standard deviation of a channel. */
const LIMITS = { webgpu: 1e-3, cpu: 1e-4 };

const SMALL = { width: 6, lifting: 12, projection: 12 };
const LEVELS = [[8, 0.5], [12, 0.5], [12, 1], [8, 2], [6, 2]];
const level = ([width, scale]) => `{width=${width},modes=[4,6],scale=[1.0,${scale.toFixed(1)}]}`;
const UNO = { ...SMALL, levels: `[${LEVELS.map(level).join(",")}]` };
/** Mean and scale of the channels, for inputs that a network of the experiment could meet. */
const ONE = [[0, 1]];
const WATER = [[98_062, 617], [0, 5e-6], [0, 5e-6]];

const CASES = [
  { name: "an FNO on a line", init: ["ks", "--grid", "48"], model: { ...SMALL, modes: "[12]" }, grid: [48] },
  { name: "an FNO in a square", init: ["darcy", "--grid", "12x12"], model: { ...SMALL, modes: "[6,6]" }, grid: [12, 12] },
  { name: "an FNO in time and space", init: ["era5", "--grid", "4x6x10"], model: { ...SMALL, modes: "[4,4,6]" }, grid: [4, 6, 10], channels: [[16.7, 65.4]] },
  { name: "an FNO with two heads", init: ["darcy", "--method", "pno-r", "--grid", "12x12"], model: { ...SMALL, modes: "[6,6]" }, grid: [12, 12] },
  { name: "an FNO on a finer grid than its own", init: ["darcy", "--grid", "12x12"], model: { ...SMALL, modes: "[6,6]" }, grid: [16, 20] },
  { name: "a UNO as published", init: ["ks", "--operator", "uno", "--profile", "paper", "--grid", "6x24"], model: UNO, grid: [6, 24] },
  { name: "a UNO as it should be", init: ["ks", "--operator", "uno", "--grid", "6x24"], model: UNO, grid: [6, 24] },
  { name: "an SFNO with poles", init: ["sswe", "--grid", "10x20"], model: { ...SMALL, modes: "[8,8]" }, grid: [10, 20], channels: WATER },
  { name: "an SFNO on Gauss latitudes", init: ["sswe", "--latitudes", "gauss", "--grid", "10x20"], model: { ...SMALL, modes: "[8,8]" }, grid: [10, 20], channels: WATER },
];

let site;
let browser;
let page;

before(async () => {
  site = await serve();
  browser = await launch({ webgpu: true });
  // A page of its own: the built one would start a forecast.
  site.override("blank.html", { body: "<title>worker</title><link rel=icon href=data:,>" });
  site.override("wire.mjs", { body: await readFile(new URL("wire.mjs", import.meta.url)) });
  page = await open(browser, `${site.url}blank.html`);
  await page.evaluate(async (loader) => {
    const { Inference } = await import("./wire.mjs");
    globalThis.inference = new Inference(`./${loader}`);
  }, relative(DIST, built("worker_loader.js")));
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** Draws members, and waits for as long as the worker says something. */
async function draw(request, input) {
  await page.evaluate(([request, input]) => {
    globalThis.ended = null;
    const end = (how) => { globalThis.ended = how; };
    globalThis.inference.draw(request, input).then((drawn) => end({ drawn }), ({ message }) => end({ message }));
  }, [request, input]);
  const heard = () => page.evaluate(() => globalThis.inference.heard);
  const { drawn, message } = await until(() => page.evaluate(() => globalThis.ended), "members", { life: heard, seen: async () => `${await heard()} messages` });
  if (message) throw new Error(message);
  return drawn;
}

/** Waves along every axis, others in every channel. */
function waves(grid, channels) {
  const wave = (share, axis, c) => Math.sin(2 * Math.PI * (axis + 1) * share + axis + 2 * c);
  const at = (point, c) => {
    let [value, rest] = [0, point];
    for (let axis = grid.length - 1; axis >= 0; axis--) {
      value += wave((rest % grid[axis]) / grid[axis], axis, c);
      rest = Math.floor(rest / grid[axis]);
    }
    return value;
  };
  const points = Array.from({ length: count(grid) }, (_, i) => i);
  return points.flatMap((i) => channels.map(([mean, scale], c) => mean + scale * at(i, c)));
}

function count(grid) {
  return grid.reduce((product, size) => product * size, 1);
}

/** Writes an untrained model, draws its members natively, and lets the site serve it. */
async function natively({ init, model, grid, channels = ONE }, folder) {
  const [file, field, out] = ["model.pno", "input.npy", "members.npy"].map((name) => join(folder, name));
  const set = Object.entries(model).flatMap(([key, value]) => ["--set", `model.${key}=${value}`]);
  await pno("init", ...init, ...set, "--out", file);
  const input = waves(grid, channels);
  await writeNpy(field, channels.length > 1 ? [...grid, channels.length] : grid, input);
  await pno("predict", file, "--input", field, "--members", MEMBERS, "--seed", SEED, "--device", "cpu", "--out", out);
  const name = `models/${folder.split("/").pop()}.pno`;
  site.override(name, { body: await readFile(file) });
  const request = { model: new URL(name, site.url).href, seed: SEED, members: MEMBERS, grid };
  return { request, input, native: await readNpy(out) };
}

describe("the worker draws the native program's members", () => {
  for (const item of CASES) {
    test(`of ${item.name}`, async (context) => {
      allowSoftwareGpu();
      await withFolder(async (folder) => {
        const { request, input, native } = await natively(item, folder);
        for (const device of ["cpu", "webgpu"]) {
          const found = await draw({ ...request, device }, input);
          assert.equal(found.device.toLowerCase(), device);
          assert.equal(found.members.length, native.values.length, `native shape ${native.shape}`);
          const share = largestShare(found.members, native, item);
          context.diagnostic(`${device}: ${share.toExponential(1)} of the standard deviation`);
          assert.ok(share < LIMITS[device], `${device} differs by ${share} of the standard deviation`);
        }
        assert.deepEqual(page.problems, []);
      });
    });
  }

  test("and members that differ from each other", async () => {
    await withFolder(async (folder) => {
      const { request, input } = await natively(CASES[0], folder);
      const { members } = await draw({ ...request, device: "cpu" }, input);
      const half = members.length / 2;
      assert.ok(apart(members.slice(0, half), members.slice(half)) > 1e-2);
    });
  });
});

/** The largest difference over all channels, each as a share of its own standard deviation. */
function largestShare(found, native, { channels = ONE }) {
  const of = (values, c) => values.filter((_, i) => i % channels.length === c);
  return Math.max(...channels.map((_, c) => apart(of(found, c), of(native.values, c))));
}

describe("the worker says in one sentence", () => {
  test("that an input does not fit the model", async () => {
    await withFolder(async (folder) => {
      const { request, input } = await natively(CASES[1], folder);
      const asked = { ...request, device: "cpu" };
      await assert.rejects(draw(asked, input.slice(1)), /The forecast failed: the input has 143 values, but this model takes \[12, 12\]/);
      await assert.rejects(draw({ ...asked, grid: [144] }, input), /The forecast failed: the grid \[144\] has 1 axes/);
      const { members } = await draw(asked, input);
      assert.equal(members.length, MEMBERS * input.length, "and goes on");
    });
  });
});
