"""Writes docs/walkthrough.md: one function, followed through every stage of the compiler.

python docs/make_walkthrough.py           # rewrites the page
python docs/make_walkthrough.py --check   # exit status 1 if the page is not what the code produces
"""

import inspect
import pathlib
import sys

import numpy as np

import ast_ad

PAGE = pathlib.Path(__file__).parent / "walkthrough.md"


def smooth(x, rate, steps):
    t = x.copy()
    for _ in range(steps):
        t[1:-1] += rate * (t[2:] - 2 * t[1:-1] + t[:-2])
    return np.sum(t**2)


ARGS = (np.array([0.0, 1.0, 4.0, 9.0, 16.0]), 0.1, 3)

TEMPLATE = """\
# One function, stage by stage

Written by `docs/make_walkthrough.py` from what the compiler produces; do not edit.

## 1. The user's function

It diffuses heat along a rod. The array is changed in place, through slices that overlap.

```python
{source}
```

## 2. The static tape

The front end has read the source for an array, a float and an int. Nothing is changed in place any more: the
store is a `setitem` that makes the next version of `t`, and the loop carries it. `?` stands for a length that
is not known before the call.

```
{ir}
```

## 3. The adjoint

The tape, followed by the reverse program, which walks it backwards. That is made of the same operations, from
the derivative rules of those above, so it could be differentiated again. The reverse of a `setitem` splits
the cotangent: what was overwritten receives zero, what was written receives the rest.

```
{adjoint}
```

## 4. The generated source

Names are the user's, `x_bar` is the cotangent of `x`, and writes in place are back wherever the old value is
dead.

```python
{generated}
```

## 5. The numbers

```
{numbers}
```
"""


def page() -> str:
    compiled = ast_ad.inspect(smooth, *ARGS)
    value, gradient = compiled(*ARGS)
    return TEMPLATE.format(
        source=inspect.getsource(smooth).strip(),
        ir=compiled.ir.strip(),
        adjoint=compiled.adjoint_ir.strip(),
        generated=compiled.source.strip(),
        numbers=f"value     {value!r}\ngradient  {gradient!r}",
    )


def main() -> int:
    text = page()
    if "--check" in sys.argv:
        return int(text != PAGE.read_text())
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
