/*
 * test_heaps.c: heaps of discs, whose normals are roots, so that exact motions and forces have
 * thousands of digits: the verdict is known by hand, proved, and found with little work.
 */
#include "prove/write.h"
#include "tests/support/world/scene.h"
#include "verify/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define WORK_MAX 3000000000ull /* some seconds */

static struct scene scene;

/* Rows of discs of 1 m in hollows of those below, `gap` apart. */
static void
build(int rows, int columns, double gap, double friction, bool narrows)
{
    scene_init(&scene, 9.81);
    scene_friction(&scene, 0, friction);
    scene_floor(&scene);
    double apart = 1.0 + gap, height = sqrt(1.0 - 0.25 * apart * apart);
    for (int row = 0; row < rows; row++) {
        bool is_odd = row % 2 == 1;
        int count = narrows ? columns - row : columns - is_odd;
        double begin = apart * 0.5 * (narrows ? row : is_odd);
        for (int i = 0; i < count; i++) {
            int disc = scene_circle(&scene, begin + apart * i, 0.5 + height * row, 0.5);
            scene.body[disc].mass = 1.0;
        }
    }
}

static void
expect(enum pv_verdict verdict)
{
    struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    struct vf_finding finding;
    struct wire_json json;
    if (pv_answer_init(&answer, &scene.def, &choice, &defect) != CN_OK) {
        fail_msg("%s: %s", defect.path, defect.text);
    }
    assert_int_equal(answer.verdict, verdict);
    assert_true(answer.work < WORK_MAX);
    wire_json_init(&json, false);
    pv_write(&json, &answer);
    char *text = wire_json_take(&json);
    if (!vf_verify(&scene.def, text, strlen(text), &finding)) {
        fail_msg("%s", finding.text);
    }
    free(text);
    pv_answer_finish(&answer);
}

/* Without friction the lowest row is pushed apart. */
static void
test_smooth(void **state)
{
    (void)state;
    static const double gap[] = {0.0, 1e-4};
    for (int k = 0; k < 2; k++) {
        build(30, 30, gap[k], 0.0, true);
        expect(PV_UNSTABLE);
        build(10, 40, gap[k], 0.0, false);
        expect(PV_UNSTABLE);
    }
}

/*
 * Discs that touch in threes jam where friction is more than tan 30 degrees, so motions of the heap
 * lie on the wall of many cones.  In every second row from the third on the last disc is beyond the
 * row below.  Its friction T at the side is that below, by moments; N <= sin 60 T - N'/2 at the
 * side then needs a coefficient above 1 / sin 60.
 */
static void
test_jammed(void **state)
{
    (void)state;
    build(20, 50, 0.0, 0.9, false);
    expect(PV_UNSTABLE);
}

/* Between walls that do not give way every heap stands. */
static void
test_boxed(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        build(14, 22, 0.0, 0.4 * k, false);
        scene_plane(&scene, 1.0, 0.0, -0.5);
        scene_plane(&scene, -1.0, 0.0, -21.5);
        expect(PV_STABLE);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_jammed),
        cmocka_unit_test(test_boxed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
