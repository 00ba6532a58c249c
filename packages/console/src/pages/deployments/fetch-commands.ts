/** What a person runs on the server that fetches, as in docs/guides/fetching.md. Pure. */

/** @param url of the retrieval operation: `https://…/api/certificate` */
export function fetchCommands(token: string, url: string) {
  const base = url.replace(/\/api\/certificate$/, '');
  return {
    // Keeps the token in a file: a list of processes would show an argument.
    keepToken: `umask 077
printf 'Authorization: Bearer %s\\n' '${token}' > token.header`,
    curl: `curl -sS --fail -H @token.header ${base}/api/certificate -o site.json
curl -sS --fail -H @token.header ${base}/api/download -o site.crt
curl -sS --fail -H @token.header "${base}/api/download?type=key" -o site.key`,
    nginx: `#!/bin/sh
# /usr/local/sbin/fetch-certificate; token.header lies in /etc/nginx/tls
# cron: */10 * * * * root flock -n /run/fetch-certificate.lock /usr/local/sbin/fetch-certificate
# nginx: ssl_certificate /etc/nginx/tls/site.pem; ssl_certificate_key /etc/nginx/tls/site.pem;
set -eu
umask 077
BASE=${base}
cd /etc/nginx/tls

fetch() { curl -sS --fail --max-time 60 -H @token.header "$@"; }

[ -e site.pem ] || rm -f etag
status=$(fetch --etag-compare etag --etag-save etag.new -D headers -w '%{http_code}' -o certificate.new "$BASE/api/download")
[ "$status" != 304 ] || exit 0
version=$(tr -d '\\r' < headers | awk 'tolower($1) == "certificate-version:" { print $2 }')
fetch "$BASE/api/download?type=key&version=$version" -o key.new
cat certificate.new key.new > site.pem.new
rm certificate.new key.new

[ ! -e site.pem ] || cp -p site.pem site.pem.old
mv site.pem.new site.pem
if ! nginx -t -q; then
  [ ! -e site.pem.old ] || mv site.pem.old site.pem
  echo "nginx did not take the new certificate; the next run tries again" >&2
  exit 1
fi
if ! nginx -s reload; then
  echo "nginx could not be reloaded. If it does not run, start it: the new certificate is in place" >&2
  exit 1
fi
# Only now: whatever failed before this line is done again by the next run.
mv etag.new etag
rm -f site.pem.old`,
  };
}
