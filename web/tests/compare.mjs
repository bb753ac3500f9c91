// How far two fields are apart.

/**
 * The largest difference of two fields over the standard deviation of the second.
 *
 * Neighbours among the 32-bit floats count as equal: around 98 062, the mean of the geopotential, they are 0.008 apart.
 */
export function apart(found, wanted) {
  return largestDifference(found, wanted) / deviation(wanted);
}

function largestDifference(a, b) {
  const difference = (x, y) => (Math.abs(x - y) > step(y) ? Math.abs(x - y) : 0);
  return a.reduce((largest, value, i) => Math.max(largest, difference(value, b[i])), 0);
}

/** From a 32-bit float to the next. */
function step(value) {
  return 2 ** (Math.floor(Math.log2(Math.max(Math.abs(value), 2 ** -126))) - 23);
}

function deviation(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
