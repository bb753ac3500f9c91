// The discrete Darcy equation, written down cell by cell from its definition and not from the solver.
//
// The flux through a face is the mean of both permeabilities times the difference of both pressures over h = 1/n. Around
// the square the permeability goes on as it is, and the pressure is zero. Fluxes out of a cell sum to the source, h² · 1.

/** Norm of the residual relative to that of the source; both fields are `[x, y]` on n × n cells. */
export function residual(n, permeability, pressure) {
  const inside = (k) => k >= 0 && k < n;
  let squares = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const [a, u] = [permeability[i * n + j], pressure[i * n + j]];
      let outflow = 0;
      for (const [k, l] of [[i - 1, j], [i + 1, j], [i, j - 1], [i, j + 1]]) {
        const beside = inside(k) && inside(l);
        const a2 = beside ? permeability[k * n + l] : a;
        const u2 = beside ? pressure[k * n + l] : 0;
        outflow += ((a + a2) / 2) * (u - u2);
      }
      squares += (outflow * n * n - 1) ** 2;
    }
  }
  return Math.sqrt(squares) / n;
}
