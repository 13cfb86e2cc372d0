"""Kernels as ordinary Python, so that nothing compiled takes part and complex states pass through."""

from __future__ import annotations

import types

_plain: dict[object, types.FunctionType] = {}


def plain(function):
    """The source as ordinary Python, its helpers included."""
    source = getattr(function, "py_func", function)
    if source not in _plain:
        scope = dict(source.__globals__)
        _plain[source] = types.FunctionType(source.__code__, scope, source.__name__)
        for name in source.__code__.co_names:
            helper = scope.get(name)
            if hasattr(helper, "py_func") or isinstance(helper, types.FunctionType):
                scope[name] = plain(helper)
    return _plain[source]
