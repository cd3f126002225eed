"""How fast did lynxes eat hares? A Lotka-Volterra model fitted to the pelts of 21 years.

The likelihood is ordinary Python: a Runge-Kutta loop that writes the populations into an array. Its gradient
comes from the source of ``negative_log_likelihood`` itself and is printed as the Python function that it is.

    python examples/hare_lynx.py          # writes hare_lynx.png
"""

import pathlib
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import ast_ad

DATA = pathlib.Path(__file__).parent / "data" / "hare_lynx.csv"
NAMES = "alpha", "beta", "gamma", "delta", "hares in 1900", "lynxes in 1900", "sigma hare", "sigma lynx"
START = np.log([0.5, 0.02, 0.9, 0.02, 30.0, 4.0, 0.4, 0.4])
STEPS_PER_YEAR = 20


def velocity(z, alpha, beta, gamma, delta):
    hare, lynx = z
    return np.array([(alpha - beta * lynx) * hare, (delta * hare - gamma) * lynx])


def simulate(p, points, substeps, interval=1.0):
    """Hares and lynxes, a row for each point of time, by classical Runge-Kutta steps."""
    alpha, beta, gamma, delta = p[0], p[1], p[2], p[3]
    h = interval / substeps
    traj = np.zeros((points, 2))
    traj[0] = p[4:6]
    for k in range(1, points):
        z = traj[k - 1].copy()
        for _ in range(substeps):
            k1 = velocity(z, alpha, beta, gamma, delta)
            k2 = velocity(z + 0.5 * h * k1, alpha, beta, gamma, delta)
            k3 = velocity(z + 0.5 * h * k2, alpha, beta, gamma, delta)
            k4 = velocity(z + h * k3, alpha, beta, gamma, delta)
            z += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        traj[k] = z
    return traj


def negative_log_likelihood(theta, pelts, substeps):
    """Log-normal errors; ``theta`` holds the logarithms of all eight parameters."""
    p = np.exp(theta)
    traj = simulate(p, len(pelts), substeps)
    sigma = p[6:]
    misfit = (np.log(pelts) - np.log(traj)) / sigma
    return 0.5 * np.sum(misfit**2) + len(pelts) * np.sum(np.log(sigma))


def by_finite_differences(f):
    """The same value and gradient as the compiled one, by central differences: for comparison."""

    def value_and_gradient(theta, *args):
        gradient = np.empty_like(theta)
        for i in range(theta.size):
            step = np.zeros_like(theta)
            step[i] = 1e-6
            gradient[i] = (f(theta + step, *args) - f(theta - step, *args)) / 2e-6
        return f(theta, *args), gradient

    return value_and_gradient


def fit(value_and_gradient, pelts):
    start = time.perf_counter()
    result = minimize(value_and_gradient, START, (pelts, STEPS_PER_YEAR), jac=True, method="L-BFGS-B")
    return result, time.perf_counter() - start


def plot(years, pelts, p, path):
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    model = simulate(p, 10 * (len(years) - 1) + 1, STEPS_PER_YEAR // 10, 0.1)
    for column, (name, colour) in enumerate([("hares", "tab:blue"), ("lynxes", "tab:red")]):
        axes.plot(years, pelts[:, column], "o", color=colour, label=f"{name}, pelts")
        axes.plot(np.linspace(years[0], years[-1], len(model)), model[:, column], color=colour, label="model")
    axes.set(
        xlabel="year", ylabel="thousands", title="Pelts of the Hudson's Bay Company and the fitted model"
    )
    axes.set_xticks(np.arange(years[0], years[-1] + 1, 4))
    figure.legend(loc="outside lower center", ncols=4)
    figure.savefig(path, dpi=120)


def main():
    table = np.loadtxt(DATA, delimiter=",", comments="#", skiprows=3)
    years, pelts = table[:, 0], table[:, [2, 1]]
    compiled = ast_ad.value_and_grad(negative_log_likelihood)
    compiled(START, pelts, STEPS_PER_YEAR)  # compiles
    print(compiled.backward_source)
    result, seconds = fit(compiled, pelts)
    by_differences, seconds_differences = fit(by_finite_differences(negative_log_likelihood), pelts)
    print(f"{'':16}  {'gradient':>10}  {'differences':>11}")
    for name, a, b in zip(NAMES, np.exp(result.x), np.exp(by_differences.x), strict=True):
        print(f"{name:16}  {a:10.4f}  {b:11.4f}")
    print(f"{'-log likelihood':16}  {result.fun:10.4f}  {by_differences.fun:11.4f}")
    print(f"{'seconds':16}  {seconds:10.2f}  {seconds_differences:11.2f}")
    plot(years, pelts, np.exp(result.x), "hare_lynx.png")
    print("hare_lynx.png shows the data and the model")


if __name__ == "__main__":
    main()
