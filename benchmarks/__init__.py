"""How fast are gradients, beside gradients written by hand and other tools? See README.md."""
