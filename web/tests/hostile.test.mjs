// Files made to hurt (tests/hostile): the page refuses each within a second, and lives on.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ExplorerPage } from "./explorer-page.mjs";
import { launch, open, pno, serve, withFolder } from "./harness.mjs";
import { FLAT } from "./models.mjs";

const FOLDER = fileURLToPath(new URL("../../tests/hostile", import.meta.url));
/** Longest time from the drop to the sentence. */
const MOST_MS = 1000;
/** On a busy machine the browser may have to wait for its turn: the best of so many drops counts. */
const TRIES = 3;

const names = (await readdir(FOLDER)).filter((name) => /\.(pno|npy)$/.test(name) && !name.startsWith("sound"));

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

/** Drops a file, and says what the page says of it and after how long, by the page's own clock. */
async function refusal(page, name, bytes) {
  return page.evaluate(async ([name, base64]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    const begin = performance.now();
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    const said = () => [...document.querySelectorAll("[data-testid=error], [data-testid=address-problem], [data-testid=no-truth]")]
      .map((place) => place.innerText).find((text) => text.includes(name));
    while (said() === undefined && performance.now() - begin < 20_000) await new Promise((done) => setTimeout(done, 5));
    return { said: said(), ms: performance.now() - begin };
  }, [name, Buffer.from(bytes).toString("base64")]);
}

describe("a hostile file that is dropped", () => {
  for (const name of names) {
    test(`${name} is refused within a second, and the next model runs`, async () => {
      const bytes = await readFile(join(FOLDER, name));
      const page = await open(browser, `${site.url}?members=2&device=cpu`);
      try {
        const explorer = new ExplorerPage(page);
        await explorer.finish();
        let best = Infinity;
        for (let i = 0; i < TRIES && best > MOST_MS; i += 1) {
          // Another name each time, so that the sentence is that of this drop.
          const { said, ms } = await refusal(page, `${i}-${name}`, bytes);
          assert.match(said ?? "nothing was said", /cannot be used: .+\./);
          best = Math.min(best, ms);
        }
        assert.ok(best <= MOST_MS, `${best} ms`);
        const good = await withFolder(async (folder) => {
          await pno("init", "darcy", ...FLAT, "--out", join(folder, "good.pno"));
          return readFile(join(folder, "good.pno"));
        });
        await explorer.drop("good.pno", good);
        await explorer.waitForParam("experiment", "darcy");
        await explorer.settle();
        assert.equal(await explorer.number("score-members"), 2);
      } finally {
        await page.close();
      }
    });
  }
});
