#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_box.h"

static const int next_of[5] = {1, 2, 0, 1, 2};

/* Lane q: corner q of the other's face, counted around it. */
static const cn_four sign_first = {1.0F, -1.0F, -1.0F, 1.0F};
static const cn_four sign_second = {1.0F, 1.0F, -1.0F, -1.0F};

/* The other's face in the coordinates of this one: x, y, depth in the first three lanes. */
struct incident {
    cn_four middle, first, second; /* its middle and its two half edges */
    cn_four x, y, separation;      /* of its corners */
};

/* Reorders a vector: x and y are along the two axes that follow axis n, depth is along n. */
static cn_four
by_axis(cn_four v, int n)
{
    return n == 0   ? cn_four_order(v, 1, 2, 0, 3)
           : n == 1 ? cn_four_order(v, 2, 0, 1, 3)
                    : cn_four_order(v, 0, 1, 2, 3);
}

/* middle + sign_first first + sign_second second, of one coordinate. */
static cn_four
corners_of(cn_four middle, cn_four first, cn_four second)
{
    return middle + sign_first * first + sign_second * second;
}

static void
find_incident(struct cn_fast_box_face *f, struct incident *in)
{
    int n = f->axis;
    CN_ASSERT(0 <= n && n < 3);
    float against[4], to[4], half[4];
    cn_four_store(against, f->back->axis[n]);
    cn_four_store(to, f->to_other);
    cn_four_store(half, f->half_other);
    f->sign = to[n] < 0.0F ? -1.0F : 1.0F;
    int j = fabsf(against[1]) > fabsf(against[0]) ? 1 : 0;
    j = fabsf(against[2]) > fabsf(against[j]) ? 2 : j;
    int k = next_of[j], l = next_of[j + 1];
    f->other_axis = j;
    f->other_sign = f->sign * against[j] > 0.0F ? -1.0F : 1.0F;
    const cn_four *axis = f->other->axis, up = {1.0F, 1.0F, f->sign, 1.0F};
    cn_four middle = f->to_other + cn_four_splat(f->other_sign * half[j]) * axis[j];
    const cn_four height = {0.0F, 0.0F, 1.0F, 0.0F};
    f->half = by_axis(f->half, n);
    in->middle = up * by_axis(middle, n) - height * f->half;
    in->first = up * by_axis(cn_four_splat(half[k]) * axis[k], n);
    in->second = up * by_axis(cn_four_splat(half[l]) * axis[l], n);
    in->x = corners_of(cn_four_order(in->middle, 0, 0, 0, 0), cn_four_order(in->first, 0, 0, 0, 0),
        cn_four_order(in->second, 0, 0, 0, 0));
    in->y = corners_of(cn_four_order(in->middle, 1, 1, 1, 1), cn_four_order(in->first, 1, 1, 1, 1),
        cn_four_order(in->second, 1, 1, 1, 1));
    in->separation = corners_of(cn_four_order(in->middle, 2, 2, 2, 2),
        cn_four_order(in->first, 2, 2, 2, 2), cn_four_order(in->second, 2, 2, 2, 2));
}

/* Stores four points, moved back onto the face.  Their separations stay. */
static inline void
put(struct cn_fast_box_face *f, int group, cn_four x, cn_four y, cn_four separation)
{
    cn_four half_x = cn_four_order(f->half, 0, 0, 0, 0);
    cn_four half_y = cn_four_order(f->half, 1, 1, 1, 1);
    cn_four_store(f->x + group, cn_four_max(cn_four_min(x, half_x), -half_x));
    cn_four_store(f->y + group, cn_four_max(cn_four_min(y, half_y), -half_y));
    cn_four_store(f->separation + group, separation);
}

/*
 * The interval of t, from *enter to *leave, in which p + t d is between -limit and limit.  A d of
 * zero counts as a small number, so the point enters long before 0 and leaves long after 1, or
 * never enters.
 */
static inline void
slab(cn_four p, cn_four d, cn_four limit, cn_four *enter, cn_four *leave)
{
    const cn_four little = cn_four_splat(1e-30F);
    d = cn_four_select(cn_four_abs(d) > little, d, little);
    cn_four inverse = cn_four_splat(1.0F) / d;
    cn_four a = (-limit - p) * inverse, b = (limit - p) * inverse;
    *enter = cn_four_min(a, b);
    *leave = cn_four_max(a, b);
}

/*
 * Finds where the edges of the other's face cross the rectangle's sides.  Returns the bits of
 * points in groups 4 and 8.
 */
static int
cut_edges(struct cn_fast_box_face *f, const struct incident *in, cn_four limit_x, cn_four limit_y,
    int outside)
{
    const cn_four zero = cn_four_splat(0.0F), one = cn_four_splat(1.0F);
    cn_four dx = cn_four_order(in->x, 1, 2, 3, 0) - in->x;
    cn_four dy = cn_four_order(in->y, 1, 2, 3, 0) - in->y;
    cn_four ds = cn_four_order(in->separation, 1, 2, 3, 0) - in->separation;
    cn_four enter_x, leave_x, enter_y, leave_y;
    slab(in->x, dx, limit_x, &enter_x, &leave_x);
    slab(in->y, dy, limit_y, &enter_y, &leave_y);
    cn_four enter = cn_four_max(enter_x, enter_y), leave = cn_four_min(leave_x, leave_y);
    int hit = cn_four_bits((enter < leave) & (enter < one) & (leave > zero));
    int enters = hit & outside, leaves = hit & ((outside >> 1) | ((outside << 3) & 8));
    f->enters_x = cn_four_bits(enter_x > enter_y);
    f->leaves_x = cn_four_bits(leave_x < leave_y);
    f->up_x = cn_four_bits(dx > zero);
    f->up_y = cn_four_bits(dy > zero);
    enter = cn_four_min(cn_four_max(enter, zero), one);
    leave = cn_four_min(cn_four_max(leave, zero), one);
    put(f, 4, in->x + enter * dx, in->y + enter * dy, in->separation + enter * ds);
    put(f, 8, in->x + leave * dx, in->y + leave * dy, in->separation + leave * ds);
    return enters << 4 | leaves << 8;
}

/*
 * Finds the corners of the rectangle that lie over the other's face, which is a parallelogram here.
 */
static int
cut_corners(struct cn_fast_box_face *f, const struct incident *in, cn_four limit_x, cn_four limit_y)
{
    cn_four x = sign_first * limit_x, y = sign_second * limit_y;
    cn_four wx = x - cn_four_order(in->middle, 0, 0, 0, 0);
    cn_four wy = y - cn_four_order(in->middle, 1, 1, 1, 1);
    cn_four first_x = cn_four_order(in->first, 0, 0, 0, 0);
    cn_four first_y = cn_four_order(in->first, 1, 1, 1, 1);
    cn_four second_x = cn_four_order(in->second, 0, 0, 0, 0);
    cn_four second_y = cn_four_order(in->second, 1, 1, 1, 1);
    cn_four area = first_x * second_y - first_y * second_x, limit = cn_four_abs(area);
    cn_four alpha = wx * second_y - wy * second_x, beta = wy * first_x - wx * first_y;
    int over = cn_four_bits((cn_four_abs(alpha) <= limit) & (cn_four_abs(beta) <= limit));
    if (over == 0 || area[0] == 0.0F) {
        return 0;
    }
    put(f, 12, x, y,
        cn_four_order(in->middle, 2, 2, 2, 2) +
            (alpha * cn_four_order(in->first, 2, 2, 2, 2) +
                beta * cn_four_order(in->second, 2, 2, 2, 2)) /
                area);
    return over << 12;
}

/* Which of four points are near enough, as bits. */
static int
near_of(const struct cn_fast_box_face *f, int group)
{
    cn_four separation = cn_four_load(f->separation + group);
    return cn_four_bits((separation <= cn_four_splat(f->margin)) &
                        (separation >= cn_four_splat(f->least)))
           << group;
}

void
cn_fast_box_clip(struct cn_fast_box_face *f)
{
    struct incident in;
    find_incident(f, &in);
    cn_four tie = cn_four_splat(f->tie);
    cn_four limit_x = cn_four_order(f->half, 0, 0, 0, 0) + tie;
    cn_four limit_y = cn_four_order(f->half, 1, 1, 1, 1) + tie;
    int inside =
        cn_four_bits((cn_four_abs(in.x) <= limit_x) & (cn_four_abs(in.y) <= limit_y));
    put(f, 0, in.x, in.y, in.separation);
    int found = inside & near_of(f, 0);
    if (inside != 15) {
        int cut = cut_edges(f, &in, limit_x, limit_y, ~inside & 15);
        int corners = cut_corners(f, &in, limit_x, limit_y);
        found |= cut & (near_of(f, 4) | near_of(f, 8));
        found |= corners == 0 ? 0 : corners & near_of(f, 12);
    }
    f->count = 0;
    f->deepest = HUGE_VALF;
    for (; found != 0; found &= found - 1) {
        int i = __builtin_ctz((unsigned)found);
        f->found[f->count++] = (uint8_t)i;
        f->deepest = f->separation[i] < f->deepest ? f->separation[i] : f->deepest;
    }
}

void
cn_fast_box_touch(struct cn_fast_box_face *f)
{
    int best = 0;
    for (int i = 1; i < 4; i++) {
        best = f->separation[i] < f->separation[best] ? i : best;
    }
    f->found[0] = (uint8_t)best;
    f->count = 1;
}

/*
 * Names by the face's axis and end, and the number around the face.  First the four corners, then
 * the four edges, each from its corner to the next.  Corner 0 is at the upper ends of the two axes
 * that follow the face's.  Edges 0 and 2 run along the first of these axes, at the upper and lower
 * end of the second.  Edges 1 and 3 run along the second, at the lower and upper end of the first.
 */
static const uint8_t corner_name[3][2][4] = {
    {{6, 4, 0, 2}, {7, 5, 1, 3}}, {{5, 1, 0, 4}, {7, 3, 2, 6}}, {{3, 2, 0, 1}, {7, 6, 4, 5}}};
static const uint8_t edge_name[3][2][4] = {
    {{5, 8, 4, 10}, {7, 9, 6, 11}}, {{9, 0, 8, 2}, {11, 1, 10, 3}}, {{1, 4, 0, 6}, {3, 5, 2, 7}}};

static uint32_t
feature_of(const struct cn_fast_box_face *f, int i)
{
    int q = i & 3, n = f->axis, m = f->other_axis;
    int upper = f->sign > 0.0F, other_upper = f->other_sign > 0.0F;
    if (i < 4) {
        return cn_fast_feature_corner(!f->is_a, corner_name[m][other_upper][q]);
    }
    if (i >= 12) {
        return cn_fast_feature_corner(f->is_a, corner_name[n][upper][q]);
    }
    bool enters = i < 8, by_x = (enters ? f->enters_x : f->leaves_x) >> q & 1;
    bool up = (by_x ? f->up_x : f->up_y) >> q & 1;
    bool at_upper = up != enters; /* an edge that runs up enters at the lower side */
    int side = by_x ? (at_upper ? 3 : 1) : (at_upper ? 0 : 2);
    return cn_fast_feature_edges(
        f->is_a, edge_name[n][upper][side], edge_name[m][other_upper][q]);
}

static int
reduce(struct cn_fast_box_face *f, int pick[4])
{
    float x[16], y[16], separation[16];
    for (int i = 0; i < f->count; i++) {
        x[i] = f->x[f->found[i]];
        y[i] = f->y[f->found[i]];
        separation[i] = f->separation[f->found[i]];
    }
    return cn_fast_reduce(x, y, separation, f->count, f->tie, pick);
}

void
cn_fast_box_emit(const struct cn_fast_pair *pair, struct cn_fast_box_face *f)
{
    if (f->count == 0) {
        return;
    }
    CN_ASSERT(f->count <= (int)(sizeof f->found / sizeof f->found[0]));
    int pick[4] = {0, 1, 2, 3};
    int count = f->count <= 4 ? f->count : reduce(f, pick);
    const cn_four axis[5] = {f->frame->x, f->frame->y, f->frame->z, f->frame->x, f->frame->y};
    cn_four u = axis[f->axis + 1], v = axis[f->axis + 2];
    cn_four normal = cn_four_splat(f->sign) * axis[f->axis];
    /* Since the cut, the half extents are in the order of by_axis. */
    cn_four base = f->frame->origin + cn_four_order(f->half, 2, 2, 2, 2) * normal;
    for (int i = 0; i < count; i++) {
        int k = f->found[pick[i]];
        cn_four place = base + cn_four_splat(f->x[k]) * u + cn_four_splat(f->y[k]) * v +
                        cn_four_splat(0.5F * f->separation[k]) * normal;
        cn_fast_add(pair, place, f->separation[k], feature_of(f, k));
    }
    cn_fast_set_normal(pair, f->is_a ? normal : -normal);
    pair->out->hint = cn_fast_hint_pack(
        f->is_a ? CN_FAST_AXIS_FACE_A : CN_FAST_AXIS_FACE_B, f->axis, 0);
}
