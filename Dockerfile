FROM debian:12-slim AS build
WORKDIR /gaia
COPY scripts scripts
RUN ./scripts/setup
COPY . .
RUN ./scripts/build release -DGAIA_TESTS=OFF -DGAIA_BENCHMARKS=OFF \
 && (cd build/release && cpack -G DEB) \
 && mv build/release/gaia_*.deb /gaia.deb

FROM debian:12-slim
COPY --from=build /gaia.deb /tmp/gaia.deb
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
      --option 'Dpkg::Options::=--path-exclude=/usr/include/*' \
      --option 'Dpkg::Options::=--path-exclude=/usr/lib/cmake/*' \
      /tmp/gaia.deb libopenblas0-serial \
 && rm -rf /var/lib/apt/lists/* /tmp/gaia.deb
RUN useradd --create-home gaia
USER gaia
WORKDIR /home/gaia
ENTRYPOINT ["gaia"]
CMD ["--help"]
