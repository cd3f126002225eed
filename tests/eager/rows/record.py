"""What does PyTorch show? Runs every case with PyTorch and writes ``expected.json``.

python -m tests.eager.rows.record
"""

import json
import pathlib
import sys
from typing import Any

from tests.eager.rows.case import all_cases, observe

EXPECTED = pathlib.Path(__file__).with_name("expected.json")


def doubts(observed: Any) -> list[str]:
    """The parts of messages that PyTorch does not write: mistakes of the case itself."""
    if isinstance(observed, dict):
        missing = [part for part, there in observed.get("has", {}).items() if not there]
        said = [f"{part!r} is not in {observed.get('says')!r}" for part in missing]
        if "raises" in observed and observed["raises"] is None:
            said.append(f"nothing raised: {observed}")
        return said + [line for item in observed.values() for line in doubts(item)]
    if isinstance(observed, list):
        return [line for item in observed for line in doubts(item)]
    return []


def main() -> int:
    import torch

    expected, bad = {}, 0
    for name, case in all_cases().items():
        try:
            first, second = observe(torch, case), observe(torch, case)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}")
            bad += 1
            continue
        for line in doubts(first):
            print(f"{name}: {line}")
            bad += 1
        if json.dumps(first) != json.dumps(second):
            print(f"{name}: differs from run to run")
            bad += 1
        expected[name] = first
    lines = [f"{json.dumps(name)}: {json.dumps(seen, ensure_ascii=False)}" for name, seen in expected.items()]
    EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(expected)} cases recorded with PyTorch {torch.__version__}, {bad} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
