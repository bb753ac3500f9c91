// The harness itself: if these fail, the page is not to blame.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { launch, open, serve, withFolder } from "./harness.mjs";
import { readNpy, writeNpy } from "./npy.mjs";

async function adapter(webgpu) {
  return withFolder(async (folder) => {
    await mkdir(join(folder, "models"));
    await writeFile(join(folder, "index.html"), "<title>probe</title><link rel=icon href=data:,>");
    const site = await serve({ dist: folder });
    const browser = await launch({ webgpu });
    try {
      const page = await open(browser, site.url);
      return await page.evaluate(async () => {
        const found = await navigator.gpu?.requestAdapter();
        return found ? { fallback: found.info.isFallbackAdapter } : null;
      });
    } finally {
      await browser.close();
      await site.close();
    }
  });
}

test("a browser with WebGPU has a software adapter", async () => {
  assert.deepEqual(await adapter(true), { fallback: true });
});

test("a browser without WebGPU has no adapter", async () => {
  assert.equal(await adapter(false), null);
});

test("overrides answer in a file's place, and nothing outside the folder is served", async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, "index.html"), "page");
    const site = await serve({ dist: folder });
    try {
      const status = async (name) => (await fetch(new URL(name, site.url))).status;
      assert.equal(await status(""), 200);
      assert.equal(await status("%2e%2e%2fpackage.json"), 404);
      site.override("index.html", { status: 500 });
      assert.equal(await status("index.html"), 500);
      site.restore();
      assert.equal(await status("index.html"), 200);
      assert.equal((await fetch(new URL("/", site.url))).status, 404);
    } finally {
      await site.close();
    }
  });
});

test("a forbidden script and a request to another origin are problems of the page", async () => {
  await withFolder(async (folder) => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'self'">`;
    await writeFile(join(folder, "index.html"), `${policy}<title>t</title><link rel=icon href=data:,><script>1</script>`);
    const [site, other, browser] = [await serve({ dist: folder }), await serve({ dist: folder }), await launch()];
    try {
      const page = await open(browser, site.url);
      await page.evaluate((address) => fetch(address, { mode: "no-cors" }), other.url);
      await page.waitForTimeout(50);
      assert.ok(page.problems.some((text) => /^policy: script-src/.test(text)), `${page.problems}`);
      assert.ok(page.problems.includes(`request to ${new URL(other.url).origin}`), `${page.problems}`);
    } finally {
      await browser.close();
      await site.close();
      await other.close();
    }
  });
});

test("a NumPy file that was written is read back bit for bit", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "a.npy");
    const values = Float32Array.from({ length: 6 }, (_, i) => Math.sin(i));
    await writeNpy(path, [2, 3], values);
    assert.deepEqual(await readNpy(path), { shape: [2, 3], values });
  });
});
