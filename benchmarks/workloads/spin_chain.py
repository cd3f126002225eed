"""Energy of a spin chain: a matrix product state, small products for each site, a list of matrices."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"sites": 40, "bond": 8}, {"sites": 3, "bond": 2}, (0, 1, 2)


def arguments(sites, bond):
    draw = np.random.default_rng(84)
    return draw.normal(size=(sites, 2, bond, bond)), draw.normal(size=sites), draw.normal(size=sites)


def carried(around, core, operator):
    """An environment one site further, with an operator on the spin of that site."""
    total = np.zeros_like(around)
    for s in range(2):
        for t in range(2):
            if operator[s][t] != 0.0:
                total += operator[s][t] * core[s].T @ around @ core[t]
    return total


ONE, FLIP, SIGN = ((1.0, 0.0), (0.0, 1.0)), ((0.0, 1.0), (1.0, 0.0)), ((1.0, 0.0), (0.0, -1.0))


def primal(cores, coupling, field):
    """Ising's chain in a transverse field: what one site and the next contribute, divided by the norm."""
    bond = cores.shape[2]
    norm, signed, energy = np.eye(bond), np.zeros((bond, bond)), np.zeros((bond, bond))
    for k in range(len(cores)):
        core = cores[k]
        after = carried(energy, core, ONE) + coupling[k] * carried(signed, core, SIGN)
        after = after + field[k] * carried(norm, core, FLIP)
        signed = carried(norm, core, SIGN)
        norm = carried(norm, core, ONE)
        scale = np.trace(norm)
        norm, signed, energy = norm / scale, signed / scale, after / scale
    return np.trace(energy) / np.trace(norm)


@compiled
def times(a, b, out):
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            out[i, j] = a[i, 0] * b[0, j]
        for k in range(1, n):
            x = a[i, k]
            for j in range(n):
                out[i, j] += x * b[k, j]


@compiled
def back(left, right, out_bar, core, around, around_bar, left_bar, right_bar, n):
    """Cotangents of ``left.T @ around @ right`` are added."""
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += left[i, k] * out_bar[k, j]
            core[i, j] = total
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += core[i, k] * right[j, k]
            around_bar[i, j] += total
    for i in range(n):
        for k in range(n):
            x = around[i, k]
            for j in range(n):
                right_bar[k, j] += x * core[i, j]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += around[i, k] * right[k, j]
            core[i, j] = total
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += core[i, k] * out_bar[j, k]
            left_bar[i, j] += total


@compiled
def hand(cores, coupling, field):
    """Environments are saved; each is multiplied by either core once, and what is added has one product."""
    sites, n = cores.shape[0], cores.shape[2]
    norms, signs, energies = (
        np.zeros((sites + 1, n, n)),
        np.zeros((sites + 1, n, n)),
        np.zeros((sites + 1, n, n)),
    )
    scales = np.empty(sites)
    for i in range(n):
        norms[0, i, i] = 1.0
    a, b, turned = np.empty((n, n)), np.empty((n, n)), np.empty((2, n, n))
    x, y = np.empty((n, n)), np.empty((n, n))
    for s in range(sites):
        up, down, j, h = cores[s, 0], cores[s, 1], coupling[s], field[s]
        norm, sign, energy = norms[s], signs[s], energies[s]
        for i in range(n):
            for k in range(n):
                turned[0, i, k], turned[1, i, k] = up[k, i], down[k, i]
        new_norm, new_sign, new = norms[s + 1], signs[s + 1], energies[s + 1]
        times(norm, up, a)
        times(norm, down, b)
        times(turned[0], a, x)
        times(turned[1], b, y)
        scale = 0.0
        for i in range(n):
            scale += x[i, i] + y[i, i]
        scales[s] = scale
        f = 1.0 / scale
        for i in range(n):
            for k in range(n):
                new_norm[i, k], new_sign[i, k] = f * (x[i, k] + y[i, k]), f * (x[i, k] - y[i, k])
        for i in range(n):
            for k in range(n):
                x[i, k], y[i, k] = energy[i, k] + j * sign[i, k], energy[i, k] - j * sign[i, k]
        for i in range(n):
            for k in range(n):
                p, q = h * b[i, k], h * a[i, k]
                for m in range(n):
                    p += x[i, m] * up[m, k]
                    q += y[i, m] * down[m, k]
                turned[0, i, k], turned[1, i, k] = p, q
        for i in range(n):
            for k in range(n):
                new[i, k] = 0.0
            for m in range(n):
                p, q = up[m, i] * f, down[m, i] * f
                for k in range(n):
                    new[i, k] += p * turned[0, m, k] + q * turned[1, m, k]
    top, bottom = 0.0, 0.0
    for i in range(n):
        top += energies[sites, i, i]
        bottom += norms[sites, i, i]
    value = top / bottom
    cores_bar, coupling_bar, field_bar = np.zeros_like(cores), np.zeros(sites), np.zeros(sites)
    norm_bar, sign_bar, bar = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        bar[i, i], norm_bar[i, i] = 1.0 / bottom, -value / bottom
    plus, minus = np.empty((n, n)), np.empty((n, n))
    plus_bar, minus_bar, mixed = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    for s in range(sites - 1, -1, -1):
        up, down, j, h = cores[s, 0], cores[s, 1], coupling[s], field[s]
        up_bar, down_bar = cores_bar[s, 0], cores_bar[s, 1]
        norm, sign, energy = norms[s], signs[s], energies[s]
        new_norm, new_sign, new = norms[s + 1], signs[s + 1], energies[s + 1]
        f, scale_bar = 1.0 / scales[s], 0.0
        for i in range(n):
            for k in range(n):
                scale_bar += (
                    norm_bar[i, k] * new_norm[i, k] + sign_bar[i, k] * new_sign[i, k] + bar[i, k] * new[i, k]
                )
        scale_bar *= f
        for i in range(n):
            for k in range(n):
                p, q = f * norm_bar[i, k], f * sign_bar[i, k]
                x[i, k], y[i, k] = p + q, p - q
                bar[i, k] *= f
                plus[i, k], minus[i, k] = energy[i, k] + j * sign[i, k], energy[i, k] - j * sign[i, k]
                plus_bar[i, k], minus_bar[i, k], mixed[i, k] = 0.0, 0.0, h * norm[i, k]
                norm_bar[i, k] = 0.0
        for i in range(n):
            x[i, i] -= scale_bar
            y[i, i] -= scale_bar
        back(up, up, x, a, norm, norm_bar, up_bar, up_bar, n)
        back(down, down, y, a, norm, norm_bar, down_bar, down_bar, n)
        back(up, up, bar, a, plus, plus_bar, up_bar, up_bar, n)
        back(down, down, bar, a, minus, minus_bar, down_bar, down_bar, n)
        b[:] = 0.0
        back(up, down, bar, a, mixed, b, up_bar, down_bar, n)
        back(down, up, bar, a, mixed, b, down_bar, up_bar, n)
        for i in range(n):
            for k in range(n):
                field_bar[s] += b[i, k] * norm[i, k]
                norm_bar[i, k] += h * b[i, k]
                bar[i, k] = plus_bar[i, k] + minus_bar[i, k]
                both = plus_bar[i, k] - minus_bar[i, k]
                coupling_bar[s] += both * sign[i, k]
                sign_bar[i, k] = j * both
    return value, cores_bar, coupling_bar, field_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(cores, coupling, field):
        def carried(around, core, operator):
            return jnp.einsum("st,sab,ac,tcd->bd", jnp.array(operator), core, around, core)

        def site(state, at):
            norm, signed, energy = state
            core, j, h = at
            after = (
                carried(energy, core, ONE) + j * carried(signed, core, SIGN) + h * carried(norm, core, FLIP)
            )
            signed, norm = carried(norm, core, SIGN), carried(norm, core, ONE)
            scale = jnp.trace(norm)
            return (norm / scale, signed / scale, after / scale), None

        bond = cores.shape[2]
        first = jnp.eye(bond), jnp.zeros((bond, bond)), jnp.zeros((bond, bond))
        (norm, _, energy), _ = jax.lax.scan(site, first, (cores, coupling, field))
        return jnp.trace(energy) / jnp.trace(norm)

    return cost
