#include "engine/collide/fast_spatial_hull.h"

/*
 * A polygon in the coordinates of the face, with a name for each corner, and for the line from each
 * to the next: an edge of the other hull, or -1 - k for side k of the face.
 */
struct outline {
    int count;
    float x[CN_FAST_CANDIDATES_MAX], y[CN_FAST_CANDIDATES_MAX], separation[CN_FAST_CANDIDATES_MAX];
    uint32_t feature[CN_FAST_CANDIDATES_MAX];
    int line[CN_FAST_CANDIDATES_MAX];
};

/* Side k of the face: its first corner, the way to the next, and 1 / length of that. */
struct side {
    int k, count;
    float x, y, dx, dy, scale;
};

static void
set_axes(struct cn_fast_hull_face *f)
{
    const struct cn_fast_hull *hull = f->hull;
    int first = hull->face_first[f->face];
    f->origin = cn_fast_hull_vertex(hull, hull->corner_vertex[first]);
    f->normal = cn_fast_hull_normal(hull, f->face);
    cn_four way = cn_fast_hull_vertex(hull, hull->corner_vertex[first + 1]) - f->origin;
    f->first = way / cn_four_splat(sqrtf(cn_four_dot3(way, way)));
    f->second = cn_four_cross(f->normal, f->first);
}

/* Products of an axis of the face with the other's axes, and with the way to its origin. */
static cn_four
coordinate(const struct cn_fast_hull_face *f, cn_four axis)
{
    cn_four way = f->to_other - f->origin;
    return (cn_four){cn_four_dot3(axis, f->other_axis[0]), cn_four_dot3(axis, f->other_axis[1]),
        cn_four_dot3(axis, f->other_axis[2]), cn_four_dot3(axis, way)};
}

static float
place(cn_four coordinate, cn_four v)
{
    return cn_four_dot3(coordinate, v) + coordinate[3];
}

/* The other's face that looks most against the normal. */
static void
load_other(const struct cn_fast_hull_face *f, struct outline *o)
{
    const struct cn_fast_hull *other = f->other;
    cn_four x = coordinate(f, f->first), y = coordinate(f, f->second);
    cn_four depth = coordinate(f, f->normal);
    int face = cn_fast_hull_facing(other, depth);
    int first = other->face_first[face];
    o->count = other->face_first[face + 1] - first;
    for (int i = 0; i < o->count; i++) {
        int corner = other->corner_vertex[first + i];
        cn_four v = cn_fast_hull_vertex(other, corner);
        o->x[i] = place(x, v);
        o->y[i] = place(y, v);
        o->separation[i] = place(depth, v);
        o->feature[i] = cn_fast_feature_corner(!f->is_a, corner);
        o->line[i] = other->corner_edge[first + i];
    }
}

/* The name of the place where a line crosses a side: an edge of each, or a corner of the face. */
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

static void
put(struct outline *to, const struct outline *from, int i, int line)
{
    int k = to->count++;
    to->x[k] = from->x[i];
    to->y[k] = from->y[i];
    to->separation[k] = from->separation[i];
    to->feature[k] = from->feature[i];
    to->line[k] = line;
}

static void
put_between(struct outline *to, const struct outline *from, int i, int j, float t, int line,
    uint32_t feature)
{
    int k = to->count++;
    to->x[k] = from->x[i] + t * (from->x[j] - from->x[i]);
    to->y[k] = from->y[i] + t * (from->y[j] - from->y[i]);
    to->separation[k] =
        from->separation[i] + t * (from->separation[j] - from->separation[i]);
    to->feature[k] = feature;
    to->line[k] = line;
}

/*
 * Keeps what is on the inner side.  A corner that is outside by less than the tie stays as it is,
 * so that edges that coincide do not flicker.
 */
static void
cut(const struct cn_fast_hull_face *f, const struct side *s, const struct outline *from,
    struct outline *to)
{
    float beyond[CN_FAST_CANDIDATES_MAX];
    for (int i = 0; i < from->count; i++) {
        beyond[i] = ((from->x[i] - s->x) * s->dy - (from->y[i] - s->y) * s->dx) * s->scale;
    }
    to->count = 0;
    for (int i = 0; i < from->count; i++) {
        int j = i + 1 < from->count ? i + 1 : 0;
        bool stays = beyond[i] <= f->tie, next_stays = beyond[j] <= f->tie;
        if (stays) {
            bool leaves_here = !next_stays && beyond[i] >= 0.0F;
            put(to, from, i, leaves_here ? -1 - s->k : from->line[i]);
        }
        if (stays != next_stays && (stays ? beyond[i] : beyond[j]) < 0.0F) {
            float t = beyond[i] / (beyond[i] - beyond[j]);
            put_between(to, from, i, j, t, stays ? -1 - s->k : from->line[i],
                crossing(f, s, from->line[i]));
        }
    }
}

static void
keep(struct cn_fast_hull_face *f, const struct outline *o)
{
    f->count = 0;
    f->deepest = HUGE_VALF;
    for (int i = 0; i < o->count; i++) {
        bool known = false;
        for (int k = 0; k < f->count; k++) {
            known = known || f->feature[k] == o->feature[i];
        }
        if (!known && o->separation[i] <= f->margin && o->separation[i] >= f->least) {
            f->x[f->count] = o->x[i];
            f->y[f->count] = o->y[i];
            f->separation[f->count] = o->separation[i];
            f->feature[f->count++] = o->feature[i];
            f->deepest = o->separation[i] < f->deepest ? o->separation[i] : f->deepest;
        }
    }
}

/* The deepest corner need not be one of the face that looks most against the normal. */
static bool
is_corner_over(const struct cn_fast_hull_face *f)
{
    const struct cn_fast_hull *hull = f->hull;
    cn_four v = cn_fast_hull_vertex(f->other, f->corner);
    float x = place(coordinate(f, f->first), v), y = place(coordinate(f, f->second), v);
    int first = hull->face_first[f->face], end = hull->face_first[f->face + 1];
    cn_four tail = cn_fast_hull_vertex(hull, hull->corner_vertex[end - 1]) - f->origin;
    for (int k = first; k < end; k++) {
        cn_four head = cn_fast_hull_vertex(hull, hull->corner_vertex[k]) - f->origin;
        cn_four way = head - tail;
        float dx = cn_four_dot3(f->first, way), dy = cn_four_dot3(f->second, way);
        float tail_x = cn_four_dot3(f->first, tail), tail_y = cn_four_dot3(f->second, tail);
        if ((x - tail_x) * dy - (y - tail_y) * dx > 0.0F) {
            return false;
        }
        tail = head;
    }
    return true;
}

void
cn_fast_hull_clip(struct cn_fast_hull_face *f)
{
    struct outline one, two; /* large; an initializer would clear all of them */
    struct outline *from = &one, *to = &two;
    set_axes(f);
    load_other(f, from);
    const struct cn_fast_hull *hull = f->hull;
    int first = hull->face_first[f->face], count = hull->face_first[f->face + 1] - first;
    float start_x = 0.0F, start_y = 0.0F;
    for (int k = 0; k < count && from->count > 0; k++) {
        int next = k + 1 < count ? k + 1 : 0;
        cn_four way = cn_fast_hull_vertex(hull, hull->corner_vertex[first + next]) - f->origin;
        float x = cn_four_dot3(f->first, way), y = cn_four_dot3(f->second, way);
        struct side s = {k, count, start_x, start_y, x - start_x, y - start_y, 0.0F};
        s.scale = 1.0F / sqrtf(s.dx * s.dx + s.dy * s.dy);
        cut(f, &s, from, to);
        struct outline *swap = from;
        from = to;
        to = swap;
        start_x = x;
        start_y = y;
    }
    keep(f, from);
    if (f->deepest > f->side + 2.0F * f->tie && f->side >= f->least && is_corner_over(f)) {
        cn_fast_hull_touch(f);
    }
}

void
cn_fast_hull_touch(struct cn_fast_hull_face *f)
{
    cn_four v = cn_fast_hull_vertex(f->other, f->corner);
    int k = f->count++;
    f->x[k] = place(coordinate(f, f->first), v);
    f->y[k] = place(coordinate(f, f->second), v);
    f->separation[k] = f->deepest = f->side;
    f->feature[k] = cn_fast_feature_corner(!f->is_a, f->corner);
}

void
cn_fast_hull_emit(const struct cn_fast_pair *pair, struct cn_fast_hull_face *f)
{
    if (f->count == 0) {
        return;
    }
    int pick[4] = {0, 1, 2, 3};
    int count = f->count <= 4
                    ? f->count
                    : cn_fast_reduce(f->x, f->y, f->separation, f->count, f->tie, pick);
    cn_four first = cn_fast_turn(f->frame, f->first), second = cn_fast_turn(f->frame, f->second);
    cn_four normal = cn_fast_turn(f->frame, f->normal);
    cn_four origin = cn_fast_apply(f->frame, f->origin);
    for (int i = 0; i < count; i++) {
        int k = pick[i];
        cn_four place_ab = origin + cn_four_splat(f->x[k]) * first +
                           cn_four_splat(f->y[k]) * second +
                           cn_four_splat(0.5F * f->separation[k]) * normal;
        cn_fast_add(pair, place_ab, f->separation[k], f->feature[k]);
    }
    cn_fast_set_normal(pair, f->is_a ? normal : -normal);
}
