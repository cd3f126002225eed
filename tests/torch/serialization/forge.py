"""How are checkpoints made that no program would write? From their instructions, and from zip records."""

import io
import struct
import warnings
import zipfile

import numpy as np


def archive(records, root="archive", compression=zipfile.ZIP_STORED):
    """A zip file of records: pairs of names and bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that occur twice
        for name, content in records:
            info = zipfile.ZipInfo(f"{root}/{name}" if root else name)
            file.writestr(info, content, compress_type=compression)
    return out.getvalue()


def checkpoint(body, storages=None, order=b"little", more=()):
    """A checkpoint whose description is ``body`` between PROTO and STOP."""
    if storages is None:
        storages = {"0": np.arange(6, dtype=np.float32).tobytes()}
    records = [("data.pkl", b"\x80\x02" + body + b"."), ("byteorder", order), ("version", b"3\n")]
    return archive([*records, *((f"data/{key}", content) for key, content in storages.items()), *more])


# ----- instructions


def name(module, name):
    return f"c{module}\n{name}\n".encode()


def text(value):
    encoded = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(encoded)) + encoded


def number(value):
    if isinstance(value, bool):
        return b"\x88" if value else b"\x89"
    if isinstance(value, float):
        return b"G" + struct.pack(">d", value)
    if -(1 << 31) <= value < 1 << 31:
        return b"J" + struct.pack("<i", value)
    length = value.bit_length() // 8 + 1
    return b"\x8a" + bytes([length]) + value.to_bytes(length, "little", signed=True)


def items(*parts):
    return b"(" + b"".join(parts) + b"t"


def numbers(values):
    return items(*map(number, values))


def call(module, function, *args):
    return name(module, function) + items(*args) + b"R"


def storage(kind="FloatStorage", key="0", count=6, location="cpu", module="torch", word="storage"):
    parts = [text(word), name(module, kind), text(key), text(location), number(count)]
    return items(*parts) + b"Q"


HOOKS = name("collections", "OrderedDict") + b")R"


def tensor(offset=0, size=(2, 3), stride=(3, 1), of=None, requires_grad=False, hooks=HOOKS, more=()):
    of = storage() if of is None else of
    args = [of, number(offset), numbers(size), numbers(stride), number(requires_grad), hooks, *more]
    return call("torch._utils", "_rebuild_tensor_v2", *args)


def tensor3(dtype, offset=0, size=(2, 3), stride=(3, 1), of=None):
    of = storage("UntypedStorage", count=24, module="torch.storage") if of is None else of
    args = [of, number(offset), numbers(size), numbers(stride), number(False), HOOKS, name("torch", dtype)]
    return call("torch._utils", "_rebuild_tensor_v3", *args)


def parameter(data, requires_grad=True, more=()):
    function = "_rebuild_parameter_with_state" if more else "_rebuild_parameter"
    return call("torch._utils", function, data, number(requires_grad), HOOKS, *more)


def state(**attributes):
    return b"}(" + b"".join(text(k) + v for k, v in attributes.items()) + b"u"
