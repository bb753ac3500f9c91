// NumPy files of 32-bit floats in C order: the exchange with the native program.

import { readFile, writeFile } from "node:fs/promises";

const MAGIC = Buffer.from("\x93NUMPY", "latin1");

/** Reads `{ shape, values }` of a little-endian f4 file. */
export async function readNpy(path) {
  const bytes = await readFile(path);
  if (!bytes.subarray(0, 6).equals(MAGIC)) throw new Error(`${path} is not a NumPy file`);
  const wide = bytes[6] >= 2;
  const length = wide ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8);
  const start = (wide ? 12 : 10) + length;
  const header = bytes.toString("latin1", wide ? 12 : 10, start);
  if (!/'descr':\s*'<f4'/.test(header) || !/'fortran_order':\s*False/.test(header)) {
    throw new Error(`${path} holds ${header.trim()}, wanted '<f4' in C order`);
  }
  const shape = /'shape':\s*\(([^)]*)\)/.exec(header)[1].split(",").filter((s) => s.trim()).map(Number);
  const count = shape.reduce((product, size) => product * size, 1);
  if (bytes.length - start !== 4 * count) {
    throw new Error(`${path} has ${bytes.length - start} bytes of data, wanted ${4 * count}`);
  }
  // A copy, because a Float32Array must start at a multiple of four.
  const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length));
  return { shape, values };
}

/** Writes numbers as a little-endian f4 file. */
export async function writeNpy(path, shape, values) {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  let header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${sizes}), }`;
  header = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  const data = Buffer.from(Float32Array.from(values).buffer);
  await writeFile(path, Buffer.concat([MAGIC, Buffer.from([1, 0]), length, Buffer.from(header, "latin1"), data]));
}
