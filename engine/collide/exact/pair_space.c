/* pair_space.c: contacts in space, from the features of two polytopes. */
#include "engine/collide/exact/pair.h"

#include <stddef.h>

/* A point of a face near its first corner, exactly on the face's plane; in the body's frame. */
static cn_vec3
anchor_of_face(const struct cn_polytope *core, const struct cn_face *face)
{
    if (face->corner_count == 0) {
        return cn_vec3_scale(face->normal, face->offset);
    }
    cn_vec3 v = core->vertex[core->corner[face->corner_first].vertex];
    return cn_vec3_add_scaled(v, face->offset - cn_vec3_dot(face->normal, v), face->normal);
}

static struct cn_contact
make_on_face(const struct cn_pair_input *in, bool of_a, int face, cn_vec3 point, uint32_t feature)
{
    const struct cn_polytope *core = of_a ? &in->a->core : &in->b->core;
    CN_ASSERT(0 <= face && face < core->face_count); /* invariant 2 */
    const struct cn_face *f = &core->face[face];
    cn_vec3 anchor = anchor_of_face(core, f);
    return cn_pair_place(in, (struct cn_contact){
                                 .feature = feature,
                                 .kind = of_a ? CN_CONTACT_FACE_A : CN_CONTACT_FACE_B,
                                 .anchor_a = of_a ? anchor : point,
                                 .anchor_b = of_a ? point : anchor,
                                 .face_normal = of_a ? f->normal : cn_vec3_negate(f->normal),
                                 .face_core = f->corner_count > 0 ? core : NULL,
                                 .face_index = face,
                             });
}

struct cn_contact
cn_pair_on_face(const struct cn_pair_input *in, bool of_a, int face, int vertex)
{
    const struct cn_polytope *other = of_a ? &in->b->core : &in->a->core;
    CN_ASSERT(0 <= vertex && vertex < other->vertex_count); /* invariant 2 */
    cn_vec3 point = other->vertex[vertex];
    uint32_t feature = of_a ? cn_feature_pack(CN_FEATURE_FACE_A, face, vertex)
                            : cn_feature_pack(CN_FEATURE_FACE_B, vertex, face);
    return make_on_face(in, of_a, face, point, feature);
}

/* A point given in world axes from A's centre of mass, in the frame of A or B. */
static cn_vec3
in_frame_of(const struct cn_pair_input *in, bool of_a, cn_vec3 place)
{
    cn_vec3 shift = cn_vec3_sub(in->pose_b->position, in->pose_a->position);
    return of_a ? cn_pose_turn_back(in->pose_a, place)
                : cn_pose_turn_back(in->pose_b, cn_vec3_sub(place, shift));
}

struct cn_contact
cn_pair_crossing_on_face(
    const struct cn_pair_input *in, bool of_a, int face, int edge_a, int edge_b, cn_vec3 place)
{
    struct cn_contact contact = make_on_face(in, of_a, face, in_frame_of(in, !of_a, place),
        cn_feature_pack(CN_FEATURE_EDGES, edge_a, edge_b));
    contact.is_crossing = true;
    return contact;
}

/* An edge as a line from its tail: sets its direction, returns its length. */
static double
line_of(const struct cn_polytope *core, int edge, cn_vec3 *tail, cn_vec3 *direction)
{
    CN_ASSERT(0 <= edge && edge < core->edge_count); /* invariant 2 */
    *tail = core->vertex[core->edge[edge].tail];
    cn_vec3 between = cn_vec3_sub(core->vertex[core->edge[edge].head], *tail);
    double length = cn_vec3_length(between);
    *direction = cn_vec3_scale(between, 1.0 / length);
    return length;
}

struct cn_contact
cn_pair_edges(const struct cn_pair_input *in, int edge_a, int edge_b, cn_vec3 from_a)
{
    struct cn_contact contact = {
        .feature = cn_feature_pack(CN_FEATURE_EDGES, edge_a, edge_b), .kind = CN_CONTACT_EDGES};
    contact.edge_length_a = line_of(&in->a->core, edge_a, &contact.anchor_a, &contact.edge_a);
    contact.edge_length_b = line_of(&in->b->core, edge_b, &contact.anchor_b, &contact.edge_b);
    cn_vec3 normal = cn_vec3_cross(
        cn_pose_turn(in->pose_a, contact.edge_a), cn_pose_turn(in->pose_b, contact.edge_b));
    if (cn_vec3_dot(normal, from_a) < 0.0) { /* take B's edge from its other end */
        contact.anchor_b =
            cn_vec3_add_scaled(contact.anchor_b, contact.edge_length_b, contact.edge_b);
        contact.edge_b = cn_vec3_negate(contact.edge_b);
    }
    return cn_pair_place(in, contact);
}

struct cn_contact
cn_pair_on_line(const struct cn_pair_input *in, bool of_a, int edge, int vertex)
{
    CN_ASSERT(0 <= vertex && vertex < (of_a ? in->b : in->a)->core.vertex_count);
    struct cn_contact contact = {
        .feature = of_a ? cn_feature_pack(CN_FEATURE_LINE_A, edge, vertex)
                        : cn_feature_pack(CN_FEATURE_LINE_B, vertex, edge),
        .kind = of_a ? CN_CONTACT_LINE_A : CN_CONTACT_LINE_B,
    };
    if (of_a) {
        contact.edge_length_a = line_of(&in->a->core, edge, &contact.anchor_a, &contact.edge_a);
        contact.anchor_b = in->b->core.vertex[vertex];
    } else {
        contact.edge_length_b = line_of(&in->b->core, edge, &contact.anchor_b, &contact.edge_b);
        contact.anchor_a = in->a->core.vertex[vertex];
    }
    return cn_pair_place(in, contact);
}

struct cn_contact
cn_pair_vertices(const struct cn_pair_input *in, int vertex_a, int vertex_b)
{
    CN_ASSERT(0 <= vertex_a && vertex_a < in->a->core.vertex_count); /* invariant 2 */
    CN_ASSERT(0 <= vertex_b && vertex_b < in->b->core.vertex_count);
    return cn_pair_place(in, (struct cn_contact){
                                 .feature = cn_feature_pack(CN_FEATURE_POINTS, vertex_a, vertex_b),
                                 .kind = CN_CONTACT_POINTS,
                                 .anchor_a = in->a->core.vertex[vertex_a],
                                 .anchor_b = in->b->core.vertex[vertex_b],
                             });
}

struct cn_contact
cn_pair_on_plane(const struct cn_pair_input *in, bool of_a, cn_vec3 place, cn_vec3 normal,
    int vertex, uint32_t feature)
{
    CN_ASSERT(0 <= vertex && vertex < (of_a ? in->b : in->a)->core.vertex_count);
    cn_vec3 on_plane = in_frame_of(in, of_a, place);
    return cn_pair_place(
        in, (struct cn_contact){
                .feature = feature,
                .kind = of_a ? CN_CONTACT_FACE_A : CN_CONTACT_FACE_B,
                .anchor_a = of_a ? on_plane : in->a->core.vertex[vertex],
                .anchor_b = of_a ? in->b->core.vertex[vertex] : on_plane,
                .face_normal = cn_pose_turn_back(of_a ? in->pose_a : in->pose_b, normal),
            });
}
