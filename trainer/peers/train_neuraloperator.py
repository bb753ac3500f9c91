"""One training step of PNO_D with PyTorch and neuraloperator, set up as for the published networks.

    python train_neuraloperator.py --experiment darcy --weights W.npy --input X.npy --truth Y.npy --fields F.npy \
        --members 3 --rate 0.2 --cores 2                                      then `go` lines on standard input

W is [parameters], all tensors of a checkpoint in its order; X [case, point, channel]; Y [case, point * channel].
F, written before the first answer, is [case, point * channel]: what the network says with dropout off, from W and X.

The network is neuraloperator's FNO or SFNO as it is, with the two pointwise networks and the dropout of the paper: on the
hidden activations before the GELU, and on the spectrum after its channels are mixed. A step is the forward of all
members, the fair energy score, the backward, clipping to a global norm of 1, and Adam. The members are drawn one after
the other, as the authors do, or as one batch, and the fields lie with the channels first or last: whatever is fastest here.
"""

import argparse
import time

from turns import say, serve

NETWORKS = {
    "darcy": {"grid": (64, 64), "n_modes": (12, 12), "width": 32, "hidden": 256, "channels": (3, 1)},
    "ks": {"grid": (20, 256), "n_modes": (10, 12), "width": 20, "hidden": 128, "channels": (3, 1)},
    "sswe": {"grid": (128, 256), "n_modes": (32, 32), "width": 32, "hidden": 256, "channels": (3, 3)},
}
CLIP, LEARNING_RATE = 1.0, 1e-3


def make_network(torch, experiment, rate):
    from neuralop.models import FNO, SFNO
    from torch import nn
    from torch.nn import functional

    class Pointwise(nn.Module):
        def __init__(self, inputs, hidden, outputs):
            super().__init__()
            self.first, self.second = nn.Conv2d(inputs, hidden, 1), nn.Conv2d(hidden, outputs, 1)

        def forward(self, x):
            return self.second(functional.gelu(functional.dropout(self.first(x), rate, self.training)))

    sizes = NETWORKS[experiment]
    (inputs, outputs), width, hidden = sizes["channels"], sizes["width"], sizes["hidden"]
    kind = SFNO if experiment == "sswe" else FNO
    network = kind(
        n_modes=sizes["n_modes"],
        hidden_channels=width,
        in_channels=inputs,
        out_channels=outputs,
        lifting_channels=hidden,
        projection_channels=hidden,
        n_layers=4,
    )
    network.lifting = Pointwise(inputs, hidden, width)
    network.projection = Pointwise(width, hidden, outputs)
    spectral = network.fno_blocks.convs
    mix = spectral._contract

    def mix_and_drop(*arguments, **options):
        spectrum = mix(*arguments, **options)
        if not network.training:
            return spectrum
        return spectrum * functional.dropout(torch.ones(spectrum.shape), rate)

    spectral._contract = mix_and_drop
    return network


def load(torch, network, values):
    """Fills the network from the tensors of a checkpoint, which come one after the other."""
    values, at = torch.from_numpy(values), 0

    def take(*shape):
        nonlocal at
        size = torch.Size(shape).numel()
        at += size
        return values[at - size : at].reshape(shape)

    def fill(parameter, tensor):
        assert parameter.shape == tensor.shape, (parameter.shape, tensor.shape)
        parameter.copy_(tensor)

    def pointwise(layer):
        for conv in (layer.first, layer.second):
            outputs, inputs = conv.weight.shape[:2]
            fill(conv.weight, take(inputs, outputs).T[:, :, None, None])
            fill(conv.bias, take(outputs))

    with torch.no_grad():
        pointwise(network.lifting)
        blocks = network.fno_blocks
        for index in range(4):
            weight = blocks.convs.weight[index].tensor
            inputs, outputs, *modes = weight.shape
            shape = (torch.Size(modes).numel(), inputs, outputs)
            real, imag = take(*shape), take(*shape)
            fill(weight, torch.complex(real, imag).permute(1, 2, 0).reshape(weight.shape))
            fill(blocks.convs.bias[index], take(outputs)[:, None, None])
            skip = blocks.fno_skips[index].weight
            fill(skip, take(inputs, outputs).T.reshape(skip.shape))
        pointwise(network.projection)
    assert at == len(values), (at, len(values))


def energy_score(torch, members, truth, weights, channels):
    """Fair, of [case, member, channel, d1, d2]."""
    def norm(difference):
        squares = difference.square() if weights is None else difference.square() * weights
        return (channels * squares.mean(dim=(-3, -2, -1)) + 1e-12).sqrt()

    number = members.shape[1]
    error = norm(members - truth[:, None]).mean(dim=1)
    pairs = torch.combinations(torch.arange(number))
    spread = norm(members[:, pairs[:, 0]] - members[:, pairs[:, 1]]).sum(dim=1)
    return error - spread / (number * (number - 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--experiment", required=True, choices=NETWORKS)
    for name in ("weights", "input", "truth", "fields"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--members", type=int, default=3)
    parser.add_argument("--rate", type=float, default=0.2)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--steps", type=int, default=1, help="steps per turn")
    args = parser.parse_args()

    begun = time.perf_counter()
    from importlib.metadata import version

    import numpy
    import torch

    torch.set_num_threads(args.cores)
    sizes = NETWORKS[args.experiment]
    rows, columns = sizes["grid"]
    inputs, outputs = sizes["channels"]
    network = make_network(torch, args.experiment, args.rate)
    load(torch, network, numpy.load(args.weights))

    def fields(path, channels):
        values = torch.from_numpy(numpy.load(path))
        return values.reshape(-1, rows, columns, channels).permute(0, 3, 1, 2)

    first = {"input": fields(args.input, inputs).contiguous(), "truth": fields(args.truth, outputs).contiguous()}
    last = {key: value.contiguous(memory_format=torch.channels_last) for key, value in first.items()}
    weights = None
    if args.experiment == "sswe":
        # Areas of the latitudes by the quadrature of the transform, mean 1.
        from torch_harmonics.quadrature import clenshaw_curtiss_weights

        areas = torch.from_numpy(clenshaw_curtiss_weights(rows, -1, 1)[1]).float()
        weights = (areas / areas.mean())[:, None]

    network.eval()
    with torch.no_grad():
        said = network(first["input"]).permute(0, 2, 3, 1)
    numpy.save(args.fields, said.reshape(len(said), -1).numpy())

    network.train()
    optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)

    def step(batched, batch):
        x = batch["input"]
        if batched:
            members = network(x.repeat_interleave(args.members, dim=0)).unflatten(0, (len(x), args.members))
        else:
            members = torch.stack([network(x) for _ in range(args.members)], dim=1)
        loss = energy_score(torch, members, batch["truth"], weights, outputs).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimiser.step()
        return loss.item()

    def timed(batched, batch):
        clock, cores = time.perf_counter(), time.process_time()
        for _ in range(args.steps):
            step(batched, batch)
        return time.perf_counter() - clock, time.process_time() - cores

    ways = {
        "passes one by one, channels first": (False, first),
        "passes one by one, channels last": (False, last),
        "one batch, channels first": (True, first),
        "one batch, channels last": (True, last),
    }
    step(False, first)
    trials = {name: timed(*way)[0] for name, way in ways.items()}
    best = min(trials, key=trials.get)
    warm_up = time.perf_counter() - begun

    say(
        versions=[f"torch {torch.__version__}", f"neuraloperator {version('neuraloperator')}"],
        setting=f"threads: {args.cores}, {best}",
        warm_up_secs=warm_up,
    )
    serve(lambda: (*timed(*ways[best]), args.steps))


if __name__ == "__main__":
    main()
