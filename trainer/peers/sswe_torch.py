"""Shallow water on the sphere in torch with the transforms of torch-harmonics, set up as for the published data.

    python sswe_torch.py --start START.npy --frames FRAMES.npy --cores 2       then `go` lines on standard input

START is [trajectory, channel, l, m, re/im]: spectra of geopotential, vorticity and divergence on triangles l, m < 43.
FRAMES, written at each `go`, is [trajectory, frame, channel, 128, 256]: after the burn-in and then each hour.

The published scheme, in float32: tendencies in vorticity-divergence form on the 128 x 256 equiangular grid,
Adams-Bashforth 3 with steps of 150 s, a first step of Euler, a second with the weights 28/12 and -16/12, vorticity and
divergence damped after each step, and a fresh start at each frame. It differs from the published program in taking
several trajectories as one batch and both fluxes in one transform, which is faster.
"""

import argparse
import math
import time

from turns import Workers, say, serve

LATITUDES, LONGITUDES = 128, 256
DEGREES = 43
RADIUS, OMEGA = 6.37122e6, 7.292e-5
DT_SECS, HOUR_STEPS = 150.0, 24
DAMPING_SECS = 7200.0
BURN_IN_HOURS = 3

BATCHES = (1, 4, 16)
TRIAL_STEPS, TRIALS = 4, 3


def make_solver(torch, harmonics):
    """Two functions of a batch of spectra: after a number of steps, and a number of frames on the grid."""
    sizes = {"lmax": DEGREES, "mmax": DEGREES, "grid": "equiangular", "csphase": False}

    def plan(kind):
        return kind(LATITUDES, LONGITUDES, **sizes).to(torch.float32)

    spectrum_from_grid = plan(harmonics.RealSHT)
    grid_from_spectrum = plan(harmonics.InverseRealSHT)
    vector_spectrum_from_grid = plan(harmonics.RealVectorSHT)
    vector_grid_from_spectrum = plan(harmonics.InverseRealVectorSHT)

    degree = torch.arange(DEGREES, dtype=torch.float64)[:, None]
    laplacian = -degree * (degree + 1) / RADIUS**2
    inverse = torch.where(degree > 0, 1 / laplacian, torch.zeros(()))
    latitude = math.pi * (0.5 - torch.arange(LATITUDES, dtype=torch.float64) / (LATITUDES - 1))
    coriolis = (2 * OMEGA * torch.sin(latitude))[:, None].float()
    kept = torch.exp(-DT_SECS / DAMPING_SECS * (laplacian / laplacian[-1]) ** 4).float()
    # Wind = gradients of a stream function and a potential on the unit sphere; and back, curl and divergence of a wind.
    wind = (inverse / RADIUS).float()
    derivative = (laplacian * RADIUS).float()
    laplacian = laplacian.float()

    def tendency(state):
        fields = grid_from_spectrum(state[:, :2])
        phi, vorticity = fields[:, 0], fields[:, 1] + coriolis
        uv = vector_grid_from_spectrum(wind * state[:, 1:])
        fluxes = torch.stack((uv * vorticity[:, None], uv * phi[:, None]), dim=1)
        fluxes = derivative * vector_spectrum_from_grid(fluxes)
        curl, divergence = fluxes[:, 0, 0], fluxes[:, 0, 1]
        bernoulli = spectrum_from_grid(phi + 0.5 * (uv * uv).sum(dim=1))
        return torch.stack((-fluxes[:, 1, 1], -divergence, curl - laplacian * bernoulli), dim=1)

    def advance(state, steps):
        before = two_before = None
        for step in range(steps):
            now = tendency(state)
            if step == 0:
                slope = now
            elif step == 1:
                slope = (28 * now - 16 * before) / 12
            else:
                slope = (23 * now - 16 * before + 5 * two_before) / 12
            before, two_before = now, before
            state = state + DT_SECS * slope
            state[:, 1:] *= kept
        return state

    def frames(state, number):
        kept_frames = []
        for frame in range(number):
            hours = 1 if frame else BURN_IN_HOURS
            state = advance(state, hours * HOUR_STEPS)
            kept_frames.append(grid_from_spectrum(state))
        return torch.stack(kept_frames, dim=1)

    return advance, frames


def make(start, threads):
    """A function that solves a batch of trajectories, those of the start over and over: the first few of them."""
    import torch
    import torch_harmonics

    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    start = torch.view_as_complex(torch.from_numpy(start))
    advance, frames = make_solver(torch, torch_harmonics)
    advance(start[:1], 1)

    def answer(what, batch, number):
        states = start[torch.arange(batch) % len(start)]
        solved = {"steps": advance, "frames": frames}[what](states, number)
        return solved[: len(start)].numpy()

    return answer


def fastest(start, cores):
    """Workers and the size of their batches, whichever way is the fastest here.

    All cores in one process or a process for each, and several trajectories at once or not: there is no telling, a
    transform of one trajectory is small and a batch of many does not fit the cache.
    """
    ways = {(1, cores), (cores, 1)}
    best = (float("inf"), None, None, None)
    for processes, threads in sorted(ways):
        workers = Workers(make, [(start, threads)] * processes)
        for batch in BATCHES:
            clock = min(workers.ask("steps", batch, TRIAL_STEPS)[0] for _ in range(TRIALS))
            secs = clock / (batch * processes)
            if secs < best[0]:
                best = (secs, workers, threads, batch)
    return best[1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--start", required=True)
    parser.add_argument("--frames", required=True)
    parser.add_argument("--number", type=int, default=3, help="frames per trajectory")
    parser.add_argument("--cores", type=int, default=1)
    args = parser.parse_args()

    import numpy
    import torch
    import torch_harmonics

    begun = time.perf_counter()
    start = numpy.load(args.start).astype(numpy.float32)
    workers, threads, batch = fastest(start, args.cores)
    warm_up = time.perf_counter() - begun

    def run():
        clock, cores, answers = workers.ask("frames", batch, args.number)
        numpy.save(args.frames, answers[0])
        return clock, cores, batch * len(workers)

    say(
        versions=[f"torch {torch.__version__}", f"torch-harmonics {torch_harmonics.__version__}"],
        setting=f"processes: {len(workers)}, threads: {threads}, batch: {batch}",
        warm_up_secs=warm_up,
    )
    serve(run)


if __name__ == "__main__":
    main()
