/*
 * test_audit.c: the lines of the audit: each order once, no forged ones, none without a bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/session/audit.h"

#include <stdio.h>
#include <string.h>

static uint64_t now_ns;
static struct sv_log log_of_test;
static struct sv_metrics metrics;
static struct sv_audit audit;
static char last[2048], all[1 << 16];
static int line_count;

static void
keep_line(void *context, const char *line, size_t size)
{
    (void)context;
    snprintf(last, sizeof(last), "%.*s", (int)size, line);
    if (strlen(all) + size < sizeof(all)) {
        strcat(all, last);
    }
    line_count++;
}

static int
set_up(void **state)
{
    (void)state;
    memset(&metrics, 0, sizeof(metrics));
    now_ns = 0;
    sv_log_init(&log_of_test, SV_LOG_INFO, sv_clock_simulated(&now_ns));
    log_of_test.write = keep_line;
    sv_audit_init(&audit, &log_of_test, sv_clock_simulated(&now_ns), &metrics);
    line_count = 0;
    all[0] = last[0] = '\0';
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    sv_audit_finish(&audit);
    return 0;
}

static const struct sv_grant ann = {.role = AC_ROLE_PLAYER, .id = "t1", .subject = "ann"};

static void
begin(uint64_t session, uint32_t number, const char *op)
{
    const struct sv_audit_order order = {
        .op = op, .arguments = "", .session = session, .grant = &ann};
    sv_audit_begin(&audit, &order, number);
}

/* The log line is written with the first answer, and only then. */
static void
test_answers(void **state)
{
    (void)state;
    begin(1, 5, "pause");
    begin(2, 5, "reset");
    begin(0, 5, "load");
    assert_int_equal(line_count, 0);
    sv_audit_answer(&audit, 3, 5, "ok");
    sv_audit_answer(&audit, 1, 6, "ok");
    assert_int_equal(line_count, 0);
    sv_audit_answer(&audit, 2, 5, "BUSY");
    assert_non_null(strstr(last,
        "audit op=reset answer=BUSY session=2 sub=\"ann\" jti=t1 role=player from=- world=\"\" "
        "args=\"\"\n"));
    sv_audit_answer(&audit, 2, 5, "ok");
    assert_int_equal(line_count, 1);
    sv_audit_answer(&audit, 0, 5, "ok");
    assert_non_null(strstr(last, "audit op=load answer=ok session=- "));
    begin(1, 7, "step");
    sv_audit_answer(&audit, 1, 7, "ok");
    sv_audit_answer(&audit, 1, 5, "ok");
    assert_non_null(strstr(last, "op=pause answer=ok session=1 "));
    assert_int_equal(audit.pending_count, 0);
    assert_null(audit.first);
    assert_null(audit.last);
    uint32_t number = sv_audit_number(&audit);
    assert_int_not_equal(sv_audit_number(&audit), number);
    audit.number = UINT32_MAX;
    assert_int_not_equal(sv_audit_number(&audit), 0);
}

/* Any bytes become one line of printable ASCII with these fields. */
static void
test_escapes(void **state)
{
    (void)state;
    char bytes[256], long_text[300];
    for (int i = 0; i < 256; i++) {
        bytes[i] = (char)i;
    }
    memset(long_text, '"', sizeof(long_text));
    long_text[sizeof(long_text) - 1] = '\0';
    struct sv_grant eve = {.role = AC_ROLE_OPERATOR};
    memset(eve.subject, 0x01, sizeof(eve.subject) - 1);
    memset(eve.id, 'j', sizeof(eve.id) - 1);
    const struct sv_audit_order order = {.op = "create",
        .world = long_text,
        .arguments = bytes,
        .arguments_size = sizeof(bytes),
        .from = "1.2.3.4\n op=x\" answer=ok and much more than there is room for in this field",
        .grant = &eve};
    sv_audit_tell(&audit, &order, "ok");
    assert_int_equal(line_count, 1);
    size_t size = strlen(last);
    assert_int_equal(last[size - 1], '\n');
    for (size_t i = 0; i + 1 < size; i++) {
        assert_true(last[i] >= ' ' && last[i] <= '~');
    }
    assert_non_null(strstr(last, " from=1.2.3.4??op?x??answer?ok?and"));
    assert_non_null(strstr(last, " world=\"\\x22\\x22"));
    assert_non_null(strstr(last, " args=\"\\x00\\x01\\x02"));
    /* Each text has two quotes: sub, world, and args if the line has room for its end. */
    int quotes = 0;
    for (size_t i = 0; i < size; i++) {
        quotes += last[i] == '"';
    }
    assert_in_range(quotes, 5, 6);
}

static void
test_flood(void **state)
{
    (void)state;
    const int burst = SV_AUDIT_LOG_RATE * SV_AUDIT_BURST_S;
    const struct sv_audit_order order = {.op = "pause", .arguments = "", .grant = &ann};
    for (int i = 0; i < burst + 30; i++) {
        sv_audit_tell(&audit, &order, "ok");
    }
    assert_int_equal(line_count, burst);
    assert_int_equal(atomic_load(&metrics.audit_left_out), 30);
    now_ns += SV_NS_PER_S;
    all[0] = '\0';
    sv_audit_tell(&audit, &order, "BUSY");
    assert_int_equal(line_count, burst + 2);
    assert_non_null(strstr(all, "audit left_out=30\n"));
    assert_non_null(strstr(last, "answer=BUSY"));
    sv_audit_tell(&audit, &order, "ok");
    assert_int_equal(line_count, burst + 3);
}

/* SV_AUDIT_PENDING_MAX orders wait for answers; one more, and the oldest is logged without one. */
static void
test_too_many_wait(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= SV_AUDIT_PENDING_MAX; i++) {
        begin(9, i, "step");
    }
    assert_int_equal(line_count, 0);
    begin(8, 1, "reset");
    assert_int_equal(line_count, 1);
    assert_non_null(strstr(last, "op=step answer=unknown session=9"));
    assert_int_equal(audit.pending_count, SV_AUDIT_PENDING_MAX);
    sv_audit_answer(&audit, 9, 1, "ok");
    assert_int_equal(line_count, 1);
    sv_audit_answer(&audit, 8, 1, "ok");
    assert_non_null(strstr(last, "op=reset answer=ok session=8"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_escapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flood, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_wait, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
