#!/usr/bin/env bash
# Installs what the tests and benches use and this Debian (12 or newer) machine lacks. Node (20 or newer) and npm must be
# there. Safe to run again: what is there already is left alone, and nothing that is installed is started.
set -euo pipefail

export PATH="$PATH:/usr/sbin:/sbin"

has_postgres() {
  local programs=(/usr/lib/postgresql/*/bin/initdb)
  [[ -x "${programs[0]}" ]] || command -v initdb >/dev/null
}

packages=()
has_postgres || packages+=(postgresql)
# program:package
for pair in nginx:nginx haproxy:haproxy strace:strace openssl:openssl curl:curl wrk:wrk ps:procps setpriv:util-linux zsh:zsh fish:fish pebble:pebble named:bind9 caddy:caddy bearerbox:kannel tshark:tshark dig:bind9-dnsutils chromium:chromium; do
  command -v "${pair%%:*}" >/dev/null || packages+=("${pair##*:}")
done
# Debian's own Python, whatever else is called python3: a module of it is meant.
/usr/bin/python3 -c 'import aiosmtpd' 2>/dev/null || packages+=(python3-aiosmtpd)
# Without a font for it, Chinese is drawn as boxes: pictures would show nothing, and texts would have other widths.
if [[ " ${packages[*]} " == *' chromium '* ]]; then packages+=(fonts-noto-cjk); fi
if [[ ${#packages[@]} -eq 0 ]]; then
  echo 'Everything that the tests use is installed.'
  exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing: ${packages[*]}. Run this as root, or install sudo." >&2
    exit 1
  fi
  as_root=(sudo)
fi

# While this file says 101, packages install their services without starting them (policy-rc.d, Debian Policy 9.3.3).
policy=/usr/sbin/policy-rc.d
# The tests make clusters of their own; the package's "main" one would only take space.
clusters=/etc/postgresql-common/createcluster.d/waxwing-setup.conf
made=()
restore() {
  if [[ ${#made[@]} -gt 0 ]]; then "${as_root[@]}" rm -f "${made[@]}"; fi
}
trap restore EXIT
if [[ ! -e $policy ]]; then
  made+=("$policy")
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 0755 "$policy"
fi
if [[ " ${packages[*]} " == *' postgresql '* ]]; then
  made+=("$clusters")
  "${as_root[@]}" mkdir -p "${clusters%/*}"
  echo 'create_main_cluster = false' | "${as_root[@]}" tee "$clusters" >/dev/null
fi

echo "Installing: ${packages[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${packages[@]}"
