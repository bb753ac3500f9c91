"""Writes the hostile files of this folder and the list of them, manifest.json. Needs nothing but Python:  python3 make.py

Every file tells a lie about its size, or asks for far more than it holds. `trainer/tests/hostile.rs` gives each to the program, and
`web/tests/hostile.test.mjs` gives the models and arrays to the page. Files that begin with `sound` tell no lie and must be read: they
show that the others are refused for their lie alone. Models (.pno) are sealed with BLAKE3, which Python does not have:
`shared/tests/hostile_files.rs` writes them.
"""

import json
import shutil
import struct
from pathlib import Path

import containers
import stores

HERE = Path(__file__).parent
MANIFEST = HERE / "manifest.json"

# How each kind of file is given to the program; FILE is the file, OUT a name in an empty folder, MODEL one of ours.
COMMANDS = {
    "case": "data case FILE --start 2019-03-01 --steps 2 --region all --out OUT.npy",
    "era5": "data import era5 FILE --region all --missing mask --out OUT",
    "info": "data info FILE",
    "last": "data info FILE --case 3",
    "pdebench": "data import pdebench FILE --out OUT",
    "arrays": "data import arrays FILE --out OUT",
    "settings": "train FILE --data nowhere --dry-run",
    "score": "score --members FILE --truth FILE",
    "predict": "predict MODEL --input FILE --device cpu --out OUT.npy",
    "inspect": "inspect FILE",
}

# What shared/tests/hostile_files.rs writes.
MODELS = {
    "modes-wrap.pno": "modes [4096, 4096, 510]: their product is 0 in 32 bits",
    "uno-32-levels.pno": "32 levels of 4096 points, and no tensors",
    "resize-8192.pno": "32 levels between 8192 and 8191 points: hours of cosines, where they are summed one by one, and 8 GiB of tables",
    "latitudes-2-23.pno": "2^23 latitudes: quadrature in quadratic time",
    "points-times-width.pno": "2^24 points of 2048 channels: 128 GiB for one field",
    "header-lies.pno": "a header of 4 GiB in a file of 64 bytes",
}


def npy(header, data=b"", version=1, length=None):
    """A .npy file; `length` is what the header claims of itself."""
    text = header.encode()
    size = struct.pack("<H" if version == 1 else "<I", len(text) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def header(kind="'<f4'", order="False", shape="(2, 2)"):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n" % (kind, order, shape)


def arrays():
    """Name, bytes, and the lie."""
    values = bytes(16)
    yield "npy-shape-huge.npy", npy(header(shape="(4096, 4096, 4096)"), values), "64 Gi values in 16 bytes"
    yield "npy-shape-wraps.npy", npy(header(shape="(4294967296, 4294967296)"), values), "2^64 values"
    yield "npy-shape-negative.npy", npy(header(shape="(-2, -2)"), values), "negative sizes"
    yield "npy-shape-long.npy", npy(header(shape="(" + "1, " * 5_000 + ")"), values), "5000 axes"
    yield "npy-object.npy", npy(header(kind="'|O'"), values), "Python objects, which are pickles"
    yield "npy-record.npy", npy(header(kind="[('a', '<f4')]"), values), "records"
    yield "npy-header-beyond.npy", npy(header(), length=60_000), "a header of 60 000 bytes"
    yield "npy-header-4-gb.npy", npy(header(), version=2, length=2**32 - 1), "a header of 4 GiB"
    yield "npy-no-shape.npy", npy("{'descr': '<f4', 'fortran_order': False, }\n", values), "no shape"
    yield "npy-cut.npy", b"\x93NUMPY\x01", "only the first bytes"


def settings():
    """TOML: name, text, command and the lie."""
    deep = 5_000
    yield "toml-arrays-deep.toml", "a = " + "[" * deep + "]" * deep, "5000 arrays in each other"
    yield "toml-tables-deep.toml", "a = " + "{b=" * deep + "1" + "}" * deep, "5000 tables in each other"
    yield "toml-keys-deep.toml", ".".join(["a"] * deep) + " = 1", "a key of 5000 parts"
    yield "toml-header-deep.toml", "[" + ".".join(["a"] * deep) + "]", "a table of 5000 parts"


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def main():
    for old in HERE.iterdir():
        if old.suffix in (".npy", ".toml", ".nc", ".h5", ".grib"):
            old.unlink()
        elif old.suffix == ".zarr":
            shutil.rmtree(old)
    entries = []

    def add(name, command, lie):
        entries.append({"file": name, "command": COMMANDS[command], "lie": lie})

    for name, content, lie in arrays():
        write(HERE / name, content)
        add(name, "score", lie)
        add(name, "predict", lie)
    for name, content, lie in settings():
        write(HERE / name, content)
        add(name, "arrays", lie)
        add(name, "settings", lie)
    for name, content, command, lie in containers.files():
        write(HERE / name, content)
        add(name, command, lie)
    for name, content, command, lie in stores.folders():
        for key, part in content.items():
            write(HERE / name / key, part)
        add(name, command, lie)
    for name, lie in MODELS.items():
        add(name, "inspect", lie)
    entries.sort(key=lambda entry: (entry["file"], entry["command"]))
    write(MANIFEST, json.dumps(entries, indent=1) + "\n")


if __name__ == "__main__":
    main()
