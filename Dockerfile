# The image of the KRM function. Build it with `make image`.
#   BASE        any image with Python 3.10 or newer; the finished image is built on it. Name it with its digest
#               (`python:3.13-slim@sha256:...`), so that the same build always takes the same one
#   BUILD_BASE  the same Python at the same path, with venv and pip, where BASE has neither (a distroless one, say)
ARG BASE=python:3.13-slim
ARG BUILD_BASE=${BASE}

FROM ${BUILD_BASE} AS build
# Your own index, where there is one; the proxy arguments HTTP_PROXY, HTTPS_PROXY and NO_PROXY need no line here.
ARG PIP_INDEX_URL
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY functionconfig functionconfig
COPY krm_fn krm_fn
# Compiled here, because nobody may write at run time. Without pip, because nobody will install at run time.
RUN python3 -m venv /opt/inject-proxy \
 && /opt/inject-proxy/bin/python -m pip install --no-cache-dir --compile . \
 && /opt/inject-proxy/bin/python -m pip uninstall --yes --quiet pip setuptools

FROM ${BASE}
LABEL org.opencontainers.image.title="inject-proxy" \
      org.opencontainers.image.description="A KRM function that writes a corporate HTTP proxy into Kubernetes manifests" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV PYTHONDONTWRITEBYTECODE=1
COPY --from=build /opt/inject-proxy /opt/inject-proxy
# By number, so that Kubernetes can see that it is not root (`runAsNonRoot`); it is `nobody` of Debian and its like.
USER 65534:65534
# Isolated: neither the environment nor the folder it is run in can bring code of their own.
ENTRYPOINT ["/opt/inject-proxy/bin/python", "-I", "-m", "krm_fn"]
