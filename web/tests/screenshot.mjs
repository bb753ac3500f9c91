// A picture of the page: node screenshot.mjs OUT.png [QUERY] [WIDTHxHEIGHT] [light|dark]
// A height of 0 takes the whole page.

import { ForecastPage } from "./forecast-page.mjs";
import { launch, open, serve } from "./harness.mjs";

const [out, query = "", size = "1280x0", colorScheme = "light"] = process.argv.slice(2);
if (!out) {
  console.error("usage: node screenshot.mjs OUT.png [QUERY] [WIDTHxHEIGHT] [light|dark]");
  process.exit(2);
}
const [width, height] = size.split("x").map(Number);
const site = await serve();
const browser = await launch();
try {
  const viewport = { width, height: height || 900 };
  const page = await open(browser, `${site.url}${query}`, { viewport, colorScheme, deviceScaleFactor: width < 500 ? 2 : 1 });
  await new ForecastPage(page).finish();
  await page.screenshot({ path: out, fullPage: height === 0 });
} finally {
  await browser.close();
  await site.close();
}
