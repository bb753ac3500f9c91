"""NetCDF, HDF5 and GRIB: files that are written here, and fixtures of the readers with a lie in them."""

import struct
import zlib
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "trainer/tests/fixtures/formats"
HUGE = 2**40


def fixture(name):
    return (FIXTURES / name).read_bytes()


def replaced(content, found, put, every=False):
    """The bytes with `put` instead of `found`, which must be there."""
    assert found in content and len(found) == len(put), found
    return content.replace(found, put, -1 if every else 1)


# NetCDF, classic: magic, records, dimensions, attributes, variables; numbers are big-endian.

def text(name):
    return struct.pack(">I", len(name)) + name.encode() + bytes(-len(name) % 4)


def classic(sizes=(4, 4, 4), records=0, dimensions=None, name_length=None):
    """Four steps of four latitudes and four longitudes, with sizes and counts that may lie."""
    names = ("time", "latitude", "longitude")
    units = {"time": "hours since 2019-03-01", "latitude": "degrees_north", "longitude": "degrees_east", "t2m": "K"}
    variables = [(name, (i,)) for i, name in enumerate(names)] + [("t2m", (0, 1, 2))]
    values = [[6.0 * i for i in range(4)], [50.0, 51, 52, 53], [0.0, 1, 2, 3], [280.0 + i for i in range(64)]]

    def head(start):
        out = b"CDF\x01" + struct.pack(">I", records)
        out += struct.pack(">II", 10, 3 if dimensions is None else dimensions)
        for name, size in zip(names, sizes):
            out += text(name) + struct.pack(">I", size)
        out += struct.pack(">II", 0, 0) + struct.pack(">II", 11, len(variables))
        for (name, axes), numbers in zip(variables, values):
            out += text(name) + struct.pack(">I", len(axes)) + struct.pack(">%dI" % len(axes), *axes)
            unit = units[name]
            out += struct.pack(">II", 12, 1) + text("units") + struct.pack(">II", 2, len(unit)) + unit.encode() + bytes(-len(unit) % 4)
            out += struct.pack(">III", 5, 4 * len(numbers), start)
            start += 4 * len(numbers)
        return out

    start = len(head(0))
    out = head(start) + b"".join(struct.pack(">%df" % len(v), *v) for v in values)
    if name_length is not None:
        out = replaced(out, text("latitude"), struct.pack(">I", name_length) + b"latitude")
    return out


# HDF5. Headers of version 1 have no checksum; those of version 2 have Jenkins' lookup3.

def lookup3(data):
    mask = 2**32 - 1
    rotated = lambda x, k: (x << k | x >> 32 - k) & mask
    a = b = c = (0xDEADBEEF + len(data)) & mask
    while len(data) > 12:
        x, y, z = struct.unpack("<3I", data[:12])
        a, b, c, data = (a + x) & mask, (b + y) & mask, (c + z) & mask, data[12:]
        for k in (4, 6, 8, 16, 19, 4):
            a = ((a - c) & mask) ^ rotated(c, k)
            c = (c + b) & mask
            a, b, c = b, c, a
    if data:
        x, y, z = struct.unpack("<3I", data + bytes(12 - len(data)))
        a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
        for k in (14, 11, 25, 16, 4, 14, 24):
            c = ((c ^ b) - rotated(b, k)) & mask
            a, b, c = b, c, a
        return b
    return c


def resealed(content, at):
    """Makes the checksum of the object header at a place true again."""
    flags = content[at + 5]
    size_at = at + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    end = size_at + width + int.from_bytes(content[size_at:size_at + width], "little")
    return content[:end] + struct.pack("<I", lookup3(content[at:end])) + content[end + 4:]


def hdf5():
    whole = fixture("pdebench.hdf5")
    shape, field = struct.pack("<4Q", 4, 1, 16, 16), struct.pack("<3Q", 4, 16, 16)
    long = replaced(whole, shape, struct.pack("<4Q", HUGE, 1, 16, 16), every=True)
    long = replaced(long, field, struct.pack("<3Q", HUGE, 16, 16), every=True)
    yield "h5-samples-huge.h5", long, "2^40 samples in 12 kB"
    wide = replaced(whole, shape, struct.pack("<4Q", 4, 1, 2**20, 2**20), every=True)
    wide = replaced(wide, field, struct.pack("<3Q", 4, 2**20, 2**20), every=True)
    yield "h5-points-huge.h5", wide, "2^40 points in 12 kB"
    many = replaced(whole, shape, struct.pack("<4Q", 4, 1, 4096, 4096), every=True)
    many = replaced(many, field, struct.pack("<3Q", 4, 4096, 4096), every=True)
    yield "h5-never-written.h5", many, "2^24 points of which only a corner was ever written"
    chunk = struct.pack("<5I", 3, 1, 8, 16, 4)
    yield "h5-chunk-huge.h5", replaced(whole, chunk, struct.pack("<5I", 1, 1, 2**15, 2**14, 4)), "chunks of 2 GiB"
    table = whole.index(b"TREE", 200)
    entry = table + 24
    size = lambda number: whole[:entry] + struct.pack("<I", number) + whole[entry + 4:]
    yield "h5-table-size.h5", size(2**32 - 1), "a table that gives a chunk 4 GiB"
    address = entry + 8 + 5 * 8
    yield "h5-table-address.h5", whole[:address] + struct.pack("<Q", 2**63 - 1) + whole[address + 8:], "a chunk beyond the end of the file"
    yield "h5-table-entries.h5", whole[:table + 6] + b"\xff\xff" + whole[table + 8:], "a table of 65 535 chunks"
    yield "h5-table-loop.h5", whole[:table + 5] + b"\x01" + whole[table + 6:address] + struct.pack("<Q", table) + whole[address + 8:], "a table that contains itself"
    bomb = zlib.compress(bytes(40_000_000), 9)
    stored = len(whole)
    forged = whole[:entry] + struct.pack("<I", len(bomb)) + whole[entry + 4:address] + struct.pack("<Q", stored) + whole[address + 8:] + bomb
    # The end of the file is named in the superblock.
    forged = replaced(forged, struct.pack("<Q", stored), struct.pack("<Q", len(forged)))
    forged = forged[:address] + struct.pack("<Q", stored) + forged[address + 8:]
    yield "h5-deflate-bomb.h5", forged, "40 kB that become 40 MB where 1.5 kB are wanted"


def netcdf4():
    whole = fixture("xarray.nc")
    at = whole.index(struct.pack("<3Q", 12, 9, 10))
    header = whole.rindex(b"OHDR", 0, at)
    assert resealed(whole, header) == whole, "the checksum of a good header"
    long = whole[:at] + struct.pack("<3Q", HUGE, 9, 10) + whole[at + 24:]
    long = resealed(long, header)
    # The axis claims as many.
    time = next(place for place in headers(whole) if whole[place + 14:place + 26] == b"\x02\x01\x01\x01" + struct.pack("<Q", 12))
    long = resealed(long[:time + 18] + struct.pack("<Q", HUGE) + long[time + 26:], time)
    yield "nc4-times-huge.nc", long, "2^40 times in 20 kB"
    chunk = whole.index(struct.pack("<4I", 5, 4, 7, 2))
    huge = whole[:chunk] + struct.pack("<4I", 2**15, 2**10, 2**5, 2) + whole[chunk + 16:]
    yield "nc4-chunk-huge.nc", resealed(huge, header), "chunks of 2 GiB"
    table = whole.index(b"TREE")
    entry = table + 24
    yield "nc4-table-size.nc", whole[:entry] + b"\xff" * 4 + whole[entry + 4:], "a table that gives a chunk 4 GiB"


def headers(content):
    at = content.find(b"OHDR")
    while at >= 0:
        yield at
        at = content.find(b"OHDR", at + 4)


# GRIB: messages of edition 2, one every six hours.

def series(name, change=lambda message: message):
    """Four messages from the first one of a fixture."""
    whole = fixture(name)
    first = whole[:int.from_bytes(whole[8:16], "big")]
    steps = [first[:32] + bytes([6 * step]) + first[33:] for step in range(4)]
    return b"".join(change(step) for step in steps)


def points(columns, rows, total=None):
    def change(message):
        grid = message.index(bytes([0, 0, 0, 72, 3]))
        packing = message.index(b"\x05", grid + 72 + 34 + 4) - 4
        total_points = struct.pack(">I", columns * rows if total is None else total)
        message = message[:grid + 6] + total_points + message[grid + 10:]
        message = message[:grid + 30] + struct.pack(">2I", columns, rows) + message[grid + 38:]
        return message[:packing + 5] + total_points + message[packing + 9:]
    return change


def section(number, length):
    """Another length for a section."""
    def change(message):
        at = 16
        while message[at + 4] != number:
            at += int.from_bytes(message[at:at + 4], "big")
        return message[:at] + struct.pack(">I", length) + message[at + 4:]
    return change


def whole_length(length):
    return lambda message: message[:8] + struct.pack(">Q", length) + message[16:]


def grib():
    yield "grib-constant-huge.grib", series("constant2.grib", points(8192, 4096)), "2^25 points of one value, which has no data"
    yield "grib-points-huge.grib", series("constant2.grib", points(2**16, 2**16, 0)), "2^32 points"
    yield "grib-points-differ.grib", series("constant2.grib", points(4096, 4096, 35)), "2^24 points, and 35 announced"
    yield "grib-line-huge.grib", series("constant2.grib", points(2**25, 1)), "a circle of 2^25 points"
    yield "grib-ccsds-huge.grib", series("ccsds.grib", points(4096, 1024)), "2^22 values in 120 bytes of CCSDS"
    yield "grib-simple-huge.grib", series("simple2.grib", points(4096, 1024)), "2^22 values in 88 bytes"
    for number, what in ((3, "grid"), (5, "packing"), (7, "data")):
        yield "grib-%s-beyond.grib" % what, series("simple2.grib", section(number, 2**32 - 1)), "a %s section of 4 GiB" % what
        yield "grib-%s-empty.grib" % what, series("simple2.grib", section(number, 0)), "a %s section of 0 bytes" % what
    yield "grib-length-wraps.grib", series("simple2.grib", whole_length(2**64 - 1)), "a message of 2^64 - 1 bytes"
    yield "grib-length-zero.grib", series("simple2.grib", whole_length(0)), "a message of 0 bytes"


def files():
    """Name, bytes, command and the lie."""
    yield "sound.nc", classic(), "case", ""
    yield "sound.h5", fixture("pdebench.hdf5"), "pdebench", ""
    yield "sound.grib", series("simple2.grib"), "case", ""
    yield "nc-sizes-huge.nc", classic(sizes=(2**31 - 1, 4, 4)), "case", "2^31 - 1 times in 1 kB"
    yield "nc-sizes-wrap.nc", classic(sizes=(2**31 - 1,) * 3), "case", "2^93 values"
    yield "nc-records.nc", classic(sizes=(0, 4, 4), records=2**31 - 2), "case", "2^31 - 2 records in 1 kB"
    yield "nc-dimensions.nc", classic(dimensions=2**31 - 1), "case", "2^31 - 1 dimensions"
    yield "nc-name.nc", classic(name_length=2**32 - 1), "case", "a name of 4 GiB"
    for name, content, lie in hdf5():
        yield name, content, "pdebench", lie
    for name, content, lie in netcdf4():
        yield name, content, "case", lie
    for name, content, lie in grib():
        yield name, content, "case", lie
