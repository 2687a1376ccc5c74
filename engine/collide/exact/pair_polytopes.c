/*
 * pair_polytopes.c: boxes and hulls against each other.
 *
 * The axis of largest separation, or of least overlap, decides which features meet: a face and the
 * features that lie on it (collide/exact/region.h), or two edges that cross.  Sharp features
 * without a normal of their own are tips (collide/exact/degenerate.h).  Features that are near but
 * apart, each beyond the other's faces, give no contact: the motion decides which face will be met.
 *
 * The separation is the axis' side.  It is exact where the cores overlap, or where the nearest
 * features are a face and a vertex or two edges; else it is a lower bound.
 */
#include "engine/collide/exact/degenerate.h"
#include "engine/math/scalar.h"

/* Adds two edges that cross, and the features near the better face. */
static void
add_edges(const struct cn_meeting *m, const struct cn_axis *axis, double tie)
{
    struct cn_contact contact = cn_pair_edges(m->in, axis->edge_a, axis->edge_b, axis->normal);
    if (contact.overhang <= tie || axis->side <= 0.0) {
        cn_pair_keep(m->in, m->manifold, contact);
    }
}

static void
add_contacts(const struct cn_meeting *m, const struct cn_axis *axis, const struct cn_axis *face,
    const struct cn_axis_ties *ties)
{
    bool of_a = face->kind == CN_AXIS_FACE_A;
    if (axis->kind == CN_AXIS_EDGES) {
        add_edges(m, axis, ties->edges);
        if (axis->side < 0.0) {
            return;
        }
    }
    /*
     * While the two are apart, a gap below the separation means a wrong guess of the near features.
     */
    cn_region_add(m, of_a, face->face, axis->side >= 0.0 ? axis->side - ties->face : -HUGE_VAL);
    if (m->manifold->contact_count == 0 && axis->side <= 0.0) {
        int deepest = cn_core_deepest(m->a, m->b, face);
        cn_pair_keep(m->in, m->manifold, cn_pair_on_face(m->in, of_a, face->face, deepest));
    }
}

void
cn_pair_polytopes(const struct cn_pair_input *in, struct cn_manifold *manifold)
{
    struct cn_core a, b; /* large; an initializer would clear all of them */
    cn_core_load(&a, in->a, in->pose_a, in->pose_a->position);
    cn_core_load(&b, in->b, in->pose_b, in->pose_a->position);
    CN_ASSERT(a.face_count > 0 && b.face_count > 0);
    struct cn_meeting m = {in, manifold, &a, &b, cn_min(in->a->width, in->b->width)};
    struct cn_axis_ties ties = cn_axis_ties_of(m.width, in->tie);
    struct cn_axis face, axis = cn_core_best_axis(&a, &b, &ties, &face);
    manifold->separation = axis.side;
    if (axis.side <= in->margin) {
        add_contacts(&m, &axis, &face, &ties);
        cn_degenerate_resolve(&m, &axis);
    }
}
