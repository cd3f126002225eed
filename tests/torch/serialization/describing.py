"""What is in a checkpoint, in words that two libraries share? Lists and texts, which JSON can keep."""

from collections import Counter, OrderedDict


def described(obj):
    """An object as lists and texts: types, shapes, strides, values; the same for PyTorch's and ours."""
    if hasattr(obj, "storage_offset"):
        return described_tensor(obj)
    if isinstance(obj, (dict, OrderedDict, Counter)):
        items = [[described(key), described(value)] for key, value in obj.items()]
        metadata = getattr(obj, "_metadata", None)
        return [type(obj).__name__, items, metadata and described(metadata)]
    if type(obj) in (list, tuple) or type(obj).__name__ == "Size":
        return [type(obj).__name__, [described(each) for each in obj]]
    if type(obj) is set:
        return ["set", sorted(map(described, obj))]
    return f"{type(obj).__name__} {obj!r}"


def described_tensor(t):
    values = t.detach()
    dtype = str(t.dtype)
    if dtype == "torch.bfloat16":
        dtype, values = "torch.float32", values.float()
    if "complex" in dtype and not hasattr(t, "_array"):
        values = values.resolve_conj().resolve_neg()
    own = {name: value for name, value in getattr(t, "__dict__", {}).items() if not name.startswith("_")}
    return {
        "class": type(t).__name__,
        "dtype": dtype,
        "shape": list(t.shape),
        "strides": list(t.stride()) if t.numel() else None,
        "requires_grad": t.requires_grad,
        "values": repr(values.tolist()),
        "attributes": described(own),
    }
