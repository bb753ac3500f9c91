"""All scores that are made point by point with numpy and scoringrules, as one would write them with care.

    python score_scoringrules.py --members M.npy --truth Y.npy --scores S.npy --cores 2    then `go` lines on standard input

M is [member, point] and Y [point], float32. S, written at each `go`, is
[l2, crps fair, crps plain, nll, coverage, width, spread-skill, brier, pinball of five levels, frequency of each rank].

Columns are laid next to each other and sorted once for everything that needs an order; the CRPS is taken in the forms
that need a sorted ensemble (O(M), compiled by numba). The points are shared out among processes, one for each core,
and gone through in chunks of the size that turns out the fastest here. Maps per point (CRPS, coverage, spread, error)
are kept, as on the other side.
"""

import argparse
import time

from turns import Workers, say, serve

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
ALPHA = 0.05
THRESHOLD = 0.5
CHUNKS = (1_000, 10_000, 100_000)


def make(members_path, truth_path, start, end):
    """A function that scores the points from start to end: weighted by their number, and the maps."""
    import numpy as np
    import scoringrules as sr

    members = np.load(members_path, mmap_mode="r")[:, start:end].copy()
    truth = np.load(truth_path, mmap_mode="r")[start:end].copy()
    count, points = members.shape

    def quantile(columns, level):
        place = level * (count - 1)
        low = int(place)
        high = min(low + 1, count - 1)
        return columns[:, low] + np.float32(place - low) * (columns[:, high] - columns[:, low])

    def chunk(part, maps):
        y = truth[part]
        columns = np.sort(np.ascontiguousarray(members[:, part].T), axis=1)
        mean = columns.mean(axis=1, dtype=np.float64)
        std = columns.std(axis=1, ddof=1, dtype=np.float64)
        error = mean - y
        crps = sr.crps_ensemble(y, columns, estimator="pwm", sorted_ensemble=True)
        plain = sr.crps_ensemble(y, columns, estimator="qd", sorted_ensemble=True)
        nll = sr.logs_normal(y, mean, np.clip(std, 1e-6, 1e6))
        lower, upper = quantile(columns, ALPHA / 2), quantile(columns, 1 - ALPHA / 2)
        hit = (lower < y) & (y < upper)
        above = np.mean(columns > np.float32(THRESHOLD), axis=1)
        brier = sr.brier_score(1.0 * (y > THRESHOLD), above)
        pinball = [sr.quantile_score(y, quantile(columns, level), level).sum(dtype=np.float64) for level in LEVELS]
        ranks = np.bincount((columns < y[:, None]).sum(axis=1), minlength=count + 1)
        for name, values in (("crps", crps), ("coverage", hit), ("spread", std), ("error", error)):
            maps[name][part] = values
        sums = [error @ error, crps, plain, nll, hit, upper - lower, std @ std, brier]
        return np.concatenate(([np.sum(s, dtype=np.float64) for s in sums], pinball, ranks))

    def answer(size, number):
        maps = {name: np.empty(points, np.float32) for name in ("crps", "coverage", "spread", "error")}
        starts = range(0, min(points, number), size)
        return sum(chunk(slice(start, start + size), maps) for start in starts)

    answer(1_000, 1_000)
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--members", required=True)
    parser.add_argument("--truth", required=True)
    parser.add_argument("--scores", required=True)
    parser.add_argument("--cores", type=int, default=1)
    args = parser.parse_args()

    import numba
    import numpy as np
    import scoringrules

    begun = time.perf_counter()
    count, points = np.load(args.members, mmap_mode="r").shape
    edges = np.linspace(0, points, args.cores + 1).astype(int)
    parts = [(args.members, args.truth, int(a), int(b)) for a, b in zip(edges, edges[1:])]
    workers = Workers(make, parts)

    trial = min(points, 100_000)
    size = min(CHUNKS, key=lambda size: min(workers.ask(size, trial)[0] for _ in range(2)))
    warm_up = time.perf_counter() - begun

    def run():
        clock, cores, sums = workers.ask(size, points)
        means = sum(sums) / points
        spread_skill = np.sqrt((count + 1) / count * means[6] / means[0])
        means[0], means[6] = np.sqrt(means[0]), spread_skill
        np.save(args.scores, means)
        return clock, cores, 1

    say(
        versions=[
            f"scoringrules {scoringrules.__version__}",
            f"numpy {np.__version__}",
            f"numba {numba.__version__}",
        ],
        setting=f"processes: {len(workers)}, points at once: {size}",
        warm_up_secs=warm_up,
    )
    serve(run)


if __name__ == "__main__":
    main()
