// Makes lines.bin, the coastlines of the page, from the land of Natural Earth at 1:50 million.
//
//   npm install world-atlas@2 topojson-client@3
//   node make.mjs node_modules/world-atlas/land-50m.json lines.bin
//
// The format is told in mod.rs. Lines are thinned (Douglas and Peucker) so that all of them fit 60 kB: a point is left out
// if the line without it is nowhere further off than TOLERANCE, and islands smaller than SMALLEST across are left out.
// In the window of the 2 m temperature (Europe), where the page looks closest, both are finer.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(resolve("make.mjs"));
const { mesh } = require("topojson-client");

const STEPS_PER_DEGREE = 100;
const EUROPE = { west: -15, east: 45, south: 33, north: 77 };
const FINE = { tolerance: 0.012, smallest: 0.08 };
const COARSE = { tolerance: 0.06, smallest: 0.3 };

const [source, out] = process.argv.slice(2);
const atlas = JSON.parse(readFileSync(source, "utf8"));
const lines = mesh(atlas, atlas.objects.land).coordinates;

/** Cuts a line where it only closes a polygon: along the date line and the south pole. */
function* coasts(line) {
  let part = [];
  const seam = ([a, b], [c, d]) => (Math.abs(a) > 179.99 && Math.abs(c) > 179.99) || (b < -89.9 && d < -89.9) || Math.abs(a - c) > 180;
  for (const point of line) {
    if (part.length && seam(part.at(-1), point)) {
      if (part.length > 1) yield part;
      part = [];
    }
    part.push(point);
  }
  if (part.length > 1) yield part;
}

/** Distance of a point from the line through two others, in degrees of latitude. */
function distance([x, y], [ax, ay], [bx, by]) {
  const shrink = Math.cos((y * Math.PI) / 180);
  const [px, py, dx, dy] = [(x - ax) * shrink, y - ay, (bx - ax) * shrink, by - ay];
  const length = Math.hypot(dx, dy);
  if (length === 0) return Math.hypot(px, py);
  const along = Math.min(1, Math.max(0, (px * dx + py * dy) / length ** 2));
  return Math.hypot(px - along * dx, py - along * dy);
}

function thin(line, tolerance) {
  if (line.length < 3) return line;
  let [worst, at] = [0, 0];
  for (let i = 1; i < line.length - 1; i++) {
    const found = distance(line[i], line[0], line.at(-1));
    if (found > worst) [worst, at] = [found, i];
  }
  if (worst <= tolerance) return [line[0], line.at(-1)];
  return [...thin(line.slice(0, at + 1), tolerance).slice(0, -1), ...thin(line.slice(at), tolerance)];
}

function extent(line) {
  const [xs, ys] = [line.map(([x]) => x), line.map(([, y]) => y)];
  const shrink = Math.cos((ys[0] * Math.PI) / 180);
  return Math.max((Math.max(...xs) - Math.min(...xs)) * shrink, Math.max(...ys) - Math.min(...ys));
}

const inEurope = ([x, y]) => x > EUROPE.west && x < EUROPE.east && y > EUROPE.south && y < EUROPE.north;

/** Parts of a line inside and outside Europe; neighbours share a point. */
function* byRegion(line) {
  let start = 0;
  for (let i = 1; i <= line.length; i++) {
    if (i === line.length || inEurope(line[i]) !== inEurope(line[start])) {
      const part = line.slice(start, i + 1);
      if (part.length > 1) yield { part, level: inEurope(line[start]) ? FINE : COARSE };
      start = i;
    }
  }
}

const bytes = [];
function varint(value) {
  while (value > 127) {
    bytes.push((value & 127) | 128);
    value >>>= 7;
  }
  bytes.push(value);
}
const signed = (value) => varint(value < 0 ? -2 * value - 1 : 2 * value);

let points = 0;
let count = 0;
for (const line of lines.flatMap((line) => [...coasts(line)])) {
  const level = inEurope(line[0]) ? FINE : COARSE;
  if (extent(line) < level.smallest) continue;
  const thinned = [...byRegion(line)].flatMap(({ part, level }, i) => thin(part, level.tolerance).slice(i ? 1 : 0));
  const steps = thinned.map((point) => point.map((degrees) => Math.round(degrees * STEPS_PER_DEGREE)));
  const kept = steps.filter(([x, y], i) => !i || x !== steps[i - 1][0] || y !== steps[i - 1][1]);
  if (kept.length < 2) continue;
  varint(kept.length);
  let [x, y] = [0, 0];
  for (const [nextX, nextY] of kept) {
    signed(nextX - x);
    signed(nextY - y);
    [x, y] = [nextX, nextY];
  }
  points += kept.length;
  count += 1;
}
writeFileSync(out, Uint8Array.from(bytes));
console.log(`${count} lines, ${points} points, ${bytes.length} bytes`);
