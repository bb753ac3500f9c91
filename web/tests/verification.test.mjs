// The ensemble at the point, and how good it is. On the CPU; numbers against brute force on the files that the page saves.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { sharedPages } from "./explorer-page.mjs";
import { FigureCard, coverage, meanError, rankShares, verified } from "./figures.mjs";
import { launch, open, serve, withFolder } from "./harness.mjs";
import { writeNpy } from "./npy.mjs";
import { found, until } from "./waiting.mjs";

const SMALL = ["--set", "model.width=6", "--set", "model.lifting=12", "--set", "model.projection=12"];
const MODELS = {
  "darcy-pno-d.pno": ["darcy", ...SMALL, "--grid", "16x16", "--set", "model.modes=[6,6]"],
  "sswe-pno-d.pno": ["sswe", ...SMALL, "--grid", "12x24", "--set", "model.modes=[8,8]"],
  "era5-pno-d.pno": ["era5", ...SMALL, "--grid", "4x10x14", "--set", "model.modes=[4,4,6]"],
};

let site;
let browser;

before(async () => {
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});
afterEach(() => site.restore());

const visit = sharedPages((query) => open(browser, `${site.url}${query}`), () => site);

const saved = (explorer, what) => withFolder((folder) => explorer.saved(what, folder));
const close = (found, wanted, within, what = "") => assert.ok(Math.abs(found - wanted) <= within, `${what} ${found} for ${wanted}`);

/** Drops a file with input and truth on the page of a model `[4, 10, 14]`. */
async function dropTemperature(explorer) {
  await explorer.at("no-truth").waitFor();
  const frames = Array.from({ length: 8 * 140 }, (_, i) => 280 + 8 * Math.sin(i / 17) + Math.floor(i / 140));
  const bytes = await withFolder(async (folder) => {
    const path = join(folder, "case.npy");
    await writeNpy(path, [8, 10, 14], frames);
    return readFile(path);
  });
  await explorer.drop("case.npy", bytes);
  await found(explorer.page, "[data-testid=panel-truth][data-state=ready]");
  await explorer.settle();
}

describe("verification", () => {
  const figure = (explorer, name, side) => new FigureCard(explorer, "verification", name, side);

  test("tells how often intervals hold the truth, as counted on the saved members", async () => {
    await visit("?members=8&device=cpu", async (explorer, page) => {
      await explorer.finish();
      await verified(explorer, 8);
      const { file, columns, rows } = await figure(explorer, "coverage").csv();
      assert.equal(file, "ks-seed7-coverage.csv");
      assert.deepEqual(columns.slice(0, 2), ["level", "truth inside"]);
      const [members, truth] = [await saved(explorer, "members"), await saved(explorer, "truth")];
      const shares = rankShares(members.values, truth.values, 8);
      for (const [level, inside] of rows) close(inside, coverage(shares, level), 1e-9, `level ${level}:`);
      assert.match(await explorer.at("verified-words-0").innerText(), /^8 members against the truth: 5120 values, at 20 lead times\.$/);
      assert.deepEqual(page.problems, []);
    });
  });

  test("counts ranks with a bar for each of few members, and a band of chance", async () => {
    await visit("?members=6&device=cpu&seed=3", async (explorer) => {
      await explorer.finish();
      await verified(explorer, 6);
      const { rows } = await figure(explorer, "rank-histogram").csv();
      const [members, truth] = [await saved(explorer, "members"), await saved(explorer, "truth")];
      const shares = rankShares(members.values, truth.values, 6);
      assert.equal(rows.length, 7);
      rows.forEach(([, , share, low, high], rank) => {
        close(share, shares[rank], 1e-9, `rank ${rank}:`);
        assert.ok(low <= high);
      });
    });
  });

  test("has the error of the mean at every lead time, as computed from the saved members", async () => {
    await visit("?members=5&device=cpu", async (explorer) => {
      await explorer.finish();
      await verified(explorer, 5);
      const { rows } = await figure(explorer, "spread-skill").csv();
      const [members, truth] = [await saved(explorer, "members"), await saved(explorer, "truth")];
      assert.deepEqual(rows.map(([lead]) => lead), Array.from({ length: 20 }, (_, i) => 2 * (i + 1)));
      for (const time of [0, 9, 19]) {
        const part = (all, field) => all.subarray(field * 5120 + time * 256, field * 5120 + (time + 1) * 256);
        const these = Float32Array.from([0, 1, 2, 3, 4].flatMap((m) => [...part(members.values, m)]));
        close(rows[time][2], meanError(these, part(truth.values, 0), 5), 1e-5, `time ${time}:`);
      }
    });
  });

  test("shows scores beside those of persistence, as computed from the saved input, and of climatology", async () => {
    await visit("?members=5&device=cpu", async (explorer) => {
      await explorer.finish();
      await verified(explorer, 5);
      const scores = figure(explorer, "scores-by-lead");
      // The states of the climatology are solved when all members are there.
      await until(async () => (await scores.csv()).columns.includes("CRPS of climatology"), "the scores of climatology");
      const { columns, rows } = await scores.csv();
      const [input, truth] = [await saved(explorer, "input"), await saved(explorer, "truth")];
      const last = input.values.subarray(19 * 256);
      const at = (name) => columns.indexOf(name);
      for (const time of [0, 19]) {
        const errors = truth.values.subarray(time * 256, (time + 1) * 256).map((value, i) => Math.abs(value - last[i]));
        const wanted = errors.reduce((sum, error) => sum + error, 0) / 256;
        close(rows[time][at("CRPS of persistence")], wanted, 1e-5, `time ${time}:`);
        // Waves of a standard deviation of 2.7: their CRPS is 0.56 times that, and one case is a matter of luck.
        const climatology = rows[time][at("CRPS of climatology")];
        assert.ok(climatology > 1 && climatology < 2.2, `climatology: ${climatology}`);
      }
      assert.match(await scores.reading(), /(It beats|It does not beat) .*(climatology|persistence)/);
    });
  });

  test("follows the threshold without a new run", async () => {
    await visit("?members=6&device=cpu&view=exceedance", async (explorer, page) => {
      await explorer.finish();
      await verified(explorer, 6);
      const truth = await saved(explorer, "truth");
      const reliability = figure(explorer, "reliability");
      const before = await reliability.reading();
      await page.evaluate(() => {
        window.stages = [];
        const status = document.querySelector("[data-testid=status]");
        new MutationObserver(() => window.stages.push(status.dataset.stage)).observe(status, { attributes: true });
      });
      await explorer.slide("threshold", 40);
      await until(async () => (await reliability.reading()) !== before, "another reading");
      const threshold = Math.fround(Number(new URL(page.url()).searchParams.get("threshold")));
      const { rows } = await reliability.csv();
      const happened = truth.values.filter((value) => value > threshold).length / truth.values.length;
      close(rows.reduce((sum, [, observed, share]) => sum + observed * share, 0), happened, 1e-6, "frequency:");
      close(rows.reduce((sum, [, , share]) => sum + share, 0), 1, 1e-9, "shares:");
      assert.deepEqual(await page.evaluate(() => window.stages), [], "no new run");
    });
  });

  test("sets its lead time where a figure by lead time is clicked", async () => {
    await visit("?members=2&device=cpu", async (explorer) => {
      await explorer.finish();
      await verified(explorer, 2);
      // From 2 to 40 ahead.
      await figure(explorer, "scores-by-lead").click(0.98);
      await explorer.waitForParam("lead", 20);
    });
  });

  test("of a rollout goes on by an hour with every step", async () => {
    await visit("?experiment=sswe&members=3&device=cpu&channel=vorticity", async (explorer, page) => {
      await explorer.finish();
      await verified(explorer, 3, { words: "of the first hour" });
      assert.equal(await figure(explorer, "spread-skill").title(), "Error by spread");
      assert.equal(await figure(explorer, "scores-by-lead").card.count(), 0);
      for (const hours of [2, 3]) {
        await explorer.at("step").click();
        await explorer.settle();
        await verified(explorer, 3, { words: `of ${hours} hours` });
        const { columns, rows } = await figure(explorer, "spread-skill").csv();
        assert.equal(columns[0], "lead time, hours");
        assert.deepEqual(rows.map(([hour]) => hour), Array.from({ length: hours }, (_, i) => i + 1));
        assert.equal(await figure(explorer, "spectrum").title(), `Spectrum after ${hours} hours`);
      }
      assert.match(await explorer.at("verified-words-0").innerText(), /truth of vorticity/);
      assert.deepEqual(page.problems, []);
    }, MODELS);
  });

  test("of one moment has no figures by lead time", async () => {
    await visit("?experiment=darcy&members=4&device=cpu", async (explorer, page) => {
      await explorer.finish();
      await verified(explorer, 4);
      const names = await explorer.at("verification-0").locator(".figure").evaluateAll((all) => all.map((f) => f.dataset.testid));
      assert.deepEqual(names, ["rank-histogram", "coverage", "reliability", "spread-skill", "spectrum"]);
      for (const name of names) assert.match(await figure(explorer, name).reading(), /\.$/, name);
      assert.deepEqual(page.problems, []);
    }, MODELS);
  });

  test("of temperatures is in degrees Celsius, at the lead times of the file", async () => {
    await visit("?experiment=era5&members=4&device=cpu", async (explorer) => {
      await dropTemperature(explorer);
      await verified(explorer, 4);
      const { columns, rows } = await figure(explorer, "spread-skill").csv();
      const [members, truth] = [await saved(explorer, "members"), await saved(explorer, "truth")];
      assert.deepEqual([columns[0], rows.length], ["lead time, hours", 4]);
      const part = (all, field) => all.subarray(field * 560 + 140, field * 560 + 280);
      const these = Float32Array.from([0, 1, 2, 3].flatMap((m) => [...part(members.values, m)]));
      close(rows[1][2], meanError(these, part(truth.values, 0), 4), 1e-3);
      assert.match(await figure(explorer, "reliability").reading(), /°C/);
    }, MODELS);
  });

  test("stands for each side, with numbers of its own", async () => {
    await visit("?members=4&device=cpu&method2=pno-r", async (explorer, page) => {
      await explorer.finish();
      await verified(explorer, 4);
      await verified(explorer, 4, { side: 1 });
      const [a, b] = [await figure(explorer, "coverage", 0).csv(), await figure(explorer, "coverage", 1).csv()];
      assert.equal(b.file, "ks-seed7-b-coverage.csv");
      const truth = await saved(explorer, "truth");
      for (const [what, { rows }] of [["members", a], ["members-b", b]]) {
        const members = await saved(explorer, what);
        close(rows[0][1], coverage(rankShares(members.values, truth.values, 4), rows[0][0]), 1e-9, what);
      }
      assert.match(await explorer.at("verification-1").locator("h2").first().innerText(), /B · PNO_R/);
      assert.deepEqual(page.problems, []);
    });
  });

  test("says why there is none where no truth is known", async () => {
    await visit("?members=2&device=cpu", async (explorer) => {
      await explorer.finish();
      const input = await saved(explorer, "input");
      const bytes = await withFolder(async (folder) => {
        await writeNpy(join(folder, "in.npy"), input.shape, input.values.map((v) => -v));
        return readFile(join(folder, "in.npy"));
      });
      await explorer.drop("in.npy", bytes);
      await explorer.at("forget-input").waitFor();
      await explorer.settle();
      assert.match(await explorer.at("verification").innerText(), /There is no truth to compare this forecast with/);
      assert.equal(await explorer.at("verification").locator(".figure").count(), 0);
    });
  });

  test("has its numbers in a table beside a sentence, for those who do not see the picture", async () => {
    await visit("?members=4&device=cpu", async (explorer) => {
      await explorer.finish();
      await verified(explorer, 4);
      const names = ["rank-histogram", "coverage", "reliability", "spread-skill", "scores-by-lead", "spectrum"];
      for (const name of names) {
        const card = figure(explorer, name);
        const { columns, rows } = await card.csv();
        const table = await card.table();
        assert.deepEqual(table.heads, columns, name);
        assert.equal(table.rows.length, rows.length, name);
        assert.match(await card.label(), /\d.*\.$/, name);
      }
    });
  });

  test("goes on while it is looked at, with the pictures out of sight", async () => {
    await visit("?members=160&device=cpu", async (explorer, page) => {
      await found(page, "[data-testid=verification-0] [data-testid=spectrum]");
      await explorer.at("verification-0").getByTestId("spectrum").scrollIntoViewIfNeeded();
      await verified(explorer, 160);
    });
  });
});

describe("at the point", () => {
  const figure = (explorer, name, side) => new FigureCard(explorer, "charts", name, side);

  test("the fan holds the truth and the quantiles of the saved files", async () => {
    await visit("?members=5&device=cpu", async (explorer) => {
      await explorer.finish();
      await explorer.probe("panel-mean", 12, 128);
      await explorer.waitForParam("lead", 13);
      const { columns, rows } = await figure(explorer, "fan").csv();
      const [members, truth] = [await saved(explorer, "members"), await saved(explorer, "truth")];
      assert.deepEqual([columns.at(-1), rows.length], ["truth", 20]);
      rows.forEach((row, time) => {
        const at = time * 256 + 128;
        const sorted = [0, 1, 2, 3, 4].map((m) => members.values[m * 5120 + at]).sort((a, b) => a - b);
        close(row.at(-1), truth.values[at], 1e-6, `truth at ${time}:`);
        close(row[columns.indexOf("median")], sorted[2], 1e-6, `median at ${time}:`);
        close(row[columns.indexOf("25 %")], sorted[1], 1e-6, `quartile at ${time}:`);
      });
    });
  });

  test("the distribution function has every member", async () => {
    await visit("?members=5&device=cpu&lead=13", async (explorer) => {
      await explorer.finish();
      const members = await saved(explorer, "members");
      const { rows } = await figure(explorer, "distribution").csv();
      const at = 12 * 256 + 96;
      const sorted = [0, 1, 2, 3, 4].map((m) => members.values[m * 5120 + at]).sort((a, b) => a - b);
      rows.forEach(([value, share], i) => {
        close(value, sorted[i], 1e-6);
        close(share, (i + 1) / 5, 1e-12);
      });
      const bars = await figure(explorer, "histogram").csv();
      close(bars.rows.reduce((sum, [, , share]) => sum + share, 0), 1, 1e-9, "bars:");
    });
  });

  test("a click on a chart over time goes to that lead time, and all charts follow", async () => {
    await visit("?members=3&device=cpu", async (explorer, page) => {
      await explorer.finish();
      await figure(explorer, "meteogram").click(0.95);
      await explorer.waitForParam("lead", 20);
      assert.match(await figure(explorer, "histogram").title(), /at time 78, x 37\.5/);
      assert.match(await figure(explorer, "across").title(), /^Along x at time 78/);
      await figure(explorer, "across").click(0.5);
      const title = () => figure(explorer, "fan").title();
      await until(async () => /at x (49|50)/.test(await title()), "another point", { seen: title });
    });
  });

  test("one moment has lines across space instead of time", async () => {
    await visit("?experiment=darcy&members=3&device=cpu", async (explorer) => {
      await explorer.finish();
      const names = await explorer.at("charts-0").locator(".figure").evaluateAll((all) => all.map((f) => f.dataset.testid));
      assert.deepEqual(names, ["across", "upwards", "histogram", "distribution"]);
      const [members, truth] = [await saved(explorer, "members"), await saved(explorer, "truth")];
      const { rows } = await figure(explorer, "across").csv();
      // The middle row, counted from below, of a field [x, y].
      rows.forEach((row, x) => close(row.at(-1), truth.values[x * 16 + 8], 1e-6, `x ${x}:`));
      assert.equal(members.shape[0], 3);
    }, MODELS);
  });

  test("of a rollout the fan grows with the hours", async () => {
    await visit("?experiment=sswe&members=2&device=cpu", async (explorer, page) => {
      await explorer.finish();
      await explorer.at("step").click();
      await explorer.settle();
      const { columns, rows } = await figure(explorer, "fan").csv();
      const truth = await saved(explorer, "truth");
      assert.deepEqual([columns[0], rows.map(([hour]) => hour)], ["time, hours", [1, 2]]);
      // The middle of the map: row 6 from below is row 5 from the north.
      const at = (5 * 24 + 12) * 3;
      rows.forEach((row, hour) => close(row.at(-1) / truth.values[hour * 864 + at], 1, 1e-6, `hour ${hour}:`));
      assert.deepEqual(page.problems, []);
    }, MODELS);
  });

  test("without a model the truth has its lines", async () => {
    await visit("?experiment=darcy", async (explorer) => {
      await explorer.finish();
      const names = await explorer.at("charts-0").locator(".figure").evaluateAll((all) => all.map((f) => f.dataset.testid));
      assert.deepEqual(names, ["across", "upwards"]);
      assert.match(await figure(explorer, "across").reading(), /^The truth lies between/);
      assert.equal(await explorer.at("verification").count(), 0);
    }, {});
  });
});

describe("charts and verification", () => {
  test("fit a phone of 360 px, also with two sides and open tables", async () => {
    await visit("?members=3&device=cpu&method2=pno-r", async (explorer, page) => {
      await explorer.finish();
      await verified(explorer, 3, { side: 1 });
      await page.setViewportSize({ width: 360, height: 740 });
      await page.evaluate(() => document.querySelectorAll(".figure details").forEach((d) => (d.open = true)));
      await found(page, ".figure tbody tr");
      await explorer.settle();
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(excess <= 0, `${excess} px too wide`);
    });
  });
});
