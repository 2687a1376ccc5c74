/*
 * run_check.c: margins of towers, arches and card houses, and the first motion of falling towers,
 * computed by the exact check.
 */
#include "prove/prove.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"
#include "tests/truth/tower.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/*
 * Coordinates are rounded to doubles before the check sees them, and come back exactly only where
 * they are short; the least margin that the truth set decides is 1e-9.
 */
#define MARGIN 1e-14
#define CRITICAL 1e-12

static struct tower tower;
static struct tower_motion expected;

static void
ask(struct pv_answer *answer, const struct cn_world_def *def, bool side_contacts)
{
    struct pv_choice choice = {
        .side_contacts = side_contacts, .friction = true, .start = true};
    struct cn_defect defect;
    if (pv_answer_init(answer, def, &choice, &defect) != CN_OK) {
        fail_msg("%s: %s", defect.path, defect.text);
    }
}

static bool
is_fraction(const json_t *value)
{
    return json_is_integer(value) || json_is_object(value);
}

/* Whether all centres are fractions that the check reads back. */
static bool
is_short(const json_t *data)
{
    size_t i, k;
    json_t *row, *x;
    json_array_foreach(truth_member(data, "rows_center_x"), i, row)
    {
        json_array_foreach(row, k, x)
        {
            if (!is_fraction(x)) {
                return false;
            }
            const char *slash = json_is_object(x) ? strchr(truth_string(x, "q"), '/') : NULL;
            if (slash != NULL && strlen(slash + 1) > 6) {
                return false;
            }
        }
    }
    return true;
}

static void
margin_is(const struct pv_answer *answer, const json_t *data, const json_t *value)
{
    assert_int_equal(answer->kind, PV_MARGIN);
    truth_near(pv_double(answer->margin), truth_number(value), MARGIN, "margin");
    if (!is_short(data) || !is_fraction(value)) {
        return;
    }
    mpq_t exact;
    mpq_init(exact);
    if (json_is_integer(value)) {
        mpq_set_si(exact, (long)json_integer_value(value), 1);
    } else {
        assert_int_equal(mpq_set_str(exact, truth_string(value, "q"), 10), 0);
    }
    assert_true(mpq_equal(exact, answer->margin));
    mpq_clear(exact);
}

static void
verdict_is(const struct pv_answer *answer, const json_t *expect)
{
    double margin = truth_number(truth_member(expect, "t_star"));
    enum pv_verdict verdict = fabs(margin) <= CRITICAL ? PV_CRITICAL
                              : margin > 0.0           ? PV_STABLE
                                                       : PV_UNSTABLE;
    assert_int_equal(answer->verdict, verdict);
    assert_int_equal(verdict != PV_UNSTABLE, json_is_true(truth_member(expect, "stable")));
}

static void
start_is(const struct pv_answer *answer, const char *what)
{
    assert_true(answer->has_start);
    for (int i = 0; i < expected.count; i++) {
        for (int k = 0; k < 3; k++) {
            double actual = pv_double(answer->start.acceleration[3 * i + k]);
            truth_near(actual, expected.a[i][k], MARGIN, "%s: brick %d, %d", what, i, k);
        }
    }
}

static int
openings(const struct pv_answer *answer)
{
    int count = 0;
    for (int c = 0; c < answer->arrangement.contact_count; c++) {
        count += mpq_sgn(answer->start.opening[c]) > 0;
    }
    return count;
}

static void
check_tower(const json_t *data, bool side_contacts)
{
    const json_t *expect = truth_member(data, "expect");
    const char *member = side_contacts ? "acc_with_side_contacts" : "acc_without_side_contacts";
    const char *lifting = side_contacts ? "lifting_contacts_side" : "lifting_contacts";
    struct pv_answer answer;
    ask(&answer, tower_define(&tower, 0.0), side_contacts);
    margin_is(&answer, data, truth_member(expect, "t_star"));
    verdict_is(&answer, expect);
    if (truth_has(expect, member)) {
        tower_motion_read(&expected, truth_member(expect, member));
        start_is(&answer, member);
        if (truth_has(expect, lifting)) {
            assert_int_equal(
                openings(&answer), (int)truth_member_number(expect, lifting));
        }
    }
    pv_answer_finish(&answer);
}

/* Whether bricks of a row overlap by more than counts as touching. */
static bool
has_overlap(void)
{
    for (int i = 0; i < tower.count; i++) {
        for (int k = 0; k < i; k++) {
            double apart = fabs(tower.x[i] - tower.x[k]) - tower.width;
            if (tower_row(&tower, i) == tower_row(&tower, k) && apart < -1e-6 * tower.width) {
                return true;
            }
        }
    }
    return false;
}

void
truth_check_tower(const json_t *data)
{
    tower_read(&tower, data);
    check_tower(data, false);
    if (has_overlap()) { /* scaled inwards: refused, unless neighbours are taken as apart */
        struct pv_choice choice = {.side_contacts = true};
        struct pv_answer answer;
        struct cn_defect defect;
        assert_int_equal(
            pv_answer_init(&answer, tower_define(&tower, 0.0), &choice, &defect), CN_GEOMETRY);
        return;
    }
    check_tower(data, true);
}
