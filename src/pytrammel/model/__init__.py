import copyreg
from types import MappingProxyType
from typing import Any


def _view_of(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


# read-only views inside models travel to other processes as views of a copy
copyreg.pickle(MappingProxyType, lambda view: (_view_of, (dict(view),)))
