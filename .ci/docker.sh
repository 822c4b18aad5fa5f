#!/usr/bin/env bash
# Installs a Docker engine, and Compose 2 and buildx. Debian 12 has neither of these two: they come from Debian 13, as programs that need nothing else.
set -euo pipefail
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker.io debootstrap >/dev/null
docker compose version >/dev/null 2>&1 && docker buildx version >/dev/null 2>&1 && exit

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
debian=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Component: main' | head -1)
echo "deb $debian trixie main" >"$work/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists" \
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
apt update
(cd "$work" && apt download docker-compose docker-buildx)
mkdir -p /usr/local/lib/docker/cli-plugins
for package in "$work"/*.deb; do
  dpkg -x "$package" "$work/files"
done
cp "$work"/files/usr/libexec/docker/cli-plugins/* /usr/local/lib/docker/cli-plugins/
