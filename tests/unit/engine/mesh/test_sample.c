/*
 * test_sample.c: what samples are for: no crossing of two surfaces that is deeper than a twentieth
 * of the thickness goes unnoticed.
 */
#include "engine/base/rng.h"
#include "engine/math/quat.h"
#include "tests/support/mesh/meshes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define PAIRS 40
#define FINE 8 /* parts of a triangle's side, where the true depth is looked for */

static struct raw_mesh raw;

/* Where mesh B is in A's frame. */
struct place {
    cn_mat33 turn;
    cn_vec3 at;
};

static cn_vec3
to_a(const struct place *place, cn_vec3 b)
{
    return cn_vec3_add(place->at, cn_mat33_apply(&place->turn, b));
}

static cn_vec3
to_b(const struct place *place, cn_vec3 a)
{
    return cn_mat33_apply_back(&place->turn, cn_vec3_sub(a, place->at));
}

/* How deep p is in the mesh, where it is deeper than `so_far`. */
static double
deeper(const struct cn_mesh *mesh, cn_vec3 p, double so_far)
{
    if (cn_field_bound(&mesh->field, p) > 0.05 * mesh->thickness &&
        !cn_field_is_inside(&mesh->field, p)) {
        return so_far;
    }
    return fmax(so_far, -cn_mesh_distance(mesh, p));
}

/* Whether no point of a triangle of one mesh can be in the other. */
static bool
is_apart(const struct cn_mesh *mesh, const int32_t *t, const struct place *place, bool of_b)
{
    cn_vec3 a = mesh->vertex[t[0]], b = mesh->vertex[t[1]], c = mesh->vertex[t[2]];
    cn_vec3 middle = cn_vec3_scale(cn_vec3_add(cn_vec3_add(a, b), c), 1.0 / 3.0);
    double reach = cn_vec3_length(cn_vec3_sub(a, middle));
    reach = fmax(reach, cn_vec3_length(cn_vec3_sub(b, middle)));
    reach = fmax(reach, cn_vec3_length(cn_vec3_sub(c, middle)));
    middle = of_b ? to_a(place, middle) : to_b(place, middle);
    return !cn_field_is_inside(&mesh->field, middle) &&
           cn_field_bound(&mesh->field, middle) > reach;
}

/* The greatest depth of one surface in the other, of many points of all triangles of both. */
static double
true_depth(const struct cn_mesh *mesh, const struct place *place)
{
    double depth = 0.0;
    for (int i = 0; i < 2 * mesh->triangle_count; i++) {
        const int32_t *t = mesh->triangle[i / 2];
        if (is_apart(mesh, t, place, i % 2 == 1)) {
            continue;
        }
        cn_vec3 corner = mesh->vertex[t[0]];
        cn_vec3 one = cn_vec3_sub(mesh->vertex[t[1]], corner);
        cn_vec3 two = cn_vec3_sub(mesh->vertex[t[2]], corner);
        for (int j = 0; j <= FINE; j++) {
            for (int k = 0; j + k <= FINE; k++) {
                cn_vec3 p = cn_vec3_add_scaled(corner, (double)j / FINE, one);
                p = cn_vec3_add_scaled(p, (double)k / FINE, two);
                p = i % 2 == 1 ? to_a(place, p) : to_b(place, p);
                depth = deeper(mesh, p, depth);
            }
        }
    }
    return depth;
}

/* The greatest depth that the samples of both find. */
static double
sampled_depth(const struct cn_mesh *mesh, const struct place *place)
{
    double depth = 0.0;
    for (int i = 0; i < mesh->sample_count; i++) {
        const float *at = mesh->sample[i].at;
        cn_vec3 p = {(double)at[0], (double)at[1], (double)at[2]};
        depth = deeper(mesh, to_a(place, p), depth);
        depth = deeper(mesh, to_b(place, p), depth);
    }
    return depth;
}

static cn_vec3
any_direction(struct cn_rng *rng)
{
    cn_vec3 v;
    do {
        v = (cn_vec3){cn_rng_uniform(rng, -1.0, 1.0), cn_rng_uniform(rng, -1.0, 1.0),
            cn_rng_uniform(rng, -1.0, 1.0)};
    } while (cn_vec3_dot(v, v) > 1.0 || cn_vec3_dot(v, v) < 0.01);
    return cn_vec3_scale(v, 1.0 / cn_vec3_length(v));
}

static struct place
any_turn(struct cn_rng *rng)
{
    cn_quat turn = cn_quat_rotate_by(
        cn_quat_identity(), cn_vec3_scale(any_direction(rng), cn_rng_uniform(rng, 0.0, 3.14)));
    turn = cn_quat_rotate_by(
        turn, cn_vec3_scale(any_direction(rng), cn_rng_uniform(rng, 0.0, 3.14)));
    return (struct place){.turn = cn_quat_to_mat33(turn)};
}

/* Moves B along a line until it is as deep as asked for, from where it is free. */
static double
press(const struct cn_mesh *mesh, struct place *place, cn_vec3 along, double wanted)
{
    double depth = 0.0, stride = 0.2 * wanted;
    for (int i = 0; i < 1000 && depth <= wanted; i++) {
        place->at = cn_vec3_add_scaled(place->at, stride, along);
        depth = true_depth(mesh, place);
    }
    return depth;
}

static struct cn_mesh *
make(void)
{
    struct cn_mesh_def def = raw_def(&raw);
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    if (cn_mesh_make(&def, &mesh, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return mesh;
}

/* From outside, or from a free place where the second ring hangs in the first. */
static bool
start(const struct cn_mesh *mesh, struct cn_rng *rng, bool linked, struct place *place)
{
    *place = any_turn(rng);
    place->at = cn_vec3_scale(any_direction(rng), linked ? 1.0 : 2.8);
    return true_depth(mesh, place) == 0.0;
}

static void
no_crossing_of_rings_goes_unnoticed(void **state)
{
    (void)state;
    raw_torus(&raw, 1.0, 0.3, 16, 10);
    struct cn_mesh *mesh = make();
    struct cn_rng rng = {7};
    double least = 1.0;
    for (int pair = 0; pair < PAIRS;) {
        struct place place;
        bool linked = pair % 2 == 1;
        if (!start(mesh, &rng, linked, &place)) {
            continue;
        }
        cn_vec3 way = linked ? any_direction(&rng)
                             : cn_vec3_sub(cn_vec3_scale(any_direction(&rng), 0.9), place.at);
        way = cn_vec3_scale(way, 1.0 / cn_vec3_length(way));
        double depth = press(mesh, &place, way, 0.05 * mesh->thickness);
        if (depth == 0.0) {
            continue; /* it passed by */
        }
        double found = sampled_depth(mesh, &place);
        least = fmin(least, found / depth);
        assert_true(found > 0.0);
        pair++;
    }
    print_message("samples find at least %.2f of the depth\n", least);
    cn_mesh_drop(mesh);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_crossing_of_rings_goes_unnoticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
