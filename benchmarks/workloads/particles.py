"""Particles in cells: charges on a periodic grid, its field back at the particles."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"count": 4000, "cells": 64, "steps": 20}, {"count": 6, "cells": 4, "steps": 2}, (0, 1, 2)


def arguments(count, cells, steps):
    draw = np.random.default_rng(82)
    x = draw.uniform(0.0, 1.0, count)
    v = 0.3 * draw.normal(size=count) + 0.2 * np.sin(2 * np.pi * x)
    return x, v, draw.uniform(0.5, 1.5, count), cells, 0.04, steps


def primal(x, v, charge, cells, dt, steps):
    count, energy = len(x), 0.0
    for _ in range(steps):
        place = (x % 1.0) * cells
        left = np.floor(place).astype(int)
        share = place - left
        left = left % cells
        right = (left + 1) % cells
        density = np.zeros(cells)
        np.add.at(density, left, charge * (1.0 - share))
        np.add.at(density, right, charge * share)
        density = density / np.mean(density) - 1.0
        field = np.cumsum(density) / cells
        field = field - np.mean(field)
        pull = field[left] * (1.0 - share) + field[right] * share
        v = v + dt * pull
        x = x + dt * v
        energy += np.sum(field**2) / cells
    return energy + np.sum(charge * v**2) / count


@compiled
def hand(x, v, charge, cells, dt, steps):
    """Saves places and shares of particles, densities, fields; places are differentiated by their shares."""
    count = x.size
    x, v = x.copy(), v.copy()
    lefts, shares = np.empty((steps, count), np.int32), np.empty((steps, count))
    densities, fields, means = np.zeros((steps, cells + 1)), np.empty((steps, cells + 1)), np.empty(steps)
    energy = 0.0
    for s in range(steps):
        left, share, density, field = lefts[s], shares[s], densities[s], fields[s]
        for i in range(count):
            place = (x[i] - np.floor(x[i])) * cells
            k = int(place)
            left[i], share[i] = min(k, cells - 1), place - k
        for i in range(count):
            k, part = left[i], charge[i] * share[i]
            density[k] += charge[i] - part
            density[k + 1] += part
        density[0] += density[cells]
        mean = 0.0
        for k in range(cells):
            mean += density[k]
        mean /= cells
        means[s] = mean
        total, middle = 0.0, 0.0
        for k in range(cells):
            density[k] = density[k] / mean
            total += (density[k] - 1.0) / cells
            field[k] = total
            middle += total
        middle /= cells
        for k in range(cells):
            field[k] -= middle
            energy += field[k] * field[k] / cells
        field[cells] = field[0]
        for i in range(count):
            k = left[i]
            v[i] += dt * (field[k] + (field[k + 1] - field[k]) * share[i])
            x[i] += dt * v[i]
    x_bar, v_bar, charge_bar = np.zeros(count), np.empty(count), np.empty(count)
    for i in range(count):
        energy += charge[i] * v[i] * v[i] / count
        v_bar[i], charge_bar[i] = 2.0 * charge[i] * v[i] / count, v[i] * v[i] / count
    field_bar, density_bar = np.empty(cells + 1), np.empty(cells + 1)
    for s in range(steps - 1, -1, -1):
        left, share, density, field, mean = lefts[s], shares[s], densities[s], fields[s], means[s]
        for k in range(cells + 1):
            field_bar[k] = 0.0
        for i in range(count):
            v_bar[i] += dt * x_bar[i]
            k, bar = left[i], dt * v_bar[i]
            field_bar[k] += bar * (1.0 - share[i])
            field_bar[k + 1] += bar * share[i]
        field_bar[0] += field_bar[cells]
        middle = 0.0
        for k in range(cells):
            field_bar[k] += 2.0 * field[k] / cells
            middle += field_bar[k]
        middle /= cells
        total, dot = 0.0, 0.0
        for k in range(cells - 1, -1, -1):
            total += (field_bar[k] - middle) / cells
            density_bar[k] = total
            dot += total * density[k]
        dot /= cells
        for k in range(cells):
            density_bar[k] = (density_bar[k] - dot) / mean
        density_bar[cells] = density_bar[0]
        for i in range(count):
            k = left[i]
            rise = density_bar[k + 1] - density_bar[k]
            charge_bar[i] += density_bar[k] + rise * share[i]
            x_bar[i] += cells * (charge[i] * rise + dt * v_bar[i] * (field[k + 1] - field[k]))
    return energy, x_bar, v_bar, charge_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(x, v, charge, cells, dt, steps):
        def step(state, _):
            x, v = state
            place = (x % 1.0) * cells
            left = jnp.floor(place).astype(int)
            share = place - left
            left = left % cells
            right = (left + 1) % cells
            density = jnp.zeros(cells).at[left].add(charge * (1.0 - share)).at[right].add(charge * share)
            density = density / jnp.mean(density) - 1.0
            field = jnp.cumsum(density) / cells
            field = field - jnp.mean(field)
            v = v + dt * (field[left] * (1.0 - share) + field[right] * share)
            return (x + dt * v, v), jnp.sum(field**2) / cells

        (x, v), energies = jax.lax.scan(step, (x, v), None, length=steps)
        return jnp.sum(energies) + jnp.sum(charge * v**2) / len(x)

    return cost
