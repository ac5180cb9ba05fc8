# The image of the KRM function. Build it with `make image`.
#   BASE        any image with Python 3.10 to 3.14; the finished image is built on it. Name it with its digest
#               (`python:3.13-slim@sha256:...`), so that the same build always takes the same one. Your registry has the
#               digest: `docker buildx imagetools inspect python:3.13-slim`, or `docker pull`, which prints it
#   BUILD_BASE  the same Python at the same path, with venv and pip, where BASE has neither (a distroless one, say)
# All packages come from the lock files in requirements/: their versions and hashes are checked, wherever pip finds them.
ARG BASE=python:3.13-slim
ARG BUILD_BASE=${BASE}

FROM ${BUILD_BASE} AS build
# Your own index, where there is one; the proxy arguments HTTP_PROXY, HTTPS_PROXY and NO_PROXY need no line here.
ARG PIP_INDEX_URL
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY requirements requirements
# Two environments: one has pip and builds our wheel, the other goes into the image and never had pip.
# Only wheels, because the build of a source package runs code that no hash of ours covers.
RUN python3 -m venv /opt/build \
 && python3 -m venv --without-pip /opt/inject-proxy \
 && /opt/build/bin/python -m pip install --require-hashes --only-binary=:all: -r requirements/build.txt \
 && /opt/build/bin/python -m pip --python /opt/inject-proxy/bin/python \
      install --require-hashes --only-binary=:all: --compile -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY functionconfig functionconfig
COPY krm_fn krm_fn
# Compiled here, because nobody may write at run time.
RUN /opt/build/bin/python -m pip wheel --no-index --no-deps --no-build-isolation --wheel-dir /opt/wheels . \
 && /opt/build/bin/python -m pip --python /opt/inject-proxy/bin/python \
      install --no-index --no-deps --compile /opt/wheels/*.whl
COPY image/remove_installers.py /opt/inject-proxy/remove_installers.py

FROM ${BASE}
LABEL org.opencontainers.image.title="inject-proxy" \
      org.opencontainers.image.description="A KRM function that writes a corporate HTTP proxy into Kubernetes manifests" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV PYTHONDONTWRITEBYTECODE=1
COPY --from=build /opt/inject-proxy /opt/inject-proxy
# Nobody will install at run time, and so no installer is left, neither ours nor the one of the base. Without a shell,
# because a distroless base has none; as root, because such a base may name another user.
USER 0:0
RUN ["/opt/inject-proxy/bin/python", "-I", "/opt/inject-proxy/remove_installers.py"]
# By number, so that Kubernetes can see that it is not root (`runAsNonRoot`); it is `nobody` of Debian and its like.
USER 65534:65534
# Isolated: neither the environment nor the folder it is run in can bring code of their own.
ENTRYPOINT ["/opt/inject-proxy/bin/python", "-I", "-m", "krm_fn"]
