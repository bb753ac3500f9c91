// Members that would not fit into memory are not drawn, and the page says so; two figures on a page take little more than one.
//
// This file measures memory and runs alone (xtask/src/browser.rs).

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { elsewhere, LISTEN, told } from "./embed-page.mjs";
import { ExplorerPage, offer } from "./explorer-page.mjs";
import { launch, open, serve } from "./harness.mjs";
import { SMALL } from "./models.mjs";
import { holds } from "./waiting.mjs";

const LARGE = [...SMALL, "--grid", "320x320", "--set", "model.modes=[6,6]"];

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

test("256 members of a large grid are fewer with two methods side by side, and a sentence says so", async () => {
  await offer(site, {
    "darcy-pno-d.pno": ["darcy", ...LARGE],
    "darcy-pno-r.pno": ["darcy", "--method", "pno-r", ...LARGE],
  });
  const page = await open(browser, `${site.url}?experiment=darcy&members=256&method2=pno-r&device=cpu&view=mean`);
  const explorer = new ExplorerPage(page);
  try {
    await explorer.at("memory-note").waitFor();
    assert.equal(
      await explorer.at("memory-note").innerText(),
      "163 members are drawn for each method instead of 256: a member has 102400 values, and all members together may take 1024 MB here.",
    );
    // They are drawn for as long as somebody waits: so many are announced.
    await explorer.reach("run");
    const announced = () => /^Drawing members: \d+ of 326$/.test(document.querySelector("[data-testid=status] strong").innerText);
    await holds(page, announced, null, { what: "326 members" });
    await explorer.at("compare").selectOption("");
    await explorer.at("memory-note").waitFor({ state: "detached" });
    assert.equal(await explorer.at("members").inputValue(), "256");
    assert.deepEqual(page.problems, []);
  } finally {
    await page.close();
  }
});

describe("two figures on one page", () => {
  const figure = (id, more = "") => `<pno-forecast id="${id}" experiment="ks" members="2" device="cpu" view="std" ${more}></pno-forecast>`;

  test("use at most 1.3 times the memory and download of one", async (t) => {
    const site = await serve({ headers: { "access-control-allow-origin": "*" } });
    const host = await elsewhere();
    const show = (...figures) => host.show(`${LISTEN}<script src="${site.url}pno-forecast.js" defer></script>${figures.join("")}`);
    try {
      const one = await weigh(site, show(figure("a")), ["a"]);
      const both = await weigh(site, show(figure("a"), figure("b", 'seed="12"')), ["a", "b"]);
      const ratio = (key) => both[key] / one[key];
      const all = ({ samples }) => samples.map((sample) => (sample / 1e6).toFixed(0)).join(", ");
      t.diagnostic(`memory ${all(one)} and ${all(both)} MB, ratio of the smallest ${ratio("memory").toFixed(2)}; ` +
        `download ${(one.bytes / 1e6).toFixed(1)} and ${(both.bytes / 1e6).toFixed(1)} MB, ratio ${ratio("bytes").toFixed(2)}`);
      assert.ok(ratio("memory") <= 1.3, `memory ${ratio("memory")}`);
      assert.ok(ratio("bytes") <= 1.3, `download ${ratio("bytes")}`);
    } finally {
      await site.close();
      await host.close();
    }
  });
});

/** How often memory is looked at. */
const SAMPLES = 3;

/** Memory of the figures' process and bytes that came, when the figures of a page are complete. */
async function weigh(site, address, ids) {
  // A browser of its own: nothing is left of an earlier page.
  const fresh = await launch();
  try {
    const page = await fresh.newPage();
    let bytes = 0;
    page.on("response", async (response) => {
      const length = Number(response.headers()["content-length"] ?? 0);
      if (response.url().startsWith(site.url) && !response.fromServiceWorker()) bytes += length;
    });
    await page.goto(address);
    for (const id of ids) await told(page, "pno-ready", `id === "${id}"`);
    // What nobody uses any more is there until it is collected: the smallest of some samples is what the figures need.
    const session = await page.context().newCDPSession(page);
    const samples = [];
    for (let k = 0; k < SAMPLES; k++) {
      await session.send("HeapProfiler.collectGarbage");
      await page.waitForTimeout(300);
      samples.push(await renderers(fresh));
    }
    return { memory: Math.min(...samples), samples, bytes };
  } finally {
    await fresh.close();
  }
}

/** Memory of the processes that hold pages, in bytes; what several share counts in parts. */
async function renderers(fresh) {
  const session = await fresh.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  let memory = 0;
  for (const { type, id } of processInfo) {
    if (type !== "renderer") continue;
    const text = await readFile(`/proc/${id}/smaps_rollup`, "utf8");
    memory += 1024 * Number(text.match(/^Pss:\s+(\d+)/m)[1]);
  }
  await session.detach();
  return memory;
}
