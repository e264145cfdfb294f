#!/bin/sh
# Does each configured provider really answer, and remember? scripts/smoke.sh [-c FILE] [--local] [PROVIDER…]
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
. "$here/_env.sh"

extras=''
for argument; do
    case $argument in --local) extras=local ;; esac
done
set_up ${extras:+"$extras"}
exec "$venv/bin/python" -I "$here/_smoke.py" "$@"
