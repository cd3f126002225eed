"""Which programs must keep their meaning? Random ones over views, writes, lists, branches and loops."""

import operator

import numpy as np

from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.ops import Block, For, Function, If, Lit, Op, Seq, Slice, Var, While
from ast_ad.compiler.ir.types import Array, Dim, ListOf, Scalar
from ast_ad.rules import containers, helpers

N, M = 6, 3
LONG = Array(np.dtype(float), (Dim.symbol("n", True),))
SHORT = Array(np.dtype(float), (Dim.symbol("m", True),))
NUMBER, INDEX, BOOL, LIST = Scalar("float"), Scalar("int"), Scalar("bool"), ListOf(LONG)
NONE = Lit(None)


def may_return_its_argument(a, b):
    """An opaque function."""
    return a if b[0] > 0 else b


class Generator:
    """Programs from a random number generator; ``scope`` holds the visible Vars by type."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.scope = []
        self.count = 0

    def function(self, size=12):
        params = tuple(Var(t, f"p{i}") for i, t in enumerate((LONG, LONG, SHORT, NUMBER, LIST)))
        self.scope = list(params)
        body = self.block(size, depth=0)
        results = [self.pick(t) for t in (LONG, LONG, SHORT, NUMBER, LIST)]
        body.results = tuple(results[: self.rng.integers(1, 6)])
        if self.rng.random() < 0.5:
            body.results += (Seq((self.pick(LONG), self.pick(LIST), NONE)),)
        return Function("f", params, body)

    def var(self, type):
        hints = {LONG: "abx", SHORT: "uv", NUMBER: "st", LIST: "l"}.get(type, "i")
        hint = None if self.rng.random() < 0.4 else str(self.rng.choice(list(hints)))
        return Var(type, hint)

    def pick(self, type):
        fits = [v for v in self.scope if v.type == type]
        recent = fits[-4:] if self.rng.random() < 0.7 else fits
        return recent[self.rng.integers(len(recent))]

    def block(self, size, depth):
        block = Block()
        for _ in range(size):
            kind = self.rng.random()
            if depth < 2 and kind < 0.06:
                op = self.branch(depth)
            elif depth < 2 and kind < 0.14:
                op = self.loop(depth)
            elif depth < 2 and kind < 0.17:
                op = self.while_loop(depth)
            else:
                op = self.op()
            block.ops.append(op)
            self.scope += op.outs
        return block

    def part(self):
        """A basic index of length M."""
        start = int(self.rng.integers(0, N - M + 1))
        return (
            Slice(Lit(start), Lit(start + M), NONE)
            if self.rng.random() < 0.7
            else Slice(Lit(-1), NONE, Lit(-2))
        )

    def place(self):
        return Lit(int(self.rng.integers(-N, N)))

    def op(self):
        a, b, u, v, s, xs = (self.pick(t) for t in (LONG, LONG, SHORT, SHORT, NUMBER, LIST))
        repeating = Lit(np.array([0, 2, 2]))
        choices = [
            (np.sin, (a,), LONG),
            (operator.add, (a, b), LONG),
            (operator.sub, (u, v), SHORT),
            (operator.mul, (a, s), LONG),
            (operator.mul, (s, Lit(-0.5)), NUMBER),
            (operator.add, (s, Lit(2.0)), NUMBER),
            (operator.getitem, (a, self.part()), SHORT),
            (operator.getitem, (a, self.part()), SHORT),
            (operator.getitem, (a, Slice(NONE, NONE, Lit(-1))), LONG),
            (operator.getitem, (a, self.place()), NUMBER),
            (operator.getitem, (a, repeating), SHORT),
            (helpers.setitem, (a, self.part(), u), LONG),
            (helpers.setitem, (a, self.part(), u), LONG),
            (helpers.setitem, (a, self.part(), s), LONG),
            (helpers.setitem, (a, self.place(), s), LONG),
            (helpers.setitem, (a, repeating, u), LONG),
            (helpers.add_at, (a, self.part(), u), LONG),
            (helpers.add_at, (a, self.place(), s), LONG),
            (helpers.add_at, (a, repeating, u), LONG),
            (helpers.unbroadcast, (a, b), LONG),
            (helpers.broadcast_like, (s, b), LONG),
            (np.zeros_like, (a,), LONG),
            (np.reshape, (a, Lit(-1)), LONG),
            (may_return_its_argument, (a, b), LONG),
            (np.sum, (a,), NUMBER),
            (builtin.assign, (a,), LONG),
            (containers.list_append, (xs, a), LIST),
            (containers.list_append, (xs, a), LIST),
            (containers.list_get, (xs, Lit(-1)), LONG),
            (containers.list_set, (xs, Lit(0), a), LIST),
            (containers.list_add_at, (xs, Lit(0), a), LIST),
            (containers.list_concat, (xs, self.pick(LIST)), LIST),
            (builtin.make_list, (a, b), LIST),
        ]
        fn, args, type = choices[self.rng.integers(len(choices))]
        adjoint = bool(self.rng.random() < 0.5)
        return Op(fn, args, (self.var(type),), adjoint=adjoint)

    def nested(self, depth, results, bound=()):
        """A block whose results have the given types; what it defines is not visible outside."""
        outer, self.scope = self.scope, [*self.scope, *bound]
        block = self.block(int(self.rng.integers(1, 6)), depth + 1)
        block.results = tuple(self.pick(t) for t in results)
        return block, outer

    def carried(self):
        types = [t for t in (LONG, LONG, SHORT, NUMBER, LIST) if self.rng.random() < 0.6]
        return types

    def branch(self, depth):
        types = self.carried() or [LONG]
        cond, test = self.var(BOOL), self.pick(NUMBER)
        then, self.scope = self.nested(depth, types)
        orelse, self.scope = self.nested(depth, types)
        if self.rng.random() < 0.3:
            orelse = Block(
                [], orelse.results if all(r in self.scope for r in orelse.results) else then.results
            )
            orelse.results = tuple(self.pick(t) for t in types)
        outs = tuple(self.var(t) for t in types)
        del cond
        return If(test, then, orelse, outs)

    def loop(self, depth):
        types = self.carried()
        index, params = Var(INDEX, "i"), tuple(self.var(t) for t in types)
        inits = tuple(self.pick(t) for t in types)
        items = ()
        bound = list(params)
        if self.rng.random() < 0.4:
            element = self.var(LONG)
            items = ((self.pick(LIST), (element,)),)
            bound.append(element)
        body, self.scope = self.nested(depth, types, bound)
        stops = bool(self.rng.random() < 0.3)
        if stops:
            flag, numbers = Var(BOOL, None), [v for v in (*params, *self.scope) if v.type == NUMBER]
            body.ops.append(Op(operator.gt, (numbers[0], Lit(0.5)), (flag,)))
            body.results = (flag, *body.results)
        bounds = (Lit(0), Lit(int(self.rng.integers(0, 4))), Lit(1))
        reverse = bool(self.rng.random() < 0.4) and not items
        if items and self.rng.random() < 0.5:
            bounds, reverse = None, bool(self.rng.random() < 0.5)
        outs = tuple(self.var(t) for t in types)
        return For(index, bounds, items, params, inits, body, outs, reverse, stops)

    def while_loop(self, depth):
        types = [INDEX, *self.carried()]
        params = tuple(self.var(t) for t in types)
        inits = (Lit(0), *(self.pick(t) for t in types[1:]))
        cond = Var(BOOL)
        test = Block([Op(operator.lt, (params[0], Lit(int(self.rng.integers(0, 3)))), (cond,))], (cond,))
        body, self.scope = self.nested(depth, types[1:], params)
        following = self.var(INDEX)
        body.ops.append(Op(operator.add, (params[0], Lit(1)), (following,)))
        body.results = (following, *body.results)
        return While(params, inits, test, body, tuple(self.var(t) for t in types))


def arguments(seed):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=N),
        rng.normal(size=N),
        rng.normal(size=M),
        float(rng.normal()),
        [rng.normal(size=N), rng.normal(size=N)],
    )
