// Pictures of the page, read back by the browser that took them.

/** Differs by more between its channels than any grey, or the blue of a shadow: of a map or a curve, and not of text. */
const COLOURED = 40;

/** How much of a picture is neither black nor white nor grey, from 0 to 1. `page` has no policy, such as a new one. */
export async function colouredShare(page, picture) {
  return page.evaluate(async ([base64, least]) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
      const channels = [data[i], data[i + 1], data[i + 2]];
      if (Math.max(...channels) - Math.min(...channels) > least) coloured++;
    }
    return (4 * coloured) / data.length;
  }, [picture.toString("base64"), COLOURED]);
}
