// Back and Forward lead from place to place: problem, view, method, case. Sliders leave no trace.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { elsewhere } from "./embed-page.mjs";
import { ExplorerPage, offer } from "./explorer-page.mjs";
import { built, launch, open, serve, withFolder } from "./harness.mjs";
import { MODELS, SPHERE, untrained } from "./models.mjs";
import { readNpy, writeNpy } from "./npy.mjs";
import { holds, until } from "./waiting.mjs";

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

async function visit(query, work) {
  await offer(site, MODELS);
  const page = await open(browser, `${site.url}${query}`);
  try {
    const explorer = new ExplorerPage(page);
    await explorer.finish();
    await work(explorer, page);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.close();
  }
}

const entries = (page) => page.evaluate(() => history.length);
const back = (page) => page.evaluate(() => history.back());
const forward = (page) => page.evaluate(() => history.forward());

/** Waits until address and controls say the same: keys of the address, `null` where one is left out. */
async function arrive(explorer, wanted) {
  const there = (all) => {
    const keys = new URL(location.href).searchParams;
    return all.every(([key, value]) => {
      const radio = document.querySelector(`[data-testid="${key}-${value ?? "all"}"]`);
      const field = document.querySelector(`input[type=text][data-testid="${key}"], input[type=range][data-testid="${key}"]`);
      const shown = radio ? radio.checked : field ? value === null || field.value === value : true;
      return keys.get(key) === value && shown;
    });
  };
  await holds(explorer.page, there, Object.entries(wanted), { what: JSON.stringify(wanted), seen: async () => explorer.page.url() });
  await explorer.settle();
}

const panels = async (explorer) => Object.keys(await explorer.panelStates());

describe("Back and Forward", () => {
  test("go through problem, view and method, and controls and pictures follow", async () => {
    await visit("?experiment=darcy&members=2&device=cpu", async (explorer, page) => {
      const first = await entries(page);
      const places = [
        { experiment: "darcy", view: null },
        { experiment: "sswe", view: null, method: "pno-d" },
        { experiment: "sswe", view: "std", method: "pno-d" },
        { experiment: "sswe", view: "std", method: "pno-r" },
      ];
      const pictures = [9, 8, 1, 1];
      const see = async (at) => {
        await arrive(explorer, places[at]);
        assert.equal((await panels(explorer)).length, pictures[at], JSON.stringify(places[at]));
        const card = await explorer.at("model").first().innerText();
        assert.match(card, places[at].method === "pno-r" ? /PNO_R/ : /PNO_D/);
        assert.ok(Object.values(await explorer.panelStates()).every((state) => state === "ready"));
        assert.equal(await explorer.at("panel-std").count(), 1);
      };
      await explorer.at("experiment-sswe").check({ force: true });
      await see(1);
      await explorer.at("view-std").check({ force: true });
      await see(2);
      await explorer.at("method-pno-r").check({ force: true });
      await see(3);
      assert.equal(await entries(page), first + 3);
      for (const at of [2, 1, 0]) {
        await back(page);
        await see(at);
      }
      for (const at of [1, 2, 3]) {
        await forward(page);
        await see(at);
      }
      assert.equal(await entries(page), first + 3, "going there makes no entries");
      await back(page);
      await see(2);
      await explorer.at("view-mean").check({ force: true });
      await arrive(explorer, { view: "mean", method: "pno-d" });
      assert.equal(await entries(page), first + 3, "another way on replaces what was ahead");
    });
  });

  test("are left alone by sliders, which stay with the place they were moved at", async () => {
    await visit("?experiment=darcy&members=2&device=cpu", async (explorer, page) => {
      await explorer.at("view-hit").check({ force: true });
      await arrive(explorer, { view: "hit" });
      const before = await entries(page);
      for (const level of [90, 80, 70]) await explorer.slide("level", level);
      await arrive(explorer, { view: "hit", level: "70" });
      await explorer.at("members").selectOption("4");
      await arrive(explorer, { members: "4" });
      assert.equal(await entries(page), before);
      await back(page);
      await arrive(explorer, { view: null, level: null, members: "2" });
      await forward(page);
      await arrive(explorer, { view: "hit", level: "70", members: "4" });
      assert.equal(await explorer.number("score-members"), 4);
    });
  });

  test("bring back a painted ground that a new case had replaced", async () => {
    await visit("?experiment=darcy&members=2&device=cpu", async (explorer, page) => {
      await explorer.stroke("panel-input", [[0.2, 0.5], [0.8, 0.6]]);
      await holds(page, () => new URL(location.href).searchParams.has("painting"), null, { what: "a painting in the address" });
      await explorer.settle();
      const painted = await explorer.pixels("panel-input");
      await explorer.at("seed").fill("12");
      await explorer.at("seed").press("Enter");
      await arrive(explorer, { seed: "12", painting: null });
      assert.notDeepEqual(await explorer.pixels("panel-input"), painted);
      await back(page);
      await arrive(explorer, { seed: "7" });
      assert.deepEqual(await explorer.pixels("panel-input"), painted);
      assert.ok(await explorer.at("undo").isDisabled(), "steps of another place cannot be taken back");
    });
  });

  test("lead from one real case to the one before, with its values", async () => {
    const { cases: [shipped] } = JSON.parse(await readFile(built("cases/index.json"), "utf8"));
    const { shape, values } = await readNpy(built(`cases/${shipped.file}`));
    await withFolder(async (folder) => {
      await writeNpy(join(folder, "later.npy"), shape, values.map((kelvin) => kelvin + 5));
      site.override("cases/later.npy", { body: await readFile(join(folder, "later.npy")) });
    });
    await offer(site, {});
    const later = { file: "later.npy", note: { ...shipped.note, start: "2014-03-01T00:00" } };
    site.override("cases/index.json", { body: JSON.stringify({ cases: [shipped, later] }) });
    const page = await open(browser, `${site.url}?experiment=era5&members=2&device=cpu&view=truth`);
    try {
      const explorer = new ExplorerPage(page);
      await explorer.finish();
      const before = await entries(page);
      const cases = { first: await explorer.sentence("panel-truth") };
      /** Waits until address, choice and picture are those of a case. */
      const see = async (name, value, fits) => {
        await arrive(explorer, { case: name });
        const seen = () => explorer.sentence("panel-truth");
        await until(async () => fits(await seen()) && (await explorer.at("case").inputValue()) === value, `the case ${value}`, { seen });
      };
      await explorer.at("case").selectOption("2014-03-01");
      await see("2014-03-01", "2014-03-01", (sentence) => sentence !== cases.first);
      cases.later = await explorer.sentence("panel-truth");
      assert.equal(await entries(page), before + 1);
      await back(page);
      await see(null, "2014-02-24", (sentence) => sentence === cases.first);
      await forward(page);
      await see("2014-03-01", "2014-03-01", (sentence) => sentence === cases.later);
      assert.equal(await entries(page), before + 1);
      assert.deepEqual(page.problems, []);
    } finally {
      await page.close();
    }
  });

  test("work after a reload in the middle, which keeps the state", async () => {
    await visit("?experiment=darcy&members=2&device=cpu", async (explorer, page) => {
      await explorer.at("view-std").check({ force: true });
      await arrive(explorer, { view: "std" });
      await explorer.at("method-pno-r").check({ force: true });
      await arrive(explorer, { view: "std", method: "pno-r" });
      await back(page);
      await arrive(explorer, { view: "std", method: "pno-d" });
      await page.reload();
      await explorer.finish();
      await arrive(explorer, { view: "std", method: "pno-d" });
      assert.deepEqual(await panels(explorer), ["panel-std"]);
      await forward(page);
      await arrive(explorer, { view: "std", method: "pno-r" });
      await back(page);
      await arrive(explorer, { view: "std", method: "pno-d" });
      await back(page);
      // The address that was opened, as it was written.
      await arrive(explorer, { view: null, method: null });
      assert.ok(await explorer.at("method-pno-d").isChecked());
    });
  });

  test("close and open a file of one's own, and its problem goes along", async () => {
    const own = await untrained("sswe", ...SPHERE);
    await visit("?experiment=darcy&members=2&device=cpu", async (explorer, page) => {
      const first = await entries(page);
      await explorer.drop("own.pno", own);
      await arrive(explorer, { experiment: "sswe" });
      assert.equal(await entries(page), first + 1);
      const model = () => explorer.at("model-choice").evaluate((choice) => choice.selectedOptions[0].text);
      assert.equal(await model(), "own.pno");
      await back(page);
      await arrive(explorer, { experiment: "darcy" });
      assert.equal(await explorer.at("model-choice").count(), 0);
      await forward(page);
      await arrive(explorer, { experiment: "sswe" });
      assert.equal(await model(), "own.pno");
      assert.equal(await explorer.number("score-members"), 2);
    });
  });

  test("do not lead to what the page itself corrected", async () => {
    site.override("own.pno", { body: await untrained("sswe", ...SPHERE) });
    const page = await open(browser, `${site.url}?model=own.pno&members=2&device=cpu`);
    try {
      const explorer = new ExplorerPage(page);
      const first = await entries(page);
      await arrive(explorer, { experiment: "sswe" });
      assert.equal(await entries(page), first);
    } finally {
      await page.close();
    }
  });

  test("keep the focus, and the place where one had scrolled to", async () => {
    await visit("?experiment=darcy&members=2&device=cpu", async (explorer, page) => {
      const focused = () => page.evaluate(() => document.activeElement?.dataset.testid);
      const scrolled = () => page.evaluate(() => scrollY);
      await explorer.at("view-mean").focus();
      await page.evaluate(() => scrollTo(0, 240));
      await page.keyboard.press("ArrowRight");
      await arrive(explorer, { view: "error" });
      assert.equal(await focused(), "view-error");
      const before = await scrolled();
      await back(page);
      await arrive(explorer, { view: null });
      assert.equal(await focused(), "view-error");
      assert.ok(Math.abs((await scrolled()) - before) < 60, `${before} and ${await scrolled()}`);
    });
  });
});

/** The frame of the page itself, or of a figure. */
function frame(page, own) {
  return page.frames().find((frame) => frame.url().startsWith(site.url) && frame.url().includes("embed.html") !== own);
}

describe("inside another page", () => {
  test("no entries are made in its history, neither by the page nor by a figure", async () => {
    await offer(site, MODELS);
    const host = await elsewhere();
    const query = "experiment=darcy&members=2&device=cpu";
    const address = host.show(
      `<iframe title="page" src="${site.url}?${query}" width="1000" height="800"></iframe>` +
        `<iframe title="figure" src="${site.url}embed.html?embed=full&${query}" width="1000" height="800"></iframe>`,
    );
    const page = await open(browser, address, { others: [site.url], viewport: { width: 1100, height: 1700 } });
    try {
      for (const [title, own] of [["page", true], ["figure", false]]) {
        const inside = await until(async () => frame(page, own), `the ${title}`);
        const forecast = new ExplorerPage(inside);
        await forecast.finish();
        const before = await entries(page);
        const press = (name) => inside.evaluate((name) => document.querySelector(`[data-testid=${name}]`).click(), name);
        await press("view-std");
        await holds(inside, () => document.querySelectorAll("section.panel").length === 1, null, { what: "one picture" });
        await press("method-pno-r");
        // The address of the page itself follows, in the same entry; a figure has its own for good.
        const method = () => new URL(location.href).searchParams.get("method");
        if (own) await until(async () => (await inside.evaluate(method)) === "pno-r", "the method in the address");
        await forecast.finish();
        assert.equal(await entries(page), before, title);
        assert.equal(await inside.evaluate(() => new URL(location.href).searchParams.get("view")), own ? "std" : null);
      }
      assert.deepEqual(page.problems, []);
    } finally {
      await page.close();
      await host.close();
    }
  });
});
