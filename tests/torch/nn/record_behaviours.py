"""What do PyTorch's modules do? Written into recorded/behaviours.json.

python -m tests.torch.nn.record_behaviours
"""

import json
import warnings

import torch

from tests.torch.nn import (  # noqa: F401
    container_cases,
    hook_cases,
    module_cases,
    odd_cases,
    parametrization_cases,
    utils_cases,
)
from tests.torch.nn.behaviours import CASES, FILE, outcome


def main() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: outcome(name, torch) for name in CASES}
    lines = [f"{json.dumps(name)}: {json.dumps(texts, indent=1)}" for name, texts in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(found)} cases recorded with PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
