"""Zarr folders: of others (versions 2 and 3) and our own data sets."""

import copy
import gzip
import json
import struct

HUGE = 2**40
N = 4
NAMES = ("time", "latitude", "longitude")
UNITS = {"time": "hours since 2019-03-01", "latitude": "degrees_north", "longitude": "degrees_east", "t2m": "K"}
VALUES = {
    "time": [6.0 * i for i in range(N)],
    "latitude": [50.0 + i for i in range(N)],
    "longitude": [1.0 * i for i in range(N)],
    "t2m": [280.0 + i for i in range(N**3)],
}


def floats(values):
    return struct.pack("<%df" % len(values), *values)


def frame(blocks, claimed):
    """Zstandard: `blocks` of one byte repeated 128 KiB times, in a frame that claims some content."""
    repeated = lambda last: struct.pack("<I", (128 << 10) << 3 | 1 << 1 | last)[:3] + b"\0"
    middle = b"".join(repeated(number + 1 == blocks) for number in range(blocks))
    return struct.pack("<IBQ", 0xFD2FB528, 0b11100000, claimed) + middle


def version_2(change=lambda files, chunks: None):
    """Four steps of four latitudes and four longitudes; `change` makes a lie of it."""
    files, chunks = {".zgroup": {"zarr_format": 2}}, {}
    for name, values in VALUES.items():
        axes = NAMES if name == "t2m" else (name,)
        files[name + "/.zarray"] = {
            "zarr_format": 2, "shape": [N] * len(axes), "chunks": [N] * len(axes), "dtype": "<f4",
            "compressor": None, "filters": None, "fill_value": None, "order": "C",
        }
        files[name + "/.zattrs"] = {"_ARRAY_DIMENSIONS": list(axes), "units": UNITS[name]}
        chunks[name + "/" + ".".join("0" * len(axes))] = floats(values)
    change(files, chunks)
    return {".zmetadata": json.dumps({"zarr_consolidated_format": 1, "metadata": files}), **chunks}


def node(shape, chunk, names, attributes=None, kind="float32", codecs=()):
    """An array of version 3."""
    bytes_codec = {"name": "bytes", "configuration": {"endian": "little"}} if kind != "int8" else {"name": "bytes"}
    return {
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": kind, "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [bytes_codec, *codecs], "dimension_names": names, "attributes": attributes or {},
    }


def version_3(change=lambda nodes, chunks: None):
    nodes, chunks = {}, {}
    for name, values in VALUES.items():
        axes = list(NAMES) if name == "t2m" else [name]
        nodes[name] = node([N] * len(axes), [N] * len(axes), axes, {"units": UNITS[name]})
        chunks[name + "/c/" + "/".join("0" * len(axes))] = floats(values)
    change(nodes, chunks)
    root = {"zarr_format": 3, "node_type": "group", "attributes": {},
            "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": nodes}}
    return {"zarr.json": json.dumps(root), **chunks}


def own(change=lambda root, nodes, chunks: None):
    """A data set of ours: four cases of one input and one output on four points."""
    axis = {"name": "x", "size": N, "start": 0.0, "step": 1.0, "unit": ""}
    quantity = lambda name: {"name": name, "unit": "", "normalisation": {"mean": 0.0, "std": 1.0}}
    task = {"input": [axis], "output": [copy.deepcopy(axis)], "inputs": [quantity("a")], "outputs": [quantity("u")],
            "coordinates": [{"axis": 0, "first": 0.0, "last": 1.0}], "domain": "flat"}
    frames = {"first": 0, "number": 1}
    about = {"format": 2, "task": task, "input": frames, "output": dict(frames), "strides": [1, 1, 1]}
    root = {"zarr_format": 3, "node_type": "group", "attributes": {"experiment": "arrays", "title": "four cases", "pno": about}}
    nodes = {name: node([N, N], [N, N], ["case", "x"]) for name in "au"}
    nodes["x"] = node([N], [N], ["x"], kind="float64")
    nodes["split"] = node([N], [N], ["case"], kind="int8")
    fields = floats([float(i % 5) for i in range(N * N)])
    chunks = {"a/c/0/0": fields, "u/c/0/0": fields, "x/c/0": struct.pack("<4d", *range(N)), "split/c/0": bytes([0, 0, 1, 2])}
    change(root, nodes, chunks)
    files = {name + "/zarr.json": json.dumps(one) for name, one in nodes.items()}
    return {"zarr.json": json.dumps(root), **files, **chunks}


def codec_2(compressor, content):
    def change(files, chunks):
        files["t2m/.zarray"]["compressor"] = compressor
        chunks["t2m/0.0.0"] = content
    return change


def resized_2(name, shape, chunk):
    def change(files, chunks):
        files[name + "/.zarray"].update(shape=shape, chunks=chunk)
    return change


def long_time_2(steps, chunk):
    """A series whose times are not stored."""
    def change(files, chunks):
        files["time/.zarray"].update(shape=[steps], chunks=[chunk])
        files["t2m/.zarray"].update(shape=[steps, N, N])
        del chunks["time/0"]
    return change


def fine_2(files, chunks):
    """A grid of a sixteenth of a degree, of which no field is stored."""
    steps, points = 400, 2896
    lines = {"time": [6.0 * i for i in range(steps)], "latitude": [-90 + i / 32 for i in range(points)],
             "longitude": [i / 16 for i in range(points)]}
    for name, values in lines.items():
        resized_2(name, [len(values)], [len(values)])(files, chunks)
        chunks[name + "/0"] = floats(values)
    resized_2("t2m", [steps, points, points], [1, points, points])(files, chunks)
    del chunks["t2m/0.0.0"]


def renamed_2(files, chunks):
    files["../../outside/.zarray"] = files.pop("t2m/.zarray")


def objects_2(files, chunks):
    files["t2m/.zarray"].update(dtype="|O", filters=[{"id": "pickle"}])


def many_axes_2(files, chunks):
    files["t2m/.zarray"].update(shape=[1] * 5000, chunks=[1] * 5000)


def huge_3(nodes, chunks):
    nodes["t2m"] = node([HUGE, N, N], [1, N, N], None)
    nodes["time"] = node([HUGE], [1], None)


def zero_chunks_3(nodes, chunks):
    nodes["t2m"]["chunk_grid"]["configuration"]["chunk_shape"] = [0, 0, 0]


def zstd_3(nodes, chunks):
    nodes["latitude"] = node([N], [N], ["latitude"], {"units": "degrees_north"},
                             codecs=[{"name": "zstd", "configuration": {"level": 1, "checksum": False}}])
    chunks["latitude/c/0"] = frame(1, 2**62)


def unnamed(root, nodes, chunks):
    for name in "au":
        nodes[name]["dimension_names"] = None


def own_shape(shape, chunk):
    def change(root, nodes, chunks):
        for name in "au":
            nodes[name] = node(shape, chunk, ["case", "x"])
    return change


def own_zstd(root, nodes, chunks):
    nodes["u"] = node([N, N], [N, N], ["case", "x"], codecs=[{"name": "zstd", "configuration": {"level": 1, "checksum": False}}])
    chunks["u/c/0/0"] = frame(1, 2**62)


def own_split(root, nodes, chunks):
    nodes["split"] = node([2**29], [2**29], ["case"], kind="int8",
                          codecs=[{"name": "zstd", "configuration": {"level": 1, "checksum": False}}])
    chunks["split/c/0"] = frame(4096, 2**29)


def own_coordinate(root, nodes, chunks):
    nodes["x"] = node([2**26], [2**26], ["x"], kind="float64",
                      codecs=[{"name": "zstd", "configuration": {"level": 1, "checksum": False}}])
    chunks["x/c/0"] = frame(4096, 2**29)


def own_task(root, nodes, chunks):
    for side in ("input", "output"):
        root["attributes"]["pno"]["task"][side][0]["size"] = 2**60


def own_frames(root, nodes, chunks):
    root["attributes"]["pno"]["output"] = {"first": 2**64 - 1, "number": 1}


def own_steps(root, nodes, chunks):
    root["attributes"]["pno"]["output"] = {"first": 1, "number": 1}
    for name in "au":
        nodes[name] = node([N, N], [3, N], ["time", "x"])
        chunks[name + "/c/0/0"] = chunks[name + "/c/1/0"] = floats([1.0] * 3 * N)


def own_frames_differ(root, nodes, chunks):
    about = root["attributes"]["pno"]
    about["output"] = {"first": 1, "number": 1}
    both = about["task"]["inputs"] + about["task"]["outputs"]
    about["task"].update(inputs=both, outputs=copy.deepcopy(both))
    for name, frames in (("a", 4), ("u", 2)):
        nodes[name] = node([N, frames, N], [N, frames, N], ["case", "time", "x"])
        del chunks[name + "/c/0/0"]
        chunks[name + "/c/0/0/0"] = floats([float(i % 5) for i in range(N * frames * N)])


def folders():
    """Name, files, command and the lie."""
    yield "sound-v2.zarr", version_2(), "case", ""
    yield "sound-v3.zarr", version_3(), "case", ""
    yield "sound-own.zarr", own(), "info", ""
    two = lambda name, change, lie: ("v2-" + name + ".zarr", version_2(change), "case", lie)
    yield two("shape-huge", resized_2("t2m", [HUGE, HUGE, 4], [1, 1, 1]), "2^82 values")
    yield two("shape-wraps", resized_2("t2m", [2**32, 2**32, 4], [1, 1, 1]), "2^66 values, which is 4 in 64 bits")
    yield two("shape-negative", resized_2("t2m", [-4, 4, 4], [4, 4, 4]), "a negative size")
    yield two("times-huge", long_time_2(HUGE, 1), "2^40 times in as many chunks, none of which is there")
    yield two("times-absent", long_time_2(2**26, 2**20), "2^26 times in 64 chunks, none of which is there")
    yield two("fields-absent", fine_2, "fields of 2896 x 2896 points, none of which is there")
    yield "v2-fields-absent.zarr", version_2(fine_2), "era5", "fields of 2896 x 2896 points, none of which is there"
    yield two("chunk-huge", resized_2("t2m", [4, 4, 4], [2**20, 2**10, 2**10]), "chunks of 4 TiB")
    yield two("chunk-zero", resized_2("t2m", [4, 4, 4], [0, 0, 0]), "chunks without values")
    yield two("axes-5000", many_axes_2, "5000 axes")
    yield two("name-outside", renamed_2, "an array outside of the folder")
    yield two("objects", objects_2, "pickled objects")
    yield two("zstd-claims", codec_2({"id": "zstd", "level": 1}, frame(1, 2**62)), "a chunk that claims 2^62 bytes")
    yield two("zstd-bomb", codec_2({"id": "zstd", "level": 1}, frame(4096, 2**29)), "16 KiB that become 512 MiB where 256 bytes are wanted")
    yield two("gzip-bomb", codec_2({"id": "gzip", "level": 9}, gzip.compress(bytes(60_000_000), 9, mtime=0)), "60 kB that become 60 MB where 256 bytes are wanted")
    yield two("blosc-claims", codec_2({"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
                                      struct.pack("<BBBBIII", 2, 1, 1, 4, 2**31 - 32, 2**20, 64) + bytes(48)), "a chunk that claims 2 GiB")
    yield "v2-json-deep.zarr", {".zmetadata": "[" * 10_000}, "case", "10 000 lists in each other"
    three = lambda name, change, lie: ("v3-" + name + ".zarr", version_3(change), "case", lie)
    yield three("huge-unnamed", huge_3, "2^40 times, and axes without names")
    yield three("chunk-zero", zero_chunks_3, "chunks without values")
    yield three("zstd-claims", zstd_3, "latitudes that claim 2^62 bytes")
    mine = lambda name, change, lie: ("own-" + name + ".zarr", own(change), "info", lie)
    yield mine("unnamed", unnamed, "axes without names (dimension_names is null)")
    yield mine("rows-huge", own_shape([2**60, N], [1, N]), "2^60 cases in as many chunks")
    yield mine("rows-absent", own_shape([2**30, N], [2**20, N]), "2^30 cases in 1024 chunks, one of which is there")
    yield mine("chunk-huge", own_shape([2**40, N], [2**40, N]), "a chunk of 16 TiB")
    yield mine("zstd-claims", own_zstd, "a chunk that claims 2^62 bytes")
    yield mine("split-huge", own_split, "the split of 2^29 cases, for four")
    yield mine("coordinate-huge", own_coordinate, "2^26 points, for four")
    yield mine("task-huge", own_task, "a task on 2^60 points")
    yield "own-steps-beyond.zarr", own(own_steps), "last", "a truth one step after the last"
    yield mine("frames-differ", own_frames_differ, "four frames of one quantity and two of the other")
    yield mine("frames-wrap", own_frames, "frame 2^64 - 1 of a case, after which comes 0")
