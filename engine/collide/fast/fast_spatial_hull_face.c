#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_hull.h"

/* Side k of the face: a point is x nx + y ny - offset beyond it. */
struct side {
    int k, count;
    float nx, ny, offset;
};

/* The columns of the matrix whose rows are three axes. */
static struct cn_fast_turn3
columns_of(cn_four first, cn_four second, cn_four third)
{
    struct cn_fast_turn3 turn = {{first, second, third}};
    return cn_fast_turn3_back(&turn);
}

/* The face's coordinates: x along its first side, y across, depth along the normal. */
static void
set_axes(struct cn_fast_hull_face *f)
{
    const struct cn_fast_hull *hull = f->hull;
    CN_ASSERT(0 <= f->face && f->face < hull->face_count);
    int first = hull->face_first[f->face];
    f->origin = cn_fast_hull_vertex(hull, hull->corner_vertex[first]);
    f->normal = cn_fast_hull_normal(hull, f->face);
    cn_four way = cn_fast_hull_vertex(hull, hull->corner_vertex[first + 1]) - f->origin;
    f->first = way / cn_four_splat(sqrtf(cn_four_dot3(way, way)));
    f->second = cn_four_cross(f->normal, f->first);
}

static cn_four
place_of(const struct cn_fast_hull_face *f, int corner_of_other)
{
    cn_four v = cn_fast_hull_vertex(f->other, corner_of_other);
    return f->place_of_other + cn_fast_turn3_apply(&f->of_other, v);
}

/* Loads the other's face that looks most against the normal.  Returns the number of its corners. */
static int
load_other(const struct cn_fast_hull_face *f, struct cn_fast_spot *spot)
{
    const struct cn_fast_hull *other = f->other;
    int face = cn_fast_hull_facing(other, cn_fast_turn3_apply(f->back, f->normal));
    int first = other->face_first[face], count = other->face_first[face + 1] - first;
    CN_ASSERT(count >= 3); /* invariant 2 */
    for (int i = 0; i < count; i++) {
        int corner = other->corner_vertex[first + i];
        spot[i].place = place_of(f, corner);
        spot[i].feature = cn_fast_feature_corner(!f->is_a, corner);
        spot[i].line = other->corner_edge[first + i];
    }
    return count;
}

/* The name of the point where a line crosses a side: an edge of each, or a corner of the face. */
static uint32_t
crossing(const struct cn_fast_hull_face *f, const struct side *s, int line)
{
    int first = f->hull->face_first[f->face];
    if (line >= 0) {
        return cn_fast_feature_edges(f->is_a, f->hull->corner_edge[first + s->k], line);
    }
    int other = -1 - line, next = s->k + 1 < s->count ? s->k + 1 : 0;
    return cn_fast_feature_corner(
        f->is_a, f->hull->corner_vertex[first + (other == next ? next : s->k)]);
}

/*
 * Cuts the points by a side and keeps those on its inner side.  A corner that is outside by less
 * than the tie stays as it is, so that edges that coincide do not flicker.  Returns the number of
 * points left.
 */
static int
cut(const struct cn_fast_hull_face *f, const struct side *s, const struct cn_fast_spot *from,
    int count, struct cn_fast_spot *to)
{
    float beyond[CN_FAST_CANDIDATES_MAX];
    bool all_stay = true;
    for (int i = 0; i < count; i++) {
        beyond[i] = from[i].place[0] * s->nx + from[i].place[1] * s->ny - s->offset;
        all_stay = all_stay && beyond[i] <= f->tie;
    }
    if (all_stay) {
        return -1;
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int j = i + 1 < count ? i + 1 : 0;
        bool stays = beyond[i] <= f->tie, next_stays = beyond[j] <= f->tie;
        if (stays) {
            to[kept] = from[i];
            if (!next_stays && beyond[i] >= 0.0F) {
                to[kept].line = -1 - s->k; /* from here on along the side */
            }
            kept++;
        }
        if (stays != next_stays && (stays ? beyond[i] : beyond[j]) < 0.0F) {
            float t = beyond[i] / (beyond[i] - beyond[j]);
            to[kept].place =
                from[i].place + cn_four_splat(t) * (from[j].place - from[i].place);
            to[kept].feature = crossing(f, s, from[i].line);
            to[kept++].line = stays ? -1 - s->k : from[i].line;
        }
    }
    CN_ASSERT(kept <= CN_FAST_CANDIDATES_MAX);
    return kept;
}

/* Keeps the points that are near enough. */
static void
keep(struct cn_fast_hull_face *f, const struct cn_fast_spot *spot, int count)
{
    f->count = 0;
    f->deepest = HUGE_VALF;
    for (int i = 0; i < count; i++) {
        float separation = spot[i].place[2];
        if (separation <= f->margin && separation >= f->least) {
            f->spot[f->count++] = spot[i];
            f->deepest = separation < f->deepest ? separation : f->deepest;
        }
    }
}

/* The sides of the face, in its coordinates: x grows along side 0. */
static int
load_sides(const struct cn_fast_hull_face *f, const struct cn_fast_turn3 *basis, struct side *side)
{
    const struct cn_fast_hull *hull = f->hull;
    int first = hull->face_first[f->face], count = hull->face_first[f->face + 1] - first;
    CN_ASSERT(3 <= count && count <= CN_HULL_VERTICES_MAX);
    float x = 0.0F, y = 0.0F;
    for (int k = 0; k < count; k++) {
        int next = k + 1 < count ? k + 1 : 0;
        cn_four way = cn_fast_hull_vertex(hull, hull->corner_vertex[first + next]) - f->origin;
        cn_four place = cn_fast_turn3_apply(basis, way);
        float dx = place[0] - x, dy = place[1] - y;
        float scale = 1.0F / sqrtf(dx * dx + dy * dy);
        float nx = dy * scale, ny = -dx * scale;
        side[k] = (struct side){k, count, nx, ny, x * nx + y * ny};
        x = place[0];
        y = place[1];
    }
    return count;
}

/*
 * Whether a point is over the face.  The deepest corner need not belong to the face that looks most
 * against the normal.
 */
static bool
is_over(const struct side *side, int count, cn_four place)
{
    for (int k = 0; k < count; k++) {
        if (place[0] * side[k].nx + place[1] * side[k].ny - side[k].offset > 0.0F) {
            return false;
        }
    }
    return true;
}

void
cn_fast_hull_clip(struct cn_fast_hull_face *f)
{
    struct cn_fast_spot one[CN_FAST_CANDIDATES_MAX], two[CN_FAST_CANDIDATES_MAX];
    struct cn_fast_spot *from = one, *to = two;
    struct side side[CN_HULL_VERTICES_MAX];
    set_axes(f);
    struct cn_fast_turn3 basis = columns_of(f->first, f->second, f->normal);
    for (int i = 0; i < 3; i++) {
        f->of_other.axis[i] = cn_fast_turn3_apply(&basis, f->other_in->axis[i]);
    }
    f->place_of_other = cn_fast_turn3_apply(&basis, f->to_other - f->origin);
    int sides = load_sides(f, &basis, side), count = load_other(f, from);
    for (int k = 0; k < sides && count > 0; k++) {
        int kept = cut(f, &side[k], from, count, to);
        if (kept >= 0) {
            struct cn_fast_spot *swap = from;
            from = to;
            to = swap;
            count = kept;
        }
    }
    keep(f, from, count);
    if (f->deepest > f->side + 2.0F * f->tie && f->side >= f->least &&
        is_over(side, sides, place_of(f, f->corner))) {
        cn_fast_hull_touch(f);
    }
}

void
cn_fast_hull_touch(struct cn_fast_hull_face *f)
{
    CN_ASSERT(f->count < CN_FAST_CANDIDATES_MAX && f->corner < f->other->vertex_count);
    struct cn_fast_spot *spot = &f->spot[f->count++];
    spot->place = place_of(f, f->corner);
    spot->feature = cn_fast_feature_corner(!f->is_a, f->corner);
    f->deepest = spot->place[2];
}

static int
reduce(const struct cn_fast_hull_face *f, int pick[4])
{
    float x[CN_FAST_CANDIDATES_MAX], y[CN_FAST_CANDIDATES_MAX];
    float separation[CN_FAST_CANDIDATES_MAX];
    for (int i = 0; i < f->count; i++) {
        x[i] = f->spot[i].place[0];
        y[i] = f->spot[i].place[1];
        separation[i] = f->spot[i].place[2];
    }
    return cn_fast_reduce(x, y, separation, f->count, f->tie, pick);
}

/*
 * Whether a point has this name already.  Lines that meet at a very small angle may give one name
 * twice; the first point counts.
 */
static bool
is_named(const struct cn_manifold3 *out, uint32_t feature)
{
    bool found = false;
    for (int i = 0; i < out->point_count; i++) {
        found = found || out->point[i].feature == feature;
    }
    return found;
}

void
cn_fast_hull_emit(const struct cn_fast_pair *pair, struct cn_fast_hull_face *f)
{
    if (f->count == 0) {
        return;
    }
    int pick[4] = {0, 1, 2, 3};
    int count = f->count <= 4 ? f->count : reduce(f, pick);
    cn_four first = cn_fast_turn(f->frame, f->first), second = cn_fast_turn(f->frame, f->second);
    cn_four normal = cn_fast_turn(f->frame, f->normal);
    cn_four origin = cn_fast_apply(f->frame, f->origin);
    for (int i = 0; i < count; i++) {
        const struct cn_fast_spot *spot = &f->spot[pick[i]];
        cn_four place = spot->place;
        if (!is_named(pair->out, spot->feature)) {
            cn_fast_add(pair,
                origin + cn_four_order(place, 0, 0, 0, 0) * first +
                    cn_four_order(place, 1, 1, 1, 1) * second +
                    cn_four_splat(0.5F * place[2]) * normal,
                place[2], spot->feature);
        }
    }
    cn_fast_set_normal(pair, f->is_a ? normal : -normal);
}
