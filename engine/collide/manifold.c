#include "engine/collide/manifold.h"

#include "engine/base/assert.h"
#include "engine/collide/pair.h"

#include <math.h>

/*
 * A feature is 2 bits of kind, 8 bits of A's vertex or edge, 8 bits of B's.  The kind says which of
 * the indices is an edge, so the name does not depend on how the pair was found.
 */
enum feature_kind { FEATURE_FACE_A, FEATURE_FACE_B, FEATURE_POINTS, FEATURE_CORNERS };

static uint32_t
feature_pack(enum feature_kind kind, int index_a, int index_b)
{
    return (uint32_t)kind << 16 | (uint32_t)index_a << 8 | (uint32_t)index_b;
}

static uint32_t
feature_mirror(uint32_t feature)
{
    static const enum feature_kind mirrored[] = {
        FEATURE_FACE_B, FEATURE_FACE_A, FEATURE_POINTS, FEATURE_CORNERS};
    return feature_pack(mirrored[feature >> 16], (int)(feature & 0xff), (int)(feature >> 8 & 0xff));
}

static cn_vec3
lift(cn_vec2 v)
{
    return (cn_vec3){v.x, v.y, 0.0};
}

static void
add(const struct cn_pair_input *in, struct cn_manifold *manifold, struct cn_contact contact)
{
    contact.radius = in->radius;
    contact.radius_a = in->a->radius;
    cn_contact_place(&contact, in->pose_a, in->pose_b);
    if (contact.gap <= in->margin) {
        CN_ASSERT(manifold->contact_count < CN_MANIFOLD_CONTACTS_MAX);
        manifold->contact[manifold->contact_count++] = contact;
    }
}

static double
edge_length(const struct cn_shape *shape, int edge)
{
    int next = edge + 1 < shape->vertex_count ? edge + 1 : 0;
    return cn_vec2_length(cn_vec2_sub(shape->vertex[next], shape->vertex[edge]));
}

void
cn_pair_add_face_a(
    const struct cn_pair_input *in, struct cn_manifold *manifold, int edge_a, int vertex_b)
{
    add(in, manifold,
        (struct cn_contact){
            .feature = feature_pack(FEATURE_FACE_A, edge_a, vertex_b),
            .kind = CN_CONTACT_FACE_A,
            .anchor_a = lift(in->a->vertex[edge_a]),
            .anchor_b = lift(in->b->vertex[vertex_b]),
            .face_normal = lift(in->a->normal[edge_a]),
            .face_length = edge_length(in->a, edge_a),
        });
}

void
cn_pair_add_face_b(
    const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_a, int edge_b)
{
    add(in, manifold,
        (struct cn_contact){
            .feature = feature_pack(FEATURE_FACE_B, vertex_a, edge_b),
            .kind = CN_CONTACT_FACE_B,
            .anchor_a = lift(in->a->vertex[vertex_a]),
            .anchor_b = lift(in->b->vertex[edge_b]),
            .face_normal = lift(cn_vec2_scale(in->b->normal[edge_b], -1.0)),
            .face_length = edge_length(in->b, edge_b),
        });
}

void
cn_pair_add_points(
    const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_a, int vertex_b)
{
    add(in, manifold,
        (struct cn_contact){
            .feature = feature_pack(FEATURE_POINTS, vertex_a, vertex_b),
            .kind = CN_CONTACT_POINTS,
            .anchor_a = lift(in->a->vertex[vertex_a]),
            .anchor_b = lift(in->b->vertex[vertex_b]),
        });
}

void
cn_pair_add_corners(const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_a,
    int vertex_b, cn_vec2 normal)
{
    add(in, manifold,
        (struct cn_contact){
            .feature = feature_pack(FEATURE_CORNERS, vertex_a, vertex_b),
            .kind = CN_CONTACT_FACE_A,
            .anchor_a = lift(in->a->vertex[vertex_a]),
            .anchor_b = lift(in->b->vertex[vertex_b]),
            .face_normal = cn_pose_turn_back(in->pose_a, lift(normal)),
        });
}

void
cn_pair_add_plane(const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_b)
{
    const struct cn_shape *plane = in->a;
    add(in, manifold,
        (struct cn_contact){
            .feature = feature_pack(FEATURE_FACE_A, 0, vertex_b),
            .kind = CN_CONTACT_FACE_A,
            .anchor_a = lift(cn_vec2_scale(plane->plane_normal, plane->plane_offset)),
            .anchor_b = lift(in->b->vertex[vertex_b]),
            .face_normal = lift(plane->plane_normal),
        });
}

void
cn_manifold_mirror(struct cn_manifold *manifold, const cn_pose *pose_a, const cn_pose *pose_b)
{
    const cn_vec3 zero = {0.0, 0.0, 0.0};
    for (int i = 0; i < manifold->contact_count; i++) {
        struct cn_contact *c = &manifold->contact[i];
        cn_vec3 anchor = c->anchor_a;
        c->anchor_a = c->anchor_b;
        c->anchor_b = anchor;
        c->radius_a = c->radius - c->radius_a;
        c->face_normal = cn_vec3_sub(zero, c->face_normal); /* no component becomes -0 */
        c->feature = feature_mirror(c->feature);
        if (c->kind == CN_CONTACT_FACE_A) {
            c->kind = CN_CONTACT_FACE_B;
        } else if (c->kind == CN_CONTACT_FACE_B) {
            c->kind = CN_CONTACT_FACE_A;
        }
        cn_contact_place(c, pose_a, pose_b);
    }
}
