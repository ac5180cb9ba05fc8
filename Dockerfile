# The image of the KRM function. Build it with `make image`.
#   BASE               any image with Python 3.10 to 3.14, venv and pip, named by its digest, so that the same build always
#                      takes the same one. The interpreter, its standard library and their shared libraries come from it.
#                      For a newer digest: `docker buildx imagetools inspect python:3.13-slim`
#   SOURCE_DATE_EPOCH  the time that every file gets, so that two builds give one digest
# All packages come from the lock files in requirements/: their versions and hashes are checked, wherever pip finds them.
ARG BASE=python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b

FROM ${BASE} AS build
# Your own index, where there is one; the proxy arguments HTTP_PROXY, HTTPS_PROXY and NO_PROXY need no line here.
ARG PIP_INDEX_URL
# No order of a set may come from chance: it would be in the compiled files.
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONHASHSEED=0
WORKDIR /src
COPY requirements requirements
# Two environments: one has pip and builds our wheel, the other goes into the image and never had pip.
# Only wheels, because the build of a source package runs code that no hash of ours covers.
RUN python3 -m venv /opt/build \
 && python3 -m venv --without-pip /opt/inject-proxy \
 && /opt/build/bin/python -m pip install --no-deps --require-hashes --only-binary=:all: -r requirements/build.txt \
 && /opt/build/bin/python -m pip --python /opt/inject-proxy/bin/python \
      install --no-deps --require-hashes --only-binary=:all: --no-compile -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY functionconfig functionconfig
COPY krm_fn krm_fn
RUN /opt/build/bin/python -m pip wheel --no-index --no-deps --no-build-isolation --wheel-dir /opt/wheels . \
 && /opt/build/bin/python -m pip --python /opt/inject-proxy/bin/python \
      install --no-index --no-deps --no-compile /opt/wheels/*.whl
COPY image/assemble.py image/assemble.py
ARG SOURCE_DATE_EPOCH=0
RUN /opt/inject-proxy/bin/python image/assemble.py /rootfs

# Nothing of the base but what the function runs on: no shell, no package manager, no installer.
FROM scratch
LABEL org.opencontainers.image.title="inject-proxy" \
      org.opencontainers.image.description="A KRM function that writes a corporate HTTP proxy into Kubernetes manifests" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /rootfs /
# By number, so that Kubernetes can see that it is not root (`runAsNonRoot`); it is `nobody` of Debian and its like.
USER 65534:65534
# Isolated: neither the environment nor the folder it is run in can bring code of their own.
ENTRYPOINT ["/opt/inject-proxy/bin/python", "-I", "-m", "krm_fn"]
