// Figures as a visitor reads and saves them, and the same numbers by brute force.

import { readFile } from "node:fs/promises";
import { holds } from "./waiting.mjs";

/** A figure of the charts at the point, or of the verification, of a side. */
export class FigureCard {
  constructor(explorer, part, name, side = 0) {
    this.explorer = explorer;
    this.card = explorer.at(`${part}-${side}`).getByTestId(name);
  }

  async title() {
    return this.card.locator("h2").innerText();
  }

  async reading() {
    return this.card.locator(".reading").innerText();
  }

  /** What a screen reader says of the picture. */
  async label() {
    return this.card.locator("svg[role=img]").getAttribute("aria-label");
  }

  /** The numbers as they are saved: `{ file, columns, rows }`. */
  async csv() {
    const { page } = this.explorer;
    const button = this.card.locator("header button");
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    const [head, ...lines] = (await readFile(await download.path(), "utf8")).trim().split("\n");
    const columns = [...head.matchAll(/"([^"]*)"|([^,]+)/g)].map(([, quoted, plain]) => quoted ?? plain);
    const rows = lines.map((line) => line.split(",").map((cell) => (cell === "" ? NaN : Number(cell))));
    return { file: download.suggestedFilename(), columns, rows };
  }

  /** The table behind the picture, as it is read. */
  async table() {
    await this.card.locator("summary").click();
    const rows = this.card.locator("tbody tr");
    await rows.first().waitFor();
    return {
      heads: await this.card.locator("th").allInnerTexts(),
      rows: await rows.evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText))),
    };
  }

  /** Clicks at a share of the width. */
  async click(across) {
    const plot = this.card.locator(".plot");
    await plot.scrollIntoViewIfNeeded();
    const { width, height } = await plot.boundingBox();
    await plot.click({ position: { x: across * width, y: 0.5 * height } });
  }
}

/** Waits until the verification of a side is that of all `members` of the run on the screen, and says `words`. */
export async function verified(explorer, members, { side = 0, words = "" } = {}) {
  const wanted = ([side, start, words]) => {
    const card = document.querySelector(`[data-testid=verification-${side}]`);
    const said = document.querySelector(`[data-testid=verified-words-${side}]`)?.innerText ?? "";
    // Figures are drawn one after the other.
    const drawn = !document.documentElement.hasAttribute("data-drawing");
    return drawn && card && !card.classList.contains("stale") && said.startsWith(start) && said.includes(words);
  };
  const what = `the verification of ${members} members on side ${side}`;
  await holds(explorer.page, wanted, [side, `${members} members`, words], { what });
}

/** Share of the points at each rank of the truth among `count` members `[member, value]`. */
export function rankShares(members, truth, count) {
  const shares = Array(count + 1).fill(0);
  truth.forEach((value, i) => {
    let rank = 0;
    for (let m = 0; m < count; m++) rank += members[m * truth.length + i] < value ? 1 : 0;
    shares[rank] += 1 / truth.length;
  });
  return shares;
}

/** Share of the truth inside the central interval of a level, cut out of the ranks. */
export function coverage(shares, level) {
  const ranks = shares.length;
  const below = (place) => shares.reduce((sum, share, rank) => sum + share * Math.min(Math.max(place * ranks - rank, 0), 1), 0);
  return below(0.5 + level / 2) - below(0.5 - level / 2);
}

/** Root mean square error of the mean of `count` members `[member, value]`. */
export function meanError(members, truth, count) {
  const square = (value, i) => {
    let mean = 0;
    for (let m = 0; m < count; m++) mean += members[m * truth.length + i] / count;
    return (mean - value) ** 2;
  };
  return Math.sqrt(truth.reduce((sum, value, i) => sum + square(value, i), 0) / truth.length);
}

/**
 * Milliseconds that the main thread works for each of `times` calls of `work`, drawing included. Its own clock does not
 * run while other programs have the processor.
 */
export async function threadTime(page, times, work) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
  };
  const begun = await spent();
  for (let k = 0; k < times; k++) await work(k);
  const worked = (await spent()) - begun;
  await session.detach();
  return worked / times;
}
