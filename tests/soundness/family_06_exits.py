"""Exceptions that the function catches itself, and `finally` that is left another way.

All must be right; where no exception can be told before it comes up, traced is enough.
"""

import math

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])


@program(FOUR, later=[(-FOUR,), (FOUR * 2,)])
def raised_and_caught(x):
    y = x[0]
    try:
        y = y * 2.0
        if x[1] > 0.0:
            raise ValueError("no")
        y = y * x[2]
    except ValueError:
        y = y + x[3]
    else:
        y = y * x[3]
    return y * x[0]


@program(FOUR, later=[(-FOUR,)])
def asserted(x):
    y = x[0]
    try:
        y = y * 3.0
        assert x[1] > 0.0
        y = y * x[2]
        assert x[2] > 0.0, "positive"
        y = y * x[3]
    except AssertionError:
        y = y - x[3]
    return y * x[0]


@program(FOUR, 3, later=[(FOUR * 3, 4), (-FOUR, 0)])
def in_a_loop(x, n):
    total = 0.0
    for i in range(n):
        try:
            if x[i] > 1.0:
                raise StopIteration
            total = total + x[i] * x[i]
            if x[i] < -2.0:
                break
        except StopIteration:
            total = total * 2.0
            continue
        finally:
            total = total + 0.5
        total = total * x[0]
    return total


@program(FOUR, later=[(FOUR * 3,), (FOUR * 0.1,)])
def out_of_two_loops(x):
    total = 1.0
    try:
        for a in x:
            for b in x:
                total = total + a * b
                if total > 3.0:
                    raise StopIteration("enough")
            total = total * 1.1
    except (KeyError, StopIteration):
        total = total * x[0]
    return total


@program(FOUR, later=[(-FOUR,), (FOUR * 2,), (FOUR * 0.1,)])
def which_handler(x):
    y = x[3]
    try:
        if x[0] > 0.5:
            raise KeyError("a")
        if x[1] > 0.5:
            raise IndexError
        if x[2] < 0.5:
            raise ValueError
        y = y * 2.0
    except LookupError:
        y = y * x[0]
    except (ValueError, TypeError):
        y = y * x[1]
    return y + x[2]


@program(FOUR, later=[(-FOUR,), (FOUR * 2,)])
def through_an_inner_try(x):
    y = x[3]
    log = [0.0]
    try:
        try:
            if x[0] > 0.5:
                raise KeyError
            if x[1] > 0.5:
                raise ValueError
            y = y * 2.0
        except ValueError:
            y = y * x[1]
        finally:
            log.append(y)
        y = y * x[2]
    except KeyError:
        y = y * x[0] * 5.0
    return y + sum(log) * len(log)


@program(FOUR, later=[(-FOUR,), (FOUR * 2,)])
def raised_in_a_handler(x):
    y = x[3]
    try:
        try:
            if x[0] < 0.5:
                raise KeyError
            y = y * 2.0
        except KeyError:
            y = y * x[1]
            if x[2] > 0.0:
                raise ValueError from None
            y = y * 3.0
    except ValueError:
        y = y * x[0] * 5.0
    return y


@program(FOUR, later=[(-FOUR,), (FOUR * 2,)], compiled=False)
def raised_in_a_callee(x):
    def part(v):
        if v > 1.0:
            raise ValueError("large")
        return v * v

    total = 0.0
    for v in x:
        try:
            total = total + part(v)
        except ValueError:
            total = total * 2.0
    return total


@program(FOUR, later=[(-FOUR,)], compiled=False)
def not_caught_here(x):
    y = x[0]
    try:
        if x[1] > 0.0:
            raise KeyError("a")
        y = y * 2.0
    except ValueError:
        y = y * 3.0
    return y


@program(FOUR, later=[(-FOUR,)], compiled=False)
def what_the_exception_holds(x):
    y = x[0]
    try:
        if x[1] > 0.0:
            raise ValueError(2.0)
        y = y * 2.0
    except ValueError as error:
        y = y * error.args[0] * x[1]
    return y


@program(FOUR, later=[(-FOUR,)])
def a_name_for_the_exception(x):
    error = x[3]
    y = x[0] * error
    try:
        if x[1] > 0.0:
            raise ValueError(2.0)
        y = y * 2.0
    except ValueError as error:
        y = y * x[1]
    return y


@program(FOUR, later=[(-FOUR,)], compiled=False)
def raised_again(x):
    y = x[0]
    try:
        try:
            if x[1] > 0.0:
                raise ValueError
            y = y * 2.0
        except ValueError:
            y = y * 5.0
            raise
    except ValueError:
        y = y * x[1]
    return y


@program(FOUR, 2, later=[(FOUR, 9), (-FOUR, 1)], compiled=False)
def some_can_be_told_and_some_not(x, k):
    y = x[0]
    try:
        if x[1] > 0.0:
            raise IndexError
        y = y * 2.0
        y = y * x[k]
    except IndexError:
        y = y * 7.0
    return y


@program(FOUR, later=[(-FOUR,), (FOUR * 2,)])
def bound_before_it_was_raised(x):
    try:
        y = x[0] * 2.0
        if x[1] > 0.0:
            raise ValueError
        z = x[2]
    except ValueError:
        z = y * 3.0
    return z * y


@program(FOUR, later=[(-FOUR,)], compiled=False)
def not_bound_before_it_was_raised(x):
    try:
        if x[1] > 0.0:
            raise ValueError
        z = x[2]
    except ValueError:
        pass
    return z * x[0]


@program(FOUR, later=[(-FOUR,)])
def arrays_written_before(x):
    a = x.copy()
    b = a[1:]
    try:
        a[0] = 5.0
        b *= 2.0
        if x[1] > 0.0:
            raise ValueError
        a = a * 2.0
        b[0] = 1.0
    except ValueError:
        b[1] = x[0]
    return np.sum(a * x) + np.sum(b)


@program(FOUR, later=[(-FOUR,), (FOUR * 2,)])
def returned_from_try_and_handler(x):
    def run(v):
        try:
            if v > 1.0:
                raise ValueError
            if v < 0.0:
                return v * v
            v = v * 2.0
        except ValueError:
            return v * 3.0
        else:
            v = v + 1.0
        finally:
            log.append(v)
        return v

    log = []
    return sum([run(v) for v in x]) * sum(log)


@program(FOUR, later=[(-FOUR,)])
def raised_without_end(x):
    y = x[0]
    n = 0
    try:
        while True:
            y = y * 0.5 + x[1] * 0.1
            n += 1
            if abs(y) < 0.2 or n > 5:
                raise StopIteration
    except StopIteration:
        y = y * n
    return y


@program(FOUR, later=[(-FOUR,), (FOUR * 2,)])
def within_a_generator_and_around(x):
    def items():
        for v in x:
            yield v * 1.5

    total = 0.0
    try:
        for v in items():
            if v > 1.0:
                raise ValueError
            total += v * v
    except ValueError:
        total = total * 3.0
    return total


@program(FOUR, later=[(-FOUR,)], compiled=False)
def within_a_context(x):
    class Swallows:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, trace):
            log.append(1.0 if kind is None else 2.0)
            return kind is ValueError

    log = []
    y = x[0]
    try:
        with Swallows():
            if x[1] > 0.0:
                raise ValueError
            y = y * 2.0
    except ValueError:
        y = y * 100.0
    return y * sum(log)


@program(FOUR, 1, later=[(FOUR, 2), (FOUR, 5)])
def returned_from_finally(x, k):
    def run(a):
        try:
            return a * 3.0
        finally:
            if k > 1:
                return a * a

    return run(x[0]) * run(x[1]) + x[2]


@program(FOUR, 1, later=[(FOUR * 2, 2), (-FOUR, 0)])
def left_by_finally(x, k):
    t = 1.0
    for i in range(4):
        try:
            if x[i] > 1.0:
                continue
            if x[i] < -1.5:
                raise ValueError
            t = t + x[i]
        except ValueError:
            t = t * 5.0
        finally:
            t = t * 0.9
            if i > 2 - k:
                break
        t = t * 2.0
    return t * x[0]


@program(FOUR, 1, later=[(FOUR, 9)], compiled=False)
def finally_swallows(x, k):
    def run():
        y = x[0]
        try:
            y = y * [x[1], x[2]][k]
        finally:
            return y * x[3]

    return run()


@program(FOUR, 2, later=[(FOUR, 9), (FOUR, -5), (-FOUR, -4), (FOUR, 4)])
def item_out_of_range(x, k):
    y = x[0]
    items = [x[0], x[1] * 2, x[2], 3.0]
    try:
        y = y * x[k] + 1.0
        y = y * items[k]
    except IndexError:
        y = y * x[3]
    return y


@program(FOUR, 2.0, wrt=(0,), later=[(FOUR, 0.0), (FOUR, -1.0)])
def divided(x, c):
    y = x[0]
    try:
        y = y + x[1] / (1.0 / c) + 2 % (c + 1.0)
        y = y * 2.0
    except ZeroDivisionError:
        y = y * 5.0
    return y * x[2]


@program(FOUR, 1.0, wrt=(0,), later=[(FOUR, 0.0)])
def numpy_numbers_do_not_raise(x, c):
    y = x[0]
    try:
        with np.errstate(all="ignore"):
            y = min(1.0, x[1] / (x[2] * c))
    except ZeroDivisionError:
        y = y * 5.0
    return y * x[2]


@program(FOUR, later=[(-FOUR,), (np.array([0.4, -0.6, 1.3, 800.0]),), (FOUR * 0.5,)])
def functions_of_numbers(x):
    a, b, c = float(x[0]), float(x[1]), float(x[3])
    total = 0.0
    for v in (a, b, c):
        try:
            total = total + math.sqrt(v + 0.5)
            total = total + math.log(abs(v)) * math.exp(v)
            total = total + math.asin(v)
        except ValueError:
            total = total * 2.0 + v
        except OverflowError:
            total = total * 3.0 + v
    return total


@program(FOUR, 3, later=[(FOUR, 9)], compiled=False)
def changed_before_it_raises(x, k):
    log = [1.0]

    def note(v):
        log.append(v)
        return v

    y = x[0]
    try:
        y = note(x[1]) * x[k]
    except IndexError:
        y = y * 7.0
    return y * sum(log) * len(log)


@program(FOUR, 3, later=[(FOUR, 9), (FOUR, 1)])
def raised_in_a_short_callee(x, k):
    def part(v, i):
        return v * x[i]

    y = x[0]
    try:
        y = part(y, k) + part(x[1], k - 1)
    except (KeyError, IndexError):
        y = y * 7.0
    return y


@program(FOUR, 3, later=[(FOUR, 9), (FOUR, 0)])
def keys_that_are_missing(x, k):
    table = {}
    for i in range(len(x)):
        table[i * 2] = x[i]
    total = 0.0
    for i in range(k):
        try:
            total = total + table[i] * 2.0
        except KeyError:
            total = total * 0.5 + x[0]
        else:
            total = total + 1.0
    return total


@program(FOUR, 3, later=[(FOUR, 9)])
def returned_or_raised(x, k):
    def run(i):
        try:
            return x[i] * x[k]
        except IndexError:
            return x[i] * 3.0
        finally:
            log.append(i)

    log = []
    return run(0) * run(1) + len(log)


@program(FOUR, 2, later=[(FOUR, 7)])
def an_array_is_changed_or_not(x, k):
    a = x.copy()
    try:
        a[0] = 2.0
        a[1] += x[k] * a[0]
        a[k] = 7.0
    except IndexError:
        a[2] = x[1]
    return np.sum(a * x)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
