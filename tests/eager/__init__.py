"""Tests of the eager autograd."""
