// What the canvases of the page show.

/** Differs by more between its channels than any grey: of a map or a curve, and not of what is blank. */
const COLOURED = 40;

/** The share of each panel's canvas that has colours: `[[panel, share], …]`. */
export async function colouredCanvases(page) {
  return page.locator("section.panel canvas").evaluateAll((all, least) => all.map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
      const channels = [data[i], data[i + 1], data[i + 2]];
      if (data[i + 3] > 0 && Math.max(...channels) - Math.min(...channels) > least) coloured++;
    }
    return [canvas.closest("section.panel").dataset.testid, (4 * coloured) / data.length];
  }), COLOURED);
}
