# One executable on a plain system: docker build -t satchel . && docker run -p 3000:3000 -v satchel:/data satchel
FROM oven/bun:1.4.5 AS build
WORKDIR /satchel
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY app/package.json app/
RUN bun install --frozen-lockfile --production
COPY app app
COPY build build
COPY docs/guides docs/guides
COPY public public
COPY src src
RUN bun run build

FROM debian:13-slim
LABEL org.opencontainers.image.title=Satchel
LABEL org.opencontainers.image.description="A small, self-hosted REST server for notes, tasks, flashcards and an AI chat over them."
RUN groupadd --gid 10001 satchel \
  && useradd --uid 10001 --gid satchel --home-dir /data --no-create-home --shell /usr/sbin/nologin satchel \
  && install --directory --owner=satchel --group=satchel --mode=700 /data
COPY --from=build /satchel/dist/satchel /usr/local/bin/satchel
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["satchel", "health"]
ENTRYPOINT ["satchel"]
CMD ["serve"]
