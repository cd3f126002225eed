"""What does PyTorch's training run give? Written into recorded/trajectories.json.

python -m tests.torch.nn.record_trajectories
"""

import json

import torch

from tests.torch.nn.trajectories import BOUNDS, FILE, SIZES, trained


def main() -> None:
    found = {f"{name} {dtype}": trained(torch, name, dtype) for name in SIZES for dtype in BOUNDS}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(found)} runs recorded with PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
