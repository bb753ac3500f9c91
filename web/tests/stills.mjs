// The still pictures of web/embed: node stills.mjs [EXPERIMENT …], from the page in dist/.
// stills/EXPERIMENT.webp stands where a figure is not live; preview.png is what a link to the page unfurls to.

import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ForecastPage } from "./forecast-page.mjs";
import { launch, open, serve } from "./harness.mjs";

const OUT = resolve(fileURLToPath(import.meta.url), "../../embed");
const QUERIES = {
  ks: "?experiment=ks&members=64&device=cpu",
  darcy: "?experiment=darcy&members=32&device=cpu",
  sswe: "?experiment=sswe&members=16&device=cpu&lead=12&steps=12",
};

const wanted = process.argv.slice(2);
const site = await serve();
const browser = await launch();

/** Draws the pictures that are there beside each other; gives an address of the whole with its data. */
function compose({ width, height, type, quality }) {
  const ready = (view) => document.querySelector(`section.panel[data-view=${view}][data-state=ready]`);
  const forecast = ["truth", "mean", "std"].filter(ready);
  const views = forecast.length === 3 ? forecast : ["input", "truth"].filter(ready);
  const sheet = document.createElement("canvas");
  [sheet.width, sheet.height] = [width, height];
  const context = sheet.getContext("2d");
  context.font = "600 22px system-ui, sans-serif";
  // Readable on light and on dark.
  context.fillStyle = "#7a8594";
  const gap = 24;
  const room = (width - gap * (views.length - 1)) / views.length;
  views.forEach((view, i) => {
    const panel = ready(view);
    const from = panel.querySelector("canvas");
    const ratio = views.length === 3 ? room / (height - 36) : from.width / from.height;
    const [w, h] = ratio > room / (height - 36) ? [room, room / ratio] : [(height - 36) * ratio, height - 36];
    const [x, y] = [i * (room + gap) + (room - w) / 2, 36 + (height - 36 - h) / 2];
    context.fillText(panel.querySelector("h2").textContent, x, y - 12);
    context.drawImage(from, x, y, w, h);
  });
  return sheet.toDataURL(type, quality);
}

const bytes = (address) => Buffer.from(address.split(",")[1], "base64");

try {
  await mkdir(`${OUT}/stills`, { recursive: true });
  for (const [experiment, query] of Object.entries(QUERIES)) {
    if (wanted.length && !wanted.includes(experiment)) continue;
    const page = await open(browser, site.url + query, { viewport: { width: 1900, height: 1200 } });
    await new ForecastPage(page).finish();
    const picture = await page.evaluate(compose, { width: 960, height: 340, type: "image/webp", quality: 0.8 });
    await writeFile(`${OUT}/stills/${experiment}.webp`, bytes(picture));
    if (experiment === "ks") {
      const large = await page.evaluate(compose, { width: 1080, height: 400, type: "image/png" });
      await page.setViewportSize({ width: 1200, height: 630 });
      await page.setContent(`<body style="margin:0;padding:54px 60px;background:#f6f5f1;color:#1d2530;font:26px/1.4 system-ui,sans-serif">
        <h1 style="margin:0;font-size:46px;letter-spacing:-0.015em">Probabilistic neural operators, live</h1>
        <p style="margin:8px 0 26px;color:#5b6675">Ensemble forecasts beside the truth, computed in your browser</p>
        <img src="${large}" alt=""></body>`);
      await page.screenshot({ path: `${OUT}/preview.png` });
    }
    await page.close();
  }
} finally {
  await browser.close();
  await site.close();
}
