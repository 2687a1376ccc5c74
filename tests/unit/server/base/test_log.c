/*
 * test_log.c: a log that is flooded, or that nobody reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/base/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int line_count;
static char last_line[256];

static void
keep(void *context, const char *line, size_t size)
{
    (void)context;
    size_t kept = size < sizeof(last_line) - 1 ? size : sizeof(last_line) - 1;
    memcpy(last_line, line, kept);
    last_line[kept] = '\0';
    line_count++;
}

/* After a burst, a second has a fixed number of lines. The next line counts the suppressed ones. */
static void
test_flood(void **state)
{
    (void)state;
    uint64_t now_ns = SV_NS_PER_S;
    struct sv_log log;
    sv_log_init(&log, SV_LOG_INFO, sv_clock_simulated(&now_ns));
    log.write = keep;
    line_count = 0;
    for (int i = 0; i < SV_LOG_BURST + 123; i++) {
        sv_log(&log, SV_LOG_WARN, "line %d", i);
    }
    assert_int_equal(line_count, SV_LOG_BURST);
    for (int i = 0; i < 10; i++) {
        sv_log(&log, SV_LOG_DEBUG, "not asked for");
    }
    now_ns += SV_NS_PER_S / SV_LOG_RATE;
    sv_log(&log, SV_LOG_WARN, "again");
    assert_string_equal(last_line, "cairnd: warn: (123 lines left out) again\n");
    sv_log(&log, SV_LOG_WARN, "and again");
    assert_int_equal(line_count, SV_LOG_BURST + 1);
}

/* A full pipe on standard error drops lines and does not block the program. */
static void
test_nobody_reads(void **state)
{
    (void)state;
    uint64_t now_ns = SV_NS_PER_S;
    struct sv_log log;
    int pipes[2];
    char bytes[4096];
    memset(bytes, 'x', sizeof(bytes));
    assert_int_equal(pipe(pipes), 0);
    int flags = fcntl(pipes[1], F_GETFL);
    assert_int_equal(fcntl(pipes[1], F_SETFL, flags | O_NONBLOCK), 0);
    while (write(pipes[1], bytes, sizeof(bytes)) > 0) {
    }
    assert_int_equal(fcntl(pipes[1], F_SETFL, flags), 0);
    int before = dup(STDERR_FILENO);
    assert_true(before >= 0 && dup2(pipes[1], STDERR_FILENO) >= 0);
    alarm(20);
    sv_log_init(&log, SV_LOG_INFO, sv_clock_simulated(&now_ns));
    for (int i = 0; i < 5; i++) {
        sv_log(&log, SV_LOG_WARN, "nobody reads this");
    }
    unsigned dropped = atomic_load(&log.dropped);
    ssize_t taken = read(pipes[0], bytes, sizeof(bytes)); /* now there is room */
    sv_log(&log, SV_LOG_WARN, "but this");
    alarm(0);
    dup2(before, STDERR_FILENO);
    assert_int_equal(dropped, 5);
    assert_int_equal(taken, sizeof(bytes));
    assert_int_equal(atomic_load(&log.dropped), 0);
    close(before);
    close(pipes[0]);
    close(pipes[1]);
}

/* If nothing else dates the lines, the daemon does, by the wall clock in UTC. */
static void
test_dated(void **state)
{
    (void)state;
    uint64_t now_ns = 7 * SV_NS_PER_S + 45678901;
    struct sv_log log;
    sv_log_init(&log, SV_LOG_INFO, sv_clock_simulated(&now_ns));
    log.write = keep;
    sv_log(&log, SV_LOG_WARN, "a line");
    assert_string_equal(last_line, "cairnd: warn: a line\n");
    log.is_dated = true; /* the twin's clock begins at Unix second 1800000000 */
    sv_log(&log, SV_LOG_WARN, "a line");
    assert_string_equal(last_line, "2027-01-15T08:00:07.045Z cairnd: warn: a line\n");
}

/* systemd's journal dates the lines only if standard error is the stream that it names. */
static void
test_journal_stream(void **state)
{
    (void)state;
    struct stat about;
    char stream[64];
    assert_int_equal(fstat(STDERR_FILENO, &about), 0);
    unsetenv("JOURNAL_STREAM");
    assert_true(sv_log_wants_date());
    snprintf(stream, sizeof(stream), "%ju:%ju", (uintmax_t)about.st_dev,
        (uintmax_t)about.st_ino);
    setenv("JOURNAL_STREAM", stream, 1);
    assert_false(sv_log_wants_date());
    snprintf(stream, sizeof(stream), "%ju:%ju", (uintmax_t)about.st_dev,
        (uintmax_t)about.st_ino + 1);
    setenv("JOURNAL_STREAM", stream, 1); /* the unit's, and standard error goes elsewhere */
    assert_true(sv_log_wants_date());
    setenv("JOURNAL_STREAM", "nonsense", 1);
    assert_true(sv_log_wants_date());
    unsetenv("JOURNAL_STREAM");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_nobody_reads),
        cmocka_unit_test(test_dated),
        cmocka_unit_test(test_journal_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
