"""Worlds with known truth: what every estimator's coverage, rejection, bias and power are there."""
