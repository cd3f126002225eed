"""What is a structured array from outside? An object that holds an array for each field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...rules.structured import classes
from ..ir.ops import Lit
from .context import Context
from .guards import Guard, Path
from .store.outer_stores import BEFORE
from .values import Dct, Obj

if TYPE_CHECKING:
    from .inputs import Inputs


def outside_records(cx: Context, inputs: Inputs, value: Any, path: Path) -> Obj:
    """The abstract object of an array without numbers; the fields are read at every call."""
    if type(value) is not np.ndarray or value.dtype.names is None or not value.ndim:
        raise cx.unsupported(
            f"`{path}`, which is of dtype {value.dtype}", "it holds no numbers", "use a numeric dtype"
        )
    inputs.guards.add(Guard.value(path.attribute("dtype"), value.dtype))
    inputs.guards.add(Guard.value(path.attribute("ndim"), value.ndim))
    names = value.dtype.names
    fields = Dct({name: inputs.load(cx, value[name], path.item(name)) for name in names}, serial=BEFORE)
    held = {"fields": fields, "dtype": Lit(value.dtype), "ndim": Lit(value.ndim)}
    inputs.captured[path] = found = Obj(classes[0], held, serial=BEFORE)
    inputs.name(value, path)
    return found
