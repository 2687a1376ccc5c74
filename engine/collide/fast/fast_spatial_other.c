/*
 * fast_spatial_other.c: pairs without a quick function, by the exact narrowphase.
 *
 * Exact contacts may differ in their normals.  The deepest contact gives the manifold's normal, and
 * the contacts that agree with it stay.
 */
#include "engine/base/assert.h"
#include "engine/collide/exact/manifold.h"
#include "engine/collide/fast/fast_spatial_pair.h"

/* The least cosine between a contact's normal and that of the deepest contact. */
#define AGREE_COSINE 0.98

/*
 * The exact narrowphase expects a rotation, so the axes, which are floats, are made orthonormal
 * again.
 */
static cn_pose
pose_of(const struct cn_place3 *place, const struct cn_place3 *origin)
{
    const float *t = place->turn;
    cn_vec3 x = {(double)t[0], (double)t[1], (double)t[2]};
    cn_vec3 y = {(double)t[3], (double)t[4], (double)t[5]};
    x = cn_vec3_scale(x, 1.0 / cn_vec3_length(x));
    y = cn_vec3_add_scaled(y, -cn_vec3_dot(x, y), x);
    y = cn_vec3_scale(y, 1.0 / cn_vec3_length(y));
    return (cn_pose){
        .position = {place->x - origin->x, place->y - origin->y, place->z - origin->z},
        .rotation = {x, y, cn_vec3_cross(x, y)},
    };
}

static cn_four
to_four(cn_vec3 v)
{
    return cn_four_set3((float)v.x, (float)v.y, (float)v.z);
}

/* Folds a name to 16 bits; two points of a manifold never share one. */
static uint32_t
name_of(const struct cn_manifold3 *out, uint32_t feature)
{
    uint32_t name = (feature ^ feature >> 16 << 12) & 0xffffU;
    for (int i = 0; i < out->point_count; i++) {
        if (out->point[i].feature == name) {
            name = (name + 1) & 0xffffU;
            i = -1;
        }
    }
    return name;
}

static int
deepest_of(const struct cn_manifold *m)
{
    int best = 0;
    for (int i = 1; i < m->contact_count; i++) {
        best = m->contact[i].gap < m->contact[best].gap ? i : best;
    }
    return best;
}

void
cn_fast_other(const struct cn_fast_pair *pair)
{
    CN_ASSERT(pair->a->shape->mesh == NULL && pair->b->shape->mesh == NULL);
    cn_pose pose_a = pose_of(pair->place_a, pair->place_a);
    cn_pose pose_b = pose_of(pair->place_b, pair->place_a);
    struct cn_manifold m;
    cn_collide(pair->a->shape, &pose_a, pair->b->shape, &pose_b, (double)pair->margin, &m);
    if (m.contact_count == 0) {
        return;
    }
    cn_vec3 normal = m.contact[deepest_of(&m)].normal;
    cn_four n = to_four(normal);
    float first[3], second[3], x[CN_MANIFOLD_CONTACTS_MAX], y[CN_MANIFOLD_CONTACTS_MAX];
    float separation[CN_MANIFOLD_CONTACTS_MAX];
    int from[CN_MANIFOLD_CONTACTS_MAX], count = 0, pick[4] = {0, 1, 2, 3};
    cn_fast_set_normal(pair, n);
    cn_tangents3(pair->out->normal, first, second);
    for (int i = 0; i < m.contact_count; i++) {
        if (cn_vec3_dot(m.contact[i].normal, normal) >= AGREE_COSINE) {
            cn_four place = to_four(m.contact[i].point);
            x[count] = cn_four_dot3(place, cn_four_set3(first[0], first[1], first[2]));
            y[count] = cn_four_dot3(place, cn_four_set3(second[0], second[1], second[2]));
            separation[count] = (float)m.contact[i].gap;
            from[count++] = i;
        }
    }
    float width = pair->a->width < pair->b->width ? pair->a->width : pair->b->width;
    int kept = count <= 4 ? count
                          : cn_fast_reduce(x, y, separation, count, CN_FAST_TIE * width, pick);
    CN_ASSERT(kept <= CN_POINTS_SPATIAL_MAX);
    for (int i = 0; i < kept; i++) {
        const struct cn_contact *contact = &m.contact[from[pick[i]]];
        cn_fast_add(pair, to_four(contact->point), separation[pick[i]],
            name_of(pair->out, contact->feature));
    }
}
