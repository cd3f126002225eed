"""What can a network see before its first digit? Printed letters, deformed as if by hand.

    python examples/letters.py            # writes letters.png: some of them

The letters are those of matplotlib's own fonts; each one is stretched, turned, sheared, bent and sometimes
thickened. Then the dots of each 4x4 block are counted, which is how scikit-learn's digits were made of
larger images.
"""

import string

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import ndimage

LETTERS = string.ascii_letters
# Family, style and weight.
FONTS = [
    ("DejaVu Sans", "normal", "normal"),
    ("DejaVu Sans", "oblique", "normal"),
    ("DejaVu Sans", "normal", "bold"),
    ("DejaVu Serif", "normal", "normal"),
    ("DejaVu Serif", "italic", "normal"),
    ("DejaVu Serif", "normal", "bold"),
    ("DejaVu Sans Mono", "normal", "normal"),
    ("DejaVu Sans Mono", "oblique", "normal"),
    ("STIXGeneral", "normal", "normal"),
    ("STIXGeneral", "italic", "normal"),
    ("cmr10", "normal", "normal"),
    ("cmss10", "normal", "normal"),
    ("cmtt10", "normal", "normal"),
]


def printed(letter, font):
    """The letter's ink, between 0 and 1, in the smallest rectangle that holds it."""
    family, style, weight = font
    figure = Figure(figsize=(1, 1), dpi=64)
    canvas = FigureCanvasAgg(figure)
    place = {"ha": "center", "va": "center", "size": 40}
    figure.text(0.5, 0.5, letter, family=family, style=style, weight=weight, **place)
    canvas.draw()
    ink = 1 - np.asarray(canvas.buffer_rgba())[:, :, 0] / 255
    rows, columns = np.flatnonzero(ink.max(1) > 0.1), np.flatnonzero(ink.max(0) > 0.1)
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def deformed(ink, draw):
    """An 8x8 image of the letter, with entries from 0 to 16; ``draw`` gives the random numbers."""
    height, width = ink.shape
    tall = draw.uniform(24, 31)
    wide = np.clip(draw.uniform(0.6, 1.1) * tall * width / height, 5, 31)
    angle, shear = draw.normal(0, 0.15), draw.normal(0, 0.2)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    back = np.linalg.inv(np.array([[1, 0], [shear, 1]]) @ turn @ np.diag([tall / height, wide / width]))
    centre = np.array([height / 2 - 0.5, width / 2 - 0.5])
    offset = centre - back @ (15.5 + draw.normal(0, 0.7, 2))
    image = ndimage.affine_transform(ink, back, offset, output_shape=(32, 32), order=1)
    bend = [ndimage.gaussian_filter(draw.normal(0, 25, (32, 32)), 5) for _ in range(2)]
    image = ndimage.map_coordinates(image, np.mgrid[:32, :32] + np.array(bend), order=1)
    dots = image > 0.5
    if draw.random() < 0.5:
        dots = ndimage.binary_dilation(dots)
    return dots.reshape(8, 4, 8, 4).sum((1, 3))


def letters(count, seed):
    """``count`` images, and which of the 52 letters each one shows."""
    draw = np.random.default_rng(seed)
    table = [[printed(letter, font) for font in FONTS] for letter in LETTERS]
    labels = draw.integers(0, len(LETTERS), count)
    images = [deformed(table[label][draw.integers(len(FONTS))], draw) for label in labels]
    return np.array(images, np.float32), labels


def main():
    images, labels = letters(40, seed=0)
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots(4, 10)
    for ax, image, label in zip(axes.flat, images, labels, strict=True):
        ax.imshow(image, cmap="Greys")
        ax.set_title(LETTERS[label])
        ax.set_axis_off()
    figure.savefig("letters.png", dpi=100)
    print("letters.png shows 40 letters")


if __name__ == "__main__":
    main()
