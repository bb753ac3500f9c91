// The automated check of axe-core.

import { readFile } from "node:fs/promises";

const AXE = await readFile(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** What axe-core holds against the page or frame, from `serious` on: rule, how many elements, and the first of them. */
export async function complaints(page) {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    return grave.map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0].html.slice(0, 200)}`);
  });
}
