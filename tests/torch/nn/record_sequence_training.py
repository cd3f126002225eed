"""Write down how PyTorch trains: ``python -m tests.torch.nn.record_sequence_training``."""

import json
import pathlib

import torch

from .sequence_training import BOUNDS, NETWORKS, OPTIMISERS, trained

found = {
    f"{network} {optimiser} {dtype}": trained(torch, network, optimiser, dtype)
    for network in NETWORKS
    for optimiser in OPTIMISERS
    for dtype in BOUNDS
}
path = pathlib.Path(__file__).parent / "recorded" / "sequence_training.json"
path.write_text(json.dumps({"torch": torch.__version__, "runs": found}) + "\n")
