# expect.sh: what the tests of command lines share.  To be sourced; makes a scratch $folder.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
count=0

# expect CODE WORDS COMMAND...: the exit code, and a fixed text somewhere in the output.
expect() {
    code=$1 words=$2
    shift 2
    count=$((count + 1))
    "$@" >"$folder/printed" 2>&1 </dev/null
    got=$?
    if [ "$got" -ne "$code" ] || ! grep -q -F -e "$words" "$folder/printed"; then
        failed=$((failed + 1))
        echo "FAIL: $*"
        echo "  expected exit $code and: $words"
        echo "  got exit $got and: $(head -c 400 "$folder/printed")"
    fi
}

# The last line and the exit status.
expect_end() {
    echo "$((count - failed)) of $count hold"
    [ "$failed" -eq 0 ]
}
