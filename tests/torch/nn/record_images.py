"""Write down what PyTorch computes for ``image_cases``: ``python -m tests.torch.nn.record_images``."""

import json
import pathlib
import warnings

import torch

from .image_cases import CASES, outcome
from .image_layers import BOUNDS, NAMES, outcome as layer_outcome

warnings.simplefilter("ignore")
found = {name: outcome(torch, name) for name in CASES}
lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items()]
path = pathlib.Path(__file__).parent / "recorded" / "images.json"
path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
print(f"{len(found)} cases recorded with PyTorch {torch.__version__}")

layers = {
    f"{NAMES[i]} {dtype}": layer_outcome(torch, i, dtype) for i in range(len(NAMES)) for dtype in BOUNDS
}
lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in layers.items()]
path.with_name("image_layers.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
print(f"{len(layers)} layers")
