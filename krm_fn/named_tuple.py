"""``typing.NamedTuple`` for a program that starts often: a class takes a third of the time to define.

That of ``typing`` compiles code for each class when its module is imported, and a run makes values of few of its
classes. Here the first value of a class has that code compiled, and nothing else of what ``collections.namedtuple``
makes. For a type checker, and for who uses the values, both are the same. The fields are read as texts, so a module
that defines such a class has ``from __future__ import annotations``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple

    __all__ = ["NamedTuple"]
else:
    from collections import namedtuple

    _Member = type(namedtuple("_One", "member").member)
    """What reads one member of a tuple, by its index."""

    class _WithFields(type):
        """Makes a class of its annotations, and of the defaults that are assigned there."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            fields = tuple(body.get("__annotations__", ()))
            defaults = tuple(body[field] for field in fields if field in body)
            members = {field: _Member(at, None) for at, field in enumerate(fields)}
            own = {"__slots__": (), "__match_args__": fields, "_fields": fields}
            return type.__new__(cls, name, bases, {**body, **own, **members, "_defaults": defaults})

    class NamedTuple(tuple, metaclass=_WithFields):
        """A tuple whose members have names: see ``typing.NamedTuple``."""

        def __new__(cls, *values: Any, **named: Any) -> NamedTuple:
            """Return the first value of a class, and have the code compiled that makes all others."""
            given = ", ".join(cls._fields)
            code = f"lambda _cls, {given}: _new(_cls, ({given},))"
            made = eval(code, {"_new": tuple.__new__})  # noqa: S307 -- names of members, which are no input
            made.__defaults__ = cls._defaults
            cls.__new__ = staticmethod(made)
            return made(cls, *values, **named)

        @classmethod
        def _make(cls, values: Any) -> NamedTuple:
            return tuple.__new__(cls, values)

        def _replace(self, **changes: Any) -> NamedTuple:
            members = list(self)
            for name, value in changes.items():  # one or two of a dozen
                if name not in self._fields:
                    raise TypeError(f"no field has this name: {name}")
                members[self._fields.index(name)] = value
            return tuple.__new__(type(self), members)

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            return f"{type(self).__name__}({self._asdict()})"
