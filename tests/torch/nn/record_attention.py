"""Write down what PyTorch computes for ``attention_cases``: ``python -m tests.torch.nn.record_attention``."""

import json
import pathlib

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from .attention_cases import CASES, measured

with sdpa_kernel(SDPBackend.MATH):  # which can be differentiated twice
    found = {name: measured(torch, name) for name in CASES}
path = pathlib.Path(__file__).parent / "recorded" / "attention.json"
path.write_text(json.dumps({"torch": torch.__version__, "cases": found}, indent=0) + "\n")
