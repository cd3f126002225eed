"""Writes recorded/* with PyTorch: ``python tests/torch/serialization/record_checkpoints.py``.

The tests read the files without PyTorch, and compare with what PyTorch says is in them.
"""

import json
import pathlib
import sys
from collections import Counter, OrderedDict

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from describing import described

RECORDED = pathlib.Path(__file__).parent / "recorded"
DTYPES = """float16 bfloat16 float32 float64 complex64 complex128 bool
    uint8 uint16 uint32 uint64 int8 int16 int32 int64""".split()


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.Flatten(), torch.nn.Linear(2, 3)
    )


def trained(optimizer, **options):
    model = network()
    steps = optimizer(model.parameters(), **options)
    for _ in range(2):
        steps.zero_grad()
        model(torch.randn(4, 1, 3, 3)).square().sum().backward()
        steps.step()
    return model, steps


def views():
    base = torch.arange(12.0).reshape(3, 4)
    flat = torch.arange(6)
    return {
        "base": base,
        "transposed": base.t(),
        "row": base[1],
        "column": base[:, 2],
        "every other": base[:, ::2],
        "expanded": torch.ones(1).expand(5),
        "permuted": torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1),
        "same": base,
        "flat": flat,
        "two": [flat[:2], flat[1:3]],
        "single": base[1:2, 2:3],
        "number": base[2, 3],
    }


def special():
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.partition = 3
    tensor = torch.zeros(2)
    tensor.note = "kept"
    return {
        "parameter": torch.nn.Parameter(torch.ones(2, 2)),
        "frozen": torch.nn.Parameter(torch.ones(2), requires_grad=False),
        "with state": parameter,
        "tensor with state": tensor,
        "leaf": torch.ones(2, requires_grad=True),
        "result": torch.ones(2, requires_grad=True) * 2,
        "empty": torch.empty(0, 3),
        "scalar": torch.tensor(2.5),
        "conj": torch.tensor([1 + 2j, 3 - 1j]).conj(),
        "imag of conj": torch.tensor([1 + 2j, 3 - 1j]).conj().imag,
    }


def plain():
    shared = [1, 2]
    return {
        "numbers": [
            0,
            255,
            256,
            65535,
            65536,
            -1,
            -(2**31),
            2**31,
            2**70,
            -(2**70),
            0.5,
            float("inf"),
            1 + 2j,
        ],
        "texts": ["", "é", "x" * 300, b"", b"\x00\xff", bytearray(b"xyz")],
        "constants": [None, True, False, torch.float32, torch.int8, torch.device("cpu"), torch.strided],
        "containers": [
            [],
            (),
            {},
            {1, 2},
            (1,),
            (1, 2),
            (1, 2, 3),
            (1, 2, 3, 4),
            OrderedDict(a=1),
            Counter("aab"),
        ],
        "size": torch.Size([2, 3]),
        "shared": [shared, shared],
        7: "int key",
        (1, "a"): "tuple key",
        None: 0,
        "long": list(range(2500)),
        "many": {str(i): i for i in range(300)},
    }


def checkpoints():
    model, adam = trained(torch.optim.Adam, lr=0.01)
    other, sgd = trained(torch.optim.SGD, lr=0.1, momentum=0.9)
    return {
        "state_dict": network().state_dict(),
        "checkpoint": {
            "model": model.state_dict(),
            "optimizer": adam.state_dict(),
            "epoch": 3,
            "args": {"lr": 0.01},
        },
        "sgd": [other.state_dict(), sgd.state_dict()],
        "dtypes": {name: torch.arange(4).to(getattr(torch, name)) for name in DTYPES},
        "views": views(),
        "special": special(),
        "plain": plain(),
        "tensor": torch.arange(3.0),
    }


def others():
    """Files that are refused."""
    torch.save({"w": torch.ones(2)}, RECORDED / "legacy.pth", _use_new_zipfile_serialization=False)
    torch.jit.script(torch.nn.Linear(1, 1)).save(RECORDED / "script.pt")
    torch.save({"w": torch.eye(2).to_sparse()}, RECORDED / "sparse.pth")
    torch.save(
        {"w": torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)}, RECORDED / "quantised.pth"
    )
    torch.save({"w": torch.ones(2).to(torch.float8_e4m3fn)}, RECORDED / "float8.pth")
    torch.save({"acc": torch.ones(2).numpy()[0]}, RECORDED / "numpy_number.pth")
    torch.save(torch.nn.Linear(1, 1), RECORDED / "module.pth")
    torch.save({"w": torch.ones(2)}, RECORDED / "protocol4.pth", pickle_protocol=4)


def main():
    RECORDED.mkdir(exist_ok=True)
    expected = {}
    for name, obj in checkpoints().items():
        torch.save(obj, RECORDED / f"{name}.pth")
        expected[name] = described(obj)
    torch.save(checkpoints()["views"], RECORDED / "no_byteorder.pth", _disable_byteorder_record=True)
    torch.serialization.set_crc32_options(False)
    torch.save(checkpoints()["views"], RECORDED / "no_checksums.pth")
    torch.serialization.set_crc32_options(True)
    expected["no_byteorder"] = expected["no_checksums"] = expected["views"]
    others()
    (RECORDED / "expected.json").write_text(json.dumps(expected, indent=0) + "\n")


if __name__ == "__main__":
    main()
