"""Types of expressions of one script, as far as its text shows them: which objects come from the package."""

from __future__ import annotations

import ast
import builtins
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rename_table import Table

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FOREIGN_LITERALS = (
    ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Compare, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.Lambda,
)  # fmt: skip


@dataclass(frozen=True)
class Thing:
    """Meaning of an expression.

    Attributes:
        kind: "package", "class", "function", "member" or "object" of the package; "local" class or function of the
            script, "foreign", "nothing" (None, or a name that is still being resolved) or "unknown".
        names: Classes, functions ("simulate") or members ("PlanarModel.simulate").
        node: Definition of a local class or function.
    """

    kind: str
    names: frozenset[str] = frozenset()
    node: Any = None


UNKNOWN, FOREIGN, NOTHING, PACKAGE = Thing("unknown"), Thing("foreign"), Thing("nothing"), Thing("package")


class Scope:
    """Names bound in a module, class, function or comprehension."""

    def __init__(self, node: ast.AST, parent: Scope | None) -> None:
        self.node, self.parent = node, parent
        self.bindings: dict[str, list[tuple[str, Any]]] = defaultdict(list)

    def owner_of(self, name: str) -> Scope | None:
        """Scope that binds a name as seen from here; bodies of classes are not seen from their functions."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bindings and (scope is self or not isinstance(scope.node, ast.ClassDef)):
                return scope
            scope = scope.parent
        return None


class Types:
    """Resolve names, attributes and calls of one script.

    Args:
        tree: The script.
        table: Renames with types of results.
        package_names: Names that stand for the package without an import, as `tm` on a page of documentation.
    """

    def __init__(self, tree: ast.Module, table: Table, package_names: Iterable[str] = ()) -> None:
        self.table, self.package_names = table, frozenset(package_names)
        self.scopes: dict[ast.AST, Scope] = {}
        self.uses_package = bool(self.package_names)
        self._active: set[tuple[int, str]] = set()
        self._walk(tree, Scope(tree, None))

    # scopes ----------------------------------------------------------------------------------------------------------

    def _walk(self, node: ast.AST, scope: Scope) -> None:
        self.scopes[node] = scope
        bind = getattr(self, f"_bind_{type(node).__name__}", None)
        if bind is not None:
            bind(node, scope)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not self._is_handled(node, scope):
            scope.bindings[node.id].append(("unknown", None))
        inner = Scope(node, scope) if isinstance(node, (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)) else scope
        if isinstance(node, FUNCTIONS):
            self._bind_arguments(node.args, inner)
        for child in ast.iter_child_nodes(node):
            self._walk(child, inner)

    def _is_handled(self, node: ast.Name, scope: Scope) -> bool:
        return any(
            source is node for _, pair in scope.bindings[node.id] if isinstance(pair, tuple) for source in pair[:1]
        )

    def _bind_Import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            root = alias.name.partition(".")[0]
            self.uses_package |= root in self.table.known
            scope.bindings[alias.asname or root].append(("module", alias.name if alias.asname else root))

    def _bind_ImportFrom(self, node: ast.ImportFrom, scope: Scope) -> None:
        module = "." * node.level + (node.module or "")
        self.uses_package |= module.partition(".")[0] in self.table.known
        for alias in node.names:
            scope.bindings[alias.asname or alias.name].append(("import", (module, alias.name)))

    def _bind_FunctionDef(self, node: Any, scope: Scope) -> None:
        scope.bindings[node.name].append(("definition", node))

    _bind_AsyncFunctionDef = _bind_ClassDef = _bind_FunctionDef

    def _bind_arguments(self, arguments: ast.arguments, scope: Scope) -> None:
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for place, one in enumerate(every):
            is_method = isinstance(scope.parent and scope.parent.node, ast.ClassDef) and place == 0
            scope.bindings[one.arg].append(("self", scope.parent) if is_method else ("argument", one))
        for one in filter(None, (arguments.vararg, arguments.kwarg)):
            scope.bindings[one.arg].append(("foreign", None))

    def _bind_Assign(self, node: ast.Assign, scope: Scope) -> None:
        for target in node.targets:
            self._bind_target(target, node.value, "value", scope)

    def _bind_AnnAssign(self, node: ast.AnnAssign, scope: Scope) -> None:
        if isinstance(node.target, ast.Name):
            scope.bindings[node.target.id].append(("annotated", (node.target, node.annotation)))

    def _bind_NamedExpr(self, node: ast.NamedExpr, scope: Scope) -> None:
        self._bind_target(node.target, node.value, "value", scope)

    def _bind_withitem(self, node: ast.withitem, scope: Scope) -> None:
        if node.optional_vars is not None:
            self._bind_target(node.optional_vars, node.context_expr, "value", scope)

    def _bind_For(self, node: Any, scope: Scope) -> None:
        self._bind_target(node.target, node.iter, "element", scope)

    _bind_comprehension = _bind_For

    def _bind_ExceptHandler(self, node: ast.ExceptHandler, scope: Scope) -> None:
        if node.name:
            scope.bindings[node.name].append(("foreign", None))

    def _bind_target(self, target: ast.AST, value: ast.expr, source: str, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.bindings[target.id].append((source, (target, value)))
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, its in zip(target.elts, value.elts, strict=True):
                self._bind_target(one, its, source, scope)

    # things ----------------------------------------------------------------------------------------------------------

    def of(self, node: ast.AST) -> Thing:
        """Resolve an expression."""
        found = getattr(self, f"_of_{type(node).__name__}", None)
        if found is not None:
            return found(node)
        return FOREIGN if isinstance(node, FOREIGN_LITERALS) else UNKNOWN

    def is_package_name(self, node: ast.Name) -> bool:
        """Return True if `import package` bound a name, so that it is renamed with the package."""
        owner = self.scopes[node].owner_of(node.id)
        return owner is not None and all(
            kind == "module" and source.partition(".")[0] == node.id for kind, source in owner.bindings[node.id]
        )

    def lookup(self, name: str, scope: Scope) -> Thing:
        owner = scope.owner_of(name)
        if owner is None:
            if name in self.package_names:
                return PACKAGE
            return FOREIGN if hasattr(builtins, name) else UNKNOWN
        key = (id(owner), name)
        if key in self._active:
            return NOTHING
        self._active.add(key)
        try:
            return united(self._bound(kind, source, owner) for kind, source in owner.bindings[name])
        finally:
            self._active.discard(key)

    def _bound(self, kind: str, source: Any, scope: Scope) -> Thing:
        if kind == "module":
            return self._module(source)
        if kind == "import":
            return self._imported(*source)
        if kind == "definition":
            return Thing("local", node=source)
        if kind == "self":
            return self._instance_of_local(source.node)
        if kind == "argument":
            return self._argument(source, scope)
        if kind == "annotated":
            return self.of_annotation(source[1])
        if kind == "element":
            return self._element(source[1])
        return self.of(source[1]) if kind == "value" else FOREIGN if kind == "foreign" else UNKNOWN

    def _module(self, name: str) -> Thing:
        root = name.partition(".")[0]
        if root in self.table.known:
            return PACKAGE if name == root else Thing("function", frozenset([name.partition(".")[2]]))
        return FOREIGN if root in self.table.foreign or root in sys.stdlib_module_names else UNKNOWN

    def _imported(self, module: str, name: str) -> Thing:
        if module.partition(".")[0] in self.table.known:
            return self._public(name)
        return FOREIGN if self._module(module) is FOREIGN else UNKNOWN

    def _public(self, name: str) -> Thing:
        """A class or function of the package; classes begin with a capital."""
        names = self.table.expand(frozenset([self.table.old_class(name)]))
        return Thing("class" if name[:1].isupper() else "function", names)

    def _argument(self, node: ast.arg, scope: Scope) -> Thing:
        if node.annotation is not None:
            return self.of_annotation(node.annotation)
        # a fixture of pytest has the name of the argument
        for kind, source in scope.parent.bindings.get(node.arg, ()) if scope.parent else ():
            if kind == "definition" and any("fixture" in ast.unparse(each) for each in source.decorator_list):
                return self._result_of_local(source)
        return UNKNOWN

    def of_annotation(self, node: ast.expr) -> Thing:
        if isinstance(node, ast.Constant):
            if not isinstance(node.value, str):
                return NOTHING
            try:
                parsed = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                return UNKNOWN
            for each in ast.walk(parsed):
                self.scopes[each] = self.scopes[node]
            return self.of_annotation(parsed)
        if isinstance(node, ast.BinOp):
            return united([self.of_annotation(node.left), self.of_annotation(node.right)])
        if isinstance(node, ast.Subscript):
            if "Optional" in ast.unparse(node.value):
                return self.of_annotation(node.slice)
            return FOREIGN if self.of(node.value) == FOREIGN else UNKNOWN
        return self._instance(self.of(node))

    def _instance(self, thing: Thing) -> Thing:
        if thing.kind == "class":
            return Thing("object", thing.names)
        if thing.kind == "local" and isinstance(thing.node, ast.ClassDef):
            return self._instance_of_local(thing.node)
        return thing if thing.kind in ("foreign", "nothing") else UNKNOWN

    def _instance_of_local(self, node: ast.ClassDef) -> Thing:
        bases = [self._instance(self.of(base)) for base in node.bases]
        ours = [base for base in bases if base.kind == "object"]
        if ours:
            return Thing("object", frozenset().union(*(base.names for base in ours)), node)
        return Thing("foreign", node=node) if all(base.kind == "foreign" for base in bases) else UNKNOWN

    def _of_Name(self, node: ast.Name) -> Thing:
        return self.lookup(node.id, self.scopes[node])

    def _of_Attribute(self, node: ast.Attribute) -> Thing:
        owner = self.of(node.value)
        if owner.kind == "package":
            return self._public(node.attr)
        if owner.kind == "function":  # a module of the package, or a function
            public = node.attr[:1].isupper() or owner.names <= self.table.namespaces
            return self._public(node.attr) if public else UNKNOWN
        if isinstance(owner.node, ast.ClassDef):
            return self._attribute_of_local(owner, node)
        if owner.kind == "object":
            return self._member(owner, node.attr)
        return owner if owner.kind == "foreign" else UNKNOWN

    def _attribute_of_local(self, owner: Thing, node: ast.Attribute) -> Thing:
        """`self.model`, from the assignments of the class."""
        assigned = [each for each in ast.walk(owner.node) if isinstance(each, ast.Assign)]
        values = [each.value for each in assigned if any(_is_own(target, node.attr) for target in each.targets)]
        key = (id(owner.node), f"self.{node.attr}")
        if not values or key in self._active:
            return self._member(owner, node.attr) if owner.kind == "object" else UNKNOWN
        self._active.add(key)
        try:
            return united(self.of(value) for value in values)
        finally:
            self._active.discard(key)

    def _member(self, owner: Thing, attribute: str) -> Thing:
        found = [self.table.types.get(f"{name}.{attribute}") for name in owner.names]
        if found and all(found):
            return Thing("object", frozenset().union(*(each for each in found if each)))
        return Thing("member", frozenset(f"{name}.{attribute}" for name in owner.names))

    def _of_Call(self, node: ast.Call) -> Thing:
        called = self.of(node.func)
        if called.kind in ("class", "local"):
            return self._result_of_local(called.node) if called.kind == "local" else self._instance(called)
        if called.kind in ("function", "member"):
            found = [self.table.types.get(f"{self._before(name)}()") for name in called.names]
            if found and all(found):
                return Thing("object", frozenset().union(*(each for each in found if each)))
            return UNKNOWN
        return called if called.kind == "foreign" else UNKNOWN

    def _before(self, member: str) -> str:
        """A member by its old name, by which the types are listed."""
        owner, dot, name = member.rpartition(".")
        for row in self.table.of_kind("method", "attribute") if dot else ():
            if row.new == name and (not row.owners or owner in row.owners) and f"{member}()" not in self.table.types:
                return f"{owner}.{row.old}"
        return member

    def _result_of_local(self, node: Any) -> Thing:
        if isinstance(node, ast.ClassDef):
            return self._instance_of_local(node)
        if node.returns is not None:
            return self.of_annotation(node.returns)
        key = (id(node), "return")
        if key in self._active:
            return NOTHING
        self._active.add(key)
        try:
            found = [
                self.of(each.value)
                for each in ast.walk(node)
                if isinstance(each, (ast.Return, ast.Yield)) and each.value
            ]
            return united(found) if found else UNKNOWN
        finally:
            self._active.discard(key)

    def _of_Subscript(self, node: ast.Subscript) -> Thing:
        owner = self.of(node.value)
        if owner.kind == "object":
            found = [self.table.types.get(f"{name}[]") for name in owner.names]
            return (
                Thing("object", frozenset().union(*(each for each in found if each)))
                if found and all(found)
                else UNKNOWN
            )
        return UNKNOWN

    def _element(self, node: ast.expr) -> Thing:
        if isinstance(node, (ast.Tuple, ast.List)) and node.elts:
            return united(self.of(each) for each in node.elts)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("range", "enumerate", "zip", "sorted")
        ):
            return FOREIGN if node.func.id == "range" else UNKNOWN
        owner = self.of(node)
        if owner.kind == "object":
            found = [self.table.types.get(f"{name}[]") for name in owner.names]
            return (
                Thing("object", frozenset().union(*(each for each in found if each)))
                if found and all(found)
                else UNKNOWN
            )
        return UNKNOWN

    def _of_Constant(self, node: ast.Constant) -> Thing:
        return NOTHING if node.value is None else FOREIGN

    def _of_IfExp(self, node: ast.IfExp) -> Thing:
        return united([self.of(node.body), self.of(node.orelse)])

    def _of_BoolOp(self, node: ast.BoolOp) -> Thing:
        return united(self.of(each) for each in node.values)

    def _of_NamedExpr(self, node: ast.NamedExpr) -> Thing:
        return self.of(node.value)

    def _of_BinOp(self, node: ast.BinOp) -> Thing:
        sides = {self.of(node.left).kind, self.of(node.right).kind}
        return FOREIGN if sides == {"foreign"} else UNKNOWN


def _is_own(target: ast.expr, attribute: str) -> bool:
    """Return True if an assignment is to `self.attribute`."""
    named = isinstance(target, ast.Attribute) and target.attr == attribute
    return named and isinstance(target.value, ast.Name) and target.value.id == "self"


def united(things: Iterable[Thing]) -> Thing:
    """Common meaning of the bindings of one name."""
    every = [thing for thing in things if thing.kind != "nothing"]
    if not every:
        return UNKNOWN
    if all(thing == every[0] for thing in every):
        return every[0]
    if all(thing.kind == "object" for thing in every):
        return Thing("object", frozenset().union(*(thing.names for thing in every)))
    return UNKNOWN
