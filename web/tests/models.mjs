// Small untrained models of every experiment: arguments of `pno init`, by the name of the file.

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
