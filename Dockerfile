# What every service needs: `docker run IMAGE run round-settlement`. What the console, the registry and reporting need beside
# it, and they alone, is an extra of the same name: docker build --build-arg EXTRA=reporting -t pitledger-reporting:0.1.0 .
# No secrets, no embedded stack, no build tools.
# Pinned as in docker-compose.yml: a digest is those bytes, whatever the tag says by then.
ARG PYTHON_IMAGE=python:3.11.15-slim@sha256:90744cff8f32887f075c47d747a173ff333e9e98801667af93c357fa9f5e28ff

FROM ${PYTHON_IMAGE} AS site
WORKDIR /source
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 NO_MKDOCS_2_WARNING=1
COPY constraints.txt mkdocs.yml ./
RUN pip install -c constraints.txt mkdocs-material
COPY infra infra
COPY docs docs
RUN mkdocs build --strict --quiet

FROM ${PYTHON_IMAGE} AS build
WORKDIR /source
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml setup.py constraints.txt README.md LICENSE ./
RUN python -m venv /opt/pitledger
COPY pitledger pitledger
COPY shared shared
COPY services services
COPY infra infra
COPY loadtest loadtest
COPY schemas schemas
# The rules are compiled: a round is settled in half the time (docs/decisions/0030). The compiler itself is of the same list.
RUN COMPILED_RULES=1 PIP_CONSTRAINT=/source/constraints.txt pip wheel --no-deps --wheel-dir dist .
# From here on the images differ.
ARG EXTRA=
RUN /opt/pitledger/bin/pip install -c constraints.txt "$(echo dist/*.whl)${EXTRA:+[$EXTRA]}" \
    && /opt/pitledger/bin/pip check \
    && /opt/pitledger/bin/pip uninstall --yes pip

FROM ${PYTHON_IMAGE}
# `pitledger spark` needs Java beside its extra, and nothing else does.
ARG EXTRA=
RUN if [ "$EXTRA" = spark ]; then \
        apt-get update && apt-get install --yes --no-install-recommends default-jre-headless && rm -rf /var/lib/apt/lists/*; \
    fi
LABEL org.opencontainers.image.title="Pitledger" \
      org.opencontainers.image.licenses="Apache-2.0"
# A volume mounted on the checkpoints takes over the owner of this directory.
RUN groupadd --gid 10001 pitledger \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin pitledger \
    && install -d -o pitledger -g pitledger -m 0750 /var/lib/pitledger /var/lib/pitledger/checkpoints
COPY --from=build /opt/pitledger /opt/pitledger
# Beside the packages, which hold what was released and nothing else.
COPY --from=site /source/site /opt/pitledger/share/pitledger/site
# A container listens to its network. One port for whichever service it runs, so that the health check knows it.
ENV PATH=/opt/pitledger/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PITLEDGER_HTTP_HOST=0.0.0.0 \
    PITLEDGER_HTTP_PORT=8100 \
    PITLEDGER_CONSOLE_DOCS_DIRECTORY=/opt/pitledger/share/pitledger/site
EXPOSE 8100
USER 10001:10001
WORKDIR /var/lib/pitledger
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:%s/healthz' % os.environ['PITLEDGER_HTTP_PORT'], timeout=4)"]
ENTRYPOINT ["pitledger"]
CMD ["--help"]
