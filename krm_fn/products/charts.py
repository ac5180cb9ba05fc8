"""Charts of Helm: under which values each one takes a proxy, and in which form. Data only.

Sources: the ``values.yaml`` and the templates of each chart. All default lists of these charts are empty. cert-manager
gives its three texts to the controller alone, as upper-case names; Harbor completes the list with the names of its
parts; those of Argo CD call each other over gRPC by the names of their Services, Grafana of kube-prometheus-stack
calls Prometheus and Alertmanager (``configmaps-datasources.yaml``), and scans of Trivy call its server: ``NO_PROXY``
must hold these names. The tests record what Helm renders of the oldest and the newest version of each chart.
"""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.products import proxy_keys

# Forms: ``[{name, value}]``; ``{NAME: value}``; ``httpProxy``, ``httpsProxy``, ``noProxy``; the same in snake case;
# one text that is the URL of the proxy for ``https://``, or else the other one; and, only here, members of any name.
LIST, MAPPING, CAMEL_CASE, SNAKE_CASE = "List", "Mapping", "CamelCase", "SnakeCase"
URL, MEMBERS = "URL", "Members"


Version = tuple[int, ...]
# Paths with dots, in which ``*`` is each member of a mapping, and for each a word of the value there; "" is in any.
Signs = tuple[tuple[str, str], ...]


_MEMBERS = {CAMEL_CASE: proxy_keys.CAMEL, SNAKE_CASE: proxy_keys.SNAKE}


class ChartValue(NamedTuple):
    """One place among the values of a chart.

    Attributes:
        path: with dots; of members the mapping that holds them, "" for the values themselves.
        form: one of the forms above.
        members: of the form ``Members`` the paths below ``path`` of the proxy for ``http://``, that for ``https://``
            and the list; "" where there is none.
        is_of_github: a new list of members is a list of entries, and no text; user and password of a URL are in a
            Secret beside it.
        no_proxy: of the form ``URL`` the path of the text that holds the list; "" for none.
        where: the program is there, and calls out, only where one of these signs is among the values; always without.
        unless: it does not where one of these is.
        below: the name below which another chart holds the values of this one; "" for values of its own.
        since: the first version of the chart that has the place in this form; () if all have it.
        before: the first version that has it in another form, or place; () for none.
    """

    path: str
    form: str = LIST
    members: tuple[str, str, str] = ("", "", "")
    is_of_github: bool = False
    no_proxy: str = ""
    where: Signs = ()
    unless: Signs = ()
    below: str = ""
    since: Version = ()
    before: Version = ()

    def is_in(self, version: Version | None) -> bool:
        """Return whether a version of the chart has the place in this form; None is the newest one."""
        if version is None:
            return not self.before
        return self.since <= version and (not self.before or version < self.before)

    @property
    def steps(self) -> Texts:
        """The path, taken apart."""
        return self._steps(self.path)

    @property
    def name(self) -> str:
        """Its name for people: its path, or its first member."""
        return self.path or next(filter(None, self.members))

    @property
    def texts(self) -> dict[str, Texts]:
        """Variable -> the path of the text that holds it; empty for a list and a mapping of variables.

        One text for both proxies is that of ``HTTPS_PROXY``.
        """
        above = self.path
        members = _MEMBERS.get(self.form, self.members)
        if self.form == URL:
            above = ""
            members = ("", self.path, self.no_proxy)
        texts = {}
        for variable, member in zip(proxy_keys.UPPER, members, strict=True):
            if member:
                texts[variable] = self._steps(f"{above}.{member}")
        return texts

    def _steps(self, path: str) -> Texts:
        return tuple(filter(None, (self.below, *path.split("."))))

    @property
    def names(self) -> list[str]:
        """The places of all its texts, or its own, as people write them."""
        return [".".join(path) for path in self.texts.values() or [self.steps]]


class Services(NamedTuple):
    """The Services by whose names the programs of a chart call each other, as its templates make these names.

    Attributes:
        own: the name of the chart behind that of the release; "" for names that are the same in each release.
        parts: the ends of the names.
        longest: so many characters in front of the end count.
        has_namespace: the programs write the namespace behind the name.
        where: they are called only where one of these signs is among the values; always without.
    """

    own: str
    parts: Texts
    longest: int = 63
    has_namespace: bool = False
    where: Signs = ()


class Chart(NamedTuple):
    """Where one chart takes a proxy from.

    Attributes:
        values: the places.
        is_go: all programs of the chart that read them are written in Go.
        services: the names by which its programs call each other, if these are not in every list.
        others: the value behind which the URLs of other Services stand that its programs call; "" for none.
        unreached: the warning about a program that the values alone do not reach; "" if they reach all.
        other_urls: the paths of URLs of proxies that no run writes: another proxy there is named.
        has_own_name: its values hold a mapping under the name of the chart, as those of an umbrella chart do.
    """

    values: Sequence[ChartValue]
    is_go: bool = False
    services: Sequence[Services] = ()
    others: str = ""
    unreached: str = ""
    other_urls: Texts = ()
    has_own_name: bool = False

    @property
    def below(self) -> str:
        """The name below which another chart holds its values; "" for values of its own."""
        return self.values[0].below


_WEBHOOK = ("provider.name", "webhook")
# The list of Renovate that is in place of its mapping.
_ENV_LIST = (("envList", "["),)


def _downloads(dashboards: str) -> Signs:
    """Return the signs of a dashboard that Grafana's chart downloads (``hasKey`` in its ``templates/_config.tpl``)."""
    return ((f"{dashboards}.*.*.gnetId", ""), (f"{dashboards}.*.*.url", ""))


def _renderer(values: str) -> Services:
    """Return the Service by which Grafana calls its renderer of images, if values at a path say that there is one."""
    return Services(
        "grafana", ("image-renderer",), has_namespace=True, where=((f"{values}.enabled", "True"),)
    )


# All but the source controller that the chart installs unless values say otherwise, as the preset ``flux`` does.
_FLUX_CONTROLLERS = (
    "notificationController",
    "imageAutomationController",
    "imageReflectionController",
    "kustomizeController",
    "helmController",
)


def _lists(*paths: str, since: Version = (), before: Version = ()) -> list[ChartValue]:
    return [ChartValue(path, since=since, before=before) for path in paths]


# Chart -> the values that hold a proxy.
CHARTS = {
    "cert-manager": Chart(
        (
            *_lists(
                "webhook.extraEnv",
                "cainjector.extraEnv",
                "startupapicheck.extraEnv",
                since=(1, 16, 0),
            ),
            ChartValue("", MEMBERS, proxy_keys.SNAKE),
        ),
        is_go=True,
    ),
    "external-dns": Chart(
        (
            ChartValue("env", unless=(("provider", "rfc2136"), _WEBHOOK)),
            ChartValue("provider.webhook.env", where=(_WEBHOOK,)),
        ),
        is_go=True,
    ),
    "external-secrets": Chart(
        _lists("extraEnv", "webhook.extraEnv", "certController.extraEnv", since=(0, 5, 0)),
        is_go=True,
    ),
    "argo-cd": Chart(
        (
            *_lists("global.env", since=(5, 36, 0)),
            *_lists(
                "server.env",
                "repoServer.env",
                "applicationSet.extraEnv",
                "notifications.extraEnv",
                before=(5, 36, 0),
            ),
        ),
        is_go=True,
        services=(Services("argocd", ("server", "repo-server", "commit-server", "dex-server")),),
    ),
    "velero": Chart(
        (
            ChartValue("configuration.extraEnvVars", since=(9, 1, 3)),
            # Helm renders it since 2.7.3; before 4.0.1 nothing at all without `configuration.provider`.
            ChartValue("configuration.extraEnvVars", MAPPING, before=(9, 1, 3)),
        ),
        is_go=True,
    ),
    "jenkins": Chart(
        _lists("controller.containerEnv", "controller.initContainerEnv", since=(3, 0, 0)),
        unreached=(
            "Jenkins runs in Java, which reads none of the variables, and `controller.javaOpts` does not name "
            "this proxy: set `-Dhttp.proxyHost`, `-Dhttp.proxyPort`, the same two of `https`, and "
            "`-Dhttp.nonProxyHosts` there, and in `JAVA_OPTS` of `controller.initContainerEnv` for plugins"
        ),
    ),
    "backstage": Chart(
        _lists("backstage.extraEnvVars"),
        has_own_name=True,
        unreached=(
            "Backstage runs in Node.js, which reads the variables only where `NODE_USE_ENV_PROXY` is `1`: add it to "
            "`backstage.extraEnvVars`, with Node.js from 22.21 or 24.5 on"
        ),
    ),
    "gitlab-runner": Chart(
        _lists("envVars", since=(0, 1, 32)),
        unreached=(
            "jobs of the runners get no proxy, because not every table `[[runners]]` of `runners.config` has an "
            "`environment` that sets `HTTPS_PROXY=...`: add the variables there"
        ),
    ),
    "renovate": Chart(
        (
            ChartValue("env", MAPPING, unless=_ENV_LIST, since=(25, 31, 3)),
            ChartValue("envList", where=_ENV_LIST),
        ),
        has_own_name=True,
    ),
    "kube-prometheus-stack": Chart(
        (
            ChartValue("grafana.env", MAPPING, unless=(("grafana.enabled", "False"),)),
            ChartValue(
                "grafana.downloadDashboards.env",
                MAPPING,
                where=_downloads("grafana.dashboards"),
                unless=(("grafana.enabled", "False"),),
            ),
        ),
        is_go=True,
        services=(
            Services(
                "kube-prometheus-stack",
                ("prometheus", "alertmanager"),
                longest=26,
                has_namespace=True,
            ),
            _renderer("grafana.imageRenderer"),
        ),
        others="additionalDataSources",
        unreached=(
            "Prometheus and Alertmanager read none of the variables: set `proxyUrl` in each entry of "
            "`prometheus.prometheusSpec.remoteWrite`, and `proxy_url` with `no_proxy`, or `proxy_from_environment`, in "
            "`alertmanager.config.global.http_config`"
        ),
        other_urls=("alertmanager.config.global.http_config.proxy_url",),
    ),
    "crossplane": Chart((ChartValue("extraEnvVarsCrossplane", MAPPING),), is_go=True),
    "cluster-autoscaler": Chart((ChartValue("extraEnv", MAPPING, since=(1, 0, 0)),), is_go=True),
    "aws-load-balancer-controller": Chart(
        (ChartValue("env", MAPPING, since=(1, 0, 5)),), is_go=True
    ),
    "harbor": Chart((ChartValue("proxy", CAMEL_CASE),)),
    "gha-runner-scale-set": Chart(
        (ChartValue("proxy", MEMBERS, ("http.url", "https.url", "noProxy"), is_of_github=True),),
        unreached=(
            "the Docker daemon of `dind` gets no proxy by the chart, so it pulls no images: leave `containerMode` out, "
            "and write the containers yourself in `template.spec`, `dind` with `HTTPS_PROXY` and `NO_PROXY`"
        ),
    ),
    "rancher": Chart((ChartValue("proxy", URL, no_proxy="noProxy"),)),
    "grafana": Chart(
        (
            ChartValue("env", MAPPING),
            ChartValue("downloadDashboards.env", MAPPING, where=_downloads("dashboards")),
        ),
        is_go=True,
        services=(_renderer("imageRenderer"),),
        others="datasources",
    ),
    "kyverno": Chart(_lists("global.extraEnvVars", since=(3, 2, 0)), is_go=True),
    "karpenter": Chart(_lists("controller.env", since=(0, 2, 6)), is_go=True),
    "aws-ebs-csi-driver": Chart(
        (ChartValue("proxy.http_proxy", URL, no_proxy="proxy.no_proxy", since=(0, 9, 11)),),
        is_go=True,
    ),
    "trivy-operator": Chart(
        (
            ChartValue("operator", CAMEL_CASE, since=(0, 23, 1)),
            ChartValue("trivy", CAMEL_CASE, since=(0, 22, 1)),
        ),
        is_go=True,
        services=(
            Services(
                "",
                ("trivy-service",),
                has_namespace=True,
                where=(("operator.builtInTrivyServer", "True"),),
            ),
        ),
        others="serverURL",
    ),
    "flux2": Chart(
        (
            ChartValue("sourceController.extraEnv"),
            *_lists(*(f"{name}.extraEnv" for name in _FLUX_CONTROLLERS), since=(2, 9, 1)),
            ChartValue("sourceWatcher.extraEnv", where=(("sourceWatcher.create", "True"),)),
        ),
        is_go=True,
    ),
    "datadog": Chart(
        _lists("datadog.env", "clusterAgent.env", "clusterChecksRunner.env"),
        has_own_name=True,
    ),
    "falco": Chart(
        (
            *_lists("driver.loader.initContainer.env", since=(2, 5, 0)),
            *_lists(
                "falcoctl.artifact.install.env", "falcoctl.artifact.follow.env", since=(3, 0, 0)
            ),
        ),
        is_go=True,
        has_own_name=True,
    ),
    "argocd-image-updater": Chart(_lists("extraEnv", since=(0, 2, 0)), is_go=True),
    "sonarqube": Chart(
        (ChartValue("", MEMBERS, proxy_keys.CAMEL, since=(10, 7, 0)),),
        unreached=(
            "the values reach init containers alone, and SonarQube runs in Java, which reads none of the variables: "
            "set `http.proxyHost`, `http.proxyPort`, the same two of `https`, and `http.nonProxyHosts` in "
            "`sonarProperties`, or as `-D` in `jvmOpts`"
        ),
    ),
}
