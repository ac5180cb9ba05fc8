"""Which files of a list a check looks at: those of one of several jobs, or what differs from an earlier state.

Whatever the part is, all objects of the list say what they know of Clusters. A file belongs to the part with all files
on which its findings depend: those that share a Cluster with it, and those whose Secrets, templates and classes it
names. Each finding about a file of the part is then what it is in a whole run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from krm_fn.carriers.data_uses import DataUses
from krm_fn.clusters import CHART_SOURCES, Membership, Topology
from krm_fn.config import ProxyConfig
from krm_fn.errors import InputError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.resourcelist import BESIDE_NOTHING, Object
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any
from krm_fn.plan._created import names_in_use
from krm_fn.plan._items import ItemReader
from krm_fn.plan._model import Overview, PlannedEdit
from krm_fn.plan._references import data_uses
from krm_fn.plan._selection import is_selected
from krm_fn.targets.class_plans import ClassEdit, ClassPlans, class_plans

_CLUSTER = ("cluster.x-k8s.io", "Cluster")
_WORD = r"[\w.-]+"
_BY_NAME = ("Secret", "ConfigMap", "ClusterClass", "Template")
"""How kinds end whose objects others name, and whose content or new name then matters to these others."""


class ListPart:
    """A part of the files of a list.

    Args:
        source: the files.
    """

    def __init__(self, source: Manifests) -> None:
        self._source = source
        self._read: Sequence[Object] = ()
        self._topology: Topology | None = None
        # File -> the names of the Clusters to which its objects belong. The namespace may be left out of one of them.
        self._clusters: dict[str, set[str]] = {}
        self._beside: dict[ObjectRef, str] = {}
        self._chosen: set[str] | None = None

    def take(
        self, read: Sequence[Object], classes: ClassPlans, uses: DataUses, wanted: ProxyConfig
    ) -> None:
        """Take what the objects of the list say, before any of them is edited.

        Args:
            read: those that say something of Clusters.
            classes: what their ClusterClasses do, with the Clusters of the list.
            uses: the ConfigMaps and Secrets that others read as a proxy.
            wanted: the checked FunctionConfig.
        """
        self._read, self._topology = read, classes.topology

    def choose(self, every: Sequence[PlannedEdit], overview: Overview) -> None:
        """Choose the files, before any edit.

        Args:
            every: all planned edits.
            overview: what was noticed besides.
        """
        self._note_clusters(every, overview)
        seeds = self._seeds(every, overview)
        self._chosen = None if seeds is None else self._with_needed(seeds, every)
        overview.naming = [one for one in overview.naming if self.has(one[0].ref.file_path)]

    def has(self, file: str) -> bool:
        """Return whether a file is edited and judged."""
        return self._chosen is None or file in self._chosen

    def has_place(self, place: PlannedEdit) -> bool:
        """Return whether a planned edit is of the part; what is beside no other object always is."""
        return place.item_index == BESIDE_NOTHING or self.has(self._source.file(place.item_index))

    def is_own(self, file: str) -> bool:
        """Return whether the findings about a file are reported."""
        return self.has(file)

    def is_of_config(self) -> bool:
        """Return whether it reports what all files together say of the FunctionConfig."""
        return False

    def reports(self, ref: ObjectRef) -> bool:
        """Return whether a finding about an object is reported; one about no file is."""
        file = ref.file_path or self._beside.get(ref, "")
        return not file or self.is_own(file)

    def _seeds(self, every: Sequence[PlannedEdit], overview: Overview) -> set[str] | None:
        """Return the files with which the choice begins; None for all."""
        raise NotImplementedError

    def _note_clusters(self, every: Sequence[PlannedEdit], overview: Overview) -> None:
        """Note which Clusters the objects of each file belong to."""
        planned: set[int] = set()
        for place in every:
            if place.item_index == BESIDE_NOTHING:
                continue
            file = self._source.file(place.item_index)
            planned.add(id(place.obj))
            names = self._clusters.setdefault(file, set())
            names.update(one.cluster.name for one in place.memberships)
            if place.is_new:
                self._beside[place.obj.ref] = file
        for obj, memberships in overview.naming:
            planned.add(id(obj))
            names = self._clusters.setdefault(obj.ref.file_path, set())
            names.update(one.cluster.name for one in memberships)
        for obj in self._read:
            if id(obj) not in planned and self._topology is not None:
                names = self._clusters.setdefault(obj.ref.file_path, set())
                names.update(one.cluster.name for one in self._topology.of(obj))

    def _with_needed(self, seeds: set[str], every: Sequence[PlannedEdit]) -> set[str]:
        """Return the files with all that share a Cluster with them, and with what any of these names."""
        clusters = {name for file in seeds for name in self._clusters.get(file, ())}
        chosen = {*seeds, *(file for file, names in self._clusters.items() if names & clusters)}
        others = [
            (self._source.file(place.item_index), _words(name))
            for place in every
            if not place.is_new and place.obj.ref.kind.endswith(_BY_NAME)
            for name in {place.obj.ref.name, place.obj.base_name} - {""}
        ]
        named = self._words(chosen)
        while True:
            more = {file for file, name in others if file not in chosen and name <= named}
            if not more:
                return chosen
            chosen |= more
            named |= self._words(more)

    def _words(self, files: Iterable[str]) -> set[str]:
        """Return all words of the files; one that is not there any more has none."""
        there = (self._source.text_of(file) for file in files if file in self._source.files)
        return {word for text in there for word in _words(text)}


class OfShard(ListPart):
    """What one of several jobs has: all files of a Cluster together, any other by its name.

    Args:
        source: the files.
        holds_file: whether the job has a file that is of no single Cluster.
        holds_cluster: whether the job has the files of the Cluster of a name.
        config: the file of the FunctionConfig.
        is_first: whether the job has a FunctionConfig that is in none of the files.
    """

    def __init__(
        self,
        source: Manifests,
        holds_file: Callable[[str], bool],
        holds_cluster: Callable[[str], bool],
        config: str,
        *,
        is_first: bool,
    ) -> None:
        super().__init__(source)
        self._config = config
        self._is_first = is_first
        self._holds_file = holds_file
        self._holds_cluster = holds_cluster

    def is_own(self, file: str) -> bool:
        """Return whether the job reports what is about a file: exactly one of all jobs does."""
        names = self._clusters.get(file, set())
        if len(names) == 1:
            return self._holds_cluster(next(iter(names)))
        return self._holds_file(file)

    def is_of_config(self) -> bool:
        """Return whether the job has the FunctionConfig."""
        return self.is_own(self._config) if self._config in self._source.files else self._is_first

    def _seeds(self, every: Sequence[PlannedEdit], overview: Overview) -> set[str]:
        return {file for file in self._source.files if self.is_own(file)}


class Changed(ListPart):
    """What may differ from an earlier state: the files that do, and what depends on them.

    The Clusters of the earlier state are worked out again, from the objects that are the same and from the former
    content of the others. An object for which both states say the same has the same findings.

    Args:
        source: the files, as they are.
        files: the names of those that differ, of former ones, too.
        former: those of them that were manifests, as they were.
        order: the place of a file in the order of the list, by its name.
        config: the data of the FunctionConfig, which may name objects.

    Attributes:
        number: how many files differ.
    """

    def __init__(
        self,
        source: Manifests,
        files: Iterable[str],
        former: Manifests,
        order: Callable[[str], Any],
        config: Any,
    ) -> None:
        super().__init__(source)
        self._files = set(files)
        self.number = len(self._files)
        self._former = former
        self._order = order
        self._named_by_config = _words(str(config))
        self._old: list[Object] = []
        self._new: list[Object] = []
        self._then: Topology | None = None
        self._classes: tuple[ClassPlans, ClassPlans] | None = None

    def take(
        self, read: Sequence[Object], classes: ClassPlans, uses: DataUses, wanted: ProxyConfig
    ) -> None:
        """Take what the objects of the list say, and work out what they said in the earlier state."""
        super().take(read, classes, uses, wanted)
        now = self._source.part(self._files)
        then, today = ItemReader(self._former), ItemReader(now)
        try:
            self._old = list(_objects(self._former))
            self._new = list(_objects(now))
        except InputError:  # what one of them said is not known
            return
        if self._is_about_all(read, uses) or (
            names_in_use(then, wanted, ()) != names_in_use(today, wanted, ())
            or data_uses(then, wanted).differs_from(data_uses(today, wanted))
        ):
            return
        base = [obj for obj in read if obj.ref.file_path not in self._files]
        base = sorted([*base, *self._old], key=self._place)
        self._then = Topology(base)
        of_then = class_plans(base, lambda obj: is_selected(obj, wanted), self._then, wanted)
        self._classes = (of_then, classes)

    def _place(self, obj: Object) -> tuple[Any, int]:
        return self._order(obj.ref.file_path), obj.ref.file_index

    def _is_about_all(self, read: Sequence[Object], uses: DataUses) -> bool:
        """Return whether a file that differs holds, or held, what may matter to any object of the list."""
        changed = [*self._old, *self._new]
        has_class = any(obj.ref.kind == "ClusterClass" for obj in (*changed, *read))
        for obj in changed:
            if has_class and obj.ref.kind.endswith(("Template", "ClusterClass")):
                return True
            if obj.group_kind in CHART_SOURCES:  # a HelmRelease in any file may name it
                return True
            is_data = obj.ref.kind.endswith(("Secret", "ConfigMap"))
            if is_data and obj.ref.name in uses.names:
                return True
            if is_data and _words(obj.ref.name) <= self._named_by_config:
                return True
        return False

    def _seeds(self, every: Sequence[PlannedEdit], overview: Overview) -> set[str] | None:
        """Return the files that differ, and those with an object of which the other state said something else."""
        if self._then is None or self._topology is None:
            return None
        for obj in self._old:
            self._note(obj.ref.file_path, self._then.of(obj))
        for obj in self._new:
            self._note(obj.ref.file_path, self._topology.of(obj))
        seeds = {*self._files, *self._naming()}
        names = {obj.base_name for obj in self._old} | {obj.ref.name for obj in self._old}
        seen: dict[int, bool] = {}
        for place in every:
            if place.item_index == BESIDE_NOTHING:
                continue
            file = self._source.file(place.item_index)
            if place.is_new:
                # It may have been in one of the files that differ.
                if place.obj.ref.name in names:
                    seeds.add(file)
            elif id(place.obj) not in seen and file not in seeds:
                seen[id(place.obj)] = True
                if self._differs(place):
                    seeds.add(file)
        others = [
            *overview.naming,
            *((one.obj, self._topology.of(one.obj)) for one in overview.foreign),
            *((obj, memberships) for obj, _, memberships in overview.elsewhere),
        ]
        for obj, memberships in others:
            if obj.ref.file_path not in seeds and self._then.of(obj) != memberships:
                seeds.add(obj.ref.file_path)
        return seeds

    def _differs(self, place: PlannedEdit) -> bool:
        """Return whether the earlier state said something else of an object, which itself is the same."""
        if self._then is None or self._topology is None or self._classes is None:
            return True
        obj, memberships = place.obj, place.memberships
        if place.class_context is not None:  # what it belongs to is not what it makes
            memberships = self._topology.of(obj)
        is_same = (
            self._then.of(obj) == memberships
            and self._then.is_whole(obj) == self._topology.is_whole(obj)
            and (
                obj.group_kind != _CLUSTER
                or self._then.nodes_of(obj) == self._topology.nodes_of(obj)
            )
        )
        then, today = (_comparable(classes.about(obj)) for classes in self._classes)
        return not is_same or then != today

    def _naming(self) -> Iterator[str]:
        """Yield the files that name a Secret, a template or a class that differs."""
        old = {obj.ref: obj for obj in self._old}
        new = {obj.ref: obj for obj in self._new}
        names: set[str] = set()
        for ref in {*old, *new}:
            is_same = ref in old and ref in new and old[ref].data == new[ref].data
            if ref.kind.endswith(_BY_NAME) and not is_same:
                names |= {one.base_name for one in (old.get(ref), new.get(ref)) if one}
                names.add(ref.name)
        wanted = [_words(name) for name in names if name]
        for file in self._source.files if wanted else ():
            text = self._source.text_of(file)
            likely = [name for name in wanted if all(word in text for word in name)]
            if likely:
                words = _words(text)
                if any(name <= words for name in likely):
                    yield file

    def _note(self, file: str, memberships: Iterable[Membership]) -> None:
        names = self._clusters.setdefault(file, set())
        names.update(one.cluster.name for one in memberships)


def _words(text: str) -> set[str]:
    """Return the words of a text, as names of objects consist of them; a name with a placeholder has several."""
    return set(re.findall(_WORD, text))


def _objects(source: Manifests) -> Iterator[Object]:
    for index in range(len(source)):
        yield from source.objects(index)


def _comparable(about: ClassEdit | None) -> ClassEdit | None:
    """Return what is known of a class or Cluster without its templates: where one differs, all counts as changed."""
    if about is None:
        return None
    nodes, resolved, context = about
    return nodes, resolved, context._replace(templates={}, elsewhere=())
