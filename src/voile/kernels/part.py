"""What a kernel is to the kernels that call it: a part of theirs, nothing that Python could call.

Compiled by numba alone, each of a hundred inner kernels would be optimised, made machine code and wrapped for
Python although only other kernels call it, once for each kind of integer it is given. A `Part` is lowered once;
its callers inline it, optimise it and make it machine code. So are the functions of numba that kernels call.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba import types
from numba.core import compiler, sigutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.typed_passes import NopythonTypeInference

from voile.kernels.borrowed import BorrowedArrays


class EntryLibrary(JITCodeLibrary):
    """Code that becomes machine code."""

    def _optimize_functions(self, module: Any) -> None:
        """Leave it until all is linked: what is done to single functions first is done again then."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Once: numba does it twice, for counts of references, of which few are left (`kernels.borrowed`)."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class PartLibrary(EntryLibrary):
    """Code to be linked into a caller's: never made machine code by itself."""

    def finalize(self) -> None:
        """Link; all else is the caller's."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Nothing that could be called."""
        return 0

    @property
    def codegen(self) -> Any:
        """Who is told of environments: nobody, since only machine code has some."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Leave it to the caller."""


class KernelFlags(compiler.Flags):
    """How to compile a kernel. Numba compares flags at each function it meets, 70,000 times, option by option, to
    find one that it has compiled; all kernels may share those."""

    __slots__ = ()

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, KernelFlags)


class KernelCompiler(compiler.Compiler):
    """Numba's compiler; functions of numba that the kernel calls become parts of it."""

    def __init__(self, typing: Any, target: Any, _: Any, args: Any, returned: Any, flags: Any, names: Any):
        library = (PartLibrary if flags.no_compile else EntryLibrary)(target.codegen(), "kernel")
        library.enable_object_caching()
        super().__init__(typing, target, library, args, returned, KernelFlags(flags), names)

    def define_pipelines(self) -> Any:
        """Numba's, and a look at what is only borrowed."""
        passes: Any = super().define_pipelines()[0]
        passes.add_pass_after(BorrowedArrays, NopythonTypeInference)
        passes.finalize()
        return [passes]

    def _compile_core(self) -> Any:
        rtsys.initialize(self.state.targetctx)  # machine code of its own
        with _parts(self.state.targetctx.codegen()):
            return super()._compile_core()


@contextmanager
def _parts(codegen: Any) -> Iterator[None]:
    """Meanwhile numba makes parts of what it compiles; callers hold its lock."""
    kept, codegen._library_class = codegen._library_class, PartLibrary
    try:
        yield
    finally:
        codegen._library_class = kept


@contextmanager
def _uncollected() -> Iterator[None]:
    """Meanwhile nobody looks for garbage, and what is there by then is never looked through again: compiling
    makes millions of objects and keeps nearly all of them. Of threads that overlap, the first one switches it on
    again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()


def widest(kind: Any) -> Any:
    """The one kind of signed integer that parts take, for narrow numbers and those known beforehand, too."""
    plain: Any = types.unliteral(kind)
    return types.int64 if plain in (types.int8, types.int16, types.int32) else plain


class Part(CPUDispatcher):
    """A function that kernels call."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How it is called with such arguments; compiles it if nobody has yet."""
        return super().get_call_template(
            tuple(widest(kind) for kind in args), {name: widest(kind) for name, kind in kws.items()}
        )

    def compile(self, sig: Any) -> Any:
        """Lower it for some kinds of arguments; returns the key callers know it by."""
        with global_compiler_lock, self._compiling_counter:
            args, return_type = sigutils.normalize_signature(sig)
            if args not in self.overloads:
                self.overloads[args] = self._lower(args, return_type)
            found: Any = self.overloads[args]
            return found.entry_point

    def _lower(self, args: Any, return_type: Any) -> Any:
        flags: Any = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = True
        lowered: Any = compiler.compile_extra(
            self.typingctx,
            self.targetctx,
            self.py_func,
            args,
            return_type,
            flags,
            self.locals,
            pipeline_class=KernelCompiler,
        )
        key = (self, args)
        self.targetctx.insert_user_function(key, lowered.fndesc, [lowered.library])
        return lowered._replace(entry_point=key)


class Entry(CPUDispatcher):
    """A function that Python calls. Kernels that call it meet its part."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None, **rest: Any) -> None:
        super().__init__(py_func, locals, targetoptions, **{**rest, "pipeline_class": KernelCompiler})
        wrapperless = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        self.part = Part(py_func, locals, {**(targetoptions or {}), **wrapperless})

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How kernels call it."""
        return self.part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """What kernels call."""
        return self.part.get_overload(sig)

    def compile(self, sig: Any) -> Any:
        """Compile it for some kinds of arguments, or load what was."""
        known = len(self.overloads)
        with _uncollected():
            entry = super().compile(sig)
        if len(self.overloads) > known:
            compiled: Any = next(reversed(self.overloads.values()))
            for environment in compiled._find_referenced_environments():
                compiled.library.codegen.set_env(environment.env_name, environment)
        return entry
