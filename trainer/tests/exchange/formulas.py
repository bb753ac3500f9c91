"""The networks of the paper in direct sums, with NumPy alone: slow, plain, and independent of every FFT and of our Rust.

A model is a dictionary of arrays named and shaped as PyTorch saves them (`docs/exchange.md`) and a specification: the
dictionary that stands under `spec` in the `pno` metadata of a file written by `pno export --format safetensors`.
Everything is computed in float64. The formulas are those of the paper and of the published code:
spectral convolution, block, FNO, UNO with its resizing, SFNO on the equiangular grid.

    python formulas.py MODEL.safetensors INPUT.npy OUTPUT.npy

INPUT is [rows, channels, axes..] and OUTPUT [rows, heads * channels, axes..]: the mean, then (pno-r) the spread.
"""

import json
import math
import sys

import numpy as np


def load_safetensors(path):
    """Tensors and metadata of a file, without the safetensors package."""
    kinds = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "C64": "<c8"}
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], kinds[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata


def gelu(x):
    """x * Phi(x) with the exact normal distribution function."""
    erf = np.vectorize(math.erf, otypes=[float])
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def channels(weight, x):
    """A matrix [out, in] (perhaps with trailing ones of a 1x1 convolution) on axis 1 of x."""
    weight = weight.reshape(weight.shape[:2]).astype(float)
    return np.moveaxis(np.tensordot(weight, x, axes=(1, 1)), 0, 1)


def along(bias, x):
    """A vector over the channels, in the shape of x."""
    return bias.astype(float).reshape(1, -1, *[1] * (x.ndim - 2))


def mlp(tensors, name, x):
    x = channels(tensors[f"{name}.fcs.0.weight"], x) + along(tensors[f"{name}.fcs.0.bias"], x)
    x = gelu(x)
    return channels(tensors[f"{name}.fcs.1.weight"], x) + along(tensors[f"{name}.fcs.1.bias"], x)


def as_complex(weight, order):
    """Complex weights of `order` axes, stored so or as pairs of floats along one more axis."""
    if np.iscomplexobj(weight):
        return weight.astype(complex)
    assert weight.ndim == order + 1 and weight.shape[-1] == 2, weight.shape
    return weight[..., 0].astype(float) + 1j * weight[..., 1].astype(float)


def kept(modes, sizes):
    """Signed frequencies that are kept along each axis, ascending."""
    lists = [(n_ - n) // 2 - n_ // 2 + np.arange(n) for n, n_ in zip(modes[:-1], sizes[:-1])]
    return lists + [np.arange(modes[-1] // 2 + 1)]


def apply_along(matrix, x, axis):
    """Multiplies axis `axis` of x by a matrix [new, old]."""
    return np.moveaxis(np.tensordot(matrix, x, axes=(1, axis)), 0, axis)


def spectral(x, weight, bias, modes, out_sizes, aliased=True):
    """Spectral convolution; out_sizes may differ from the grid of x (UNO).

    `aliased` is how neuraloperator 0.3.0 resizes: frequency k of an inner axis of N points is frequency k mod N of the
    new axis, dropped where there is none, and the inverse divides by the new number of points.
    """
    sizes, rank = x.shape[2:], len(modes)
    weight = as_complex(weight, rank + 2)
    frequencies = kept(modes, sizes)
    spectrum = x.astype(complex)
    for axis, (k, n) in enumerate(zip(frequencies, sizes)):
        matrix = np.exp(-2j * np.pi * np.outer(k, np.arange(n)) / n)
        spectrum = apply_along(matrix, spectrum, axis + 2)
    rows, out = x.shape[0], weight.shape[1]
    y = np.einsum("bi...,io...->bo...", spectrum, weight)
    assert y.shape[:2] == (rows, out)
    for axis, (k, n, m) in enumerate(zip(frequencies, sizes, out_sizes)):
        last = axis == rank - 1
        if last:
            # A real field has its negative half for free; the mode of half the grid has no partner.
            factor = np.where((k == 0) | (2 * k == m), 1.0, 2.0) * (2 * k <= m)
            target = k
        elif aliased and n != m:
            target = k % n
            factor = (target < m).astype(float)
        else:
            target, factor = k, np.ones(len(k))
        matrix = np.exp(2j * np.pi * np.outer(np.arange(m), target) / m) * factor
        y = apply_along(matrix, y, axis + 2)
    return y.real / math.prod(out_sizes) + along(bias.reshape(-1), y)


def cubic(t):
    """Weights of the four neighbours -1, 0, 1, 2 at distance t from neighbour 0, with a = -0.75."""
    a = -0.75
    near = lambda d: (a + 2) * d**3 - (a + 3) * d**2 + 1
    far = lambda d: a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return [far(1 + t), near(t), near(1 - t), far(2 - t)]


def resize_matrix(old, new):
    """Cubic interpolation with aligned corners and a replicated border, as a matrix [new, old]."""
    matrix = np.zeros((new, old))
    for i in range(new):
        position = i * (old - 1) / (new - 1) if new > 1 else 0.0
        base = math.floor(position)
        for offset, weight in zip((-1, 0, 1, 2), cubic(position - base)):
            matrix[i, min(max(base + offset, 0), old - 1)] += weight
    return matrix


def resize(x, sizes):
    for axis, size in enumerate(sizes):
        if x.shape[axis + 2] != size:
            x = apply_along(resize_matrix(x.shape[axis + 2], size), x, axis + 2)
    return x


def legendre(degrees, orders, z):
    """Orthonormal associated Legendre functions without the Condon-Shortley sign, [degrees, orders, points]."""
    p = np.zeros((degrees, orders, len(z)))
    s = np.sqrt(1 - z**2)
    for m in range(orders):
        if m >= degrees:
            break
        p[m, m] = math.sqrt(1 / (4 * math.pi)) if m == 0 else math.sqrt((2 * m + 1) / (2 * m)) * s * p[m - 1, m - 1]
        for l in range(m + 1, degrees):
            a = math.sqrt((4 * l * l - 1) / (l * l - m * m))
            b = math.sqrt(((l - 1) ** 2 - m * m) / (4 * (l - 1) ** 2 - 1)) if l > m + 1 else 0.0
            below = p[l - 2, m] if l > m + 1 else 0.0
            p[l, m] = a * (z * p[l - 1, m] - b * below)
    return p


def clenshaw_curtis(n):
    """Quadrature weights of n colatitudes pi*k/(n-1), poles included; their sum is 2."""
    # The weights that integrate the Chebyshev polynomials T_0 .. T_(n-1) exactly.
    theta = np.pi * np.arange(n) / (n - 1)
    system = np.cos(np.outer(np.arange(n), theta))
    integrals = np.array([0.0 if j % 2 else 2 / (1 - j * j) for j in range(n)])
    return np.linalg.solve(system, integrals)


def spherical(x, weight, bias, modes):
    """Spherical convolution on the equiangular grid with both poles."""
    lat, lon = x.shape[2:]
    degrees, orders = modes[0], modes[1] // 2
    weight = as_complex(weight, 3)
    z = np.cos(np.pi * np.arange(lat) / (lat - 1))
    p = legendre(degrees, orders, z)
    m, angle = np.arange(orders), 2 * np.pi * np.arange(lon) / lon
    f = np.einsum("bikj,mj->bikm", x, np.exp(-1j * np.outer(m, angle))) / lon
    a = 2 * np.pi * np.einsum("k,lmk,bikm->bilm", clenshaw_curtis(lat), p, f)
    b = np.einsum("bilm,iol->bolm", a, weight)
    g = np.einsum("bolm,lmk->bokm", b, p)
    factor = np.where(m == 0, 1.0, 2.0)
    y = np.einsum("bokm,mj->bokj", g, factor[:, None] * np.exp(1j * np.outer(m, angle)))
    return y.real + along(bias.reshape(-1), y)


def stack(tensors, spec, x):
    """The blocks of an FNO or SFNO: constant width, all biases in one array."""
    for i in range(spec["layers"]):
        weight, bias = tensors[f"fno_blocks.convs.weight.{i}.tensor"], tensors["fno_blocks.convs.bias"][i]
        if spec["operator"] == "sfno":
            y = spherical(x, weight, bias, spec["modes"])
        else:
            y = spectral(x, weight, bias, spec["modes"], x.shape[2:])
        y = y + channels(tensors[f"fno_blocks.fno_skips.{i}.weight"], x)
        x = gelu(y) if i + 1 < spec["layers"] else y
    return x


def u_shape(tensors, spec, x):
    """The blocks of a UNO as published: no activation, skips 2 <- 1 and 3 <- 0 whatever the depth."""
    levels, skips = spec["levels"], {2: 1, 3: 0}
    whole = [round(n * math.prod(level["scale"][a] for level in levels)) for a, n in enumerate(x.shape[2:])]
    saved = {}
    for i, level in enumerate(levels):
        if i in skips:
            x = np.concatenate([x, resize(saved[skips[i]], x.shape[2:])], axis=1)
        last = i + 1 == len(levels)
        sizes = whole if last else [round(n * s) for n, s in zip(x.shape[2:], level["scale"])]
        block = f"fno_blocks.{i}"
        y = spectral(x, tensors[f"{block}.convs.weight.0.tensor"], tensors[f"{block}.convs.bias"], level["modes"], sizes)
        x = y + resize(channels(tensors[f"{block}.fno_skips.0.weight"], x), sizes)
        if i in skips.values():
            saved[i] = channels(tensors[f"horizontal_skips.{i}.weight"], x)
    return x


def forward(tensors, spec, x):
    """Mean and, for a model with two heads, spread: [rows, channels, axes..], without any dropout."""
    tensors = {name.removeprefix("model."): value for name, value in tensors.items()}
    x = mlp(tensors, "lifting", np.asarray(x, float))
    x = (u_shape if spec["operator"] == "uno" else stack)(tensors, spec, x)
    if "mu.fcs.0.weight" in tensors:
        return mlp(tensors, "mu", x), np.logaddexp(0, mlp(tensors, "sigma", x)) + 1e-6
    return mlp(tensors, "projection", x), None


def main(model, source, target):
    tensors, metadata = load_safetensors(model)
    mean, spread = forward(tensors, json.loads(metadata["pno"])["spec"], np.load(source))
    heads = [mean] if spread is None else [mean, spread]
    np.save(target, np.concatenate(heads, axis=1).astype(np.float32))


if __name__ == "__main__":
    main(*sys.argv[1:])
