/* test_limits.c: a check refuses a scene that is too large and names the limit, or it answers. */
#include "prove/limits.h"
#include "prove/prove.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct cn_world_def def;
static struct cn_material_def material;
static struct cn_body_def *body;
static struct cn_shape_def *shape;

/* Bricks of 1 m by 0.5 m in running bond on a floor, `columns` a row; the second is shifted. */
static void
build(int count, int columns, enum cn_dimension dimension, double shift)
{
    body = calloc((size_t)count + 1, sizeof(*body));
    shape = calloc((size_t)count + 1, sizeof(*shape));
    assert_true(body != NULL && shape != NULL);
    cn_world_def_init(&def);
    cn_material_def_init(&material);
    def.settings.dimension = dimension;
    def.settings.gravity = cn_vec3_make(0.0, -9.81, 0.0);
    def.materials = &material;
    def.material_count = 1;
    def.bodies = body;
    def.body_count = count + 1;
    for (int i = 0; i <= count; i++) {
        int row = (i - 1) / columns, place = (i - 1) % columns;
        cn_body_def_init(&body[i]);
        body[i].shapes = &shape[i];
        body[i].shape_count = 1;
        double x = place + 0.5 * (row % 2) + (row == 1 ? shift : 0.0);
        body[i].position = cn_vec3_make(x, 0.25 + 0.5 * row, 0.0);
        shape[i] = (struct cn_shape_def){.kind = CN_SHAPE_BOX};
        shape[i].box.size = cn_vec3_make(1.0, 0.5, 0.5);
    }
    body[0].type = CN_STATIC;
    body[0].position = cn_vec3_make(0.0, 0.0, 0.0);
    shape[0] = (struct cn_shape_def){.kind = CN_SHAPE_PLANE, .plane = {.normal = {0, 1, 0}}};
}

static enum cn_status
ask(struct pv_answer *answer, struct cn_defect *defect)
{
    struct pv_choice choice = {.side_contacts = true, .friction = true};
    enum cn_status status = pv_answer_init(answer, &def, &choice, defect);
    free(body);
    free(shape);
    return status;
}

static void
test_too_many_bodies(void **state)
{
    (void)state;
    struct pv_answer answer;
    struct cn_defect defect;
    build(PV_BODIES_MAX, 50, CN_PLANAR, 0.0);
    assert_int_equal(ask(&answer, &defect), CN_LIMIT);
    assert_string_equal(defect.path, "bodies");
    assert_string_equal(defect.text, "has 2049 entries; a check takes 2048");
}

/* Many contacts are allowed, and walls of bricks are decided in both dimensions. */
static void
test_many_points(void **state)
{
    (void)state;
    for (int spatial = 0; spatial < 2; spatial++) {
        struct pv_answer answer;
        struct cn_defect defect;
        build(400, 20, spatial ? CN_SPATIAL : CN_PLANAR, 0.0);
        assert_int_equal(ask(&answer, &defect), CN_OK);
        assert_true(answer.arrangement.contact_count > (spatial ? 4096 : 2000));
        assert_true(answer.by_face);
        assert_int_equal(answer.verdict, PV_CRITICAL); /* rows end at half a brick */
        pv_answer_finish(&answer);
    }
}

/* The first accelerations of a fall are computed only on request, and only for few contacts. */
static void
test_many_points_start(void **state)
{
    (void)state;
    struct pv_answer answer;
    struct cn_defect defect;
    build(200, 20, CN_PLANAR, 0.75);
    assert_int_equal(ask(&answer, &defect), CN_OK);
    assert_int_equal(answer.verdict, PV_UNSTABLE);
    assert_false(answer.has_start);
    assert_int_equal(pv_answer_find_start(&answer, &defect), CN_LIMIT);
    assert_string_equal(defect.path, "bodies");
    assert_non_null(strstr(defect.text, "; first accelerations are found for 512"));
    assert_false(answer.has_start);
    pv_answer_finish(&answer);
    build(6, 2, CN_PLANAR, 0.75);
    assert_int_equal(ask(&answer, &defect), CN_OK);
    assert_int_equal(answer.verdict, PV_UNSTABLE);
    assert_int_equal(pv_answer_find_start(&answer, &defect), CN_OK);
    assert_true(answer.has_start);
    pv_answer_finish(&answer);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_many_bodies),
        cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_many_points_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
