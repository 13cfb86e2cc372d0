"""The only file that touches private modules of Numba: every function once, every program once.

Numba optimises each function together with all that it calls, makes machine code of it and wraps it for calls from Python, and does so
again for its callers. Here a function that kernels call is a *part*: it is translated, and no more. What has an address or is called from
Python is a *whole*: its parts are put together, and optimised and made machine code of in one go.

Private names may change in any version of Numba. Importing this module raises `ImportError` or `AttributeError` if one is missing;
`compiler` then compiles in the ordinary way.
"""

from __future__ import annotations

import hashlib
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Self

import numpy as np
from llvmlite import binding as llvm
from numba import _dynfunc, jit, types
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import _nrt_python
from numba.core.serialize import dumps
from numba.core.typed_passes import NativeLowering
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype, map_layout

from pytrammel.kernels import cache
from pytrammel.kernels.cache import KernelStore, portable_processor

KEEPS = True  # compiled kernels are kept on disk
OPTIONS = {"nopython": True, "error_model": "numpy", "nogil": True}
# names that classes and functions below use or replace: without one, Numba would ignore what replaces it
USED = (
    (
        JITCodeLibrary,
        "add_llvm_module finalize enable_object_caching get_pointer_to_function _optimize_final_module _get_compiled_object "
        "_set_compiled_object _finalize_final_module _finalize_dynamic_globals _get_module_for_linking _raise_if_finalized",
    ),
    (CompilerBase, "define_pipelines"),
    (DefaultPassBuilder, "define_nopython_pipeline"),
    (NativeLowering, "run_pass"),
    (CFunc, "_compile_uncached"),
    (CompileResult, "_fields _find_referenced_environments"),
    (CPUDispatcher, "compile typeof_pyval"),
    (_dynfunc, "make_function"),
    (_nrt_python, "c_helpers"),
    (cpu_target, "target_context"),
)


def missing_names(used: Iterable[tuple[Any, str]] = USED) -> list[str]:
    """Private names that this version of Numba does not have."""
    return [
        f"{getattr(owner, '__name__', owner)}.{name}"
        for owner, names in used
        for name in names.split()
        if not hasattr(owner, name)
    ]


if missing_names():
    raise ImportError(f"cannot find {', '.join(missing_names())} in numba")


class Whole(JITCodeLibrary):
    """Code that is optimised once, with all that it is made of."""

    def add_llvm_module(self, ll_module: Any) -> None:
        self._final_module.link_in(ll_module)

    def _optimize_final_module(self) -> None:
        self._final_module.data_layout = self._codegen._data_layout
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)

    def machine_code(self) -> tuple[bytes, list[str]]:
        """The object file that was made of it, and the functions that it calls from elsewhere."""
        needs = [each.name for each in self._final_module.functions if each.is_declaration]
        return bytes(self._get_compiled_object()), [name for name in needs if not name.startswith("llvm.")]

    def restore(self, code: tuple[bytes, list[str]], names: Iterable[str]) -> Self:
        """Take machine code from a cache, which defines the names."""
        _provide(code[1])
        self.enable_object_caching()
        self._set_compiled_object(code[0])
        self._finalize_final_module()
        self._codegen._engine._defined_symbols.update(names)
        return self


def _provide(names: list[str]) -> None:
    """Make sure that functions exist that loaded code calls: without one, LLVM would end the process."""
    missing = [name for name in names if llvm.address_of_symbol(name) is None]
    if missing:  # those of Numba's runtime, in the way of its `rtsys.initialize`, which would compile some more
        for name, address in _nrt_python.c_helpers.items():
            llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
        missing = [name for name in missing if llvm.address_of_symbol(name) is None]
    if missing:
        raise ImportError(f"there is no function {missing[0]}")


class Part(Whole):
    """Code that becomes machine code only within others."""

    def add_llvm_module(self, ll_module: Any) -> None:
        # a little tidying once spares it in every whole, and takes away addresses in this process that nobody uses
        manager = llvm.create_new_module_pass_manager()
        manager.add_sroa_pass()
        manager.add_simplify_cfg_pass()
        manager.add_dead_code_elimination_pass()
        manager.add_global_dead_code_eliminate_pass()
        manager.run(ll_module, self._codegen._pass_builder())
        super().add_llvm_module(ll_module)

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def restore_bitcode(self, bitcode: bytes) -> Self:
        """Take the code from a cache."""
        self._final_module = llvm.parse_bitcode(bitcode)
        self._finalized = True
        return self


@register_pass(mutates_CFG=True, analysis_only=False)
class _WholeLowering(NativeLowering):
    _name = "whole_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        state.library.finalize()
        entry = _entry(lowered.fndesc, lowered.env, state.library)
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=entry)
        return True


def _entry(fndesc: Any, env: Any, library: Part) -> Any:
    """What Numba knows a function by; nobody can call it."""
    return _dynfunc.make_function(
        fndesc.lookup_module(), fndesc.qualname.split(".")[-1], "part of kernels", 0, env, (library,)
    )


class _Compiler(CompilerBase):
    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (self.lowering, about) if each is NativeLowering else (each, about) for each, about in manager.passes
        ]
        manager._finalized = False
        manager.finalize()
        return [manager]


class WholeCompiler(_Compiler):
    lowering = _WholeLowering


class PartCompiler(_Compiler):
    lowering = _PartLowering


class KernelCache(ABC):
    """The cache of one function, with the methods that Numba's dispatchers call; `pickled` and `restored` say what is kept of it."""

    suffix = "kernel"

    def __init__(self, store: KernelStore, function: Callable[..., Any]) -> None:
        self._store = store
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._module = function.__module__
        self._seen: tuple[str, bytes | None] | None = None

    @property
    def cache_path(self) -> str:
        return str(self._store.folder)

    @abstractmethod
    def pickled(self, compiled: Any) -> bytes:
        """What is kept of a compiled function."""

    @abstractmethod
    def restored(self, target_context: Any, payload: bytes) -> Any:
        """The compiled function from what was kept of it."""

    def holds(self, signature: Any, target_context: Any) -> bool:
        """Whether a good copy is on disk; it is remembered for the loading that follows."""
        self._seen = (self._file(signature, target_context), self._found(signature, target_context))
        return self._seen[1] is not None

    @property
    def _keeps(self) -> bool:
        """Whether compiled code can be kept: not where the sources of the function are unknown, as in a notebook."""
        return bool(self._store.sources.closure_hash(self._module))

    def _found(self, signature: Any, target_context: Any) -> bytes | None:
        """What is on disk for this machine, or else for every one of its kind."""
        if not self._keeps:
            return None
        payload = self._store.read(self._file(signature, target_context))
        if payload is None and self.suffix == "kernel" and portable_processor() is not None:
            payload = self._store.portable(self._file(signature, target_context, portable=True))
        return payload

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """What was compiled for these argument types, or None."""
        seen, self._seen = self._seen, None
        known = seen is not None and seen[0] == self._file(signature, target_context)
        payload = seen[1] if seen is not None and known else self._found(signature, target_context)
        if payload is None:
            return None
        try:
            return self.restored(target_context, payload)
        except Exception:  # written by another build of Numba under the same version: compile anew
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled."""
        if self._keeps and not compiled.lifted and not compiled.library.has_dynamic_globals:
            self._store.write(self._file(signature, compiled.target_context), self.pickled(compiled))

    def _file(self, signature: Any, target_context: Any, *, portable: bool = False) -> str:
        arguments = signature if isinstance(signature, tuple) else signature.args
        machine = target_context.codegen().magic_tuple()
        if portable:
            machine = (machine[0], portable_processor(), "")
        key = repr((arguments, machine, cache.toolchain(), self._store.sources.closure_hash(self._module)))
        return f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.{self.suffix}"

    def enable(self) -> None:
        """Numba's interface: always on."""

    def disable(self) -> None:
        """Numba's interface: always on."""

    def flush(self) -> None:
        """Numba's interface: files are replaced one by one."""


class PartCache(KernelCache):
    """Of a part its code is kept before it is optimised."""

    suffix = "part"

    def pickled(self, compiled: Any) -> bytes:
        bitcode = compiled.library._final_module.as_bitcode()
        return dumps((compiled.library.name, bitcode, *_facts(compiled)))

    def restored(self, target_context: Any, payload: bytes) -> Any:
        name, bitcode, fndesc, environment, signature = pickle.loads(payload)
        library = Part(target_context.codegen(), name).restore_bitcode(bitcode)
        return _result(target_context, library, _entry(fndesc, environment, library), fndesc, environment, signature)


class WholeCache(KernelCache):
    """Of a whole that Python calls its machine code is kept."""

    def pickled(self, compiled: Any) -> bytes:
        code = compiled.library.machine_code()
        # those of functions that it is made of count only if they hold objects: their modules would have to be imported
        found = compiled._find_referenced_environments()
        environments = [each for each in found if each.consts or each is compiled.environment]
        return dumps((compiled.library.name, code, environments, *_facts(compiled)))

    def restored(self, target_context: Any, payload: bytes) -> Any:
        name, code, environments, fndesc, environment, signature = pickle.loads(payload)
        library = Whole(target_context.codegen(), name).restore(code, [fndesc.llvm_cpython_wrapper_name])
        call = target_context.get_executable(library, fndesc, environment)
        for each in environments:
            library.codegen.set_env(each.env_name, each)
        return _result(target_context, library, call, fndesc, environment, signature)


class ElementCache(KernelCache):
    """Of a whole that is reached by its address nothing but the machine code and its name is kept."""

    def pickled(self, compiled: Any) -> bytes:
        return pickle.dumps((compiled.fndesc.llvm_cfunc_wrapper_name, compiled.library.machine_code()))

    def restored(self, target_context: Any, payload: bytes) -> Any:
        name, code = pickle.loads(payload)
        return Whole(target_context.codegen(), name).restore(code, [name]), name


def _facts(compiled: Any) -> tuple[Any, ...]:
    compiled.fndesc.typemap = compiled.fndesc.calltypes = None  # large, and not needed
    return compiled.fndesc, compiled.environment, compiled.signature


def _result(context: Any, library: Any, entry: Any, fndesc: Any, environment: Any, signature: Any) -> CompileResult:
    values = dict.fromkeys(CompileResult._fields)
    values.update(
        target_context=context, typing_context=context.typing_context, library=library, entry_point=entry, fndesc=fndesc,
        environment=environment, signature=signature, lifted=(), objectmode=False, reload_init=(), referenced_envs=(),
    )  # fmt: skip
    return CompileResult(**values)


def part(store: KernelStore, function: Callable[..., Any], spread: bool) -> CPUDispatcher:
    """Dispatcher of a function that kernels call, copied into its callers if it is to be spread."""
    inline = "always" if spread else "never"
    options = {**OPTIONS, "inline": inline, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    found = CPUDispatcher(function, {}, options, PartCompiler)
    found._cache = PartCache(store, function)
    return found


def whole(store: KernelStore, function: Callable[..., Any]) -> Any:
    """Dispatcher of a function that Python calls."""
    found = jit(**OPTIONS, no_cfunc_wrapper=True, pipeline_class=WholeCompiler)(function)
    found._cache = WholeCache(store, function)
    found.typeof_pyval = partial(_type_of_argument, found.typeof_pyval)
    return found


def _type_of_argument(ask: Callable[[Any], Any], value: Any) -> Any:
    """What Numba says; of plain arrays without looking whether they are masked, for which it would import `numpy.ma`."""
    if type(value) is np.ndarray and value.dtype in (np.float64, np.int64):
        return types.Array(from_dtype(value.dtype), value.ndim, map_layout(value), readonly=not value.flags.writeable)
    return ask(value)


def is_cached(dispatcher: Any, signature: Any) -> bool:
    """Return True if a whole is on disk, compiled from these sources for these arguments."""
    return bool(dispatcher._cache.holds(signature, cpu_target.target_context))


def was_loaded(dispatcher: Any) -> bool:
    """Return True if a whole was taken from disk instead of compiled."""
    return bool(dispatcher.stats.cache_hits.total())


class Compiled:
    """A whole that is reached by its address."""

    def __init__(self, store: KernelStore, function: Callable[..., Any], signature: Any) -> None:
        self._signature = signature
        self._function = function
        self._cache = ElementCache(store, function)
        self.was_loaded = False

    def is_cached(self) -> bool:
        return self._cache.holds(self._signature, cpu_target.target_context)

    @global_compiler_lock
    def build(self) -> Compiled:
        """Compile it or load it from disk."""
        context = cpu_target.target_context
        found = self._cache.load_overload(self._signature, context)
        if found is None:
            options = {"error_model": "numpy"}
            signature = self._signature.args, self._signature.return_type
            made: Any = CFunc(self._function, signature, {}, options, WholeCompiler)
            result = made._compile_uncached()
            self._cache.save_overload(self._signature, result)
            found = result.library, result.fndesc.llvm_cfunc_wrapper_name
        else:
            self.was_loaded = True
        self._library, name = found
        self.address = int(self._library.get_pointer_to_function(name))
        return self


def entry_call(returned: Any, arguments: tuple[Any, ...]) -> Any:
    """A function for kernels, ``call(address, (arguments…))``, of an entry point with these types."""

    @intrinsic
    def call(typingctx: Any, address: Any, given: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            values = [
                context.cast(builder, builder.extract_value(args[1], k), own, expected)
                for k, (own, expected) in enumerate(zip(given.types, arguments, strict=True))
            ]
            kind = context.call_conv.get_function_type(returned, arguments).as_pointer()
            status, out = context.call_conv.call_function(
                builder, builder.inttoptr(args[0], kind), returned, arguments, values
            )
            with builder.if_then(status.is_error, likely=False):
                context.call_conv.return_status_propagate(builder, status)
            return out

        return returned(address, given), codegen

    return call


def entry_address(dispatcher: Any) -> int:
    """Address of the machine code of a whole with one signature."""
    (made,) = dispatcher.overloads.values()
    engine = cpu_target.target_context.codegen()._engine
    return int(engine._ee.get_function_address(made.fndesc.llvm_func_name))
