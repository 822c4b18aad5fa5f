# For linux/amd64 and linux/arm64. The default target has the speech engines; `--target slim` is without them.

# What both images have.
FROM node:24-bookworm-slim AS base
LABEL org.opencontainers.image.title="Tributary" \
  org.opencontainers.image.description="Event-sourced stream processing that you host yourself" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# A named volume gets the owner of the directory it is mounted on.
RUN ln -s /app/bin/tributary.js /usr/local/bin/tributary \
  && mkdir /data /backups models \
  && chown node:node /data /backups models \
  && chmod 700 /data /backups
EXPOSE 8080
# Bash alone: starting Node for each probe takes 80 times as long.
HEALTHCHECK --interval=5s --timeout=5s --start-period=120s --retries=3 CMD ["bash", "-c", "\
exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3 && mapfile -t lines <&3 \
&& echo \"${lines[-1]}\" && [[ ${lines[0]} == *' 200 '* ]]"]
# SIGTERM drains: give it more than ten seconds (docker stop --time 20).
STOPSIGNAL SIGTERM
ENTRYPOINT ["tributary"]
CMD ["start"]

# The npm packages that the program needs.
FROM base AS packages
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && find node_modules \( -name '*.map' -o -name '*.ts' -o -name '*.[cm]ts' \) -delete

# The compiled program, in /program.
FROM base AS build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY web web
COPY clients clients
COPY docs/guides docs/guides
COPY bin bin
COPY starters starters
COPY src src
# The demonstration uses the typed client.
RUN npm run build \
  && mkdir /program \
  && cp -r --parents bin starters dist clients/typescript/dist /program \
  && find /program \( -name '*.map' -o -name .tsbuildinfo \) -delete

# The speech engines, as `npm run setup` installs them, less what runs never use: debug symbols, macOS libraries, tests, and the compiled form of modules
# that are never imported.
FROM base AS engines
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3 python3-venv binutils \
  && rm -rf /var/lib/apt/lists/*
COPY speech/requirements.txt speech/
RUN python3 -m venv speech/.venv \
  && speech/.venv/bin/python -m pip install --require-hashes --only-binary :all: --no-compile --no-cache-dir --disable-pip-version-check -r speech/requirements.txt \
  && speech/.venv/bin/python -m pip uninstall -y pip setuptools hf-xet \
  && strip --strip-debug speech/.venv/lib/python3*/site-packages/ctranslate2/_ext.*.so \
  && find speech/.venv \( -name '*.dylib' -o -name tests -o -name __pycache__ \) -prune -exec rm -rf {} + \
  && speech/.venv/bin/python -c 'import faster_whisper, moonshine_voice'

# A Whisper model: base, small, tiny.en, or none. Without a connection to the hub or MODELS_URL the image is built without it.
FROM packages AS models
ARG SPEECH_MODEL=base
ARG MODELS_URL
COPY src/json.ts src/commandName.ts src/userAgent.ts src/version.ts src/
COPY src/speech/models src/speech/models
COPY scripts/setup/imageModel.mjs scripts/setup/
RUN mkdir -p models && node scripts/setup/imageModel.mjs

FROM base AS slim
COPY --from=packages /app ./
COPY --from=build /program ./
USER node

FROM base
# ffmpeg works without the graphics drivers, their compiler and the fonts that its package brings.
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ffmpeg python3 \
  && rm -rf /var/lib/apt/lists/* /usr/lib/*/dri /usr/lib/*/libLLVM* /usr/lib/*/libz3* /usr/lib/*/libmfxhw* /usr/lib/*/mfx /usr/share/X11 /usr/share/fonts
COPY --from=engines /app/speech speech
COPY --from=models --chown=node:node /app/models models
COPY --from=packages /app ./
COPY speech speech
COPY --from=build /program ./
USER node
