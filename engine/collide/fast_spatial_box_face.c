#include "engine/collide/fast_spatial_box.h"

static const int next_of[5] = {1, 2, 0, 1, 2};

/* Lane q: corner q of the other's face, counted around it. */
static const cn_four sign_first = {1.0F, -1.0F, -1.0F, 1.0F};
static const cn_four sign_second = {1.0F, 1.0F, -1.0F, -1.0F};

/* The other's face in the coordinates of this one: its middle and its two half edges. */
struct incident {
    float middle[3], first[3], second[3]; /* x, y, depth */
    cn_four x, y, separation;             /* of its corners */
};

static void
find_incident(struct cn_fast_box_face *f, struct incident *in)
{
    float axis[3][4], to[4], half[4], own[4];
    for (int i = 0; i < 3; i++) {
        cn_four_store(axis[i], f->other->axis[i]);
    }
    cn_four_store(to, f->to_other);
    cn_four_store(half, f->half_other);
    cn_four_store(own, f->half);
    int n = f->axis, coordinate[3] = {next_of[n], next_of[n + 1], n};
    f->sign = to[n] < 0.0F ? -1.0F : 1.0F;
    int j = fabsf(axis[1][n]) > fabsf(axis[0][n]) ? 1 : 0;
    j = fabsf(axis[2][n]) > fabsf(axis[j][n]) ? 2 : j;
    int k = next_of[j], l = next_of[j + 1];
    f->other_axis = j;
    f->other_sign = f->sign * axis[j][n] > 0.0F ? -1.0F : 1.0F;
    for (int i = 0; i < 3; i++) {
        int c = coordinate[i];
        in->middle[i] = to[c] + f->other_sign * half[j] * axis[j][c];
        in->first[i] = half[k] * axis[k][c];
        in->second[i] = half[l] * axis[l][c];
    }
    in->middle[2] = f->sign * in->middle[2] - own[n];
    in->first[2] *= f->sign;
    in->second[2] *= f->sign;
    in->x = cn_four_splat(in->middle[0]) + sign_first * cn_four_splat(in->first[0]) +
            sign_second * cn_four_splat(in->second[0]);
    in->y = cn_four_splat(in->middle[1]) + sign_first * cn_four_splat(in->first[1]) +
            sign_second * cn_four_splat(in->second[1]);
    in->separation = cn_four_splat(in->middle[2]) + sign_first * cn_four_splat(in->first[2]) +
                     sign_second * cn_four_splat(in->second[2]);
}

static void
put(struct cn_fast_box_face *f, int group, cn_four x, cn_four y, cn_four separation)
{
    cn_four_store(f->x + group, x);
    cn_four_store(f->y + group, y);
    cn_four_store(f->separation + group, separation);
}

/* When p + t d, t from 0 to 1, is between -limit and limit: from *enter to *leave. */
static void
slab(cn_four p, cn_four d, cn_four limit, cn_four *enter, cn_four *leave)
{
    const cn_four huge = cn_four_splat(HUGE_VALF), one = cn_four_splat(1.0F);
    cn_four_mask moves = cn_four_abs(d) > cn_four_splat(1e-30F);
    cn_four inverse = one / cn_four_select(moves, d, one);
    cn_four a = (-limit - p) * inverse, b = (limit - p) * inverse;
    cn_four_mask within = cn_four_abs(p) <= limit;
    *enter = cn_four_select(
        moves, cn_four_min(a, b), cn_four_select(within, -huge, huge));
    *leave = cn_four_select(moves, cn_four_max(a, b), cn_four_select(within, huge, -huge));
}

/* Sides of the rectangle: 0, 1 at the lower and upper end of x, 2, 3 of y. */
static int
side_of(bool by_x, bool upper)
{
    return (by_x ? 0 : 2) + (upper ? 1 : 0);
}

/* Where the edges of the other's face cross the rectangle's sides.  Returns bits of groups 4, 8. */
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
    int by_x = cn_four_bits(enter_x > enter_y), out_by_x = cn_four_bits(leave_x < leave_y);
    int up_x = cn_four_bits(dx > zero), up_y = cn_four_bits(dy > zero);
    for (int q = 0; q < 4; q++) {
        bool x_first = by_x >> q & 1, x_last = out_by_x >> q & 1;
        f->side[q] = side_of(x_first, !((x_first ? up_x : up_y) >> q & 1));
        f->side[4 + q] = side_of(x_last, (x_last ? up_x : up_y) >> q & 1);
    }
    enter = cn_four_min(cn_four_max(enter, zero), one);
    leave = cn_four_min(cn_four_max(leave, zero), one);
    put(f, 4, in->x + enter * dx, in->y + enter * dy, in->separation + enter * ds);
    put(f, 8, in->x + leave * dx, in->y + leave * dy, in->separation + leave * ds);
    return enters << 4 | leaves << 8;
}

/* Which corners of the rectangle lie over the other's face, a parallelogram here. */
static int
cut_corners(struct cn_fast_box_face *f, const struct incident *in, cn_four limit_x, cn_four limit_y)
{
    cn_four x = sign_first * limit_x, y = sign_second * limit_y;
    cn_four wx = x - cn_four_splat(in->middle[0]), wy = y - cn_four_splat(in->middle[1]);
    float area = in->first[0] * in->second[1] - in->first[1] * in->second[0];
    cn_four alpha = wx * cn_four_splat(in->second[1]) - wy * cn_four_splat(in->second[0]);
    cn_four beta = wy * cn_four_splat(in->first[0]) - wx * cn_four_splat(in->first[1]);
    cn_four limit = cn_four_splat(fabsf(area));
    int over = cn_four_bits((cn_four_abs(alpha) <= limit) & (cn_four_abs(beta) <= limit));
    if (over == 0 || area == 0.0F) {
        return 0;
    }
    float slope_first = in->first[2] / area, slope_second = in->second[2] / area;
    put(f, 12, x, y,
        cn_four_splat(in->middle[2]) + alpha * cn_four_splat(slope_first) +
            beta * cn_four_splat(slope_second));
    return over << 12;
}

void
cn_fast_box_clip(struct cn_fast_box_face *f)
{
    struct incident in;
    find_incident(f, &in);
    float own[4];
    cn_four_store(own, f->half);
    cn_four limit_x = cn_four_splat(own[next_of[f->axis]] + f->tie);
    cn_four limit_y = cn_four_splat(own[next_of[f->axis + 1]] + f->tie);
    int inside =
        cn_four_bits((cn_four_abs(in.x) <= limit_x) & (cn_four_abs(in.y) <= limit_y));
    put(f, 0, in.x, in.y, in.separation);
    int bits = inside;
    if (inside != 15) {
        bits |= cut_edges(f, &in, limit_x, limit_y, ~inside & 15);
        bits |= cut_corners(f, &in, limit_x, limit_y);
    }
    f->count = 0;
    f->deepest = HUGE_VALF;
    for (int i = 0; i < 16; i++) {
        if (bits >> i & 1 && f->separation[i] <= f->margin && f->separation[i] >= f->least) {
            f->found[f->count++] = i;
            f->deepest = f->separation[i] < f->deepest ? f->separation[i] : f->deepest;
        }
    }
}

void
cn_fast_box_touch(struct cn_fast_box_face *f)
{
    int best = 0;
    for (int i = 1; i < 4; i++) {
        best = f->separation[i] < f->separation[best] ? i : best;
    }
    f->found[0] = best;
    f->count = 1;
}

/* The name of the corner of a box at the given ends of its axes k and l, and at `sign` of n. */
static int
corner_of(int n, float sign, float first, float second)
{
    return (sign > 0.0F ? 1 << n : 0) | (first > 0.0F ? 1 << next_of[n] : 0) |
           (second > 0.0F ? 1 << next_of[n + 1] : 0);
}

static uint32_t
feature_of(const struct cn_fast_box_face *f, int i)
{
    int q = i & 3, n = f->axis, m = f->other_axis;
    float first = sign_first[q], second = sign_second[q];
    if (i < 4) {
        return cn_fast_feature_corner(!f->is_a, corner_of(m, f->other_sign, first, second));
    }
    if (i >= 12) {
        return cn_fast_feature_corner(f->is_a, corner_of(n, f->sign, first, second));
    }
    /* Edges 0 and 2 of the other's face run along its first axis, 1 and 3 along its second. */
    bool upper = f->other_sign > 0.0F;
    int other = q % 2 == 0 ? cn_fast_box_edge(next_of[m], q == 0, upper)
                           : cn_fast_box_edge(next_of[m + 1], upper, q == 3);
    int side = f->side[i - 4];
    int own = side < 2 ? cn_fast_box_edge(next_of[n + 1], f->sign > 0.0F, side == 1)
                       : cn_fast_box_edge(next_of[n], side == 3, f->sign > 0.0F);
    return cn_fast_feature_edges(f->is_a, own, other);
}

static float
clamp_to(float x, float limit)
{
    return x < -limit ? -limit : x > limit ? limit : x;
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
    int pick[4] = {0, 1, 2, 3};
    int count = f->count <= 4 ? f->count : reduce(f, pick);
    const cn_four axis[5] = {f->frame->x, f->frame->y, f->frame->z, f->frame->x, f->frame->y};
    cn_four u = axis[f->axis + 1], v = axis[f->axis + 2];
    cn_four normal = cn_four_splat(f->sign) * axis[f->axis];
    float own[4];
    cn_four_store(own, f->half);
    float limit_x = own[next_of[f->axis]], limit_y = own[next_of[f->axis + 1]];
    cn_four base = f->frame->origin + cn_four_splat(own[f->axis]) * normal;
    for (int i = 0; i < count; i++) {
        int k = f->found[pick[i]];
        float x = clamp_to(f->x[k], limit_x), y = clamp_to(f->y[k], limit_y);
        cn_four place = base + cn_four_splat(x) * u + cn_four_splat(y) * v +
                        cn_four_splat(0.5F * f->separation[k]) * normal;
        cn_fast_add(pair, place, f->separation[k], feature_of(f, k));
    }
    cn_fast_set_normal(pair, f->is_a ? normal : -normal);
    pair->out->hint = cn_fast_hint_pack(
        f->is_a ? CN_FAST_AXIS_FACE_A : CN_FAST_AXIS_FACE_B, f->axis, 0);
}
