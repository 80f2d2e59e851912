"""The catalog: finds algorithms, models, metrics and attacks by looking into their packages.

Adding one touches one file; nothing is registered by hand, and import order does not matter.
"""

import importlib
import inspect
import pkgutil
from functools import cache
from typing import Any

from voile.core.algorithm import Algorithm
from voile.core.attack import Attack
from voile.core.metric import Metric
from voile.core.privacy_model import PrivacyModel
from voile.errors import ParameterError


@cache
def _found(package: str, base: type) -> dict[str, Any]:
    folder = importlib.import_module(f"voile.{package}")
    classes: dict[str, Any] = {}
    for module_info in pkgutil.walk_packages(folder.__path__, f"voile.{package}."):
        module = importlib.import_module(module_info.name)
        for value in vars(module).values():
            own = inspect.isclass(value) and value.__module__ == module.__name__
            if own and issubclass(value, base) and not inspect.isabstract(value):
                classes[value.key] = value
    return dict(sorted(classes.items()))


def algorithms() -> dict[str, type[Algorithm]]:
    """Every algorithm by its key.

    >>> algorithms()["bsgi"].paper
    'Ye et al. 2008'
    """
    return _found("algorithms", Algorithm)


def models() -> dict[str, type[PrivacyModel]]:
    """Every privacy model by its key."""
    return _found("models", PrivacyModel)


def metrics() -> dict[str, type[Metric]]:
    """Every metric by its key."""
    return _found("metrics", Metric)


def attacks() -> dict[str, type[Attack]]:
    """Every attack that needs no knowledge of the algorithm, by its key."""
    return _found("attacks", Attack)


def algorithm(key: str) -> type[Algorithm]:
    """The algorithm of a key, or a refusal that lists the keys."""
    known = algorithms()
    if key not in known:
        raise ParameterError("unknown algorithm", rule=f"one of {', '.join(known)}")
    return known[key]
