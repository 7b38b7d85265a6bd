# syntax=docker/dockerfile:1
# Builds the image of Trawl from source, where there is a registry. `scripts/release FOLDER binary images`
# builds the same images without a daemon or a registry.
#
#   docker build -t trawl .                      slim: without a browser
#   docker build -t trawl:full --target full .   with Chromium, for pages that need JavaScript

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --profile dist --locked -p trawl \
    && strip -o /trawl target/dist/trawl

FROM debian:trixie-slim AS full
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates chromium chromium-sandbox fonts-liberation fonts-noto-core \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 trawl \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin trawl \
    && install -d -o trawl -g trawl -m 700 /data
COPY --from=build /trawl /usr/bin/trawl
ENV HOME=/data TRAWL_LISTEN=0.0.0.0:8080 TRAWL_DATA=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["/usr/bin/trawl", "health"]
ENTRYPOINT ["/usr/bin/trawl"]
CMD ["serve"]

FROM debian:trixie-slim AS slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 trawl \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin trawl \
    && install -d -o trawl -g trawl -m 700 /data
COPY --from=build /trawl /usr/bin/trawl
ENV HOME=/data TRAWL_LISTEN=0.0.0.0:8080 TRAWL_DATA=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["/usr/bin/trawl", "health"]
ENTRYPOINT ["/usr/bin/trawl"]
CMD ["serve"]
