/*
 * test_pairs.c: random pairs of shapes in space, moved towards each other until they just touch.
 *
 * For every pair the verifier accepts the certificate, and the contacts obey their geometry in
 * doubles: the normal parts the two, and every point is on the surface of both.
 */
#include "engine/base/rng.h"
#include "engine/math/mat33.h"
#include "engine/math/quat.h"
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

#define PAIRS 80
#define POINTS_MAX 20

static struct scene scene;
static struct cn_rng rng;
static cn_vec3 points[2][POINTS_MAX];

static double
between(double low, double high)
{
    return cn_rng_uniform(&rng, low, high);
}

static cn_vec3
random_point(double reach)
{
    return cn_vec3_make(
        between(-reach, reach), between(-reach, reach), between(-reach, reach));
}

/* A random shape: box, hull of few or many points, flat or round; ball; capsule. */
static void
make_shape(struct cn_shape_def *shape, int which)
{
    *shape = (struct cn_shape_def){.position = random_point(0.2)};
    int kind = (int)(cn_rng_next(&rng) % 5);
    if (kind == 0) {
        shape->kind = CN_SHAPE_BOX;
        shape->box.size = cn_vec3_make(between(0.5, 2.0), between(0.5, 2.0), between(0.5, 2.0));
    } else if (kind == 1) {
        shape->kind = CN_SHAPE_SPHERE;
        shape->sphere.radius = between(0.3, 1.0);
    } else if (kind == 2) {
        shape->kind = CN_SHAPE_CAPSULE;
        shape->capsule.radius = between(0.3, 1.0);
        shape->capsule.length = between(0.1, 2.0);
    } else {
        int count = kind == 3 ? 8 : POINTS_MAX;
        for (int i = 0; i < count; i++) { /* kind 3: on a grid, so faces have many corners */
            cn_vec3 p = random_point(1.0);
            points[which][i] =
                kind == 3 ? cn_vec3_make(rint(p.x), rint(p.y), rint(p.z)) : p;
        }
        points[which][0] = cn_vec3_make(1.0, 1.0, 1.0);
        points[which][1] = cn_vec3_make(-1.0, -1.0, 1.0);
        points[which][2] = cn_vec3_make(-1.0, 1.0, -1.0);
        points[which][3] = cn_vec3_make(1.0, -1.0, -1.0);
        shape->kind = CN_SHAPE_HULL;
        shape->hull.vertices = points[which];
        shape->hull.vertex_count = count;
    }
}

static cn_quat
random_turn(void)
{
    double q[4], size = 0.0;
    for (int k = 0; k < 4; k++) {
        q[k] = between(-1.0, 1.0);
        size += q[k] * q[k];
    }
    size = sqrt(size);
    return (cn_quat){q[0] / size, q[1] / size, q[2] / size, q[3] / size};
}

/* The distance of the farthest point of a body along n, from the world's origin. */
static double
reach_of(const struct cn_body_def *body, cn_vec3 n)
{
    cn_mat33 turn = cn_quat_to_mat33(body->orientation);
    const struct cn_shape_def *shape = body->shapes;
    cn_vec3 own = cn_mat33_apply_back(&turn, n);
    double most = -HUGE_VAL, radius = 0.0;
    if (shape->kind == CN_SHAPE_BOX) {
        most = 0.5 * (fabs(own.x) * shape->box.size.x + fabs(own.y) * shape->box.size.y +
                         fabs(own.z) * shape->box.size.z);
    } else if (shape->kind == CN_SHAPE_HULL) {
        for (int i = 0; i < shape->hull.vertex_count; i++) {
            most = fmax(most, cn_vec3_dot(own, shape->hull.vertices[i]));
        }
    } else {
        bool is_ball = shape->kind == CN_SHAPE_SPHERE;
        radius = is_ball ? shape->sphere.radius : shape->capsule.radius;
        most = is_ball ? 0.0 : 0.5 * shape->capsule.length * fabs(own.y);
    }
    return most + radius + cn_vec3_dot(own, shape->position) + cn_vec3_dot(n, body->position);
}

/* -1: overlap, 0: touching, 1: apart.  The caller finishes the answer unless they overlap. */
static int
ask(struct pv_answer *answer)
{
    struct pv_choice choice = {.side_contacts = true};
    struct cn_defect defect;
    enum cn_status status = pv_answer_init(answer, &scene.def, &choice, &defect);
    if (status != CN_OK) {
        assert_non_null(strstr(defect.text, "overlaps bodies[0] by"));
        return -1;
    }
    return answer->arrangement.contact_count == 0 ? 1 : 0;
}

static void
check_contacts(const struct pv_answer *answer)
{
    const struct cn_body_def *a = &scene.body[0], *b = &scene.body[1];
    for (int i = 0; i < answer->arrangement.contact_count; i++) {
        const struct pv_contact *c = &answer->arrangement.contact[i];
        cn_vec3 n = cn_vec3_make(
            pv_double(c->normal.c[0]), pv_double(c->normal.c[1]), pv_double(c->normal.c[2]));
        cn_vec3 p = cn_vec3_make(
            pv_double(c->point.c[0]), pv_double(c->point.c[1]), pv_double(c->point.c[2]));
        double top = reach_of(a, n), bottom = -reach_of(b, cn_vec3_scale(n, -1.0));
        assert_true(fabs(cn_vec3_length(n) - 1.0) < 1e-12);
        assert_true(fabs(bottom - top) < 5e-6);
        assert_true(fabs(cn_vec3_dot(n, p) - top) < 5e-6);
    }
}

static void
verify(struct pv_answer *answer)
{
    struct wire_json json;
    struct vf_finding finding;
    wire_json_init(&json, false);
    pv_write(&json, answer);
    char *text = wire_json_take(&json);
    if (!vf_verify(&scene.def, text, strlen(text), &finding)) {
        fail_msg("%s\n%s", finding.text, text);
    }
    free(text);
}

static void
test_pairs(void **state)
{
    (void)state;
    int touched = 0, many = 0;
    rng.state = 20;
    for (int pair = 0; pair < PAIRS; pair++) {
        scene_init_space(&scene, 10.0);
        for (int k = 0; k < 2; k++) {
            scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
            make_shape(&scene.shape[k], k);
            scene.body[k].mass = 1.0;
            scene.body[k].orientation = pair % 4 == 0 ? (cn_quat){1, 0, 0, 0} : random_turn();
        }
        scene.body[0].type = CN_STATIC;
        cn_vec3 way = random_point(1.0);
        way = cn_vec3_scale(way, 1.0 / cn_vec3_length(way));
        double low = 0.0, high = 8.0;
        int side = 1;
        for (int step = 0; step < 60 && side != 0; step++) {
            struct pv_answer answer;
            double far = 0.5 * (low + high);
            scene.body[1].position = cn_vec3_scale(way, far);
            side = ask(&answer);
            low = side < 0 ? far : low;
            high = side > 0 ? far : high;
            if (side == 0) {
                check_contacts(&answer);
                verify(&answer);
                many += answer.arrangement.contact_count > 1;
                touched++;
            }
            if (side >= 0) {
                pv_answer_finish(&answer);
            }
        }
    }
    assert_true(touched > PAIRS * 9 / 10); /* the others pass from apart to overlap in a corner */
    assert_true(many > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
