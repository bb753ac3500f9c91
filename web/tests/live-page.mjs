// What tests of experiments without a model share: the truth is solved live, with its numbers, brush and player. No GPU.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before } from "node:test";
import { ExplorerPage, onePage } from "./explorer-page.mjs";
import { residual } from "./five-point.mjs";
import { launch, open, serve, withFolder } from "./harness.mjs";

/** Fields of the native solvers. */
export const reference = JSON.parse(await readFile(new URL("live-reference.json", import.meta.url)));

// A pressure of about 0.1 in 32-bit floats, times 4 n²: on 64 cells 1e-4 of the source is left at best, on 128 four times that.
const FLOAT_RESIDUAL = { 64: 4e-4, 128: 1.6e-3 };

/** A site and a browser for the tests of a file, and how to visit the page as if no model were shipped. */
export function withoutModels() {
  const shared = {};
  before(async () => {
    shared.site = await serve();
    shared.browser = await launch();
  });
  after(async () => {
    await shared.browser?.close();
    await shared.site?.close();
  });
  afterEach(() => shared.site.restore());
  shared.hide = () => shared.site.override("models/index.json", { body: '{"models":[]}' });
  const load = (query, options) => {
    shared.hide();
    return open(shared.browser, `${shared.site.url}${query}`, options);
  };
  /** In a page of its own, which knows nothing that another one solved. */
  shared.visitAlone = async (query, work, options) => {
    const page = await load(query, options);
    try {
      return await work(new ExplorerPage(page), page);
    } finally {
      await page.close();
    }
  };
  /** In a page that is shared. */
  shared.visit = onePage(load);
  return shared;
}

/** Both fields of the flow on the screen. */
export async function flow(live) {
  return withFolder(async (folder) => {
    const permeability = await live.saved("input", folder);
    const pressure = await live.saved("truth", folder);
    assert.deepEqual(permeability.shape, pressure.shape);
    return { n: pressure.shape[0], permeability: permeability.values, pressure: pressure.values };
  });
}

export const saved = (live, what) => withFolder((folder) => live.saved(what, folder));
export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
export const share = (values, test) => values.filter(test).length / values.length;
export const highShare = async (live) => share((await flow(live)).permeability, (a) => a === 1);

/** Compares a field with every so-many-th value of the native one, to a share of the field's largest deviation. */
export function assertNative(found, { stride, mean: wantedMean, values }, what) {
  const middle = mean(values);
  const scale = Math.max(...values.map((value) => Math.abs(value - middle)));
  assert.equal(Math.ceil(found.length / stride), values.length, `${what}: size`);
  values.forEach((wanted, i) => {
    const apart = Math.abs(found[i * stride] - wanted) / scale;
    assert.ok(apart < 1e-4, `${what}: ${found[i * stride]} for ${wanted} in place ${i * stride}`);
  });
  assert.ok(Math.abs(mean(found) - wantedMean) < 1e-4 * scale, `${what}: mean ${mean(found)} for ${wantedMean}`);
}

export function assertSolved({ n, permeability, pressure }) {
  const left = residual(n, permeability, pressure);
  assert.ok(left < FLOAT_RESIDUAL[n], `residual ${left} on ${n} cells`);
}
