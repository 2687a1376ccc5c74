/*
 * test_shape_laws.c: laws for baked shapes at any place in their body: faces, sides and edges of
 * cores, the width, limits, equal definitions, and the distance of borders.
 */
#include "engine/shape/border.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/collide/solids.h"
#include "tests/support/near.h"

/* A box or the hull of some points, turned and shifted in its body. */
static bool
make_placed(struct test_solid *solid, struct cn_rng *rng, struct cn_shape_def *def)
{
    *def = (struct cn_shape_def){.kind = CN_SHAPE_BOX};
    def->box.size = (cn_vec3){cn_rng_uniform(rng, 0.2, 2.0), cn_rng_uniform(rng, 0.2, 2.0),
        cn_rng_uniform(rng, 0.2, 2.0)};
    if (cn_rng_next(rng) % 2 == 0) {
        def->kind = CN_SHAPE_HULL;
        def->hull.vertices = solid->point;
        def->hull.vertex_count = 4 + (int)(cn_rng_next(rng) % 16);
        for (int i = 0; i < def->hull.vertex_count; i++) {
            solid->point[i] = test_random_vector(rng, 1.0);
        }
    }
    def->position = test_random_vector(rng, 5.0);
    def->orientation = cn_quat_rotate_by(cn_quat_identity(), test_random_vector(rng, 3.0));
    return test_solid_bake(solid, def);
}

static void
check_face(const struct cn_polytope *core, int index)
{
    const struct cn_face *face = &core->face[index];
    cn_vec3 middle = {0.0, 0.0, 0.0};
    assert_near(cn_vec3_length(face->normal), 1.0, 1e-14);
    double highest = -HUGE_VAL;
    for (int i = 0; i < core->vertex_count; i++) {
        highest = fmax(highest, cn_vec3_dot(face->normal, core->vertex[i]));
    }
    for (int k = 0; k < face->corner_count; k++) {
        cn_vec3 corner = core->vertex[core->corner[face->corner_first + k].vertex];
        middle = cn_vec3_add_scaled(middle, 1.0 / face->corner_count, corner);
    }
    assert_near(face->offset, highest, 1e-14);
    for (int k = 0; k < face->corner_count; k++) {
        const struct cn_corner *corner = &core->corner[face->corner_first + k];
        const struct cn_edge *edge = &core->edge[corner->edge];
        cn_vec3 here = core->vertex[corner->vertex];
        bool leaves = edge->tail == corner->vertex;
        cn_vec3 next = core->vertex[leaves ? edge->head : edge->tail];
        assert_near(cn_vec3_dot(face->normal, here), face->offset, 1e-9);
        assert_near(cn_vec3_length(corner->side), 1.0, 1e-14);
        assert_near(cn_vec3_dot(corner->side, face->normal), 0.0, 1e-14);
        assert_near(cn_vec3_dot(corner->side, here), corner->side_offset, 1e-14);
        assert_near(cn_vec3_dot(corner->side, next), corner->side_offset, 1e-13);
        assert_true(cn_vec3_dot(corner->side, middle) < corner->side_offset);
        assert_true(cn_polytope_beyond(core, index, here) <= 1e-9);
        assert_int_equal(leaves ? edge->left : edge->right, index);
        cn_vec3 out = cn_vec3_add_scaled(here, 0.25, corner->side);
        assert_near(cn_polytope_beyond(core, index, out), 0.25, 1e-9);
    }
}

static void
test_placed_cores(void **state)
{
    (void)state;
    static struct test_solid solid;
    struct cn_rng rng = {.state = 51};
    int baked = 0;
    for (int trial = 0; trial < 500; trial++) {
        struct cn_shape_def def;
        if (!make_placed(&solid, &rng, &def)) {
            continue;
        }
        baked++;
        const struct cn_shape *shape = &solid.shape;
        double width = HUGE_VAL, reach = 0.0;
        for (int i = 0; i < shape->core.face_count; i++) {
            const struct cn_face *face = &shape->core.face[i];
            double lowest = HUGE_VAL;
            check_face(&shape->core, i);
            for (int k = 0; k < shape->core.vertex_count; k++) {
                lowest = fmin(lowest, cn_vec3_dot(face->normal, shape->core.vertex[k]));
            }
            width = fmin(width, face->offset - lowest);
        }
        for (int k = 0; k < shape->core.vertex_count; k++) {
            reach = fmax(reach, cn_vec3_length(shape->core.vertex[k]));
        }
        assert_near(shape->width, width, 1e-12);
        assert_near(shape->reach, reach, 1e-12);
        for (int k = 0; k < shape->core.edge_count; k++) {
            const struct cn_edge *edge = &shape->core.edge[k];
            assert_true(edge->left != edge->right);
        }
    }
    assert_true(baked > 300);
}

/* A polygon with the largest number of corners is accepted; one corner more is refused. */
static void
test_polygon_limit(void **state)
{
    (void)state;
    static cn_vec3 corner[CN_POLYGON_VERTICES_MAX + 2];
    for (int count = CN_POLYGON_VERTICES_MAX - 1; count <= CN_POLYGON_VERTICES_MAX + 2; count++) {
        struct cn_shape_def def = {.kind = CN_SHAPE_POLYGON};
        for (int i = 0; i < count; i++) {
            cn_sin_cos(2.0 * CN_PI * i / count, &corner[i].y, &corner[i].x);
        }
        def.polygon.vertices = corner;
        def.polygon.vertex_count = count;
        assert_int_equal(cn_shape_check(&def, CN_PLANAR, NULL),
            count <= CN_POLYGON_VERTICES_MAX ? CN_OK : CN_LIMIT);
    }
}

/* Two shapes that differ in geometry, density or sensor are not equal; a copy is. */
static void
test_alike_in_all(void **state)
{
    (void)state;
    const cn_vec3 points[] = {{0.0, 0.0, 0.0}, {2.0, 0.0, 0.3}, {0.0, 2.0, 0.0}, {1.0, 3.0, 0.0}};
    const cn_vec3 bulged[] = {{0.0, 0.0, 0.0}, {2.0, 0.0, 0.4}, {0.0, 2.0, 0.0}, {1.0, 3.0, 0.0}};
    struct cn_shape_def def[24];
    int count = 0;
    for (int i = 0; i < 24; i++) {
        memset(&def[i], 0, sizeof(def[i]));
        def[i].kind = CN_SHAPE_BOX;
        def[i].density = 1.0;
        def[i].orientation = cn_quat_identity();
        def[i].box.size = (cn_vec3){1.0, 2.0, 3.0};
    }
    count++;
    def[count++].density = 2.0;
    def[count++].angle = 0.1;
    def[count++].position.z = 1.0;
    def[count++].orientation = (cn_quat){0.0, 1.0, 0.0, 0.0};
    def[count++].sensor = true;
    def[count++].box.size.z = 4.0;
    for (int i = 0; i < 8; i++) { /* outlines and chains of other points, ends and number */
        struct cn_shape_def *d = &def[count++];
        memset(&d->box, 0, sizeof(d->box));
        d->kind = i < 4 ? CN_SHAPE_OUTLINE : CN_SHAPE_CHAIN;
        d->boundary.points = i % 2 == 0 ? points : bulged;
        d->boundary.point_count = 3 + (i % 4) / 2;
        d->boundary.closed = i < 4;
    }
    def[count] = def[count - 1]; /* a chain that closes */
    def[count++].boundary.closed = true;
    for (int i = 0; i < 2; i++) {
        struct cn_shape_def *d = &def[count++];
        memset(&d->box, 0, sizeof(d->box));
        d->kind = CN_SHAPE_CAPSULE;
        d->capsule.radius = 0.5;
        d->capsule.length = 1.0 + i;
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++) {
            struct cn_shape_def copy = def[k];
            assert_int_equal(cn_shape_def_is_alike(&def[i], &copy), i == k);
        }
    }
}

static cn_vec2
on_border(const struct cn_border *border, double part)
{
    if (border->bulge == 0.0) {
        cn_vec2 along = cn_vec2_sub(border->to, border->from);
        return cn_vec2_add_scaled(border->from, part, along);
    }
    cn_vec2 center = cn_border_center(border), arm = cn_vec2_sub(border->from, center);
    double sine, cosine;
    cn_sin_cos(part * cn_border_turn(border), &sine, &cosine);
    return cn_vec2_make(center.x + cosine * arm.x - sine * arm.y,
        center.y + sine * arm.x + cosine * arm.y);
}

static struct cn_border
random_border(struct cn_rng *rng)
{
    struct cn_border b = {
        {cn_rng_uniform(rng, -2.0, 2.0), cn_rng_uniform(rng, -2.0, 2.0)},
        {cn_rng_uniform(rng, -2.0, 2.0), cn_rng_uniform(rng, -2.0, 2.0)},
        cn_rng_next(rng) % 3 == 0 ? 0.0 : cn_rng_uniform(rng, -1.0, 1.0)};
    return b;
}

/*
 * The distance is never larger than that of any two points, and exact if both borders are straight.
 * The bounds contain the borders.
 */
static void
test_border_distance(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 53};
    int exact = 0, apart = 0;
    for (int trial = 0; trial < 3000; trial++) {
        struct cn_border a = random_border(&rng), b = random_border(&rng);
        double distance = cn_border_distance(&a, &b), least = HUGE_VAL;
        cn_vec2 low, high;
        cn_border_bounds(&a, &low, &high);
        assert_near(cn_border_distance(&b, &a), distance, 1e-12);
        for (int i = 0; i <= 40; i++) {
            cn_vec2 p = on_border(&a, i / 40.0);
            assert_true(p.x >= low.x - 1e-12 && p.x <= high.x + 1e-12);
            assert_true(p.y >= low.y - 1e-12 && p.y <= high.y + 1e-12);
            for (int k = 0; k <= 40; k++) {
                least = fmin(least, cn_vec2_length(cn_vec2_sub(on_border(&b, k / 40.0), p)));
            }
        }
        assert_true(distance <= least + 1e-12);
        apart += distance > 0.0;
        if (a.bulge == 0.0 && b.bulge == 0.0) {
            assert_true(distance >= least - 0.2);
            exact++;
        }
    }
    assert_true(exact > 200 && apart > 500);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placed_cores),
        cmocka_unit_test(test_polygon_limit),
        cmocka_unit_test(test_alike_in_all),
        cmocka_unit_test(test_border_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
