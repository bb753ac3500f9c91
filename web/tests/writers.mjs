// Real pages of the systems that people write documentation with, made from a snippet of "Copy embed code".
//
//   PNO_WRITERS   a Python with the packages of writers.txt   (`cargo xtask browser-test` makes it)
//   mdbook        on PATH                                     (the same)

import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { run } from "./waiting.mjs";

const PYTHON = process.env.PNO_WRITERS;

const onPath = (name) => (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

/** Makes a page around a snippet in a folder; gives its path below the folder. */
export const WRITERS = {
  mdbook: {
    missing: () => (onPath("mdbook") ? null : "mdbook is not on PATH"),
    async write(folder, snippet) {
      await mkdir(join(folder, "src"), { recursive: true });
      await writeFile(join(folder, "book.toml"), '[book]\ntitle = "Somebody\'s book"\n');
      await writeFile(join(folder, "src/SUMMARY.md"), "# Summary\n\n- [One](one.md)\n");
      await writeFile(join(folder, "src/one.md"), `# One\n\nBefore.\n\n${snippet}\n\nAfter.\n`);
      await run("mdbook", ["build", folder]);
      return "book/one.html";
    },
  },
  myst: {
    missing: python,
    async write(folder, snippet) {
      await writeFile(join(folder, "conf.py"), 'project = "Somebody"\nextensions = ["myst_parser"]\nhtml_theme = "alabaster"\n');
      await writeFile(join(folder, "index.md"), `# One\n\nBefore.\n\n${snippet}\n\nAfter.\n`);
      await run(PYTHON, ["-m", "sphinx", "-q", "-W", "-b", "html", folder, join(folder, "out")]);
      return "out/index.html";
    },
  },
  jupyter: {
    missing: python,
    async write(folder, snippet) {
      // The cell is run as a notebook runs it, and its last value shown as a notebook shows it.
      const script = `
import ast, sys
import nbformat
from nbconvert import HTMLExporter
source = open(sys.argv[1]).read()
*first, last = ast.parse(source).body
names = {}
exec(compile(ast.Module(first, []), "cell", "exec"), names)
value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
output = nbformat.v4.new_output("execute_result", data={"text/html": value._repr_html_(), "text/plain": repr(value)}, execution_count=1)
cell = nbformat.v4.new_code_cell(source, outputs=[output], execution_count=1)
page, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
open(sys.argv[2], "w").write(page)
`;
      await writeFile(join(folder, "cell.py"), snippet);
      await run(PYTHON, ["-c", script, join(folder, "cell.py"), join(folder, "notebook.html")]);
      return "notebook.html";
    },
  },
  docusaurus: {
    missing: () => null,
    async write(folder, snippet) {
      // Docusaurus compiles its pages with this very compiler, and renders them to HTML in the same way.
      const { evaluate } = await import("@mdx-js/mdx");
      const runtime = await import("preact/jsx-runtime");
      const { render } = await import("preact-render-to-string");
      const { default: Content } = await evaluate(`# One\n\nBefore.\n\n${snippet}\n\nAfter.\n`, runtime);
      const body = render(runtime.jsx(Content, {}));
      await writeFile(join(folder, "one.html"), `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>One</title></head><body>${body}</body></html>`);
      return "one.html";
    },
  },
};

function python() {
  return PYTHON && existsSync(PYTHON) ? null : "PNO_WRITERS names no Python with Sphinx and nbconvert";
}
