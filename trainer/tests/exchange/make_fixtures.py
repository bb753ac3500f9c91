"""Makes the files in `fixtures/`: tiny models of every kind, saved as the authors of the paper save theirs.

The blocks are neuraloperator's own (FNO, UNO, SFNO, spectral and spherical convolution, skips, resizing), so the outputs
are those of the real peer. Around them, as in the published code, the lifting and the projection are two linear layers
named `fcs`, a model with a spread has two heads `mu` and `sigma`, and a dropout model is wrapped under `model.`.
The UNO gets the skip map 2 <- 1, 3 <- 0 that the published constructor makes whatever the depth.

Each case is written as `NAME.pt` (torch.save of the state dict), `NAME.safetensors`, `NAME.input.npy` and
`NAME.output.npy` (eval mode, [rows, heads * channels, axes..]: mean, then spread); `fixtures.json` holds the
specifications and the versions. Each output is compared with `formulas.py` on the way.

    python -m venv venv
    venv/bin/pip install torch==2.3.1 "numpy<2" neuraloperator==0.3.0 tensorly tensorly-torch==0.5.0 \\
        torch-harmonics==0.6.5 safetensors wandb ruamel.yaml configmypy h5py scipy opt_einsum
    venv/bin/python trainer/tests/exchange/make_fixtures.py
"""

import json
import pathlib
from importlib.metadata import version

import numpy as np
import torch
import torch.nn.functional as F
from neuralop.models import FNO, SFNO, UNO
from safetensors.torch import save_file
from torch import nn

import formulas

FOLDER = pathlib.Path(__file__).parent / "fixtures"


class Pointwise(nn.Module):
    """Two linear layers on the channels, with a GELU between them."""

    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.fcs = nn.ModuleList([nn.Linear(inputs, hidden), nn.Linear(hidden, outputs)])

    def forward(self, x):
        x = self.fcs[0](x.movedim(1, -1))
        return self.fcs[1](F.gelu(x)).movedim(-1, 1)


class TwoHeads(nn.Module):
    """A network whose projection is a mean and a spread, named as in the published code."""

    def __init__(self, network, heads):
        super().__init__()
        for name, child in network.named_children():
            if name != "projection":
                self.add_module(name, child)
        self.mu, self.sigma = heads
        network.projection = nn.Identity()
        self.trunk = [network]  # in a list, so that it is no part of the state dict

    def forward(self, x):
        x = self.trunk[0](x)
        return torch.cat([self.mu(x), F.softplus(self.sigma(x)) + 1e-6], dim=1)


class Wrapped(nn.Module):
    """The published wrapper of dropout models: only the prefix `model.` matters here."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)


def spec(experiment, method, operator, **values):
    base = {"experiment": experiment, "method": method, "operator": operator, "profile": "paper"}
    base |= {"in_channels": 3, "out_channels": 1, "width": 4, "lifting": 8, "projection": 6}
    return base | {"layers": 0, "modes": [], "levels": []} | values


def level(width, modes, scale):
    return {"width": width, "modes": modes, "scale": scale}


CASES = {
    # The KS network in small: time and space, four blocks.
    "fno2d": (spec("ks", "pno-d", "fno", layers=4, modes=[4, 6]), [6, 10]),
    # Two heads, an odd number of modes on an even axis, every mode of the last axis.
    "fno2d-two-heads": (spec("darcy", "pno-r", "fno", layers=2, modes=[3, 8], width=3), [8, 8]),
    "fno3d": (spec("era5", "det", "fno", layers=2, modes=[4, 4, 4], width=3, in_channels=4), [4, 6, 8]),
    "fno1d": (spec("ks", "det", "fno", layers=2, modes=[8], in_channels=2), [12]),
    # As the Darcy UNO: both axes shrink and grow, so frequencies of the first axis are dropped and aliased.
    "uno-darcy": (
        spec("darcy", "det", "uno", width=3, levels=[
            level(4, [6, 6], [0.5, 0.5]), level(5, [4, 4], [0.5, 0.5]), level(4, [3, 4], [1.0, 1.0]),
            level(4, [4, 4], [2.0, 2.0]), level(3, [6, 6], [2.0, 2.0]),
        ]),
        [16, 16],
    ),
    # As the KS UNO: seven blocks, time stays, space goes through sizes that are not multiples.
    "uno-ks": (
        spec("ks", "pno-r", "uno", width=2, levels=[
            level(w, m, [1.0, s]) for w, m, s in [
                (2, [2, 8], 0.75), (3, [2, 6], 0.667), (3, [2, 4], 0.5), (4, [3, 4], 1.0),
                (3, [3, 4], 2.0), (2, [4, 6], 1.5), (2, [4, 8], 1.334),
            ]
        ]),
        [6, 24],
    ),
    "sfno": (spec("sswe", "pno-d", "sfno", layers=2, modes=[6, 8], out_channels=3), [12, 24]),
    # As many degrees as ten latitudes carry: our transform leaves out what a grid is too coarse for, PyTorch does not.
    "sfno-two-heads": (spec("sswe", "pno-r", "sfno", layers=2, modes=[5, 6], width=3, out_channels=3), [10, 16]),
}


def build(s):
    common = dict(
        in_channels=s["in_channels"], out_channels=s["out_channels"], hidden_channels=s["width"],
        lifting_channels=s["lifting"], projection_channels=s["projection"],
    )
    if s["operator"] == "uno":
        network = UNO(
            **common, n_layers=len(s["levels"]), horizontal_skips_map={3: 0, 2: 1},
            uno_out_channels=[l["width"] for l in s["levels"]], uno_n_modes=[l["modes"] for l in s["levels"]],
            uno_scalings=[l["scale"] for l in s["levels"]],
        )
        last = s["levels"][-1]["width"]
    else:
        network = (SFNO if s["operator"] == "sfno" else FNO)(**common, n_layers=s["layers"], n_modes=s["modes"])
        last = s["width"]
    network.lifting = Pointwise(s["in_channels"], s["lifting"], s["width"])
    heads = [Pointwise(last, s["projection"], s["out_channels"]) for _ in range(2)]
    network.projection = heads[0]
    if s["method"] == "pno-r":
        network = TwoHeads(network, heads)
    if s["method"] == "pno-d":
        network = Wrapped(network)
    # PyTorch's initial values are small: fields would hardly vary, and a wrong formula would hardly show.
    with torch.no_grad():
        for layer in network.modules():
            if isinstance(layer, nn.Linear):
                layer.weight *= 3
    return network.eval()


def main():
    FOLDER.mkdir(exist_ok=True)
    packages = ["torch", "neuraloperator", "tensorly", "tensorly-torch", "torch-harmonics", "safetensors", "numpy"]
    index = {"versions": {p: version(p) for p in packages}, "cases": {}}
    for seed, (name, (s, grid)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        network = build(s)
        x = torch.randn(2, s["in_channels"], *grid)
        with torch.no_grad():
            y = network(x)
        state = network.state_dict()
        torch.save(state, FOLDER / f"{name}.pt")
        save_file({k: v.contiguous() for k, v in state.items()}, FOLDER / f"{name}.safetensors")
        np.save(FOLDER / f"{name}.input.npy", x.numpy())
        np.save(FOLDER / f"{name}.output.npy", y.numpy())
        index["cases"][name] = {"grid": grid, "spec": s, "parameters": sum(v.numel() for v in state.values())}

        mean, spread = formulas.forward({k: v.numpy() for k, v in state.items()}, s, x.numpy())
        direct = mean if spread is None else np.concatenate([mean, spread], axis=1)
        axes = (0, *range(2, y.ndim))
        deviation = y.numpy().std(axis=axes)
        error = (np.abs(direct - y.numpy()).max(axis=axes) / deviation).max()
        print(f"{name:16} {tuple(y.shape)!s:16} std {deviation.min():.2f}: formulas differ by {error:.1e} of it")
        for key, value in state.items():
            print(f"    {key:45} {tuple(value.shape)!s:22} {value.dtype}")
        assert error < 1e-5, name

    # The first case again, as other programs may save it: complex numbers, the prefix of DataParallel, an old container.
    state = torch.load(FOLDER / "fno2d.pt")
    is_weight = lambda key: key.endswith(".tensor")
    complex_state = {k: torch.view_as_complex(v) if is_weight(k) else v for k, v in state.items()}
    save_file(complex_state, FOLDER / "fno2d.complex.safetensors")
    torch.save(complex_state, FOLDER / "fno2d.complex.pt")
    torch.save({f"module.{k}": v for k, v in state.items()}, FOLDER / "fno2d.module.pt")
    torch.save(state, FOLDER / "fno2d.legacy.pt", _use_new_zipfile_serialization=False)
    (FOLDER / "fixtures.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
