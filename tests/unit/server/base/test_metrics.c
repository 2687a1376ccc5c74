/*
 * test_metrics.c: histograms count where they should, and what is printed obeys the rules by which
 * promtool checks metrics: help and type before samples, suffixes, base units, whole histograms.
 */
#include "server/base/metrics.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
test_histogram(void **state)
{
    (void)state;
    struct sv_metrics metrics = {0};
    SV_OBSERVE(&metrics, tick_ns, 10000);    /* a bound belongs below itself */
    SV_OBSERVE(&metrics, tick_ns, 10001);
    SV_OBSERVE(&metrics, tick_ns, 2000000000);
    SV_OBSERVE(&metrics, input_lateness, 0);
    SV_OBSERVE(&metrics, input_lateness, 5);
    char *text = sv_metrics_print(&metrics);
    assert_non_null(text);
    static const char *const lines[] = {
        "cairn_tick_duration_seconds_bucket{le=\"1e-05\"} 1\n",
        "cairn_tick_duration_seconds_bucket{le=\"2.5e-05\"} 2\n",
        "cairn_tick_duration_seconds_bucket{le=\"1\"} 2\n",
        "cairn_tick_duration_seconds_bucket{le=\"+Inf\"} 3\n",
        "cairn_tick_duration_seconds_sum 2.000020001\n",
        "cairn_tick_duration_seconds_count 3\n",
        "cairn_input_lateness_ticks_bucket{le=\"0\"} 1\n",
        "cairn_input_lateness_ticks_bucket{le=\"4\"} 1\n",
        "cairn_input_lateness_ticks_bucket{le=\"6\"} 2\n",
        "cairn_input_lateness_ticks_sum 5\n",
        "cairn_snapshot_size_bytes_count 0\n",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_non_null(strstr(text, lines[i]));
    }
    free(text);
}

static bool
ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static void
check_name(const char *name, const char *type)
{
    assert_true(isalpha((unsigned char)name[0]));
    for (const char *c = name; *c != '\0'; c++) {
        assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_');
    }
    assert_int_equal(ends_with(name, "_total"), strcmp(type, "counter") == 0);
    static const char *const reserved[] = {"_bucket", "_count", "_sum", "_info"};
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
        assert_false(ends_with(name, reserved[i]));
    }
    static const char *const other_units[] = {"milliseconds", "microseconds", "nanoseconds",
        "minutes", "hours", "bits", "kilobytes", "kibibytes", "megabytes", "percent"};
    for (size_t i = 0; i < sizeof(other_units) / sizeof(other_units[0]); i++) {
        assert_null(strstr(name, other_units[i]));
    }
    assert_null(strstr(name, type));
}

/* Reads the samples of one histogram from `text`; returns what follows. */
static char *
check_histogram(char *text, const char *name)
{
    char line[256], label[64], kind[32];
    double bound, bound_before = -1.0;
    unsigned long long value, value_before = 0, total = 0;
    int bucket_count = 0;
    for (;;) {
        size_t size = strcspn(text, "\n");
        assert_true(size < sizeof(line));
        memcpy(line, text, size);
        line[size] = '\0';
        assert_int_equal(strncmp(line, name, strlen(name)), 0);
        const char *rest = line + strlen(name);
        text += size + 1;
        if (sscanf(rest, "_bucket{le=\"%63[^\"]\"} %llu", label, &value) == 2) {
            bound = strcmp(label, "+Inf") == 0 ? 1e300 : strtod(label, NULL);
            assert_true(bound > bound_before);
            assert_true(value >= value_before);
            bound_before = bound;
            value_before = total = value;
            bucket_count++;
        } else if (sscanf(rest, "_%31[a-z] %llu", kind, &value) == 2 &&
            strcmp(kind, "count") == 0) {
            assert_true(bound_before >= 1e300);
            assert_int_equal(value, total);
            assert_true(bucket_count > 2);
            return text;
        } else {
            assert_int_equal(strncmp(rest, "_sum ", 5), 0);
        }
    }
}

/* One line for each code; returns what follows. */
static char *
check_codes(char *text, const char *name)
{
    char typed[128], code[32];
    unsigned long long value;
    int used = 0, count = 0;
    while (sscanf(text, "%127[a-z_]{code=\"%31[A-Z]\"} %llu\n%n", typed, code, &value, &used) ==
        3) {
        assert_string_equal(name, typed);
        assert_string_equal(wire_code_name(count), code);
        assert_int_equal(wire_code_index(code), count);
        text += used;
        count++;
    }
    assert_int_equal(count, WIRE_CODES);
    return text;
}

static void
test_rejected(void **state)
{
    (void)state;
    struct sv_metrics metrics = {0};
    SV_COUNT(&metrics, rejected[wire_code_index("RATE")], 2);
    SV_COUNT(&metrics, rejected[wire_code_index("RANGE")], 1);
    SV_COUNT(&metrics, rejected[wire_code_index("NOBODY KNOWS")], 1);
    char *text = sv_metrics_print(&metrics);
    assert_non_null(text);
    static const char *const lines[] = {
        "cairn_messages_rejected_total{code=\"RATE\"} 2\n",
        "cairn_messages_rejected_total{code=\"RANGE\"} 1\n",
        "cairn_messages_rejected_total{code=\"OTHER\"} 1\n",
        "cairn_messages_rejected_total{code=\"LEASED\"} 0\n",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_non_null(strstr(text, lines[i]));
    }
    free(text);
}

static void
test_rules(void **state)
{
    (void)state;
    struct sv_metrics metrics = {0};
    for (uint64_t i = 0; i < 5000; i += 7) {
        SV_OBSERVE(&metrics, snapshot_bytes, i * i);
        SV_OBSERVE(&metrics, fanout_ns, i * i * i);
    }
    char *text = sv_metrics_print(&metrics);
    assert_non_null(text);
    int count = 0;
    for (char *c = text; *c != '\0'; count++) {
        char name[128], help[256], typed[128], type[16];
        int used = 0;
        assert_int_equal(sscanf(c, "# HELP %127s %255[^\n]\n%n", name, help, &used), 2);
        assert_true(used > 0 && strlen(help) > 10);
        c += used;
        used = 0;
        assert_int_equal(sscanf(c, "# TYPE %127s %15s\n%n", typed, type, &used), 2);
        assert_string_equal(name, typed);
        c += used;
        check_name(name, type);
        if (strcmp(type, "histogram") == 0) {
            c = check_histogram(c, name);
        } else if (strcmp(name, "cairn_messages_rejected_total") == 0) {
            c = check_codes(c, name);
        } else {
            unsigned long long value;
            assert_int_equal(sscanf(c, "%127s %llu\n%n", typed, &value, &used), 2);
            assert_string_equal(name, typed);
            c += used;
        }
    }
    assert_true(count > 20);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
