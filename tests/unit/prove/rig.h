/*
 * rig.h: scenes of hulls, balls and capsules in space; asks about them and verifies the answers.
 */
#ifndef TESTS_UNIT_PROVE_RIG_H
#define TESTS_UNIT_PROVE_RIG_H

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

#define G 10.0

static struct scene scene;
static int contacts; /* of the last answer */

static inline void
begin(double friction)
{
    scene_init_space(&scene, G);
    scene.material[0].static_friction = friction;
    scene.def.materials = scene.material;
}

static inline int
add_hull(double x, double y, double z, const cn_vec3 *vertex, int count)
{
    int body = scene_polygon(&scene, x, y, vertex, count); /* it copies the points */
    scene.body[body].position.z = z;
    scene.body[body].mass = 1.0;
    const cn_vec3 *own = scene.shape[body].polygon.vertices;
    scene.shape[body].kind = CN_SHAPE_HULL;
    scene.shape[body].hull.vertices = own;
    scene.shape[body].hull.vertex_count = count;
    return body;
}

/* A block with its centre at the origin of its frame, as a hull. */
static inline int
add_block(double x, double y, double z, double width, double height, double depth)
{
    cn_vec3 v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = cn_vec3_make((i & 1) != 0 ? width / 2.0 : -width / 2.0,
            (i & 2) != 0 ? height / 2.0 : -height / 2.0, (i & 4) != 0 ? depth / 2.0 : -depth / 2.0);
    }
    return add_hull(x, y, z, v, 8);
}

/* A brick that shares its points with all others. */
static inline int
add_block_at(double x, double y, double z)
{
    static cn_vec3 v[8];
    int body = scene_box(&scene, x, y, 1.0, 1.0);
    for (int i = 0; i < 8; i++) {
        v[i] = cn_vec3_make((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.25 : -0.25,
            (i & 4) != 0 ? 0.25 : -0.25);
    }
    scene.body[body].position.z = z;
    scene.body[body].mass = 1.0;
    scene.shape[body] = (struct cn_shape_def){.kind = CN_SHAPE_HULL};
    scene.shape[body].hull.vertices = v;
    scene.shape[body].hull.vertex_count = 8;
    return body;
}

static inline int
add_static_box(double x, double y, double z, double width, double height, double depth)
{
    int box = scene_box(&scene, x, y, width, height);
    scene.shape[box].box.size.z = depth;
    scene.body[box].position.z = z;
    scene.body[box].type = CN_STATIC;
    return box;
}

/* Turns a body about an axis through its frame's origin. */
static inline void
turn(int body, double x, double y, double z, double angle)
{
    double size = sqrt(x * x + y * y + z * z), s = sin(angle / 2.0) / size;
    scene.body[body].orientation = (cn_quat){cos(angle / 2.0), s * x, s * y, s * z};
}

/* Lays a capsule along z: a turn of exactly a right angle. */
static inline void
lay(int body)
{
    scene.body[body].orientation = (cn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0};
}

static inline void
check_definition(void)
{
    struct cn_defect defect;
    if (cn_world_def_check(&scene.def, &defect) != CN_OK) {
        fail_msg("%s: %s", defect.path, defect.text);
    }
}

/* Asks, and verifies the certificate; `margin` NAN: not known by hand. */
static inline void
expect(enum pv_verdict verdict, double margin)
{
    struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    struct vf_finding finding;
    struct wire_json json;
    check_definition();
    if (pv_answer_init(&answer, &scene.def, &choice, &defect) != CN_OK) {
        fail_msg("%s: %s", defect.path, defect.text);
    }
    contacts = answer.arrangement.contact_count;
    wire_json_init(&json, false);
    pv_write(&json, &answer);
    char *text = wire_json_take(&json);
    if (!vf_verify(&scene.def, text, strlen(text), &finding)) {
        fail_msg("%s\n%s", finding.text, text);
    }
    if (answer.verdict != verdict) {
        fail_msg("%s\n%s", finding.text, text);
    }
    if (!isnan(margin)) {
        assert_int_equal(answer.kind, PV_MARGIN);
        if (!(fabs(pv_double(answer.margin) - margin) <= 1e-12 * (1.0 + fabs(margin)))) {
            fail_msg("%.17g is not %.17g", pv_double(answer.margin), margin);
        }
    }
    free(text);
    pv_answer_finish(&answer);
}

static inline void
expect_refused(enum cn_status status, const char *text)
{
    struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    check_definition();
    assert_int_equal(pv_answer_init(&answer, &scene.def, &choice, &defect), status);
    if (strstr(defect.text, text) == NULL) {
        fail_msg("%s: %s", defect.path, defect.text);
    }
}

static inline void
add_ball(double x, double y, double z, double radius)
{
    int ball = scene_circle(&scene, x, y, radius);
    scene.body[ball].position.z = z;
    scene.body[ball].mass = 1.0;
    scene.shape[ball].kind = CN_SHAPE_SPHERE;
    scene.shape[ball].sphere.radius = radius;
}

#endif
