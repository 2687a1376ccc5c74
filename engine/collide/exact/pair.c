/* pair.c: planar contacts by their features, and what all pair functions do to contacts. */
#include "engine/collide/exact/pair.h"

#include <string.h>

static uint32_t
feature_mirror(uint32_t feature)
{
    static const enum cn_feature_kind mirrored[] = {
        [CN_FEATURE_FACE_A] = CN_FEATURE_FACE_B,
        [CN_FEATURE_FACE_B] = CN_FEATURE_FACE_A,
        [CN_FEATURE_POINTS] = CN_FEATURE_POINTS,
        [CN_FEATURE_CORNERS] = CN_FEATURE_CORNERS,
        [CN_FEATURE_EDGES] = CN_FEATURE_EDGES,
        [CN_FEATURE_LINE_A] = CN_FEATURE_LINE_B,
        [CN_FEATURE_LINE_B] = CN_FEATURE_LINE_A,
    };
    int index_a = (int)(feature >> 8 & 0xff), index_b = (int)(feature & 0xff);
    CN_ASSERT(feature >> 16 < sizeof(mirrored) / sizeof(mirrored[0]));
    return cn_feature_pack(mirrored[feature >> 16], index_b, index_a);
}

static enum cn_contact_kind
kind_mirror(enum cn_contact_kind kind)
{
    static const enum cn_contact_kind mirrored[] = {
        [CN_CONTACT_FACE_A] = CN_CONTACT_FACE_B,
        [CN_CONTACT_FACE_B] = CN_CONTACT_FACE_A,
        [CN_CONTACT_POINTS] = CN_CONTACT_POINTS,
        [CN_CONTACT_HOLLOW] = CN_CONTACT_HOLLOW,
        [CN_CONTACT_EDGES] = CN_CONTACT_EDGES,
        [CN_CONTACT_LINE_A] = CN_CONTACT_LINE_B,
        [CN_CONTACT_LINE_B] = CN_CONTACT_LINE_A,
    };
    CN_ASSERT((size_t)kind < sizeof(mirrored) / sizeof(mirrored[0]));
    return mirrored[kind];
}

static cn_vec3
lift(cn_vec2 v)
{
    return (cn_vec3){v.x, v.y, 0.0};
}

struct cn_contact
cn_pair_place(const struct cn_pair_input *in, struct cn_contact contact)
{
    contact.radius = in->radius;
    contact.radius_a = in->a->radius;
    cn_contact_place(&contact, in->pose_a, in->pose_b);
    return contact;
}

void
cn_pair_keep(
    const struct cn_pair_input *in, struct cn_manifold *manifold, struct cn_contact contact)
{
    if (contact.gap <= in->margin) {
        CN_ASSERT(manifold->contact_count < CN_MANIFOLD_CONTACTS_MAX);
        manifold->contact[manifold->contact_count++] = contact;
    }
}

/*
 * The next contact of the manifold, zeroed and not yet counted, to be filled in place: copies of
 * contacts are expensive.
 */
static struct cn_contact *
begin_contact(struct cn_manifold *manifold)
{
    CN_ASSERT(manifold->contact_count < CN_MANIFOLD_CONTACTS_MAX);
    struct cn_contact *contact = &manifold->contact[manifold->contact_count];
    memset(contact, 0, sizeof(*contact));
    return contact;
}

/* Places it, and counts it unless its gap is above the margin. */
static void
end_contact(const struct cn_pair_input *in, struct cn_manifold *manifold)
{
    struct cn_contact *contact = &manifold->contact[manifold->contact_count];
    contact->radius = in->radius;
    contact->radius_a = in->a->radius;
    cn_contact_place(contact, in->pose_a, in->pose_b);
    manifold->contact_count += contact->gap <= in->margin;
}

static double
edge_length(const struct cn_shape *shape, int edge)
{
    CN_ASSERT(0 <= edge && edge < shape->vertex_count);
    int next = edge + 1 < shape->vertex_count ? edge + 1 : 0;
    return cn_vec2_length(cn_vec2_sub(shape->vertex[next], shape->vertex[edge]));
}

void
cn_pair_add_face_a(
    const struct cn_pair_input *in, struct cn_manifold *manifold, int edge_a, int vertex_b)
{
    CN_ASSERT(0 <= vertex_b && vertex_b < in->b->vertex_count); /* invariant 2; edge_length: edge */
    struct cn_contact *contact = begin_contact(manifold);
    contact->feature = cn_feature_pack(CN_FEATURE_FACE_A, edge_a, vertex_b);
    contact->kind = CN_CONTACT_FACE_A;
    contact->anchor_a = lift(in->a->vertex[edge_a]);
    contact->anchor_b = lift(in->b->vertex[vertex_b]);
    contact->face_normal = lift(in->a->normal[edge_a]);
    contact->face_length = edge_length(in->a, edge_a);
    end_contact(in, manifold);
}

void
cn_pair_add_face_b(
    const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_a, int edge_b)
{
    CN_ASSERT(0 <= vertex_a && vertex_a < in->a->vertex_count); /* invariant 2 */
    struct cn_contact *contact = begin_contact(manifold);
    contact->feature = cn_feature_pack(CN_FEATURE_FACE_B, vertex_a, edge_b);
    contact->kind = CN_CONTACT_FACE_B;
    contact->anchor_a = lift(in->a->vertex[vertex_a]);
    contact->anchor_b = lift(in->b->vertex[edge_b]);
    contact->face_normal = lift(cn_vec2_scale(in->b->normal[edge_b], -1.0));
    contact->face_length = edge_length(in->b, edge_b);
    end_contact(in, manifold);
}

void
cn_pair_add_points(
    const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_a, int vertex_b)
{
    CN_ASSERT(0 <= vertex_a && vertex_a < in->a->vertex_count);
    CN_ASSERT(0 <= vertex_b && vertex_b < in->b->vertex_count);
    struct cn_contact *contact = begin_contact(manifold);
    contact->feature = cn_feature_pack(CN_FEATURE_POINTS, vertex_a, vertex_b);
    contact->kind = CN_CONTACT_POINTS;
    contact->anchor_a = lift(in->a->vertex[vertex_a]);
    contact->anchor_b = lift(in->b->vertex[vertex_b]);
    end_contact(in, manifold);
}

void
cn_pair_add_corners(const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_a,
    int vertex_b, cn_vec2 normal)
{
    CN_ASSERT(0 <= vertex_a && vertex_a < in->a->vertex_count); /* invariant 2 */
    CN_ASSERT(0 <= vertex_b && vertex_b < in->b->vertex_count);
    struct cn_contact *contact = begin_contact(manifold);
    contact->feature = cn_feature_pack(CN_FEATURE_CORNERS, vertex_a, vertex_b);
    contact->kind = CN_CONTACT_FACE_A;
    contact->anchor_a = lift(in->a->vertex[vertex_a]);
    contact->anchor_b = lift(in->b->vertex[vertex_b]);
    contact->face_normal = cn_pose_turn_back(in->pose_a, lift(normal));
    end_contact(in, manifold);
}

void
cn_pair_add_plane(const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_b)
{
    CN_ASSERT(0 <= vertex_b && vertex_b < in->b->vertex_count);
    const struct cn_shape *plane = in->a;
    struct cn_contact *contact = begin_contact(manifold);
    contact->feature = cn_feature_pack(CN_FEATURE_FACE_A, 0, vertex_b);
    contact->kind = CN_CONTACT_FACE_A;
    contact->anchor_a = lift(cn_vec2_scale(plane->plane_normal, plane->plane_offset));
    contact->anchor_b = lift(in->b->vertex[vertex_b]);
    contact->face_normal = lift(plane->plane_normal);
    end_contact(in, manifold);
}

void
cn_manifold_mirror(struct cn_manifold *manifold, const cn_pose *pose_a, const cn_pose *pose_b)
{
    CN_ASSERT(0 <= manifold->contact_count);
    CN_ASSERT(manifold->contact_count <= CN_MANIFOLD_CONTACTS_MAX);
    const cn_vec3 zero = {0.0, 0.0, 0.0};
    for (int i = 0; i < manifold->contact_count; i++) {
        struct cn_contact *c = &manifold->contact[i];
        cn_vec3 anchor = c->anchor_a;
        c->anchor_a = c->anchor_b;
        c->anchor_b = anchor;
        c->radius_a = c->radius - c->radius_a;
        c->face_normal = cn_vec3_sub(zero, c->face_normal); /* no component becomes -0 */
        c->feature = feature_mirror(c->feature);
        c->kind = kind_mirror(c->kind);
        cn_vec3 edge = c->edge_a;
        c->edge_a = c->edge_b;
        c->edge_b = edge;
        double length = c->edge_length_a;
        c->edge_length_a = c->edge_length_b;
        c->edge_length_b = length;
        cn_contact_place(c, pose_a, pose_b);
    }
}
