// What the native program makes of the page's input, beside what the page made of it.

import assert from "node:assert/strict";
import { join } from "node:path";
import { apart } from "./compare.mjs";
import { pno } from "./harness.mjs";
import { readNpy } from "./npy.mjs";

/** Largest difference, as a share of the standard deviation of a member's channel. */
const LIMIT = 1e-3;

/**
 * Saves input and members of the page (`side`: `-b` for the second), and compares every member with that of the native
 * program: gives both files.
 */
export async function compareWithNative(forecast, folder, model, { seed, members, side = "", steps = 1, channels = 1 }) {
  const input = await forecast.saved("input", folder);
  const drawn = await forecast.saved(`members${side}`, folder);
  const out = join(folder, `native${side}.npy`);
  const asked = ["--members", members, "--seed", seed, "--steps", steps, "--device", "cpu"];
  await pno("predict", model, "--input", input.path, ...asked, "--out", out, "--force");
  const native = await readNpy(out);
  assert.deepEqual(drawn.shape, native.shape);
  const [count] = drawn.shape;
  const size = drawn.values.length / count;
  const channel = ({ values }, m, c) => values.subarray(m * size, (m + 1) * size).filter((_, i) => i % channels === c);
  for (let m = 0; m < count; m++) {
    for (let c = 0; c < channels; c++) {
      const share = apart(channel(drawn, m, c), channel(native, m, c));
      assert.ok(share < LIMIT, `channel ${c} of member ${m} differs by ${share} of its standard deviation`);
    }
  }
  return { input, drawn };
}
