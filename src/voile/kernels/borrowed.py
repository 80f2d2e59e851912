"""Kernels that only borrow arrays count no references to them.

Numba counts who holds an array wherever one is named. A kernel that makes no array and returns none works on what
its caller holds anyway: there every count is taken back, and counting was a third of the code to compile, and most
of the time of a loop wherever numba did not see that the counts cancel out.
"""

from typing import Any

from numba.core import ir
from numba.core.compiler_machinery import AnalysisPass, register_pass

# what gives part of something, or another name to it; anything else may give a new array
ANOTHER_NAME = frozenset(
    ("getattr", "getitem", "static_getitem", "typed_getitem", "build_tuple", "exhaust_iter", "cast", "phi")
)
WALKING = frozenset(("getiter", "iternext", "pair_first", "pair_second"))


def owns_arrays(function: Any, types: Any, returned: Any, may_hold_arrays: Any) -> bool:
    """Whether a function makes an array, gets one from what it calls, copies into one, or returns one."""
    if may_hold_arrays(returned):
        return True
    for block in function.blocks.values():
        for assigned in block.find_insts(ir.Assign):
            if may_hold_arrays(types[assigned.target.name]) and _is_new(assigned.value, types, may_hold_arrays):
                return True
        for stored in block.find_insts((ir.SetItem, ir.StaticSetItem)):  # numba copies what overlaps
            if may_hold_arrays(types[stored.value.name]):
                return True
    return False


def _is_new(value: Any, types: Any, may_hold_arrays: Any) -> bool:
    """Whether what is assigned may be made here: what numba has no name for yet."""
    if not isinstance(value, ir.Expr):
        return False
    if value.op == "getitem" and may_hold_arrays(types[value.index.name]):
        return True  # the items at many places, one after the other
    return value.op not in ANOTHER_NAME | WALKING


@register_pass(mutates_CFG=False, analysis_only=True)
class BorrowedArrays(AnalysisPass):
    """Once all has a type: switch counting off for a function that owns no array."""

    _name = "borrowed_arrays"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Decide; the function stays as it is."""
        models = state.targetctx.data_model_manager
        if not owns_arrays(
            state.func_ir, state.typemap, state.return_type, lambda kind: models[kind].contains_nrt_meminfo()
        ):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
            state.targetctx.__dict__.pop("nrt", None)  # that of the context that counts
        return False
