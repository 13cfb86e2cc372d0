"""How Numba is made to compile kernels: every function once, every program once.

Numba optimises each function together with all that it calls, makes machine code of it and wraps it for calls from Python, and does so
again for its callers. Here a function that kernels call is a *part*: it is translated, and no more. What has an address or is called from
Python is a *whole*: its parts are put together, and optimised and made machine code of in one go.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
from llvmlite import binding as llvm
from numba import _dynfunc, jit
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import _nrt_python
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature
from numba.core.typed_passes import NativeLowering
from numba.core.types import Array
from numba.core.typing.typeof import typeof, typeof_impl
from numba.np.numpy_support import from_dtype, map_layout

from trammel.kernels.cache import KernelCache, KernelStore

OPTIONS = {"nopython": True, "error_model": "numpy", "nogil": True}


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


class PartFunction:
    """A function that kernels call as a part of theirs; called from Python it is a whole of its own.

    What Numba must know of it is made when a kernel that calls it is compiled: most processes find all their kernels on disk.
    """

    def __init__(self, store: KernelStore, function: Callable[..., Any], spread: bool) -> None:
        self._store, self._spread = store, spread
        self.py_func = function
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__

    @cached_property
    def dispatcher(self) -> CPUDispatcher:
        """What Numba compiles, copied into its callers if it is to be spread."""
        inline = "always" if self._spread else "never"
        options = {**OPTIONS, "inline": inline, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        found = CPUDispatcher(self.py_func, {}, options, PartCompiler)
        found._cache = PartCache(self._store, self.py_func)
        return found

    @cached_property
    def _outer(self) -> Any:
        return whole(self._store, self.py_func)

    def __call__(self, *arguments: Any) -> Any:
        return self._outer(*arguments)

    @property
    def stats(self) -> Any:
        """What was compiled and loaded."""
        return self.__dict__.get("_outer", self.dispatcher).stats

    @property
    def targetoptions(self) -> Any:
        """Whether it is to be spread: Numba asks."""
        return self.dispatcher.targetoptions


@typeof_impl.register(PartFunction)
def _type_of_part(part: PartFunction, context: Any) -> Any:
    return typeof(part.dispatcher, context.purpose)


def whole(store: KernelStore, function: Callable[..., Any]) -> Any:
    """A function to be called from Python."""
    found = jit(**OPTIONS, no_cfunc_wrapper=True, pipeline_class=WholeCompiler)(function)
    found._cache = WholeCache(store, function)
    found.typeof_pyval = partial(_type_of_argument, found.typeof_pyval)
    return found


def _type_of_argument(ask: Callable[[Any], Any], value: Any) -> Any:
    """What Numba says; of plain arrays without looking whether they are masked, for which it would import `numpy.ma`."""
    if type(value) is np.ndarray and value.dtype in (np.float64, np.int64):
        return Array(from_dtype(value.dtype), value.ndim, map_layout(value), readonly=not value.flags.writeable)
    return ask(value)


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
            made: Any = CFunc(self._function, normalize_signature(self._signature), {}, options, WholeCompiler)
            result = made._compile_uncached()
            self._cache.save_overload(self._signature, result)
            found = result.library, result.fndesc.llvm_cfunc_wrapper_name
        else:
            self.was_loaded = True
        self._library, name = found
        self.address = int(self._library.get_pointer_to_function(name))
        return self
