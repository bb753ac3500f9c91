"""Frozen values of the Python packages scoringrules and scipy, for shared/tests/scores_reference.rs.

    pip install scoringrules==0.10.0 numpy scipy
    python scores.py > scores.txt

Each case is a line `case MEMBERS POINTS`, the members (one line each), the truth, then lines `name value`. Numbers are
exact in float32, so that both sides score the same ensemble; scores are computed in float64.
"""

import numpy as np
import scoringrules as sr
from scipy.stats import spearmanr


def line(values):
    print(" ".join(repr(float(v)) for v in values))


def main():
    rng = np.random.default_rng(5)
    # Points are correlated; the second case is biased and too narrow, the third a pair, the fourth has ties.
    for count, points, scale, shift, coarse in [
        (20, 7, 1.0, 0.0, False),
        (11, 16, 0.4, 0.8, False),
        (2, 3, 1.0, 0.0, False),
        (9, 5, 1.5, -0.3, True),
    ]:
        mix = np.eye(points) + np.tri(points) / points
        truth = rng.normal(size=points) @ mix
        members = scale * rng.normal(size=(count, points)) @ mix + shift
        if coarse:
            truth, members = np.round(truth), np.round(members)
        truth, members = (np.float64(np.float32(a)) for a in (truth, members))
        columns = members.T

        print("case", count, points)
        for member in members:
            line(member)
        line(truth)

        def say(name, value):
            print(name, repr(float(value)))

        spread, error = members.std(axis=0, ddof=1), np.abs(members.mean(axis=0) - truth)
        # What differs by rounding only is the same.
        say("rank_correlation", spearmanr(np.float32(spread), np.float32(error))[0])
        say("crps", np.mean(sr.crps_ensemble(truth, columns, estimator="fair")))
        say("crps_plain", np.mean(sr.crps_ensemble(truth, columns, estimator="nrg")))
        # Their norm is the root of the sum over points, ours of the mean.
        root = np.sqrt(points)
        say("energy_score", sr.es_ensemble(truth, members, estimator="fair") / root)
        say("energy_score_plain", sr.es_ensemble(truth, members, estimator="nrg") / root)
        # A kernel of bandwidth 1 in their norm is one of 1/root in ours.
        say("kernel_score", sr.gksmv_ensemble(truth, members, estimator="fair"))
        say("kernel_score_plain", sr.gksmv_ensemble(truth, members, estimator="nrg"))
        # Theirs is the sum over ordered pairs, ours the mean over pairs.
        pairs = points * (points - 1)
        say("variogram_score", sr.vs_ensemble(truth, members, p=0.5, estimator="nrg") / pairs)
        near = np.eye(points, k=1)
        near = sr.vs_ensemble(truth, members, p=0.5, w=near, estimator="nrg") / (points - 1)
        say("variogram_score_near", near)
        for level in (0.05, 0.25, 0.5, 0.75, 0.95):
            quantile = np.quantile(members, level, axis=0)
            say(f"quantile_score_{level}", np.mean(sr.quantile_score(truth, quantile, level)))
        probability = np.mean(members > 0.5, axis=0)
        say("brier", np.mean(sr.brier_score(1.0 * (truth > 0.5), probability)))
        mean, std = members.mean(axis=0), members.std(axis=0, ddof=1)
        if std.min() > 0:
            say("nll", np.mean(sr.logs_normal(truth, mean, std)))


if __name__ == "__main__":
    main()
