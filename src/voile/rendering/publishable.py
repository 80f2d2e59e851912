"""Whether what a spec asks for can be published as an algorithm does it."""

from voile.core.algorithm import Algorithm
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import COUNT, Role, Schema
from voile.errors import SpecError


def refuse_exact(schema: Schema, algorithm: Algorithm) -> None:
    """What cannot go into two tables: a column that is to be published in steps, or one named like a count."""
    for column in schema if algorithm.separates else ():
        named = column.role == Role.SENSITIVE and column.name.casefold() == COUNT
        if named or (column.role == Role.QUASI_IDENTIFYING and (column.grid or column.min_width)):
            raise SpecError(
                "a sensitive column named count" if named else "grid or min_width",
                where=f"column {column.name}",
                rule=f"{algorithm.key} publishes quasi-identifying values as they are, and a count of each value",
                remedy="rename it" if named else "use another algorithm, such as rda, or take the option away",
            )


def refuse_hidden_tree(schema: Schema) -> None:
    """A reader must be able to tell what a node stands for: quantiles are known only to who has the rows."""
    for column in schema.with_role(Role.SENSITIVE):
        if isinstance(column.hierarchy, Recipe) and column.hierarchy.kind == "quantiles":
            raise SpecError(
                "generalised values of a hierarchy of quantiles",
                where=f"column {column.name}",
                rule="base values and spec say what a published node stands for",
                remedy="use intervals, or write the hierarchy as a file (voile hierarchy) and name that",
            )
