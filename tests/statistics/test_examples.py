"""The examples in the statistics' docstrings run and show what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import portrayal.statistics

MODULES = [found.name for found in pkgutil.iter_modules(portrayal.statistics.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(f"portrayal.statistics.{name}"))
    assert outcome.failed == 0


@pytest.mark.parametrize(
    "name", [name for name in portrayal.statistics.__all__ if name[0].islower()]
)
def test_every_statistic_has_an_example(name: str) -> None:
    function = getattr(portrayal.statistics, name)
    assert ">>>" in (function.__doc__ or ""), f"{name} has no example"
