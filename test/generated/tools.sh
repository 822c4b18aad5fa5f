#!/usr/bin/env bash
# Installs the generators and linters of `npm run test:clients` into .clients, in parallel, because most of them wait for the network. A tool that cannot be
# installed is left out, and its test says so.
set -uo pipefail
cd "$(dirname "$0")/../.."
mkdir -p .clients
python3 -m venv .clients/venv && .clients/venv/bin/pip install -q --disable-pip-version-check -r test/generated/requirements.txt &
command -v go >/dev/null && GOBIN="$PWD/.clients" go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 &
command -v mvn >/dev/null &&
  mvn -q -B dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.17.0 -Dmdep.stripVersion -DoutputDirectory="$PWD/.clients" &
npm install --silent --no-audit --no-fund --prefix .clients @redocly/cli@2.8.0 @stoplight/spectral-cli@6.16.3 &
npm ci --silent --no-audit --no-fund --prefix clients/typescript
status=$?
wait
exit "$status"
