"""Control flow and exceptions: does the derivative leave, raise and warn where Python does?"""

import math

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])
FOUR = np.array([0.4, -0.9, 1.3, 0.7])
SQUARE = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


# ----- the page's own
@program(0.7, 5, later=[(0.4, 3), (0.4, 0)])
def finally_after_continue(x, n):
    s = 0.0
    for i in range(n):
        try:
            if i % 2:
                continue
            s = s + x * i
        finally:
            s = s + x * x
    return s * 1.0


@program(0.7, 5, later=[(0.4, 2)])
def finally_after_break(x, n):
    s = x
    for i in range(n):
        try:
            if i == 3:
                break
            s = s * x
        finally:
            s = s + x
    return s


@program(0.7, 5, later=[(-0.7, 5)], compiled=False)
def finally_returns(x, n):
    try:
        if x > 0:
            return x * n
        x = x * 3.0
    finally:
        return x * x


@program(np.array([1.0, 2.0]), 0.0, later=[(np.array([1.0, 2.0]), 3.0)], wrt=(0,), warns=True)
def errstate_of_one_statement(x, a):
    with np.errstate(divide="raise"):
        y = x / 2.0
    z = 1.0 / (x * 0.0 + a)
    return np.sum(y * y) + np.sum(np.minimum(z, 10.0)) * 0.0 + x[0]


@program(THREE, 0, later=[(THREE, 2), (THREE, 3), (THREE, -4)])
def unread_element(x, i):
    x[i]
    return np.sum(x * x)


@program(0.5, 2.0, later=[(0.5, 0.0)], wrt=(0,))
def unread_division(x, s):
    check = 1.0 / s
    return x * x


@program(np.float64(0.5), later=[(np.float64(1.0),)])
def converted_to_python(s):
    return 1.0 / float(s - 1.0) + s * 0.0


@program(THREE, 0.7, wrt=(0,), gradient=(np.array([np.inf, 0.0, 0.0]),))
def numpy_divides_by_zero(x, s):
    return x[0] / (s - s)


@program(THREE, later=[(np.arange(6.0),)])
def mean_of_nothing(x):
    y = np.mean(x[4:])
    return np.sum(x) if np.isnan(y) else y * np.sum(x)


@program(0.5, 0, later=[(0.5, 2)])
def constant_in_a_branch_not_taken(x, n):
    if n > 1:
        return x * (1 // n) * math.sqrt(n - 2)
    k = 0
    if n > 5:
        return x / k
    return x * x


# ----- in helper functions
def doubled_afterwards(x, scale):
    try:
        return x * scale[0]
    finally:
        scale[0] = scale[0] * 2.0


@program(0.7, 3, later=[(0.4, 1), (0.4, 0)])
def state_changed_by_a_finally(x, n):
    scale = [1.0]
    total = 0.0
    for _ in range(n):
        total = total + doubled_afterwards(x, scale) ** 2
    return total + scale[0] * x


def ratio(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return a * 3.0


@program(0.7, 2.0, wrt=(0,), later=[(0.7, 0.0)], compiled=False)
def division_by_zero_is_caught(x, b):
    return ratio(x, b) + ratio(x * x, b + 1.0)


def check_positive(x):
    assert np.all(x > 0.0), "not positive"


@program(np.abs(THREE), later=[(THREE,)])
def assertion_in_a_helper(x):
    check_positive(x)
    return np.sum(np.log(x * x + 1.0))


def lookup(table, k):
    entry = table[k]
    return len(table)


@program(THREE, 2, later=[(THREE, -3), (THREE, 3)])
def element_read_in_vain(x, k):
    n = lookup(x, k)
    return np.sum(x * x) / n


def attenuated(x):
    with np.errstate(over="ignore", divide="ignore"):
        y = np.exp(x)
    return 1.0 / (1.0 + y)


@program(np.array([0.5, 8.0]), 1.0, wrt=(0,), warns=True, later=[(np.array([0.5, 1.0]), 0.0)])
def warning_after_an_errstate(x, a):
    y = attenuated(x)
    z = np.log(np.full(2, a))
    return np.sum(y) + np.sum(np.where(np.isfinite(z), z, 0.0) * x)


def safe_root(v):
    try:
        r = math.sqrt(v)
    except ValueError:
        r = 0.5 * v
    else:
        r = r + v
    finally:
        v = v * 2.0
    return r * v


@program(0.7, later=[(-0.7,)], compiled=False)
def all_parts_of_a_try(x):
    return safe_root(x) + safe_root(x - 0.2)


# ----- in methods, comprehensions and lambdas
class Search:
    def __init__(self, limit):
        self.limit = limit
        self.steps = 0

    def root(self, a):
        x = a
        for self.steps in range(self.limit):
            x = 0.5 * (x + a / x)
            if abs(x * x - a) < 1e-6:
                break
        else:
            return -x
        return x * (self.steps + 1)


@program(2.3, 10, later=[(2.3, 2), (2.3, 1)])
def search_with_an_else(a, limit):
    search = Search(limit)
    return search.root(a) * a


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __enter__(self):
        self.factor = self.factor * 2.0
        return self

    def __exit__(self, *problem):
        self.factor = self.factor / 4.0
        return False


@program(0.7, later=[(1.5,)], compiled=False)
def context_of_a_class(x):
    scaled = Scaled(x)
    with scaled as s:
        inside = s.factor * x
    return inside + scaled.factor


@program(0.7, 2.0, wrt=(0,), later=[(0.7, 0.0)])
def unread_comprehension_divides(x, a):
    inverse = [1.0 / v for v in (a, a + 1.0)]
    return x * x


@program(0.7, "linear", later=[(0.7, "square"), (0.7, "cubic")])
def unread_key(x, kind):
    known = {"linear": 1, "square": 2}
    known[kind]
    power = (lambda k: known.get(k, 3))(kind)
    return x**power


@program(THREE, 0.5, wrt=(0,), later=[(THREE, 0.0), (THREE, -2.0)])
def short_circuits(x, a):
    inverse = lambda v: v != 0.0 and 1.0 / v or 7.0
    flag = a > 0.0 or 1.0 / (a + 2.0) > 100.0
    return np.sum(x) * inverse(a) + (x[0] if flag else x[1])


@program(np.array([0.3, 0.9]), later=[(np.array([-0.3, 0.9]),), (np.array([2.0, 3.0]),)])
def domain_error_in_a_comprehension(x):
    angles = [math.asin(float(v)) if v < 1.0 else math.sqrt(float(v) - 2.5) for v in x]
    return angles[0] * x[1] + sum(angles)


# ----- in nested loops
@program(0.7, 4, later=[(0.3, 2), (0.3, 0)])
def finally_of_inner_and_outer_loops(x, n):
    s = 0.0
    for i in range(n):
        try:
            for j in range(n):
                try:
                    if j > i:
                        break
                    if (i + j) % 2:
                        continue
                    s = s + x * j
                finally:
                    s = s + 0.1 * x * x
            if i == 2:
                continue
            s = s * 1.5
        finally:
            s = s - x
    return s


@program(
    THREE, np.array([2.0, 1.0, 0.5]), wrt=(0,), later=[(THREE, np.array([2.0, 0.0, 0.5]))], compiled=False
)
def floating_point_error_is_caught(x, a):
    total = 0.0
    for power in range(1, 3):
        for k in range(3):
            try:
                with np.errstate(divide="raise"):
                    y = x[k : k + 1] / a[k : k + 1]
            except FloatingPointError:
                y = x[k : k + 1] + 4.0
            total = total + y[0] ** power
    return total


@program(SQUARE, 0.3, wrt=(0,), later=[(SQUARE, 3.0), (SQUARE, 0.7)])
def return_from_an_inner_loop(a, limit):
    total = 0.0
    for i in range(3):
        for j in range(3):
            total = total + a[i, j] ** 2
            if total > limit * (i + 1) * 2.0:
                return total * a[i, j]
    return total


@program(0.7, 4, later=[(0.3, 2)])
def loop_variables_overwritten(x, n):
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            j = j + 2 * i
            total = total + x * j
        i = i * 10
        total = total + x * x * i
    return total * (i + j)


@program(np.diag([1.0, 3.0]), THREE[:2], wrt=(1,), later=[(np.ones((2, 2)), THREE[:2])], compiled=False)
def singular_matrices_are_damped(a, b):
    total = 0.0
    for scale in (1.0, 2.0):
        for damping in (0.0, 0.1, 1.0):
            try:
                u = np.linalg.solve(scale * a + damping * np.eye(2), b)
            except np.linalg.LinAlgError:
                continue
            break
        total = total + np.sum(u * u) * scale
    return total


@program(0.9, 5, later=[(0.9, 0), (0.2, 3)])
def while_with_an_else(x, n):
    total = 0.0
    for i in range(3):
        k = n
        while k > i:
            total = total + x / k
            if total > 4.0 * x:
                break
            k -= 1
        else:
            total = total + x * x
    return total


@program(THREE, 3, 2, later=[(THREE, 2, 4), (THREE, 3, 0), (THREE, 3, 3)])
def unread_elements_in_loops(x, n, ahead):
    total = 0.0
    for i in range(n - 1):
        for j in range(i + 1):
            following = x[i + ahead - j - 1]
            total = total + x[i] * x[j]
    return total


# ----- further ones, of all kinds
@program(0.7, 3, later=[(0.7, 0)], kernels=False)
def walrus_in_a_while(x, n):
    k = 0
    while (y := x * k) < n:
        k += 1
    return y * x


@program(0.7, 5, later=[(0.7, 0), (0.7, 1)], kernels=False)
def match_statement(x, n):
    total = 0.0
    for k in range(n):
        match k % 3:
            case 0:
                total = total + x
            case 1:
                total = total * x
            case _:
                continue
        total = total + 0.1
    return total + x


@program(0.7, 4, later=[(0.7, 0)], kernels=False)
def nested_function_returns_early(x, n):
    def inner(v):
        for k in range(n):
            if v > 1.0:
                return v * k
            v = v + x * 0.3
        return v

    return inner(x) + inner(x * 2.0)


@program(0.7, 0.0, wrt=(0,), later=[(0.7, 1.0)], kernels=False)
def int_of_a_float(x, a):
    k = int(a + 2.7)
    return x**k + round(a) * x + divmod(k, 2)[0] * x


@program(np.float64(0.7), 0.0, wrt=(0,), later=[(np.float64(0.7), 2.0)], warns=True, kernels=False)
def numpy_scalar_divided_by_python_zero(x, a):
    y = x / a if a else x / np.float64(1.0)
    return y * x


@program(THREE, 1, later=[(THREE, 0)], wrt=(0,), kernels=False)
def exceptions_of_empty_reductions(x, n):
    return np.max(x[:n]) * np.sum(x)


@program(THREE, 2.0, wrt=(0,), later=[(THREE, -2.0)], kernels=False)
def power_of_negative_base(x, a):
    return math.pow(a, 2.5 if a > 0 else 2.0) * np.sum(x) + a**2


@program(THREE, 2.0, wrt=(0,), later=[(THREE, -2.0)])
def math_domain(x, a):
    k = math.log(a)
    return np.sum(x) * 2.0


@program(THREE, "3", wrt=(0,), later=[(THREE, "x")], kernels=False)
def string_to_int(x, text):
    return np.sum(x) ** int(text)


@program(THREE, 3, wrt=(0,), later=[(THREE, 2)], kernels=False)
def unpacking_wrong_count(x, n):
    a, b, c = [v * v for v in x[:n]]
    return a + b * c


@program(THREE, 3, wrt=(0,), later=[(THREE, 2)])
def shapes_that_do_not_fit(x, n):
    y = x + np.ones(n)
    return np.sum(x)


@program(THREE, THREE, wrt=(0,), later=[(THREE, FOUR)])
def unused_dot_of_other_length(x, y):
    x @ y
    return np.sum(x * x)


# ----- a loop is left by the value that a flag had before this turn changed it
@program(np.array([0.4, -0.9, 1.3]), later=[(np.array([0.4]),), (np.array([0.4, 2.0]),)])
def flag_that_is_set_after_it_was_read(x):
    found = False
    for k in range(len(x)):
        if found:
            break
        found = True
    return np.sum(x) * k


@program(np.array([0.4, -0.9, 1.3]), np.array([[0.3, 0.2], [1.1, 0.7], [0.5, -0.4]]))
def flag_over_rows(x, y):
    found, u = False, y[0]
    for k, (a, row) in enumerate(zip(x, y)):
        if found:
            break
        u = row * a
        found = k > 0
    return np.sum(u) + k * np.sum(x)


@program(np.array([0.4, -0.9, 1.3]), 0.7)
def flag_in_nested_loops(x, s):
    total = 0.0
    for i in range(3):
        late = over = False
        for j in range(5):
            if late or j > 3:
                break
            late, over = over, x[i] * s * j > 0.2
            total = total + x[i] * j
        total = total + j * s
    return total


@program(np.array([0.4, -0.9, 1.3]), 0.7)
def while_with_a_flag_of_the_turn_before(x, s):
    k, done = 0, False
    while k < 6:
        k += 1
        if done:
            break
        done = s * k > 1.0
        x = x * s
    return np.sum(x) * k


# ----- exceptions of values that nobody reads
@program(THREE, 2, later=[(THREE, 3), (THREE, -3), (THREE, -4)], compiled=False)
def caught_around_an_unread_element(x, k):
    scale = 1.0
    try:
        x[k]
    except IndexError:
        scale = 3.0
    return scale * np.sum(x * x)


def validated(x, lower):
    1.0 / (lower - 1.0)
    return x


@program(THREE, 2.0, wrt=(0,), later=[(THREE, 1.0)])
def helper_called_for_its_exception(x, lower):
    validated(x, lower)
    return np.sum(x**3)


def shifted_ratio(v, w):
    inner = v // w
    return inner + 1


@program(0.7, 7, 2, later=[(0.7, 7, 0), (0.7, 0, 3)])
def unread_result_of_nested_helpers(x, n, k):
    def outer(a):
        unused = shifted_ratio(a, k)
        return a

    return x * outer(n) + outer(3) * x * x


@program(THREE, "2", wrt=(0,), later=[(THREE, "0")])
def unread_quotient_of_a_text(x, text):
    10 // int(text)
    return np.sum(x * x)


@program(0.5, 3, later=[(0.5, 0)])
def unread_inverse_of_an_int(x, n):
    weight = 1 / n
    return x**2 + n


@program(np.diag([1.0, 2.0]), later=[(np.ones((2, 2)),), (np.zeros((2, 2)),)])
def unread_inverse_of_a_matrix(a):
    np.linalg.inv(a)
    return np.sum(a * a)


@program(np.diag([1.0, 2.0]), 2, later=[(-np.eye(2), 3)])
def unread_cholesky_in_a_loop(a, n):
    total = 0.0
    for k in range(n):
        root = np.linalg.cholesky(a)
        total = total + a[0, 0] * k
    return total


@program(THREE, 2, later=[(THREE, 0), (THREE, -1)])
def unread_array_of_negative_length(x, n):
    buffer = np.zeros(n)
    return np.sum(x * x)


@program(np.arange(6.0), 2, later=[(np.arange(6.0), 3), (np.arange(6.0), 4)])
def unread_reshape(x, rows):
    grid = x.reshape(rows, -1)
    return np.sum(x * x)


@program(SQUARE, THREE, wrt=(0,), later=[(SQUARE, FOUR)])
def unread_concatenation(a, row):
    both = np.concatenate([a, row[None, :]], axis=0)
    return np.sum(a * a)


@program(THREE, 2, later=[(THREE, 1), (THREE, 0)])
def unread_maximum_of_nothing(x, n):
    np.max(x[:n])
    return np.sum(np.sin(x))


@program(THREE, 1, later=[(THREE, 0)])
def unread_place_of_the_smallest(x, n):
    total = 0.0
    for i in range(2):
        for j in range(i + 1):
            best = np.argmin(x[: n + j])
            total = total + x[i] * x[j]
    return total


@program([0.4, 0.9, 1.3], later=[([0.4, 0.9],), ([0.1, 0.2, 0.3, 0.4],)])
def unread_unpacking(x):
    a, b, c = x
    return x[0] * x[1]


@program(THREE, later=[(FOUR,), (THREE[:2],)])
def unread_unpacking_of_an_array(x):
    first, second, third = x
    return np.sum(x * x)


@program(0.7, ("a", "b"), wrt=(0,), later=[(0.7, ("a", "x")), (0.7, ("b",))])
def unread_lookups_in_a_comprehension(x, names):
    table = {"a": 1.0, "b": 2.0}
    found = [table[name] for name in names]
    return x * x


@program(THREE, 0.5, wrt=(0,), later=[(THREE, -0.5)])
def unread_root_in_a_lambda(x, v):
    root = lambda a: math.sqrt(a)
    root(v)
    return np.sum(x * x)


@program(0.5, 2.0, later=[(0.5, 1000.0), (800.0, 2.0)])
def unread_overflow(x, v):
    large = math.exp(v) + math.exp(x)
    return x * v


@program(3.0, 4, later=[(1e200, 4), (3.0, 2000)], wrt=(0,))
def unread_power(x, n):
    y = x**2
    z = 2.0**n
    return x + 1.0


class Checked:
    def __init__(self, limits):
        self.limits = limits

    def inside(self, k):
        self.limits[k]
        return True

    def ratio(self, k):
        return 1.0 / self.limits[k]


@program(
    THREE, np.array([1.0, 0.0, 2.0]), 0, wrt=(0,), later=[(THREE, np.ones(3), 3), (THREE, np.ones(3), -4)]
)
def method_called_for_its_exception(x, limits, k):
    checked = Checked(limits)
    checked.inside(k)
    checked.ratio(k)
    return np.sum(x * x)


@program(THREE, THREE, wrt=(0,), later=[(THREE, FOUR), (THREE, np.ones((2, 3))), (THREE, np.ones((2, 2)))])
def unread_sum_of_other_shapes(x, y):
    if x[0] > 0.0:
        difference = x - y
    return np.sum(x * x)


@program(THREE, 1, later=[(THREE, 5)])
def condition_that_decides_nothing(x, k):
    if x[k] > 0.0:
        sign = 1
    else:
        sign = -1
    return np.sum(x * x)


@program(THREE, 3, later=[(THREE, 4)])
def array_written_in_vain(x, n):
    seen = np.zeros(3)
    for i in range(n):
        seen[i] = 1.0
    return np.sum(x * x)


@program(THREE, THREE, wrt=(0,), later=[(THREE, FOUR)])
def part_written_in_vain(x, y):
    seen = np.zeros((2, 3))
    seen[1, :] = y
    return np.sum(x * x)


@program(THREE, 2, later=[(THREE, 4)])
def list_emptied_in_vain(x, n):
    stack = []
    for v in x:
        stack.append(v * v)
    for _ in range(n):
        stack.pop()
    return np.sum(x)


@program(THREE, 1, later=[(THREE, 0)])
def range_without_a_step(x, step):
    for i in range(0, 3, step):
        pass
    return np.sum(x * x)


@program(0.5, 1.0, wrt=(0,), later=[(0.5, float("nan")), (0.5, float("inf"))])
def unread_int_of_a_float(x, v):
    whole = int(v)
    return x * x


@program(THREE, 1, later=[(THREE, 3)])
def unread_in_a_while(x, k):
    total = 0.0
    i = 0
    while i < 3:
        j = 0
        while j < 2:
            peek = x[i] + x[k]
            j += 1
        total = total + x[i] ** 2
        i += 1
    return total


@program(THREE, np.array([0, 2]), later=[(THREE, np.array([0, 3]))])
def unread_elements_of_places(x, places):
    x[places]
    return np.sum(x * x)


@program(THREE, np.array([True, False, True]), later=[(THREE, np.array([True, False]))])
def unread_elements_of_a_mask(x, mask):
    y = x[mask]
    return np.sum(x * x)


@program(THREE, 1, later=[(THREE, -1)], kernels=False)
def unread_shift(x, n):
    8 >> n
    8 << n
    return np.sum(x * x)


@program(SQUARE, 2, later=[(SQUARE, 5)])
def length_of_what_is_not_there(a, k):
    n = len(a[k])
    return np.sum(a * a) * n


@program(np.array([2.0, 1.0]), 3, later=[(np.array([2.0, 1.0]), 0)])
def shape_of_what_is_not_there(x, n):
    m = np.linalg.solve(np.eye(2) * n, x).shape[0]
    return np.sum(x * x) * m


@program(THREE, 2, later=[(THREE, 3)], wrt=(0,))
def order_of_exceptions(x, k):
    x[k]
    assert k < 3, "too late"
    return np.sum(x)


@program(THREE, 2, later=[(THREE, 3)], wrt=(0,), compiled=False)
def finally_runs_after_an_unread_exception(x, k):
    counts = [0]
    try:
        try:
            x[k]
        finally:
            counts[0] = counts[0] + 1
    except IndexError:
        return x[0] * counts[0]
    return x[1] * x[1] * counts[0]


@program(THREE, 0.7, 1, wrt=(0, 1), later=[(THREE, 0.7, 0)])
def multiplied_by_nothing(x, s, k):
    y = 1.0 / k
    return np.sum(x) * s + 0 * y


# ----- Python's zero in the reverse sweep, where NumPy divided
@program(THREE, 0.7, wrt=(0,), gradient=(np.array([np.inf, np.inf, np.inf]),))
def sum_divided_by_a_zero_of_python(x, s):
    return np.sum(x) / (s * 0.0)


@program(THREE, 0.7, later=[(np.arange(5.0), 0.7), (np.arange(6.0), 0.3)])
def mean_of_nothing_plus_something(x, s):
    part = x[4:]
    return s * 2.0 if part.size == 0 else np.mean(part) * s


@program(THREE, 0, wrt=(0,), later=[(THREE, 2), (THREE, 4)])
def mean_of_nothing_in_a_loop(x, n):
    total = 0.0
    for i in range(3):
        m = np.mean(x[: n * i]) if n * i else 0.0
        for j in range(i):
            total = total + m * x[j]
    return total + np.sum(x)


class Normalised:
    def __init__(self, spread):
        self.spread = spread

    def of(self, x):
        return (x - np.mean(x)) / self.spread


@program(THREE, 0.0, wrt=(0,), later=[(THREE, 2.0)], gradient=(np.full(3, np.nan),), warns=True)
def method_divides_by_a_zero_spread(x, spread):
    return np.sum(Normalised(spread).of(x) * x)


@program(THREE, 0.0, wrt=(0,), later=[(THREE, 0.5)], gradient=(np.array([np.inf, 0.0, 0.0]),))
def lambda_divides_by_a_zero_of_python(x, s):
    scaled = lambda v: v / s
    parts = [scaled(v) for v in (x[0],)]
    return parts[0]


@program(0.0, 2.0, gradient=(np.inf, 0.0), later=[(0.25, 2.0)])
def root_of_a_zero_of_python(x, s):
    return math.sqrt(x) * s


def safe_root_of(x):
    return math.sqrt(x) if x > 0 else 0.0


@program(0.0, 2.0, later=[(0.25, 2.0)], gradient=(0.0, 0.0))
def root_that_is_not_taken(x, s):
    total = 0.0
    for k in range(3):
        total = total + safe_root_of(x) * s
    return total


@program(THREE, 0.5, wrt=(0,), later=[(THREE, 0.0), (THREE, -1.0)])
def division_of_python_in_a_loop_raises(x, s):
    total = 0.0
    for v in (1.0, 2.0):
        for k in range(2):
            total = total + v / (s * (k + 1)) * x[k]
    return total


@program(THREE, 0, wrt=(0,), later=[(THREE, 1), (THREE, 3)], compiled=False)
def caught_and_raised_as_another(x, n):
    def half(v):
        try:
            return v / n
        except ZeroDivisionError:
            raise ValueError("no parts") from None

    return half(2.0) * np.sum(x * x)


# ----- conditions that bind names
@program(9.0, later=[(1.0,), (30.0,)])
def residual_in_the_condition(s):
    y, n = s, 0
    while (r := y * y - 2.0) > 1e-9 and n < 50:
        y -= r / (2 * y)
        n += 1
    return y * n + r


@program(0.7, np.array([0.4, -1.2, 2.1]), later=[(0.7, np.array([-0.4, -1.2, 2.1]))])
def leaves_and_goes_on(s, x):
    t = 1.0
    while (t := t * s) > 0.05:
        if t < 0.2 and x[0] < 0:
            break
        if t < 0.4:
            continue
        t -= 0.01 * x[1]
    else:
        t = t * 10
    return t


@program(0.7, np.array([0.4, -1.2, 2.1]))
def bound_in_an_inner_loop_with_else(s, x):
    total = 0.0
    for v in x:
        u = v
        while (w := u * s) > 0.1:
            u = w * 0.9
            total += w
        else:
            total += u**2
        total *= 1.1
    return total + w


@program(0.7, np.array([0.4, -1.2, 2.1]), later=[(0.7, np.ones(1))])
def popped_in_the_condition(s, x):
    rest, t = list(x), 0.0
    while rest and (v := rest.pop()) is not None:
        t = t * 0.5 + v * s
    return t + v


@program(0.7, np.array([0.4, -1.2, 2.1]))
def two_names_of_which_one_may_be_missing(s, x):
    def step(y):
        z = 0.0
        while (e := abs(y) - 0.5) > 0 and (z := y * s):
            y = z - 0.01 * e
        return y + e + z

    return step(x[0]) + step(x[1]) + step(x[2])


@program(0.7, np.array([0.4, -1.2, 2.1]), compiled=False)
def an_else_that_leaves_the_loop_around(s, x):
    for v in x:
        while (k := v * s) > 5:
            v -= 1
        else:
            if k > 1:
                break
        s = s * 1.1
    return k * s


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
