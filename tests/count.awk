# count.awk: "passed failed skipped" test cases of a `make check`, from its .trs files.
#
# A cmocka program counts each of its cases: one that began and neither passed nor was skipped has
# failed, so a crash counts.  A runner that ends with "N passed, N failed[, N skipped]" counts what
# it says.  Anything else (a lint) is one case.  A program that failed counts one failure at least.
/^:global-test-result:/ {
    result = $2
    log_path = FILENAME
    sub(/\.trs$/, ".log", log_path)
    ran = good = left = says = 0
    while ((getline line < log_path) > 0) {
        if (line ~ /^\[ RUN      \]/) { ran++ }
        else if (line ~ /^\[       OK \]/) { good++ }
        else if (line ~ /^\[  SKIPPED \] / && line !~ /test\(s\)/) { left++ }
        else if (line ~ /^[0-9]+ passed, [0-9]+ failed/) {
            says = 1
            split(line, w, /[ ,]+/)
            said_passed = w[1]; said_failed = w[3]; said_skipped = w[5] + 0
        }
    }
    close(log_path)
    if (says) { p = said_passed; f = said_failed; s = said_skipped }
    else if (ran > 0) {
        p = good; s = left > ran - good ? ran - good : left; f = ran - p - s
    } else {
        p = result == "PASS" || result == "XFAIL"; s = result == "SKIP"; f = !p && !s
    }
    if (result != "PASS" && result != "XFAIL" && result != "SKIP" && f == 0) { f = 1 }
    passed += p; failed += f; skipped += s
}
END { print passed + 0, failed + 0, skipped + 0 }
