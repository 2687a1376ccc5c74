/*
 * test_balls.c: spheres in space, on planes, boxes and each other: verdicts and margins known by
 * hand, and every certificate verified.
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

static struct scene scene;

static int
add_ball(double x, double y, double z, double radius)
{
    int ball = scene_circle(&scene, x, y, radius);
    scene.body[ball].position.z = z;
    scene.body[ball].mass = 1.0;
    scene.shape[ball].kind = CN_SHAPE_SPHERE;
    scene.shape[ball].sphere.radius = radius;
    return ball;
}

static void
begin(double friction)
{
    scene_init_space(&scene, 10.0);
    scene.material[0].static_friction = friction;
}

/* Asks, and verifies the certificate; `margin` NAN: not known by hand. */
static void
expect(enum pv_verdict verdict, double margin)
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
    if (!isnan(margin)) {
        assert_int_equal(answer.kind, PV_MARGIN);
        assert_true(fabs(pv_double(answer.margin) - margin) <= 1e-12 * margin);
    }
    wire_json_init(&json, false);
    pv_write(&json, &answer);
    char *text = wire_json_take(&json);
    if (!vf_verify(&scene.def, text, strlen(text), &finding)) {
        fail_msg("%s\n%s", finding.text, text);
    }
    free(text);
    pv_answer_finish(&answer);
}

/* One contact bears all: the margin is the weight, 10 N, or by volume 10 pi / 6 N. */
static void
test_on_plane(void **state)
{
    (void)state;
    begin(0.0);
    scene_floor(&scene);
    int ball = add_ball(3.0, 0.5, -2.0, 0.5);
    expect(PV_STABLE, 10.0);
    scene.body[ball].mass = 0.0;
    scene.shape[ball].density = 1.0;
    expect(PV_STABLE, 10.0 * 3.14159265358979324 / 6.0);
    begin(0.9); /* no friction keeps a ball from rolling */
    scene_floor(&scene);
    add_ball(3.0, 0.5, -2.0, 0.5);
    scene.def.settings.gravity.z = 0.01;
    expect(PV_UNSTABLE, (double)NAN);
}

/* In a slot of 0.6 m a ball of 0.5 m presses on both edges along (3, 4) / 5: 10 N / (2 * 0.8). */
static void
test_on_boxes(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        begin(0.0);
        if (order == 0) {
            add_ball(0.0, 1.4, 0.0, 0.5);
        }
        for (int side = -1; side <= 1; side += 2) {
            int box = scene_box(&scene, 0.8 * side, 0.5, 1.0, 1.0);
            scene.shape[box].box.size.z = 1.0;
            scene.body[box].type = CN_STATIC;
        }
        if (order == 1) {
            add_ball(0.0, 1.4, 0.0, 0.5);
        }
        expect(PV_STABLE, 6.25);
    }
    begin(0.0); /* on the face of a box */
    int box = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    scene.shape[box].box.size.z = 1.0;
    scene.body[box].type = CN_STATIC;
    add_ball(0.2, 1.5, 0.3, 0.5);
    expect(PV_STABLE, 10.0);
}

/*
 * One ball on three: the force on a lower one goes through its foot, at half the angle a between
 * the line of the centres and the vertical.  sin a = 1 / sqrt 3, so friction is to be at least
 * tan(a / 2) = sqrt 3 - sqrt 2 = 0.3178.
 */
static void
test_four(void **state)
{
    (void)state;
    static const double off[] = {1e-2, 1e-4, -1e-4, -1e-2};
    for (int k = 0; k < 4; k++) {
        begin(sqrt(3.0) - sqrt(2.0) + off[k]);
        scene_floor(&scene);
        for (int i = 0; i < 3; i++) {
            double angle = 2.0943951023931954923 * i, far = 1.0 / sqrt(3.0);
            add_ball(far * cos(angle), 0.5, far * sin(angle), 0.5);
        }
        add_ball(0.0, 0.5 + sqrt(2.0 / 3.0), 0.0, 0.5);
        expect(off[k] > 0.0 ? PV_STABLE : PV_UNSTABLE, (double)NAN);
    }
}

/* Deeper than a millionth is refused: into a plane, a box (also from within), a ball. */
static void
test_overlaps(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct pv_choice choice = {.side_contacts = k % 2 == 0, .friction = true};
        struct pv_answer answer;
        struct cn_defect defect;
        begin(0.0);
        if (k == 0) {
            scene_floor(&scene);
        } else if (k == 1) {
            add_ball(0.0, -0.5, 0.0, 0.5);
        } else {
            int box = scene_box(&scene, 0.0, k == 2 ? -0.5 : 0.0, 4.0, k == 2 ? 1.0 : 4.0);
            scene.shape[box].box.size.z = 4.0;
        }
        add_ball(0.0, k == 3 ? 0.0 : 0.4999, 0.0, 0.5);
        assert_int_equal(
            pv_answer_init(&answer, &scene.def, &choice, &defect), CN_GEOMETRY);
        assert_non_null(strstr(defect.text, "overlaps bodies[0] by "));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_plane),
        cmocka_unit_test(test_on_boxes),
        cmocka_unit_test(test_four),
        cmocka_unit_test(test_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
