# syntax=docker/dockerfile:1

# Compiles the program. Nothing of this stage but dist is in the image.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY web web
COPY clients clients
COPY docs/guides docs/guides
COPY src src
RUN npm run build

# The speech engines, as `npm run setup` installs them.
FROM node:20-bookworm-slim AS speech
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ffmpeg python3 python3-venv \
  && rm -rf /var/lib/apt/lists/*
COPY speech /app/speech
RUN python3 -m venv /app/speech/.venv \
  && /app/speech/.venv/bin/python -m pip install --require-hashes --only-binary :all: --no-cache-dir --disable-pip-version-check -r /app/speech/requirements.txt

FROM speech
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY bin bin
COPY starters starters
COPY --from=build /app/dist dist
# The typed client, which the demonstration uses.
COPY --from=build /app/clients/typescript/dist clients/typescript/dist
RUN ln -s /app/bin/tributary.js /usr/local/bin/tributary && mkdir /data && chown node:node /data && chmod 700 /data
# A Whisper model: base, small, tiny.en, or none. Without a connection to the hub the image is built without it.
ARG SPEECH_MODEL=base
RUN mkdir models \
  && ([ "$SPEECH_MODEL" = none ] || tributary models pull "$SPEECH_MODEL" || echo "Continuing without a Whisper model: English works.") \
  && chown -R node:node models
ENV HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# As in `npm start`: glibc then gives freed memory back to the system.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM drains: give it more than ten seconds (docker stop --time 20).
STOPSIGNAL SIGTERM
ENTRYPOINT ["tributary"]
CMD ["start"]
