"""What do PyTorch's layers and losses say? Written into recorded/messages.json.

python -m tests.torch.nn.record_messages
"""

import json
from pathlib import Path

import torch

from tests.torch.nn.message_cases import outcome

FILE = Path(__file__).parent / "recorded" / "messages.json"


def main() -> None:
    found = outcome(torch)
    FILE.write_text(json.dumps(found, indent=1) + "\n")
    print(f"{len(found)} messages recorded with PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
