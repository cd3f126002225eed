"""How does a program run at the speed of compiled loops? ``numba`` has the stages."""
