"""Stand in for the parts of ``typing`` that modules need when they are imported, for a program that starts often.

To load ``typing`` takes as long as twenty modules of this package. Each module that imports a name from here has
``from __future__ import annotations``: only a type checker reads its annotations, and for that each name is the one of
``typing``. At run time a name stands for nothing, so ``Literal["a"]`` fails outside of annotations.

A class of ``typing.NamedTuple`` takes three times as long to define as one of this module, because Python compiles code
for each class. Here all classes with the same number of members share the code of the first one, under their own names,
and nothing else that ``collections.namedtuple`` makes is there.
"""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal, NamedTuple, NoReturn, Protocol, TypeVar

    __all__ = [
        "TYPE_CHECKING",
        "Any",
        "Literal",
        "NamedTuple",
        "NoReturn",
        "Protocol",
        "TypeVar",
    ]
else:
    from collections import namedtuple
    from types import CodeType, FunctionType

    Any = Literal = NoReturn = object

    class Protocol:
        """The methods that other classes have, for a type checker: see ``typing.Protocol``."""

    def TypeVar(_: str) -> type:  # noqa: N802 -- see ``typing.TypeVar``
        """Return a stand-in for a type that a type checker finds out."""
        return Any

    _Member = type(namedtuple("_One", "member").member)
    """A property that reads a member of a tuple by its index."""

    _new = tuple.__new__
    _codes: dict[int, CodeType] = {}
    """The number of members -> the code that makes a value; its parameters have the names of the first such class."""

    def _constructor(fields: tuple[str, ...], defaults: tuple[Any, ...]) -> FunctionType:
        code = _codes.get(len(fields))
        if code is None:
            given = ", ".join(fields)
            text = f"lambda _cls, {given}: _new(_cls, ({given},))"
            code = eval(text).__code__  # noqa: S307 -- names of members, which are no input
            _codes[len(fields)] = code
        named = code.replace(co_varnames=("_cls", *fields))
        return FunctionType(named, globals(), "__new__", defaults)

    class _WithFields(type):
        """Makes a class of its annotations, and of the defaults that are assigned there."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            fields = tuple(body.get("__annotations__", ()))
            defaults = tuple(body[field] for field in fields if field in body)
            if fields:
                body["__new__"] = _constructor(fields, defaults)
            for at, field in enumerate(fields):
                body[field] = _Member(at, None)
            body["__slots__"] = ()
            body["_fields"] = fields
            return type.__new__(cls, name, bases, body)

    class NamedTuple(tuple, metaclass=_WithFields):
        """A tuple whose members have names: see ``typing.NamedTuple``."""

        @classmethod
        def _make(cls, values: Any) -> NamedTuple:
            return tuple.__new__(cls, values)

        def _replace(self, **changes: Any) -> NamedTuple:
            members = [*self]
            fields = self._fields
            for name, value in changes.items():  # one or two of a dozen
                members[fields.index(name)] = value
            return _new(type(self), members)

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            return f"{type(self).__name__}({self._asdict()})"


# Fields of an object, or of a part of one, as plain data that may be changed.
Fields = dict[str, Any]
# Name of a variable of a proxy -> value; empty: no proxy.
Variables = Mapping[str, str]
# Texts in their order: names, words, or the steps of a path.
Texts = tuple[str, ...]
# The proxies for ``http://`` and ``https://``, "" for none.
Urls = tuple[str, str]
# API group and kind: ``("apps", "Deployment")``; the group of ``v1`` is empty.
GroupKind = tuple[str, str]
