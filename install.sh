#!/bin/sh
# Installs Trawl from the files of a release, after a check of their SHA-256 checksums.
#
#   sh install.sh [--from FOLDER|URL] [--prefix DIR] [--version VERSION]
#
# --from      folder or https URL with the files of a release (default: the folder of this script)
# --prefix    where to install (default: /usr/local as root, else ~/.local)
# --version   which version, if the folder has several
#
# Nothing is installed if a checksum is wrong or missing. On Debian and Ubuntu the .deb package also sets up
# the systemd service: `apt-get install ./trawl_VERSION_amd64.deb`.
set -eu

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

from=
prefix=
version=
while [ $# -gt 0 ]; do
  case $1 in
    --from | --prefix | --version)
      [ $# -ge 2 ] || fail "$1 needs a value"
      case $1 in
        --from) from=$2 ;;
        --prefix) prefix=$2 ;;
        --version) version=$2 ;;
      esac
      shift 2
      ;;
    -h | --help)
      sed -n '2,/^set -eu/{/^#/s/^# \{0,1\}//p;}' "$0"
      exit 0
      ;;
    *) fail "unknown argument $1; see --help" ;;
  esac
done

[ -n "$from" ] || from=$(cd "$(dirname "$0")" && pwd)
if [ -z "$prefix" ]; then
  if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:?HOME is not set}/.local; fi
fi
[ "$(uname -s)" = Linux ] || fail "there are programs for Linux only; build from source: see README.md"
case $(uname -m) in
  x86_64 | amd64) target=x86_64-unknown-linux-gnu ;;
  aarch64 | arm64) target=aarch64-unknown-linux-gnu ;;
  *) fail "there is no program for $(uname -m); build from source: see README.md" ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

# Copies or downloads one file of the release.
get() {
  case $from in
    https://*)
      if command -v curl >/dev/null; then
        curl --proto '=https' --tlsv1.2 -fsSL -o "$scratch/$1" "$from/$1"
      elif command -v wget >/dev/null; then
        wget -q -O "$scratch/$1" "$from/$1"
      else
        fail "curl or wget is needed to download $from/$1"
      fi
      ;;
    *://*) fail "$from is not an https URL" ;;
    *) cp "$from/$1" "$scratch/$1" ;;
  esac || fail "cannot read $1 from $from"
}

get SHA256SUMS
listed=$(sed -n "s/^[0-9a-f]\{64\}  \(trawl-[0-9A-Za-z.+-]*-$target\.tar\.gz\)\$/\1/p" "$scratch/SHA256SUMS")
[ -z "$version" ] || listed=$(printf '%s\n' "$listed" | grep -Fx "trawl-$version-$target.tar.gz" || true)
[ -n "$listed" ] || fail "SHA256SUMS of $from lists no program for $target${version:+ of version $version}"
[ "$(printf '%s\n' "$listed" | wc -l)" -eq 1 ] || fail "$from has several versions; choose one with --version"

get "$listed"
grep -F "  $listed" "$scratch/SHA256SUMS" >"$scratch/sum"
(cd "$scratch" && sha256sum -c --quiet sum >/dev/null 2>&1) ||
  fail "the checksum of $listed is wrong: the file is damaged or was changed; nothing was installed"

tar -C "$scratch" -xzf "$scratch/$listed"
files=$scratch/${listed%.tar.gz}
"$files/trawl" --version >/dev/null 2>&1 ||
  fail "the program does not run on this system (it needs glibc 2.31 or later); nothing was installed"

mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" \
  "$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d" "$prefix/share/doc/trawl" ||
  fail "cannot write to $prefix; choose another folder with --prefix"
# Replaced by a rename, so that a running server is not disturbed.
cp "$files/trawl" "$prefix/bin/.trawl.new"
chmod 755 "$prefix/bin/.trawl.new"
mv -f "$prefix/bin/.trawl.new" "$prefix/bin/trawl"
cp "$files"/man/*.1 "$prefix/share/man/man1/"
cp "$files/completions/trawl.bash" "$prefix/share/bash-completion/completions/trawl"
cp "$files/completions/trawl.zsh" "$prefix/share/zsh/site-functions/_trawl"
cp "$files/completions/trawl.fish" "$prefix/share/fish/vendor_completions.d/trawl.fish"
cp "$files/LICENSE" "$files/THIRD-PARTY-LICENSES.txt" "$files/trawl.cdx.json" "$prefix/share/doc/trawl/"

echo "installed $("$prefix/bin/trawl" --version) as $prefix/bin/trawl"
case :$PATH: in
  *:"$prefix/bin":*) echo "start it with: trawl serve" ;;
  *) echo "start it with: $prefix/bin/trawl serve" ;;
esac
