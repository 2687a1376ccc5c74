/* fast_spatial.c: baking, the table of pair functions, and the impulses of the last tick. */
#include "engine/collide/fast/fast_spatial.h"

#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_hull.h"

#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(struct cn_place3) == 64, "a place is one cache line");
#if UINTPTR_MAX > UINT32_MAX /* with the pointers of WebAssembly it is smaller */
_Static_assert(sizeof(struct cn_fast_shape3) == 128, "a float shape is two cache lines");
_Static_assert(offsetof(struct cn_fast_shape3, shape) == 56, "and its first holds all but axes");
#endif

size_t
cn_fast_spatial_room(const struct cn_shape *shape)
{
    return shape->kind == CN_SHAPE_HULL ? cn_fast_hull_room(&shape->core) : 0;
}

static void
set3(float to[4], cn_vec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
    to[3] = 0.0F;
}

/* Vertices 1, 2 and 4 are one edge along x, y and z away from vertex 0, and 7 is opposite. */
static void
bake_box(const struct cn_polytope *core, struct cn_fast_shape3 *fast)
{
    static const float unit[3][4] = {
        {1.0F, 0.0F, 0.0F, 0.0F}, {0.0F, 1.0F, 0.0F, 0.0F}, {0.0F, 0.0F, 1.0F, 0.0F}};
    CN_ASSERT(core->vertex_count == 8);
    cn_vec3 origin = core->vertex[0];
    set3(fast->center, cn_vec3_scale(cn_vec3_add(origin, core->vertex[7]), 0.5));
    fast->is_plain = memcmp(fast->center, (float[4]){0.0F, 0.0F, 0.0F, 0.0F}, 12) == 0;
    for (int i = 0; i < 3; i++) {
        cn_vec3 edge = cn_vec3_sub(core->vertex[1 << i], origin);
        double length = cn_vec3_length(edge);
        set3(fast->axis[i], cn_vec3_scale(edge, 1.0 / length));
        fast->half[i] = (float)(0.5 * length);
        fast->is_plain = fast->is_plain && memcmp(fast->axis[i], unit[i], 12) == 0;
    }
}

bool
cn_fast_spatial_is_alike(const struct cn_shape *a, const struct cn_shape *b)
{
    const struct cn_polytope *p = &a->core, *q = &b->core;
    return a->kind == CN_SHAPE_HULL && b->kind == CN_SHAPE_HULL && cn_fast_hull_is_alike(p, q);
}

void
cn_fast_spatial_bake(const struct cn_shape *shape, const struct cn_fast_hull *alike, void *store,
    struct cn_fast_shape3 *fast)
{
    const struct cn_polytope *core = &shape->core;
    *fast = (struct cn_fast_shape3){
        .radius = (float)shape->radius, .width = (float)shape->width, .shape = shape};
    switch (shape->kind) {
    case CN_SHAPE_SPHERE:
        CN_ASSERT(core->vertex_count == 1);
        fast->form = CN_FAST3_SPHERE;
        set3(fast->center, core->vertex[0]);
        break;
    case CN_SHAPE_CAPSULE: /* without a length it is a sphere: its core has one vertex */
        CN_ASSERT(core->vertex_count == 1 || core->vertex_count == 2);
        fast->form = core->vertex_count > 1 ? CN_FAST3_CAPSULE : CN_FAST3_SPHERE;
        set3(fast->center, core->vertex[0]);
        set3(fast->half, core->vertex[core->vertex_count - 1]);
        break;
    case CN_SHAPE_BOX:
        fast->form = CN_FAST3_BOX;
        bake_box(core, fast);
        break;
    case CN_SHAPE_PLANE:
        CN_ASSERT(core->face_count == 1);
        fast->form = CN_FAST3_HALF_SPACE;
        set3(fast->axis[0], core->face[0].normal);
        fast->offset = (float)core->face[0].offset;
        break;
    case CN_SHAPE_HULL:
        CN_ASSERT(alike != NULL || store != NULL);
        fast->form = CN_FAST3_HULL;
        fast->hull = alike != NULL ? alike : cn_fast_hull_bake(core, store);
        break;
    case CN_SHAPE_MESH:
        fast->form = CN_FAST3_MESH;
        set3(fast->center, shape->mesh->pose.position);
        set3(fast->axis[0], shape->mesh->pose.rotation.cx);
        set3(fast->axis[1], shape->mesh->pose.rotation.cy);
        set3(fast->axis[2], shape->mesh->pose.rotation.cz);
        break;
    default:
        fast->form = CN_FAST3_OTHER;
        break;
    }
}

/* By the two forms in ascending order; other pairs are exchanged. */
static cn_fast_function *const table[CN_FAST3_OTHER + 1][CN_FAST3_OTHER + 1] = {
    [CN_FAST3_SPHERE] =
        {
            [CN_FAST3_SPHERE] = cn_fast_sphere_sphere,
            [CN_FAST3_CAPSULE] = cn_fast_sphere_capsule,
            [CN_FAST3_BOX] = cn_fast_sphere_box,
            [CN_FAST3_HULL] = cn_fast_round_hull,
            [CN_FAST3_HALF_SPACE] = cn_fast_round_half_space,
        },
    [CN_FAST3_CAPSULE] =
        {
            [CN_FAST3_CAPSULE] = cn_fast_capsule_capsule,
            [CN_FAST3_BOX] = cn_fast_capsule_box,
            [CN_FAST3_HULL] = cn_fast_round_hull,
            [CN_FAST3_HALF_SPACE] = cn_fast_round_half_space,
        },
    [CN_FAST3_BOX] =
        {
            [CN_FAST3_BOX] = cn_fast_box_box,
            [CN_FAST3_HULL] = cn_fast_hulls,
            [CN_FAST3_HALF_SPACE] = cn_fast_box_half_space,
        },
    [CN_FAST3_HULL] =
        {
            [CN_FAST3_HULL] = cn_fast_hulls,
            [CN_FAST3_HALF_SPACE] = cn_fast_hull_half_space,
        },
};

static void
mirror(struct cn_manifold3 *manifold)
{
    for (int i = 0; i < 3; i++) {
        manifold->normal[i] = -manifold->normal[i];
    }
    for (int k = 0; k < manifold->point_count; k++) {
        for (int i = 0; i < 3; i++) {
            float of_a = manifold->point[k].anchor_a[i];
            manifold->point[k].anchor_a[i] = manifold->point[k].anchor_b[i];
            manifold->point[k].anchor_b[i] = of_a;
        }
    }
}

/* Copies the impulses of points that still exist, and friction if any of them does. */
static void
carry_over(const struct cn_manifold3 *last, struct cn_manifold3 *manifold)
{
    CN_ASSERT(last->point_count <= CN_POINTS_SPATIAL_MAX);
    bool found = false;
    for (int k = 0; k < manifold->point_count; k++) {
        struct cn_point3 *point = &manifold->point[k];
        /* Usually the point has the same index. */
        int i = k < last->point_count && last->point[k].feature == point->feature ? k : 0;
        while (i < last->point_count && last->point[i].feature != point->feature) {
            i++;
        }
        if (i < last->point_count) {
            point->normal_impulse = last->point[i].normal_impulse;
            point->total_impulse = last->point[i].total_impulse;
            found = true;
        }
    }
    if (found) {
        memcpy(manifold->tangent_impulse, last->tangent_impulse, sizeof last->tangent_impulse);
        memcpy(manifold->rolling_impulse, last->rolling_impulse, sizeof last->rolling_impulse);
        manifold->twist_impulse = last->twist_impulse;
    }
}

void
cn_fast_spatial_collide(const struct cn_fast_shape3 *a, const struct cn_place3 *place_a,
    const struct cn_fast_shape3 *b, const struct cn_place3 *place_b, float margin,
    const struct cn_manifold3 *last, struct cn_manifold3 *manifold)
{
    /* The mesh folder handles meshes. */
    CN_ASSERT(a->form <= CN_FAST3_OTHER && a->form != CN_FAST3_MESH);
    CN_ASSERT(b->form <= CN_FAST3_OTHER && b->form != CN_FAST3_MESH);
    bool turned = a->form > b->form;
    if (turned) {
        const struct cn_fast_shape3 *shape = a;
        const struct cn_place3 *place = place_a;
        a = b, b = shape;
        place_a = place_b, place_b = place;
    }
    /* Points are written as they are added; points beyond the count are undefined. */
    memset(manifold, 0, offsetof(struct cn_manifold3, point));
    struct cn_fast_pair pair = {
        .a = a,
        .b = b,
        .place_a = place_a,
        .place_b = place_b,
        /*
         * Differences first: far from the world's origin the positions are large, but their
         * difference is not.
         */
        .between = cn_four_set3((float)(place_b->x - place_a->x), (float)(place_b->y - place_a->y),
            (float)(place_b->z - place_a->z)),
        .margin = margin,
        .hint = last != NULL && last->point_count > 0 ? last->hint : 0,
        .apart = last != NULL && last->point_count == 0 ? last->hint : 0,
        .out = manifold,
    };
    cn_fast_function *function = table[a->form][b->form];
    (function != NULL ? function : cn_fast_other)(&pair);
    CN_ASSERT(manifold->point_count <= CN_POINTS_SPATIAL_MAX); /* fast.h, invariant 1 */
    if (manifold->point_count == 0) {
        return;
    }
    if (turned) {
        mirror(manifold);
    }
    if (last != NULL && last->point_count > 0) {
        carry_over(last, manifold);
    }
}
