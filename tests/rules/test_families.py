"""Does a file of samples, where it is named, have the conformance tests of its own samples alone?"""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from sample import all_samples, name, samples_of


def test_a_family_alone():
    path = Path(__file__).with_name("samples_masked.py")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=path.parents[2])
    found = [line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line]
    samples = [f"{name(fn)}-{i}" for fn, some in samples_of(path.stem).items() for i in range(len(some))]
    assert {test for test in found if test.startswith("test_rule")} == {f"test_rule[{id}]" for id in samples}
    assert {test.partition("[")[0] for test in found} == {
        "test_rule", "test_adjoints", "test_float32_stays", "test_lengths", "test_tangents",
    }  # fmt: skip
    assert len(found) <= 6 * len(samples) < sum(map(len, all_samples().values()))
