// node pack.mjs FOLDER VERSION [URL]: puts the integrity of the element's script into the instructions, writes
// integrity.json, and compresses what gains from it. Started by `cargo xtask dist`.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [folder, version, url = ""] = process.argv.slice(2);
const COMPRESSIBLE = /\.(html|css|js|json|svg|wasm)$/;
// As in the size report: 11 would gain some per cent, and take a minute.
const QUALITY = 9;

const names = (below = "") =>
  readdirSync(join(folder, below), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? names(`${below}${entry.name}/`) : `${below}${entry.name}`))
    .sort();
const hash = (bytes, algorithm, form) => createHash(algorithm).update(bytes).digest(form);
const sri = (name) => `sha384-${hash(readFileSync(join(folder, name)), "sha384", "base64")}`;

const about = join(folder, "instructions.html");
const told = { VERSION: version, URL: url || "https://YOUR-HOST/PATH/", INTEGRITY: sri("pno-forecast.js") };
writeFileSync(about, readFileSync(about, "utf8").replace(/\{\{(\w+)\}\}/g, (_, key) => told[key]));

const files = {};
for (const name of names()) {
  const bytes = readFileSync(join(folder, name));
  files[name] = { bytes: bytes.length, sha256: hash(bytes, "sha256", "hex"), integrity: sri(name) };
  if (!COMPRESSIBLE.test(name)) continue;
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_LGWIN]: 24 };
  for (const [ending, packed] of [[".br", brotliCompressSync(bytes, { params })], [".gz", gzipSync(bytes, { level: 9 })]]) {
    if (packed.length < bytes.length) writeFileSync(join(folder, name + ending), packed);
  }
}
writeFileSync(join(folder, "integrity.json"), `${JSON.stringify({ version, files }, null, 1)}\n`);
const size = names().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
console.log(`${Object.keys(files).length} files, ${(size / 1e6).toFixed(1)} MB with compressed copies`);
