"""What might somebody put into a file to harm who loads it? Each of these is refused."""

import io
import pickle
import struct
import zipfile
import zlib

import numpy as np

from .forge import (
    HOOKS,
    archive,
    call,
    checkpoint,
    items,
    name,
    number,
    numbers,
    parameter,
    state,
    storage,
    tensor,
    tensor3,
    text,
)

COMMAND = "touch attacked"  # in the directory of the test, which is looked at afterwards
RUN = text(COMMAND) + b"\x85R"


class Runs:
    """What pickle would call when it loads this."""

    def __reduce__(self):
        import os

        return os.system, (COMMAND,)


def pickled(obj, protocol):
    return archive([("data.pkl", pickle.dumps(obj, protocol)), ("version", b"3\n")])


def calls():
    """Functions that are no data."""
    for module, function in [
        ("os", "system"),
        ("posix", "system"),
        ("nt", "system"),
        ("subprocess", "Popen"),
        ("builtins", "eval"),
        ("builtins", "exec"),
        ("__builtin__", "eval"),
        ("builtins", "getattr"),
        ("builtins", "__import__"),
        ("importlib", "import_module"),
        ("torch", "load"),
        ("torch.hub", "load"),
        ("torch", "os.system"),
        ("torch.serialization", "load"),
        ("torch._utils", "os.system"),
        ("torch._utils", "__class__"),
        ("collections", "OrderedDict.__init__"),
        ("ast_ad", "load"),
        ("numpy", "load"),
        ("numpy", "memmap"),
        ("pickle", "loads"),
        ("torch.storage", "_load_from_bytes"),
        ("operator", "attrgetter"),
        ("", ""),
        ("runpy", "run_path"),
        ("builtins", "set\r"),
        ("torch.nn.modules.linear", "Linear"),
    ]:
        yield f"{module}.{function}", checkpoint(name(module, function) + RUN)
    for protocol in range(6):
        yield f"pickled by protocol {protocol}", pickled(Runs(), protocol)
        yield f"inside a dict by protocol {protocol}", pickled({"w": [Runs()]}, protocol)
    yield "a plain pickle", pickle.dumps(Runs())
    yield "sparse tensor", checkpoint(call("torch._utils", "_rebuild_sparse_tensor", b")", b")"))


def instructions():
    """Instructions that make more than data, or none."""
    system = text("os") + text("system")
    yield "STACK_GLOBAL", checkpoint(system + b"\x93" + RUN)
    yield "INST", checkpoint(b"(" + text(COMMAND) + b"ios\nsystem\n")
    yield "OBJ", checkpoint(b"(" + name("os", "system") + text(COMMAND) + b"o")
    yield "OBJ of an allowed name", checkpoint(b"(" + name("collections", "OrderedDict") + b"o")
    yield "NEWOBJ", checkpoint(name("collections", "OrderedDict") + b")\x81")
    yield "NEWOBJ_EX", checkpoint(name("collections", "OrderedDict") + b")}\x92")
    yield "EXT1", checkpoint(b"\x82\x01")
    yield "EXT2", checkpoint(b"\x83\x01\x00")
    yield "EXT4", checkpoint(b"\x84\x01\x00\x00\x00")
    yield "PERSID", checkpoint(b"Pstorage\n")
    yield "STRING, which is evaluated", checkpoint(b"S'a'\n")
    yield "INT", checkpoint(b"I1\n")
    yield "LONG4", checkpoint(b"\x8b" + struct.pack("<i", 1 << 30))
    yield "BYTEARRAY8", checkpoint(b"\x96" + struct.pack("<Q", 1 << 40))
    yield "BINBYTES8", checkpoint(b"\x8e" + struct.pack("<Q", 1 << 40))
    yield "FRAME", checkpoint(b"\x95" + struct.pack("<Q", 1 << 40) + b"N")
    yield "DUP", checkpoint(b"]20")
    yield "no such instruction", checkpoint(b"\xff")
    yield "BUILD of a tensor", checkpoint(tensor() + state(_array=b"N") + b"b")
    yield "BUILD of a parameter", checkpoint(parameter(tensor()) + state(__class__=b"N") + b"b")
    yield "BUILD of a dict", checkpoint(b"}" + state(_metadata=b"}") + b"b")
    yield "BUILD of a name", checkpoint(name("torch", "Size") + state(_metadata=b"}") + b"b")
    yield "BUILD with __setstate__", checkpoint(HOOKS + state(__setstate__=name("torch", "Size")) + b"b")
    yield "BUILD with items", checkpoint(HOOKS + state(_metadata=b"}", items=b"N") + b"b")
    yield "BUILD with slots", checkpoint(HOOKS + items(b"N", state(_metadata=b"}")) + b"b")
    yield "REDUCE of a dict", checkpoint(b"})R")
    yield "REDUCE of a text", checkpoint(text("os.system") + b")R")
    yield "REDUCE of a storage kind", checkpoint(name("torch", "FloatStorage") + b")R")
    yield "REDUCE of a dtype", checkpoint(name("torch", "float32") + b")R")
    yield "REDUCE without a tuple", checkpoint(name("collections", "OrderedDict") + b"]R")
    yield "APPEND to a dict", checkpoint(b"}Na")
    yield "APPEND to a tuple", checkpoint(b")Na")
    yield "APPENDS to a set", checkpoint(call("builtins", "set", b"]") + b"(Ne")
    yield "SETITEM of a list", checkpoint(b"]" + number(0) + b"Ns")
    yield "SETITEMS of a tensor", checkpoint(tensor() + b"(" + number(0) + number(1) + b"u")
    yield "SETITEMS with an odd number", checkpoint(b"}(" + number(0) + b"u")


def shape_of_the_program():
    yield "empty", archive([("data.pkl", b"")])
    yield "only PROTO", archive([("data.pkl", b"\x80\x02")])
    yield "no STOP", archive([("data.pkl", b"\x80\x02N")])
    yield "nothing to return", checkpoint(b"")
    yield "more than one result", checkpoint(b"NN")
    yield "goes on after STOP", checkpoint(b"N.N")
    yield "an open mark", checkpoint(b"(N")
    yield "a mark that isn't there", checkpoint(b"Nt")
    yield "below a mark", checkpoint(b"N(\x85")
    yield "protocol 0", archive([("data.pkl", b"N.")])
    yield "protocol 5", archive([("data.pkl", b"\x80\x05N.")])
    yield "PROTO in the middle", checkpoint(b"\x80\x02N")
    yield "a text longer than the file", checkpoint(b"X" + struct.pack("<I", 0xFFFFFFFF))
    yield "a text that is not UTF-8", checkpoint(b"X\x01\x00\x00\x00\xff")
    yield "a name without end", checkpoint(b"c" + b"a" * 100_000)
    yield "a name that is not UTF-8", checkpoint(b"c\xff\n\xff\n")
    yield "nothing to keep", checkpoint(b"q\x00")
    yield "an object that was not made", checkpoint(b"h\x07")
    yield "a large place of memory", checkpoint(b"j\xff\xff\xff\xff")
    yield "a list in itself", checkpoint(b"]q\x00h\x00a")
    yield "a dict in itself", checkpoint(b"}q\x00" + text("a") + b"h\x00s")
    yield "a tuple in its list", checkpoint(b"]q\x00(h\x00ta")
    yield "a dict in its metadata", checkpoint(HOOKS + b"q\x00" + state(_metadata=b"h\x00") + b"b")
    yield "deep lists", checkpoint(b"]" * 20_000 + b"a" * 19_999)
    yield "deep tuples", checkpoint(b")" + b"\x85" * 20_000)
    yield "deep dicts", checkpoint(b"}" + (text("a") + b"}") * 9_000 + b"s" * 9_000)
    yield "deep marks", checkpoint(b"(" * 20_000)
    yield "a list as key", checkpoint(b"}]Ns")
    yield "a tensor as key", checkpoint(b"}" + tensor() + b"Ns")
    yield "a key whose hash takes for ever", checkpoint(b"})" + b"q\x00h\x00\x86" * 60 + b"Ns")
    yield (
        "an element whose hash takes for ever",
        checkpoint(call("builtins", "set", b"])" + b"q\x00h\x00\x86" * 60 + b"a")),
    )
    big = (1 << 61) - 1
    yield (
        "keys whose hashes are equal",
        checkpoint(b"}(" + b"".join(number(i * big) + b"N" for i in range(99)) + b"u"),
    )
    yield "a name as a value", checkpoint(name("collections", "OrderedDict"))
    yield "a storage as a value", checkpoint(b"]" + storage() + b"a")
    yield "a storage kind as a value", checkpoint(b"}" + text("a") + name("torch", "FloatStorage") + b"s")


def copies(scale=100):
    """A few bytes that ask for many; for limits that are lower than the real ones by ``scale``."""
    long = text("x" * 1_000_000) + b"q\x00"
    yield (
        "bytes again and again",
        checkpoint(
            b"]("
            + name("_codecs", "encode")
            + b"q\x01"
            + items(long, text("latin1"))
            + b"q\x02R"
            + b"h\x01h\x02R" * (2_000_000 // scale)
            + b"e"
        ),
    )
    many = b"](" + b"".join(number(i) for i in range(10_000)) + b"eq\x00"
    yield (
        "sets again and again",
        checkpoint(
            b"](" + name("builtins", "set") + b"q\x01" + many + b"\x85q\x02R" + b"h\x01h\x02R" * 1000 + b"e"
        ),
    )
    yield "many containers", checkpoint(b"(" + b"]" * (5_000_000 // scale) + b"t")
    yield "many marks", checkpoint(b"(" * (5_000_000 // scale))
    places = b"".join(b"r" + struct.pack("<I", i) for i in range(5_000_000 // scale))
    yield "many places of memory", checkpoint(b"N" + places)
    yield "many instructions", checkpoint(b"N" + b"q\x00" * (21_000_000 // scale))
    yield "bytearray of a size", checkpoint(call("builtins", "bytearray", number(1 << 40)))


def storages():
    """Memory that isn't there."""

    def odd(pid):
        return checkpoint(tensor(of=pid + b"Q"))

    kind, cpu = name("torch", "FloatStorage"), text("cpu")
    yield "id: a text", odd(text("storage"))
    yield "id: None", odd(b"N")
    yield "id: empty", odd(b")")
    yield "id: too short", odd(items(text("storage"), kind, text("0"), cpu))
    yield "id: too long", odd(items(text("storage"), kind, text("0"), cpu, number(6), b"N"))
    yield "id: another word", checkpoint(tensor(of=storage(word="module")))
    yield "id: a tensor as word", odd(items(tensor(), kind, text("0"), cpu, number(6)))
    yield "id: a list", odd(b"](" + text("storage") + kind + text("0") + cpu + number(6) + b"e")
    yield "id: no kind", odd(items(text("storage"), text("FloatStorage"), text("0"), cpu, number(6)))
    yield "id: class Tensor as kind", checkpoint(tensor(of=storage("Tensor")))
    yield "id: key is a number", odd(items(text("storage"), kind, number(0), cpu, number(6)))
    for key in ("../0", "/etc/passwd", "..", "0/../0", "", "-1", "00000000000000000000000000", "٠", "0\0"):
        yield f"id: key {key!r}", checkpoint(tensor(of=storage(key=key)))
    for count in (5, 7, -6, 1 << 62, 1 << 64, -(1 << 64), 6.0, True):
        yield f"id: {count} elements", checkpoint(tensor(of=storage(count=count)))
    yield "id: another type of the same size", checkpoint(tensor(of=storage("DoubleStorage")))
    yield "id: no such record", checkpoint(tensor(of=storage(key="1")))
    yield "one storage, two types", checkpoint(items(tensor(), tensor(of=storage("IntStorage"))))
    yield (
        "one storage, two lengths",
        checkpoint(items(tensor(), tensor(of=storage("DoubleStorage", count=3), size=()))),
    )
    yield "quantised", checkpoint(tensor(of=storage("QInt8Storage", count=24)))
    yield "bools of 2", checkpoint(tensor(of=storage("BoolStorage", count=24)), {"0": b"\2" * 24})
    yield "no storage at all", checkpoint(tensor(of=b"N"))
    yield "byte order", checkpoint(tensor(), order=b"middle")
    yield "no byte order", checkpoint(tensor(), order=b"")
    yield "two byte orders", checkpoint(tensor(), more=[("byteorder", b"big")])


def tensors():
    """Tensors that reach out of their memory."""
    for offset in (1, 6, -1, 1 << 62, 1 << 63, 1 << 64, -(1 << 63), 1.0, True):
        yield f"offset {offset}", checkpoint(tensor(offset=offset))
    for size in (
        (7,),
        (6, 1 << 62),
        (1 << 32, 1 << 32),
        (-1,),
        (-2, -3),
        (1 << 63,),
        (1 << 64,),
        (2.0,),
        (True,),
    ):
        yield f"size {size}", checkpoint(tensor(size=size, stride=(1,) * len(size)))
    for stride in (
        (4, 1),
        (3, 2),
        (-3, 1),
        (3, -1),
        (1 << 62, 1 << 62),
        (1 << 63, 1),
        (1 << 64, 1),
        (3,),
        (3, 1, 1),
    ):
        yield f"stride {stride}", checkpoint(tensor(stride=stride))
    yield "expanded to 2**40", checkpoint(tensor(size=(1 << 40,), stride=(0,)))
    yield "expanded to 2**62 by 2**62", checkpoint(tensor(size=(1 << 62, 1 << 62), stride=(0, 0)))
    yield "empty, but of 2**62 rows", checkpoint(tensor(size=(1 << 62, 0, 1 << 62), stride=(0, 0, 0)))
    yield "65 dimensions", checkpoint(tensor(size=(1,) * 65, stride=(1,) * 65))
    yield (
        "sizes as a list",
        checkpoint(
            call(
                "torch._utils",
                "_rebuild_tensor_v2",
                storage(),
                number(0),
                b"](K\x06e",
                numbers([1]),
                b"\x89",
                HOOKS,
            )
        ),
    )
    yield (
        "size of texts",
        checkpoint(
            call(
                "torch._utils",
                "_rebuild_tensor_v2",
                storage(),
                number(0),
                items(text("6")),
                numbers([1]),
                b"\x89",
                HOOKS,
            )
        ),
    )
    yield "hooks", checkpoint(tensor(hooks=HOOKS + text("a") + name("torch", "Size") + b"s"))
    yield "hooks that are none", checkpoint(tensor(hooks=text("hooks")))
    yield "requires_grad 1", checkpoint(tensor(requires_grad=1))
    yield "integers that require a gradient", checkpoint(tensor(of=storage("IntStorage"), requires_grad=True))
    yield "flags", checkpoint(tensor(more=[state(os=b"\x88")]))
    yield "flags that are a list", checkpoint(tensor(more=[b"]"]))
    yield "too few arguments", checkpoint(call("torch._utils", "_rebuild_tensor_v2", storage()))
    yield "too many arguments", checkpoint(tensor(more=[b"N", b"N"]))
    yield (
        "v2 of untyped memory",
        checkpoint(tensor(of=storage("UntypedStorage", count=24, module="torch.storage"))),
    )
    yield "v3 of typed memory", checkpoint(tensor3("float32", of=storage()))
    yield "v3 that needs 48 bytes", checkpoint(tensor3("float64"))
    yield "v3 of float8", checkpoint(tensor3("float8_e4m3fn"))
    yield "v3 with offset", checkpoint(tensor3("float32", offset=1))
    yield "Size of texts", checkpoint(call("torch", "Size", items(text("a"))))
    yield "complex of texts", checkpoint(call("builtins", "complex", text("1"), text("2")))
    yield "Counter of a tensor", checkpoint(call("collections", "Counter", tensor()))
    yield "encode to another encoding", checkpoint(call("_codecs", "encode", text("a"), text("rot13")))
    yield "encode what is no byte", checkpoint(call("_codecs", "encode", text("€"), text("latin1")))
    yield "OrderedDict with arguments", checkpoint(call("collections", "OrderedDict", b"]"))
    yield "another layout", checkpoint(call("torch.serialization", "_get_layout", text("torch.sparse_coo")))
    yield "a layout that is a tensor", checkpoint(call("torch.serialization", "_get_layout", tensor()))


def objects():
    """Parameters and tensors with attributes."""
    yield "a parameter of a list", checkpoint(parameter(b"]"))
    yield "a parameter of integers", checkpoint(parameter(tensor(of=storage("IntStorage"))))
    for attribute in ("_array", "__class__", "data", "grad", "shape", "backward", "a b", "_grad"):
        yield f"the attribute {attribute}", checkpoint(parameter(tensor(), more=[state(**{attribute: b"N"})]))
    yield "an attribute that is a list", checkpoint(parameter(tensor(), more=[state(a=b"]")]))
    yield "attributes that are a list", checkpoint(parameter(tensor(), more=[b"]"]))
    args = items(storage(), number(0), numbers([6]), numbers([1]), b"\x89", HOOKS)
    make = name("torch._utils", "_rebuild_tensor_v2")
    for why, parts in {
        "of another class": (make, name("torch", "Size"), args, state(a=b"N")),
        "made of a set": (name("builtins", "set"), name("torch", "Tensor"), b"]\x85", state(a=b"N")),
        "made by a tensor": (tensor(), name("torch", "Tensor"), args, state(a=b"N")),
        "made by itself": (
            name("torch._tensor", "_rebuild_from_type_v2"),
            name("torch", "Tensor"),
            args,
            state(a=b"N"),
        ),
    }.items():
        yield f"a tensor {why}", checkpoint(call("torch._tensor", "_rebuild_from_type_v2", *parts))


def archives():
    """Zip files that mean different things to different programs."""
    good = [("data.pkl", b"\x80\x02N."), ("byteorder", b"little"), ("version", b"3\n")]
    plain = archive(good)
    yield "two descriptions", archive([*good, ("data.pkl", b"\x80\x02\x88.")])
    yield "two roots", archive([("a/data.pkl", b"\x80\x02N."), ("b/data/0", b"")], root="")
    yield "no root", archive([("data.pkl", b"\x80\x02N.")], root="")
    for odd in ("../evil", "a/../../evil", "/evil", "a//b", "./a", "data\\0"):
        yield f"member {odd}", archive([*good, (odd, b"x")])
    yield "absolute member", archive([("/data.pkl", b"\x80\x02N.")], root="")
    yield "unknown record", archive([*good, ("evil.py", b"x")])
    yield "no description", archive(good[1:])
    yield "arrays", archive([("a.npy", b"")], root="x")
    yield "TorchScript", archive([*good, ("constants.pkl", b""), ("code/a.py", b"")])
    yield "version 99", archive([*good[:2], ("version", b"99\n")])
    yield "version of letters", archive([*good[:2], ("version", b"three\n")])
    yield (
        "a bomb",
        archive([("data.pkl", b"\x80\x02" + b"N0" * 5_000_000 + b"N.")], compression=zipfile.ZIP_DEFLATED),
    )
    yield "a bomb of bzip2", archive([("data.pkl", bytes(5_000_000))], compression=zipfile.ZIP_BZIP2)
    yield "a bomb beside", _with_deflated(good)
    yield "only an end", plain[-22:]
    yield "something before", b"PK\x03\x04" + plain
    yield "something after", plain + b"x"
    yield "a comment", _with_comment(plain)
    yield "another archive after", plain + plain
    yield "an archive in the comment", _with_comment(plain, plain)
    for at, why in {10: "entries", 12: "size", 16: "place", 4: "disk"}.items():
        yield f"end: {why}", plain[: -22 + at] + b"\x07" + plain[-22 + at + 1 :]
    where = plain.index(b"PK\x01\x02")
    for at, why in {
        8: "flags",
        10: "method",
        16: "checksum",
        20: "packed",
        24: "size",
        42: "place",
        46: "name",
        28: "name length",
        30: "extra length",
        32: "comment length",
        34: "disk",
    }.items():
        yield f"directory: {why}", plain[: where + at] + b"\x09" + plain[where + at + 1 :]
    for at, why in {
        0: "sign",
        6: "flags",
        8: "method",
        14: "checksum",
        18: "packed",
        22: "size",
        26: "name length",
        28: "extra length",
        30: "name",
    }.items():
        yield f"header: {why}", plain[:at] + b"\x09" + plain[at + 1 :]
    yield "overlapping members", _overlapping(plain)
    yield "a member in a member", _nested()
    yield "encrypted", plain[:6] + b"\x01" + plain[7 : where + 8] + b"\x01" + plain[where + 9 :]


def _with_comment(plain, comment=b"comment"):
    return plain[:-2] + struct.pack("<H", len(comment)) + comment


def _with_deflated(good):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name_, content in good:
            file.writestr(f"a/{name_}", content)
        file.writestr("a/data/0", bytes(10_000_000), compress_type=zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _overlapping(plain):
    """The second entry of the directory means the first member, under the name it has there."""
    first = plain.index(b"PK\x01\x02")
    entry = plain[first : plain.index(b"PK\x01\x02", first + 4)]
    entry = bytearray(entry)
    renamed = entry[:46] + b"archive/data/000"[: len(entry) - 46].ljust(len(entry) - 46, b"0")
    second = plain.index(b"PK\x01\x02", first + 4)
    end = len(plain) - 22
    rest = plain[second:end] + renamed
    size, count = len(entry) + len(rest), 4
    last = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, size, first, 0)
    return plain[:first] + bytes(entry) + rest + last


def _nested():
    """A record within another, so that two names stand for the same bytes."""
    inner = b"archive/data/1"
    content = b"abcd"
    check = zlib.crc32(content)
    header = struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 0, 0, 33, check, 4, 4, len(inner), 0) + inner
    plain = checkpoint(b"N", {"0": header + content})
    at, end = plain.index(header), plain.index(b"PK\x05\x06")
    fields = 20, 20, 0, 0, 0, 33, check, 4, 4, len(inner), 0, 0, 0, 0, 0, at
    entry = struct.pack("<4s6H3I5H2I", b"PK\x01\x02", *fields) + inner
    size, begin = struct.unpack_from("<2I", plain, end + 12)
    last = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 5, 5, size + len(entry), begin, 0)
    return plain[:end] + entry + last


def other_files():
    """Files of other kinds."""
    array = io.BytesIO()
    np.save(array, np.ones(2))
    arrays = io.BytesIO()
    np.savez(arrays, a=np.ones(2))
    yield "empty file", b""
    yield "one byte", b"P"
    yield "zip sign only", b"PK\x03\x04"
    yield "npy", array.getvalue()
    yield "npz", arrays.getvalue()
    yield "web page", b"<!DOCTYPE html><html></html>"
    yield "git lfs", b"version https://git-lfs.github.com/spec/v1\n"
    yield "hdf5", b"\x89HDF\r\n\x1a\n" + bytes(100)
    yield "gzip", b"\x1f\x8b" + bytes(100)
    yield "tar", bytes(257) + b"ustar" + bytes(300)
    yield "zeros", bytes(1000)
    yield "text", b"hello, this is no checkpoint at all"
    yield "safetensors cut off", b"\x40" + bytes(7) + b'{"a":'
    yield "safetensors with a huge header", b"\xff" * 8 + b"{}"
    yield "safetensors out of bounds", _safetensors(b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}')
    yield (
        "safetensors of float8",
        _safetensors(b'{"a":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}}') + bytes(4),
    )


def _safetensors(header):
    return struct.pack("<Q", len(header)) + header


ATTACKS = {
    f"{group.__name__}: {title}": content
    for group in (
        calls,
        instructions,
        shape_of_the_program,
        copies,
        storages,
        tensors,
        objects,
        archives,
        other_files,
    )
    for title, content in group()
}
