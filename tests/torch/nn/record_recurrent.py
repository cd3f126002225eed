"""Write down what PyTorch computes for ``recurrent_cases``: ``python -m tests.torch.nn.record_recurrent``."""

import json
import pathlib

import torch

from .recurrent_cases import CASES, measured

found = {name: measured(torch, case) for name, case in CASES.items()}
path = pathlib.Path(__file__).parent / "recorded" / "recurrent.json"
path.parent.mkdir(exist_ok=True)
path.write_text(json.dumps({"torch": torch.__version__, "cases": found}, indent=0) + "\n")
