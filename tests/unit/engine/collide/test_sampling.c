/*
 * test_sampling.c: of two meshes, lanes leave out no sample that is near, and all find the same.
 */
#include "engine/collide/mesh/sampling.h"
#include "engine/mesh/torus.h"
#include "engine/solve/impulse/impulse.h"
#include "tests/support/mesh/hand_field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { MAJOR = 16, MINOR = 10 };

/* A ring and a smaller one, each somewhere in its body. */
static struct cn_mesh *mesh[2];
static struct cn_placed_mesh placed[2];
static struct cn_shape shape[2];
static struct cn_samples samples, other;

static cn_pose
random_pose(uint32_t *random, double far)
{
    cn_quat q = {random_between(random, -1.0, 1.0), random_between(random, -1.0, 1.0),
        random_between(random, -1.0, 1.0), random_between(random, -1.0, 1.0)};
    double size = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    q = (cn_quat){q.w / size, q.x / size, q.y / size, q.z / size};
    return (cn_pose){cn_vec3_make(random_between(random, -far, far),
                         random_between(random, -far, far), random_between(random, -far, far)),
        cn_quat_to_mat33(q)};
}

static int
set_up(void **state)
{
    static cn_vec3 vertex[MAJOR * MINOR];
    static int32_t triangle[2 * MAJOR * MINOR][3];
    struct cn_defect defect;
    uint32_t random = 5;
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct cn_torus torus = {i == 0 ? 1.0 : 0.7, i == 0 ? 0.3 : 0.2, MAJOR, MINOR};
        cn_torus_make(&torus, vertex, triangle);
        const struct cn_mesh_def def = {.vertex_count = MAJOR * MINOR,
            .triangle_count = 2 * MAJOR * MINOR,
            .vertex = vertex,
            .triangle = (const int32_t(*)[3])triangle,
            .sparse = i == 1};
        if (cn_mesh_make(&def, &mesh[i], &defect) != CN_OK) {
            return -1;
        }
        placed[i] = (struct cn_placed_mesh){mesh[i], random_pose(&random, 0.2)};
        shape[i] = (struct cn_shape){.kind = CN_SHAPE_MESH, .mesh = &placed[i]};
    }
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    cn_mesh_drop(mesh[0]);
    cn_mesh_drop(mesh[1]);
    return 0;
}

static bool
is_found(bool of_a, int feature)
{
    for (int i = 0; i < samples.count; i++) {
        if (samples.sample[i].of_a == of_a && samples.sample[i].feature == feature) {
            return true;
        }
    }
    return false;
}

/* How many samples of one are near the other's surface; all of them must have been found. */
static int
count_near(const cn_pose pose[2], bool of_a, double margin)
{
    int own = of_a ? 0 : 1, near = 0;
    for (int k = 0; k < mesh[own]->sample_count; k++) {
        const float *at = mesh[own]->sample[k].at;
        cn_vec3 p = cn_vec3_make((double)at[0], (double)at[1], (double)at[2]);
        p = cn_pose_apply(&pose[own], cn_pose_apply(&placed[own].pose, p));
        p = cn_pose_invert(&placed[1 - own].pose, cn_pose_invert(&pose[1 - own], p));
        /* A sample whose distance equals the margin up to rounding may be found or not. */
        if (cn_field_distance(&mesh[1 - own]->field, p) < margin - 1e-9 &&
            cn_mesh_distance(mesh[1 - own], p) < margin) {
            near++;
            assert_true(is_found(of_a, k));
        }
    }
    return near;
}

/* Small margins, and some that reach beyond the grid's box. */
static void
test_near(void **state)
{
    uint32_t random = 3;
    int near = 0, found = 0, met = 0;
    (void)state;
    for (int i = 0; i < 400; i++) {
        cn_pose pose[2] = {random_pose(&random, 100.0), random_pose(&random, 0.0)};
        double far = i % 4 == 0 ? 0.5 : 2.2;
        double margin = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.05 : 0.6;
        cn_vec3 way = random_pose(&random, far).position;
        pose[1].position = cn_vec3_add(pose[0].position, way);
        const struct cn_fast_mesh_kernel *plain = cn_fast_mesh_kernel_find("plain");
        cn_sampling_find(plain, &shape[0], &pose[0], &shape[1], &pose[1], margin, &samples);
        if (samples.lost > 0) {
            continue;
        }
        near += count_near(pose, true, margin) + count_near(pose, false, margin);
        found += samples.count;
        met += samples.count > 0 ? 1 : 0;
        for (int k = 0; k < samples.count; k++) {
            assert_true(samples.sample[k].gap <= margin);
        }
    }
    assert_true(met > 100 && near > 5000 && found < near + near / 20);
}

static void
test_kernels(void **state)
{
    uint32_t random = 9;
    int sets = 0;
    (void)state;
    for (int k = 0; cn_impulse_kernels[k] != NULL; k++) {
        const struct cn_fast_mesh_kernel *kernel =
            cn_fast_mesh_kernel_find(cn_impulse_kernels[k]->name);
        if (kernel == NULL || !cn_impulse_kernel_runs(cn_impulse_kernels[k])) {
            continue;
        }
        sets++;
        for (int i = 0; i < 100; i++) {
            cn_pose a = random_pose(&random, 0.0), b = random_pose(&random, 1.2);
            const struct cn_fast_mesh_kernel *plain = cn_fast_mesh_kernel_find("plain");
            memset(&samples, 0, sizeof(samples));
            memset(&other, 0, sizeof(other));
            cn_sampling_find(plain, &shape[0], &a, &shape[1], &b, 0.1, &samples);
            cn_sampling_find(kernel, &shape[0], &a, &shape[1], &b, 0.1, &other);
            assert_int_equal(other.count, samples.count);
            for (int s = 0; s < samples.count; s++) {
                assert_int_equal(other.sample[s].feature, samples.sample[s].feature);
                assert_true(other.sample[s].of_a == samples.sample[s].of_a);
                assert_true(other.sample[s].gap == samples.sample[s].gap);
            }
        }
    }
    assert_true(sets >= 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
