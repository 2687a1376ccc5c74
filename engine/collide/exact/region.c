#include "engine/collide/exact/region.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

/* Every corner of two faces, and two crossings for each edge of one of them. */
#define CANDIDATES_MAX (4 * CN_HULL_VERTICES_MAX)

/* Two points nearer than this, in parts of the smaller width, are one. */
#define POINT_RATIO 1e-9

/* A face of the other core faces the reference when the cosine is above this. */
#define FACING_MIN 0.1

/* Cosine above which a face beside an edge of the other core faces the reference at all. */
#define BELOW_MIN 1e-9

/* Edges with a smaller sine, seen along the normal, cross at a small angle (region.h). */
#define FLAT_SINE 0.02

enum candidate_kind {
    VERTEX_ON_FACE, /* of the other core on the reference face */
    CORNER_ON_OTHER,
    CROSSING,
};

struct candidate {
    enum candidate_kind kind;
    int of_owner; /* corner's vertex, or edge */
    int of_other; /* vertex, face or edge */
    bool is_flat; /* CROSSING */
    cn_vec3 place;
};

struct region {
    const struct cn_meeting *meeting;
    const struct cn_core *owner, *other;
    bool owner_is_a;
    int face;
    cn_vec3 normal; /* of the face, out of the owner */
    double limit;   /* the largest side that counts as near [m] */
    double tie, point_size;
    int count;
    struct candidate candidate[CANDIDATES_MAX];
};

/* ---- finding ---- */

static bool
is_taken(const struct region *r, cn_vec3 place)
{
    for (int i = 0; i < r->count; i++) {
        cn_vec3 between = cn_vec3_sub(place, r->candidate[i].place);
        between = cn_vec3_add_scaled(between, -cn_vec3_dot(between, r->normal), r->normal);
        if (cn_vec3_length(between) <= r->point_size) {
            return true;
        }
    }
    return false;
}

static void
take_candidate(struct region *r, struct candidate candidate)
{
    if (r->count < CANDIDATES_MAX && !is_taken(r, candidate.place)) {
        r->candidate[r->count++] = candidate;
    }
}

static void
find_vertices(struct region *r)
{
    for (int i = 0; i < r->other->vertex_count; i++) {
        cn_vec3 v = r->other->vertex[i];
        if (cn_core_side(r->owner, r->face, v) <= r->limit &&
            cn_core_beyond(r->owner, r->face, v) <= r->tie) {
            take_candidate(
                r, (struct candidate){.kind = VERTEX_ON_FACE, .of_other = i, .place = v});
        }
    }
}

/* The face of the other core that a point meets along the normal; -1: none. */
static int
face_over(const struct region *r, cn_vec3 point)
{
    int best = -1;
    double best_facing = FACING_MIN;
    for (int i = 0; i < r->other->face_count; i++) {
        double facing = -cn_vec3_dot(r->normal, r->other->normal[i]);
        if (facing <= best_facing) {
            continue;
        }
        double rise = cn_core_side(r->other, i, point) / facing;
        cn_vec3 above = cn_vec3_add_scaled(point, rise, r->normal);
        if (cn_core_beyond(r->other, i, above) <= r->tie) {
            best = i;
            best_facing = facing;
        }
    }
    return best;
}

static void
find_corners(struct region *r)
{
    const struct cn_face *face = &r->owner->polytope->face[r->face];
    for (int k = 0; k < face->corner_count; k++) {
        int vertex = r->owner->polytope->corner[face->corner_first + k].vertex;
        cn_vec3 v = r->owner->vertex[vertex];
        int over = face_over(r, v);
        if (over >= 0 && cn_core_side(r->other, over, v) <= r->limit) {
            take_candidate(
                r, (struct candidate){
                       .kind = CORNER_ON_OTHER, .of_owner = vertex, .of_other = over, .place = v});
        }
    }
}

/* Whether an edge of the other core is on the side that faces the reference face. */
static bool
is_below(const struct region *r, int edge)
{
    if (r->other->face_count == 0) {
        return true;
    }
    const struct cn_edge *e = &r->other->polytope->edge[edge];
    return cn_vec3_dot(r->normal, r->other->normal[e->left]) < -BELOW_MIN ||
           cn_vec3_dot(r->normal, r->other->normal[e->right]) < -BELOW_MIN;
}

/* Finds the crossing of the face's edge that begins at a corner with an edge of the other core. */
static void
find_crossing(struct region *r, const struct cn_corner *corner, int edge)
{
    const struct cn_edge *e = &r->other->polytope->edge[edge];
    cn_vec3 from = r->owner->vertex[corner->vertex], along = r->owner->along[corner->edge];
    if (r->owner->polytope->edge[corner->edge].tail != corner->vertex) {
        along = cn_vec3_negate(along);
    }
    cn_vec3 out = cn_vec3_cross(along, r->normal);
    cn_vec3 tail = r->other->vertex[e->tail], head = r->other->vertex[e->head];
    double beyond_tail = cn_vec3_dot(out, cn_vec3_sub(tail, from));
    double beyond_head = cn_vec3_dot(out, cn_vec3_sub(head, from));
    bool crosses = (beyond_tail > r->tie && beyond_head < -r->tie) ||
                   (beyond_tail < -r->tie && beyond_head > r->tie);
    if (!crosses) {
        return;
    }
    double part = beyond_tail / (beyond_tail - beyond_head);
    cn_vec3 place = cn_vec3_add_scaled(tail, part, cn_vec3_sub(head, tail));
    double foot = cn_vec3_dot(along, cn_vec3_sub(place, from));
    if (foot < -r->tie || foot > r->owner->length[corner->edge] + r->tie ||
        cn_core_side(r->owner, r->face, place) > r->limit) {
        return;
    }
    double sine = fabs(beyond_head - beyond_tail) / r->other->length[edge];
    take_candidate(r, (struct candidate){.kind = CROSSING,
                          .of_owner = corner->edge,
                          .of_other = edge,
                          .is_flat = sine < FLAT_SINE,
                          .place = place});
}

static void
find_crossings(struct region *r)
{
    const struct cn_face *face = &r->owner->polytope->face[r->face];
    for (int i = 0; i < r->other->edge_count; i++) {
        if (!is_below(r, i)) {
            continue;
        }
        for (int k = 0; k < face->corner_count; k++) {
            find_crossing(r, &r->owner->polytope->corner[face->corner_first + k], i);
        }
    }
}

/* ---- keeping ---- */

static struct cn_contact
contact_of(const struct region *r, const struct candidate *c)
{
    const struct cn_pair_input *in = r->meeting->in;
    switch (c->kind) {
    case VERTEX_ON_FACE:
        return cn_pair_on_face(in, r->owner_is_a, r->face, c->of_other);
    case CORNER_ON_OTHER:
        return cn_pair_on_face(in, !r->owner_is_a, c->of_other, c->of_owner);
    case CROSSING:
        break;
    }
    CN_ASSERT(c->of_owner < r->owner->edge_count && c->of_other < r->other->edge_count);
    int edge_a = r->owner_is_a ? c->of_owner : c->of_other;
    int edge_b = r->owner_is_a ? c->of_other : c->of_owner;
    if (c->is_flat) {
        return cn_pair_crossing_on_face(in, r->owner_is_a, r->face, edge_a, edge_b, c->place);
    }
    cn_vec3 from_a = r->owner_is_a ? r->normal : cn_vec3_negate(r->normal);
    return cn_pair_edges(in, edge_a, edge_b, from_a);
}

/* A function that grows with the angle of (x, y), from 0 to 4. */
static double
pseudo_angle(double x, double y)
{
    double size = fabs(x) + fabs(y), part = size > 0.0 ? x / size : 0.0;
    return y < 0.0 ? 3.0 + part : 1.0 - part;
}

static double
area_of(cn_vec3 a, cn_vec3 b, cn_vec3 c, cn_vec3 normal)
{
    return cn_vec3_dot(normal, cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a)));
}

/* Sorts the points by their angles about their mean. */
static void
sort_around(const cn_vec3 *place, int count, cn_vec3 normal, int *order)
{
    double angle[CANDIDATES_MAX];
    cn_vec3 middle = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        middle = cn_vec3_add_scaled(middle, 1.0 / count, place[i]);
    }
    cn_vec3 axis = fabs(normal.x) < 0.8 ? cn_vec3_make(1.0, 0.0, 0.0) : cn_vec3_make(0.0, 0.0, 1.0);
    cn_vec3 second = cn_vec3_cross(normal, axis), first = cn_vec3_cross(second, normal);
    for (int i = 0; i < count; i++) {
        cn_vec3 from = cn_vec3_sub(place[i], middle);
        angle[i] = pseudo_angle(cn_vec3_dot(first, from), cn_vec3_dot(second, from));
        int at = i;
        for (; at > 0 && angle[order[at - 1]] > angle[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

int
cn_region_reduce(
    const cn_vec3 *place, const double *gap, int count, int room, cn_vec3 normal, int *kept)
{
    CN_ASSERT(0 < count && count <= CANDIDATES_MAX && room >= 0);
    int order[CANDIDATES_MAX], deepest = 0;
    bool goes[CANDIDATES_MAX] = {false};
    sort_around(place, count, normal, order);
    for (int i = 1; i < count; i++) {
        deepest = gap[i] < gap[deepest] ? i : deepest;
    }
    /* Drops the point whose corner takes the least area off the region, until the rest fit. */
    for (int left = count; left > room; left--) {
        int least = -1;
        double least_area = HUGE_VAL;
        for (int i = 0; i < left; i++) {
            int before = order[i > 0 ? i - 1 : left - 1], after = order[i + 1 < left ? i + 1 : 0];
            double area = area_of(place[before], place[order[i]], place[after], normal);
            if (order[i] != deepest && area < least_area) {
                least_area = area;
                least = i;
            }
        }
        CN_ASSERT(least >= 0); /* the deepest stays, and there is another one */
        goes[order[least]] = true;
        for (int i = least; i + 1 < left; i++) {
            order[i] = order[i + 1];
        }
    }
    int kept_count = 0;
    for (int i = 0; i < count; i++) {
        if (!goes[i]) {
            kept[kept_count++] = i;
        }
    }
    CN_ASSERT(kept_count == (count < room ? count : room));
    return kept_count;
}

static bool
has_feature(const struct cn_manifold *manifold, uint32_t feature)
{
    for (int i = 0; i < manifold->contact_count; i++) {
        if (manifold->contact[i].feature == feature) {
            return true;
        }
    }
    return false;
}

static void
keep_candidates(const struct region *r, double gap_min)
{
    int near[CANDIDATES_MAX], kept[CANDIDATES_MAX], near_count = 0;
    cn_vec3 place[CANDIDATES_MAX];
    double gap[CANDIDATES_MAX];
    for (int i = 0; i < r->count; i++) {
        struct cn_contact contact = contact_of(r, &r->candidate[i]);
        /* Edges that cross in this view may be nearest beyond their ends: then no contact. */
        bool is_off = contact.kind == CN_CONTACT_EDGES && contact.overhang > r->point_size;
        if (contact.gap >= gap_min && contact.gap <= r->meeting->in->margin && !is_off &&
            !has_feature(r->meeting->manifold, contact.feature)) {
            place[near_count] = r->candidate[i].place;
            gap[near_count] = contact.gap;
            near[near_count++] = i;
        }
    }
    int room = CN_MANIFOLD_CONTACTS_MAX - r->meeting->manifold->contact_count;
    CN_ASSERT(room >= 0); /* pair.h, invariant 1 */
    int count = near_count;
    if (count > room) {
        count = cn_region_reduce(place, gap, near_count, room, r->normal, kept);
    }
    for (int i = 0; i < count; i++) {
        int index = near[near_count > room ? kept[i] : i];
        cn_pair_keep(r->meeting->in, r->meeting->manifold, contact_of(r, &r->candidate[index]));
    }
}

void
cn_region_add(const struct cn_meeting *meeting, bool owner_is_a, int face, double gap_min)
{
    struct region r; /* large; an initializer would clear all of it */
    r.meeting = meeting;
    r.owner_is_a = owner_is_a;
    r.owner = owner_is_a ? meeting->a : meeting->b;
    r.other = owner_is_a ? meeting->b : meeting->a;
    CN_ASSERT(0 <= face && face < r.owner->face_count);
    r.face = face;
    r.normal = r.owner->normal[face];
    r.tie = meeting->in->tie;
    r.point_size = cn_max(r.tie, POINT_RATIO * meeting->width);
    r.count = 0;
    r.limit = meeting->in->margin + meeting->in->radius + r.tie;
    if (owner_is_a) { /* B's vertices first */
        find_vertices(&r);
        find_corners(&r);
    } else {
        find_corners(&r);
        find_vertices(&r);
    }
    find_crossings(&r);
    keep_candidates(&r, gap_min);
}
