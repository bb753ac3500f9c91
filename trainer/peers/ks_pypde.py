"""Kuramoto-Sivashinsky with py-pde, set up as for the published data.

    python ks_pypde.py --start START.npy --frames FRAMES.npy --cores 2     then `go` lines on standard input

START is [trajectory, 256]; FRAMES, written at each `go`, is [trajectory, t = 0, 1, .., until, 256].

The published settings: numba backend, explicit Euler with adaptive steps, tolerance 1e-4, first step 1e-3, 256 cells on
[0, 100), a frame every time unit. py-pde takes one trajectory on one core at a time, so there is a process for each core,
each with trajectories of its own. The stepper is made once and kept: compiling it is not measured.
"""

import argparse
import time

from turns import Workers, say, serve

EQUATION = "-0.5 * u * d_dx(u) - laplace(u + laplace(u))"
LENGTH = 100


def make(starts, until):
    """A function that solves from all starts: frames [trajectory, time, cell]."""
    import numpy
    import pde

    grid = pde.CartesianGrid([[0, LENGTH]], [starts.shape[1]], periodic=True)
    equation = pde.PDE({"u": EQUATION})
    field = pde.ScalarField(grid, dtype=float)
    settings = {"backend": "numba", "adaptive": True, "tolerance": 1e-4}
    if hasattr(pde, "EulerSolver"):
        solver = pde.EulerSolver(equation, **settings)
    else:
        solver = pde.ExplicitSolver(equation, scheme="euler", **settings)
    step = solver.make_stepper(field, dt=1e-3)

    def trajectory(start, until):
        field.data[:] = start
        frames = [start]
        now = 0.0
        for end in range(1, until + 1):
            now = step(field, now, float(end))
            frames.append(field.data.copy())
        return frames

    trajectory(starts[0], 1)
    return lambda: numpy.array([trajectory(start, until) for start in starts], numpy.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--start", required=True)
    parser.add_argument("--frames", required=True)
    parser.add_argument("--until", type=int, default=78)
    parser.add_argument("--cores", type=int, default=1)
    args = parser.parse_args()

    import numba
    import numpy
    import pde

    starts = numpy.load(args.start).astype(numpy.float64)
    begun = time.perf_counter()
    parts = numpy.array_split(starts, min(args.cores, len(starts)))
    workers = Workers(make, [(part, args.until) for part in parts])
    warm_up = time.perf_counter() - begun

    def run():
        clock, cores, parts = workers.ask()
        numpy.save(args.frames, numpy.concatenate(parts))
        return clock, cores, len(starts)

    say(
        versions=[f"py-pde {pde.__version__}", f"numba {numba.__version__}"],
        setting=f"processes: {len(workers)}",
        warm_up_secs=warm_up,
    )
    serve(run)


if __name__ == "__main__":
    main()
