/*
 * test_model_laws.c: what the data of a world say of themselves, against loops over everything:
 * joints of bodies, islands that sleep, locks, and materials that meet.
 */
#include "engine/base/rng.h"
#include "engine/model/life.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define BODIES 12
#define JOINTS 30

static struct cn_model model;
static struct cn_body body[BODIES];
static struct cn_motion motion[BODIES];
static struct cn_rest rest[BODIES];
static struct cn_joint joint[JOINTS];
static struct cn_joint_state joint_state[JOINTS];
static struct cn_joint_list joints_of[BODIES];
static struct cn_joint_link joint_link[2 * JOINTS];
static struct cn_shape shape[2];
static struct cn_material material[2];
static int32_t fresh[BODIES], woken[BODIES];

static void
begin(enum cn_dimension dimension)
{
    memset(body, 0, sizeof(body));
    memset(rest, 0, sizeof(rest));
    memset(joint, 0, sizeof(joint));
    model = (struct cn_model){.body_count = BODIES, .body_max = BODIES, .joint_count = JOINTS,
        .joint_max = JOINTS, .body = body, .motion = motion, .rest = rest, .joint = joint,
        .joint_state = joint_state, .joints_of = joints_of, .joint_link = joint_link,
        .shape = shape, .shape_count = 0, .material = material, .material_count = 2,
        .fresh = fresh, .woken = woken};
    model.settings.dimension = dimension;
    for (int i = 0; i < BODIES; i++) {
        joints_of[i] = (struct cn_joint_list){.first = -1};
        rest[i].island = -1;
    }
    for (int i = 0; i < JOINTS; i++) {
        joint[i] = (struct cn_joint){.body_a = -1, .body_b = -1, .actuator = -1, .absent = true};
    }
}

/* Each body's list has all of its ends, descending, and both ways round. */
static void
assert_lists(void)
{
    int live = 0;
    for (int j = 0; j < JOINTS; j++) {
        live += !joint[j].absent;
    }
    assert_int_equal(model.joint_live, live);
    for (int i = 0; i < BODIES; i++) {
        int32_t end = joints_of[i].first, before = -1, count = 0;
        for (int32_t wanted = 2 * JOINTS - 1; wanted >= 0; wanted--) {
            const struct cn_joint *j = &joint[wanted / 2];
            if (j->absent || (wanted % 2 == 0 ? j->body_a : j->body_b) != i) {
                continue;
            }
            assert_int_equal(end, wanted);
            assert_int_equal(joint_link[end].prev, before);
            before = end;
            end = joint_link[end].next;
            count++;
        }
        assert_int_equal(end, -1);
        assert_int_equal(joints_of[i].count, count);
    }
}

static void
test_joints_of_bodies(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 81};
    begin(CN_SPATIAL);
    for (int round = 0; round < 3000; round++) {
        int at = (int)(cn_rng_next(&rng) % JOINTS);
        struct cn_joint *j = &joint[at];
        if (j->absent) {
            int a = (int)(cn_rng_next(&rng) % (BODIES + 2)) - 2;
            int b = (int)(cn_rng_next(&rng) % BODIES);
            *j = (struct cn_joint){.body_a = a < 0 || a == b ? -1 : a, .body_b = b,
                .collide = cn_rng_next(&rng) % 3 == 0, .actuator = -1};
            cn_model_link_joint(&model, at);
        } else {
            cn_model_unlink_joint(&model, at);
            j->absent = true;
        }
        assert_lists();
        int a = (int)(cn_rng_next(&rng) % BODIES), b = (int)(cn_rng_next(&rng) % BODIES);
        bool joined = false;
        for (int k = 0; k < JOINTS && a != b; k++) {
            const struct cn_joint *other = &joint[k];
            bool between = (other->body_a == a && other->body_b == b) ||
                           (other->body_a == b && other->body_b == a);
            joined = joined || (!other->absent && !other->collide && between);
        }
        if (a != b) {
            assert_int_equal(cn_model_joined(&model, a, b), joined);
        }
    }
}

/*
 * With locked axes, the inverse inertia gives spin about free axes only.  Along a free axis the
 * momentum of that spin is the impulse.
 */
static void
test_locks(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 82};
    const cn_vec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int trial = 0; trial < 400; trial++) {
        begin(CN_SPATIAL);
        cn_mat33 L = {{cn_rng_uniform(&rng, 0.5, 2.0), cn_rng_uniform(&rng, -0.5, 0.5),
                          cn_rng_uniform(&rng, -0.5, 0.5)},
            {0.0, cn_rng_uniform(&rng, 0.5, 2.0), cn_rng_uniform(&rng, -0.5, 0.5)},
            {0.0, 0.0, cn_rng_uniform(&rng, 0.5, 2.0)}};
        cn_mat33 LT = cn_mat33_transpose(&L);
        bool is_free[3];
        body[0].type = CN_DYNAMIC;
        body[0].mass = 4.0;
        body[0].inertia = cn_mat33_multiply(&L, &LT);
        body[0].quarantined = true;
        for (int k = 0; k < 3; k++) {
            is_free[k] = (trial >> k & 1) != 0;
            body[0].locks |= (uint8_t)(is_free[k] ? 0 : CN_LOCK_ANGULAR_X << k);
        }
        cn_model_release(&model, 0);
        assert_false(body[0].quarantined);
        assert_near(body[0].mass_inverse, 0.25, 0.0);
        for (int k = 0; k < 3; k++) {
            /* The spin that an impulse about axis k makes: momentum along the free axes is that. */
            cn_vec3 spin = cn_mat33_apply(&body[0].inertia_inverse, axis[k]);
            cn_vec3 momentum = cn_mat33_apply(&body[0].inertia, spin);
            for (int i = 0; i < 3; i++) {
                if (is_free[i]) {
                    double wanted = is_free[k] && i == k ? 1.0 : 0.0;
                    assert_near(cn_vec3_dot(momentum, axis[i]), wanted, 1e-12);
                } else {
                    assert_near(cn_vec3_dot(spin, axis[i]), 0.0, 0.0);
                }
            }
        }
    }
}

/*
 * A body whose island's first body comes later, or is in another island, is awake.  The bodies of
 * every other island form a ring.
 */
static void
test_islands(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 83};
    for (int trial = 0; trial < 500; trial++) {
        int32_t wanted[BODIES];
        begin(CN_SPATIAL);
        for (int i = 0; i < BODIES; i++) {
            rest[i].island = (int32_t)(cn_rng_next(&rng) % (BODIES + 4)) - 4;
            rest[i].island = rest[i].island < -1 ? -1 : rest[i].island;
            rest[i].island = cn_rng_next(&rng) % 3 == 0 ? i : rest[i].island;
        }
        int asleep = 0;
        for (int i = 0; i < BODIES; i++) { /* in order: what comes first is settled first */
            int32_t first = rest[i].island;
            bool sleeps = first >= 0 && first <= i &&
                          (first == i ? true : wanted[first] == first);
            wanted[i] = sleeps ? first : -1;
            asleep += sleeps;
        }
        cn_model_count(&model);
        assert_int_equal(model.asleep_count, asleep);
        for (int i = 0; i < BODIES; i++) {
            assert_int_equal(rest[i].island, wanted[i]);
            if (wanted[i] != i) {
                continue;
            }
            int32_t at = i;
            for (int k = i; k < BODIES; k++) { /* the ring ascends and comes back */
                if (wanted[k] == i) {
                    assert_int_equal(at, k);
                    at = rest[at].next;
                }
            }
            assert_int_equal(at, i);
        }
    }
}

/*
 * All four combining rules; restitution, sliding and resting friction each have a rule of their
 * own.
 */
static void
test_materials(void **state)
{
    (void)state;
    begin(CN_SPATIAL);
    shape[0].material = 0;
    shape[1].material = 1;
    material[0] = (struct cn_material){0.2, 0.5, 0.4, 0.0, 0.0, {0.0, 0.0, 0.0}};
    material[1] = (struct cn_material){0.8, 1.0, 0.5, 0.0, 0.0, {0.0, 0.0, 0.0}};
    const double expected[4][3] = {
        {0.2, 0.5, 0.4}, {0.8, 1.0, 0.5}, {0.5, 0.75, 0.45}, {0.16, 0.5, 0.2}};
    static const enum cn_combine rules[] = {
        CN_COMBINE_MIN, CN_COMBINE_MAX, CN_COMBINE_AVERAGE, CN_COMBINE_MULTIPLY};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            double sliding, resting;
            model.settings.combine_friction = rules[i];
            model.settings.combine_restitution = rules[k];
            for (int turned = 0; turned < 2; turned++) {
                cn_model_friction(&model, turned, 1 - turned, &sliding, &resting);
                assert_near(sliding, expected[i][0], 1e-15);
                assert_near(resting, expected[i][1], 1e-15);
                assert_near(
                    cn_model_restitution(&model, turned, 1 - turned), expected[k][2], 1e-15);
            }
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_of_bodies),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_islands),
        cmocka_unit_test(test_materials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
