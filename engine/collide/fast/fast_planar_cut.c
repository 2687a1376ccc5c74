/* fast_planar_cut.c: see fast_planar_cut.h. */
#include "engine/collide/fast/fast_planar_cut.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/shape/border.h"

#define ARC_STEP 0.1 /* rad: a chord of a circle of 1 m is 1.25 mm off at most */

/* Corners whose two edges turn by less, to either side, count as straight. */
#define STRAIGHT_SINE 1e-6

static int
parts_of(const struct cn_border *edge, double step)
{
    if (edge->bulge == 0.0) {
        return 1;
    }
    int parts = (int)ceil(fabs(cn_border_turn(edge)) / step);
    return parts < 2 ? 2 : parts;
}

static struct cn_border
edge_at(const struct cn_shape *shape, int i)
{
    int next = (i + 1) % shape->vertex_count;
    return (struct cn_border){shape->vertex[i], shape->vertex[next], shape->bulge[i]};
}

static int
count_parts(const struct cn_shape *shape, double step)
{
    int sum = 0;
    for (int i = 0; i + (shape->open ? 1 : 0) < shape->vertex_count; i++) {
        struct cn_border edge = edge_at(shape, i);
        sum += parts_of(&edge, step);
    }
    return sum;
}

static void
flatten(struct cn_cut *cut, const struct cn_shape *shape)
{
    double step = ARC_STEP;
    while (count_parts(shape, step) > CN_CUT_VERTICES_MAX - 1) {
        step *= 1.25;
    }
    CN_ASSERT(shape->bulge != NULL && shape->vertex_count >= 2);
    cut->count = 0;
    for (int i = 0; i + (shape->open ? 1 : 0) < shape->vertex_count; i++) {
        struct cn_border edge = edge_at(shape, i);
        int parts = parts_of(&edge, step);
        CN_ASSERT(cut->count + parts < CN_CUT_VERTICES_MAX);
        cut->corner[cut->count++] = edge.from;
        if (parts > 1) {
            cn_vec2 center = cn_border_center(&edge), arm = cn_vec2_sub(edge.from, center);
            double turn = cn_border_turn(&edge);
            for (int k = 1; k < parts; k++) {
                double s, c;
                cn_sin_cos(turn * k / parts, &s, &c);
                cn_vec2 at = {c * arm.x - s * arm.y, s * arm.x + c * arm.y};
                cut->corner[cut->count++] = cn_vec2_add(center, at);
            }
        }
    }
    if (shape->open) {
        cut->corner[cut->count++] = shape->vertex[shape->vertex_count - 1];
    }
}

/* Twice the area of a triangle, > 0 where its corners are counter-clockwise. */
static double
area_of(const struct cn_cut *cut, int a, int b, int c)
{
    return cn_vec2_cross(cn_vec2_sub(cut->corner[b], cut->corner[a]),
        cn_vec2_sub(cut->corner[c], cut->corner[a]));
}

/* Whether corner i of the remaining ones can be cut off. */
static bool
is_ear(const struct cn_cut *cut, const int *left, int count, int i)
{
    int before = left[(i + count - 1) % count], tip = left[i], after = left[(i + 1) % count];
    if (area_of(cut, before, tip, after) <= 0.0) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        int other = left[k];
        if (other != before && other != tip && other != after &&
            area_of(cut, before, tip, other) >= 0.0 && area_of(cut, tip, after, other) >= 0.0 &&
            area_of(cut, after, before, other) >= 0.0) {
            return false;
        }
    }
    return true;
}

static double
length_of(const struct cn_cut *cut, int a, int b)
{
    return cn_vec2_length(cn_vec2_sub(cut->corner[a], cut->corner[b]));
}

/* The ear with the shortest cut, so that slivers are few.  If there is no ear, any corner. */
static int
best_ear(const struct cn_cut *cut, const int *left, int count)
{
    int best = -1;
    double shortest = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        double length = length_of(cut, left[(i + count - 1) % count], left[(i + 1) % count]);
        if (length < shortest && is_ear(cut, left, count, i)) {
            shortest = length;
            best = i;
        }
    }
    return best < 0 ? 0 : best;
}

static void
add_piece(struct cn_cut *cut, int a, int b, int c)
{
    CN_ASSERT(cut->piece_count < CN_CUT_VERTICES_MAX);
    CN_ASSERT(a < cut->count && b < cut->count && c < cut->count);
    uint16_t *corner = cut->piece[cut->piece_count];
    corner[0] = (uint16_t)a;
    corner[1] = (uint16_t)b;
    corner[2] = (uint16_t)c;
    cut->piece_corners[cut->piece_count++] = 3;
}

static void
clip_ears(struct cn_cut *cut)
{
    CN_ASSERT(cut->count >= 3);
    int left[CN_CUT_VERTICES_MAX], count = cut->count;
    for (int i = 0; i < count; i++) {
        left[i] = i;
    }
    while (count >= 3) {
        int i = count == 3 ? 1 : best_ear(cut, left, count);
        int before = left[(i + count - 1) % count], after = left[(i + 1) % count];
        /* Three corners on a line are no triangle: their edges lie on the edge of a neighbour. */
        add_piece(cut, before, left[i], after);
        count--;
        for (int k = i; k < count; k++) {
            left[k] = left[k + 1];
        }
    }
}

/* Whether four corners make a convex quadrangle that rounding can tell from a triangle. */
static bool
is_convex(const struct cn_cut *cut, const uint16_t corner[4])
{
    for (int i = 0; i < 4; i++) {
        int a = corner[i], b = corner[(i + 1) % 4], c = corner[(i + 2) % 4];
        if (area_of(cut, a, b, c) <= STRAIGHT_SINE * length_of(cut, a, b) * length_of(cut, b, c)) {
            return false;
        }
    }
    return true;
}

/* Joins triangle k to triangle i across a common edge, where that gives a convex quadrangle. */
static bool
join(struct cn_cut *cut, int i, int k)
{
    CN_ASSERT(cut->piece_corners[i] == 3 && cut->piece_corners[k] == 3);
    const uint16_t *p = cut->piece[i], *q = cut->piece[k];
    for (int s = 0; s < 3; s++) {
        for (int t = 0; t < 3; t++) {
            if (p[s] == q[(t + 1) % 3] && p[(s + 1) % 3] == q[t]) {
                uint16_t four[4] = {p[s], q[(t + 2) % 3], p[(s + 1) % 3], p[(s + 2) % 3]};
                if (is_convex(cut, four)) {
                    for (int j = 0; j < 4; j++) {
                        cut->piece[i][j] = four[j];
                    }
                    cut->piece_corners[i] = 4;
                    return true;
                }
            }
        }
    }
    return false;
}

static void
join_triangles(struct cn_cut *cut)
{
    for (int i = 0; i < cut->piece_count; i++) {
        for (int k = i + 1; k < cut->piece_count && cut->piece_corners[i] == 3; k++) {
            if (cut->piece_corners[k] != 3 || !join(cut, i, k)) {
                continue;
            }
            cut->piece_count--;
            for (int j = k; j < cut->piece_count; j++) {
                cut->piece_corners[j] = cut->piece_corners[j + 1];
                for (int c = 0; c < CN_CUT_CORNERS_MAX; c++) {
                    cut->piece[j][c] = cut->piece[j + 1][c];
                }
            }
        }
    }
}

void
cn_cut_make(struct cn_cut *cut, const struct cn_shape *shape)
{
    cut->open = shape->open;
    cut->solid = shape->kind == CN_SHAPE_OUTLINE;
    cut->piece_count = 0;
    flatten(cut, shape);
    if (cut->solid) {
        clip_ears(cut);
        CN_ASSERT(cut->piece_count == cut->count - 2); /* triangles of a simple polygon */
        join_triangles(cut);
        return;
    }
    for (int i = 0; i + (cut->open ? 1 : 0) < cut->count; i++) {
        cut->piece[i][0] = (uint16_t)i;
        cut->piece[i][1] = (uint16_t)((i + 1) % cut->count);
        cut->piece_corners[i] = 2;
        cut->piece_count++;
    }
}

static cn_vec2
normal_of(const struct cn_cut *cut, int from, int to)
{
    cn_vec2 along = cn_vec2_sub(cut->corner[to], cut->corner[from]);
    return cn_vec2_right(cn_vec2_scale(along, 1.0 / cn_vec2_length(along)));
}

static cn_vec2
left_of(cn_vec2 v)
{
    return (cn_vec2){-v.y, v.x};
}

/* Sets the sector of a corner of the ring. */
static void
set_sector(const struct cn_cut *cut, int i, struct cn_cut_corner *corner)
{
    int before = (i + cut->count - 1) % cut->count, after = (i + 1) % cut->count;
    bool is_first = cut->open && i == 0, is_last = cut->open && i == cut->count - 1;
    cn_vec2 in = is_first ? (cn_vec2){0.0, 0.0} : normal_of(cut, before, i);
    cn_vec2 out = is_last ? left_of(in) : normal_of(cut, i, after);
    if (is_first) {
        in = cn_vec2_scale(left_of(out), -1.0);
    }
    corner->has_sector = cn_vec2_cross(in, out) >= -STRAIGHT_SINE;
    corner->is_end = is_first || is_last;
    corner->first = in;
    corner->last = out;
}

struct cn_cut_piece
cn_cut_piece_at(const struct cn_cut *cut, int piece)
{
    CN_ASSERT(0 <= piece && piece < cut->piece_count);
    int n = cut->piece_corners[piece];
    CN_ASSERT(2 <= n && n <= CN_CUT_CORNERS_MAX);
    struct cn_cut_piece made = {.count = n};
    bool is_border[CN_CUT_CORNERS_MAX];
    for (int k = 0; k < n; k++) {
        int i = cut->piece[piece][k], next = cut->piece[piece][(k + 1) % n];
        is_border[k] = n == 2 ? k == 0 : next == (i + 1) % cut->count;
        made.corner[k].place = cut->corner[i];
        made.corner[k].is_border = is_border[k];
        made.corner[k].normal = normal_of(cut, i, next);
    }
    for (int k = 0; k < n; k++) {
        if (is_border[(k + n - 1) % n] || is_border[k]) {
            set_sector(cut, cut->piece[piece][k], &made.corner[k]);
        }
    }
    return made;
}
