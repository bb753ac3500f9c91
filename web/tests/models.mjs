// Small untrained models of every experiment: arguments of `pno init`, by the name of the file.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pno, withFolder } from "./harness.mjs";

export const SMALL = ["--set", "model.width=6", "--set", "model.lifting=12", "--set", "model.projection=12"];
export const FLAT = [...SMALL, "--grid", "16x16", "--set", "model.modes=[6,6]"];
export const SPHERE = [...SMALL, "--grid", "12x24", "--set", "model.modes=[8,8]"];
export const MAPS = [...SMALL, "--grid", "4x10x14", "--set", "model.modes=[4,4,6]"];

export const MODELS = {
  "darcy-pno-d.pno": ["darcy", ...FLAT],
  "darcy-pno-r.pno": ["darcy", "--method", "pno-r", ...FLAT],
  "sswe-pno-d.pno": ["sswe", ...SPHERE],
  "sswe-pno-r.pno": ["sswe", "--method", "pno-r", ...SPHERE],
  "era5-pno-d.pno": ["era5", ...MAPS],
};

/** The same for an ensemble of networks: `model.networks` of them. */
export const DEEP = ["ks", "--method", "ensemble", "--set", "model.networks=3", ...SMALL];

const made = new Map();

/** The bytes of the model that `pno init` makes with these arguments: they are the same every time, so it is asked once. */
export async function untrained(...init) {
  const key = JSON.stringify(init);
  if (!made.has(key)) {
    const bytes = await withFolder(async (folder) => {
      await pno("init", ...init, "--out", join(folder, "model.pno"));
      return readFile(join(folder, "model.pno"));
    });
    made.set(key, bytes);
  }
  // A copy: tests damage theirs.
  return Buffer.from(made.get(key));
}
