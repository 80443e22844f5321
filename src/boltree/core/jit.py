"""The decorators every compiled function of Boltree uses, and the cache they share.

Why these options, once and for all:

* ``_nrt=False`` and ``forceinline=True``: Numba counts references to every array that crosses a
  function boundary; in a tree search that costs ten times the work itself. A helper compiled
  without the run-time cannot create or return arrays, so nothing is counted, and it is always
  inlined into its caller.
* ``error_model="numpy"``: a division does not branch to raise ``ZeroDivisionError``.
* A kernel is compiled once per machine and kept on disk, or came with the package (shipped.py). Numba keys its own
  cache on the file that defines a function, so an edit to a helper in another file would silently keep the old machine
  code. Ours is keyed on the text of the whole package (machine_code.py).

With ``NUMBA_DISABLE_JIT=1`` every function here stays plain Python and can be stepped through.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, NullCache, _CacheLocator
from numba.core.codegen import JITCodeLibrary

from . import shipped
from .machine_code import make_room, source_stamp, version_folder

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED = bool(numba.config.DISABLE_JIT)
if JIT_DISABLED:
    np.seterr(over="ignore", divide="ignore")  # random numbers wrap around, untried edges divide by 0, on purpose


def inlined(function: F) -> F:
    """Compile a helper that is inlined into every kernel that calls it."""
    options = {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    helper = numba.njit(_nrt=False, error_model="numpy", **options)(function)
    if not JIT_DISABLED:
        _leave_unoptimised(helper)
    return helper  # type: ignore[no-any-return]


class _UnoptimisedLibrary(JITCodeLibrary):
    """Code that is only ever linked into other code: neither optimised nor turned into machine code by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironment(self._codegen)


class _WithoutEnvironment:
    """A code generator for functions that exist only inside others: they have no environment to be set."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        pass


def _leave_unoptimised(helper: Any) -> None:
    """Spare a helper the passes that its callers run again over its inlined code: half of the compile time."""
    compile_core = helper._compiler.compile

    def compile_for_linking(args: Any, return_type: Any) -> Any:
        codegen = helper.targetctx.codegen()
        before = codegen._library_class
        codegen._library_class = _UnoptimisedLibrary
        try:
            return compile_core(args, return_type)
        finally:
            codegen._library_class = before

    helper._compiler.compile = compile_for_linking


def for_problems(function: F) -> F:
    """Compile a function that problems' functions call, compiled or in plain Python."""
    return numba.njit(_nrt=False, error_model="numpy")(function)  # type: ignore[no-any-return]


def kernel(function: F) -> F:
    """Compile a function that Python calls; keep its machine code on disk. It runs without the GIL."""
    return _called_from_python(function, nogil=True)


def brief(function: F) -> F:
    """Compile a kernel that takes microseconds. It keeps the GIL: getting it back from other threads takes longer."""
    return _called_from_python(function, nogil=False)


def _called_from_python(function: F, *, nogil: bool) -> F:
    compiled = numba.njit(nogil=nogil, _nrt=False, error_model="numpy", no_cfunc_wrapper=True)(function)
    if not JIT_DISABLED:
        keep_on_disk(compiled, function.__module__ + "." + function.__qualname__, announce=True)
    return compiled  # type: ignore[no-any-return]


def make_ready(compiled: Any, *arguments: Any) -> None:
    """Compile a kernel for arguments like these, or load what was compiled, without calling it."""
    if not JIT_DISABLED:
        compiled.compile(tuple(map(numba.typeof, arguments)))


def keep_on_disk(dispatcher: Any, name: str, *, announce: bool = False) -> None:
    """Let a dispatcher load its machine code from Boltree's cache, and save it there."""
    try:
        dispatcher._cache = _PackageCache(dispatcher.py_func, name, announce)
    except OSError:  # nowhere to write: compile in every process
        dispatcher._cache = NullCache()


COSTLY = {
    "run_trials": ("trials in a tree", 20),
    "run_graph_trials": ("trials with shared nodes", 14),
    "run_worker": ("trials of several threads on one tree", 20),
    "begin_merging": ("the merging of trees", 6),
    "select_batch": ("trials in batches", 6),
    "select_graph_batch": ("trials in batches, with shared nodes", 7),
    "back_up_batch": ("the backup of batches", 3),
    "back_up_graph_batch": ("the backup of batches, with shared nodes", 5),
    "run_searches": ("many searches", 14),
    "advance_groups": ("trials of many searches in common batches", 29),
}
"""What takes long to compile, in words, and about how many seconds it takes on a core that does nothing else."""


class _Locator(_CacheLocator):
    def get_cache_path(self) -> str:
        return str(version_folder())

    def get_source_stamp(self) -> str:
        return source_stamp()

    def get_disambiguator(self) -> str:
        return ""


class _CacheImpl(CompileResultCacheImpl):
    def __init__(self, name: str) -> None:
        self._locator = _Locator()
        safe = "".join(c if c.isalnum() or c in "._" else "-" for c in name)
        self._filename_base = f"{safe}.py{sys.version_info[0]}{sys.version_info[1]}"


class _PackageCache(FunctionCache):
    def __init__(self, function: Callable[..., Any], name: str, announce: bool) -> None:
        self._impl_class = lambda _: _CacheImpl(name)
        self._announce = function.__name__ if announce else ""
        super().__init__(function)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (sig, codegen.magic_tuple())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None:
            found = self._load_shipped(sig, target_context)
        if found is None and self._announce:
            say_compiling(self._announce)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        super().save_overload(sig, data)
        make_room()

    def _load_shipped(self, sig: Any, target_context: Any) -> Any:
        """The machine code that came with the package, where this processor can run it."""
        target = shipped.shipped_target()
        if target is None:
            return None
        code = IndexDataCacheFile(str(shipped.FOLDER), self._impl.filename_base, source_stamp())
        key = (sig, target, *self._index_key(sig, target_context.codegen())[2:])
        data = code.load(key)
        return None if data is None else self._impl.rebuild(target_context, data)


def say_compiling(function: str) -> None:
    """Tell the user why a call takes seconds, where it does."""
    if function in COSTLY:
        from ..log import logger

        what, seconds = COSTLY[function]
        logger.info("compiling %s (about %d s, once on this machine) ...", what, seconds)
