"""What do PyTorch's layers and losses give? Written into recorded/layers.json.

python -m tests.torch.nn.record_layers
"""

import json
import warnings
from pathlib import Path

import torch

from tests.torch.nn.layer_cases import ALIGNED, CASES, IN_PLACE, POINTS, key, outcome

FILE = Path(__file__).parent / "recorded" / "layers.json"


def main() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found = {key(*case): outcome(torch, *case) for case in [*CASES, *ALIGNED]}
    for name in IN_PLACE:
        found[key(name, [POINTS], {}, True)] = outcome(torch, name, [POINTS], {}, True)
    lines = [f"{json.dumps(name)}: {json.dumps(record)}" for name, record in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(found)} cases recorded with PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
