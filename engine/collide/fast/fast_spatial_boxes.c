/*
 * fast_spatial_boxes.c: two boxes.
 *
 * Fifteen axes, four lanes at a time: the three faces of each box, and the nine products of their
 * edges.  With C = RA' RB and t from A's centre to B's in A's axes,
 *
 *     side of A's face i    |t_i| - hA_i - sum_j |C_ij| hB_j                    and B's likewise
 *     side of a_i x b_j     (|t_k C_lj - t_l C_kj| - hA_k |C_lj| - hA_l |C_kj|
 *                            - hB_m |C_in| - hB_n |C_im|) / sqrt(C_kj^2 + C_lj^2)
 *
 * with (k, l) and (m, n) the two indices that follow i and j.  A face is taken unless two edges
 * are clearly better.
 *
 * Source: Gottschalk, Lin and Manocha, SIGGRAPH 96, section 5.
 */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_box.h"

struct boxes {
    const struct cn_fast_pair *pair;
    struct cn_fast_frame a, b;   /* in world axes, from A's centre of mass */
    struct cn_fast_turn3 b_in_a; /* C by columns: B's axes in A's frame */
    struct cn_fast_turn3 a_in_b; /* C by rows */
    cn_four half_a, half_b;
    cn_four to_b;      /* t: from A's centre to B's, A's axes */
    cn_four to_b_in_b; /* the same in B's axes */
    cn_four face_a, face_b; /* sides; the fourth lanes are not used */
    cn_four edge[3];        /* of a_i x b_j in lane j of edge[i] */
    cn_four best_edge;      /* the largest of the three */
    float tie;
};

static cn_four
reach_of(const struct cn_fast_turn3 *turn, cn_four half)
{
    return cn_four_order(half, 0, 0, 0, 0) * cn_four_abs(turn->axis[0]) +
           cn_four_order(half, 1, 1, 1, 1) * cn_four_abs(turn->axis[1]) +
           cn_four_order(half, 2, 2, 2, 2) * cn_four_abs(turn->axis[2]);
}

/* Returns whether the boxes are near along all six face normals. */
static bool
try_faces(struct boxes *s)
{
    struct cn_fast_turn3 world_in_a = cn_fast_frame_back(&s->a);
    s->b_in_a = cn_fast_turn3_of(&world_in_a, &s->b);
    s->to_b = cn_fast_turn3_apply(&world_in_a, s->b.origin - s->a.origin);
    s->face_a = cn_four_abs(s->to_b) - s->half_a - reach_of(&s->b_in_a, s->half_b);
    cn_four margin = cn_four_splat(s->pair->margin);
    if (cn_four_bits(s->face_a > margin) & 7) {
        return false;
    }
    s->a_in_b = cn_fast_turn3_back(&s->b_in_a);
    s->to_b_in_b = cn_fast_turn3_apply(&s->a_in_b, s->to_b);
    s->face_b = cn_four_abs(s->to_b_in_b) - s->half_b - reach_of(&s->a_in_b, s->half_a);
    return (cn_four_bits(s->face_b > margin) & 7) == 0;
}

/*
 * The axes a_i x b_j for one i and all j: row_i, row_k, row_l of C, and t and half of A in all
 * lanes.
 */
static inline cn_four
edges_of(const struct boxes *s, cn_four row_i, cn_four row_k, cn_four row_l, cn_four t_k,
    cn_four t_l, cn_four half_k, cn_four half_l)
{
    cn_four distance = cn_four_abs(t_l * row_k - t_k * row_l);
    cn_four reach_a = half_k * cn_four_abs(row_l) + half_l * cn_four_abs(row_k);
    cn_four own = cn_four_abs(row_i);
    cn_four reach_b = cn_four_order(s->half_b, 1, 2, 0, 3) * cn_four_order(own, 2, 0, 1, 3) +
                      cn_four_order(s->half_b, 2, 0, 1, 3) * cn_four_order(own, 1, 2, 0, 3);
    cn_four square = row_k * row_k + row_l * row_l;
    cn_four_mask crosses = square > cn_four_splat(CN_FAST_PARALLEL * CN_FAST_PARALLEL);
    square = cn_four_max(square, cn_four_splat(CN_FAST_PARALLEL * CN_FAST_PARALLEL));
    cn_four side = (distance - reach_a - reach_b) / cn_four_sqrt(square);
    return cn_four_select(crosses, side, cn_four_splat(-HUGE_VALF));
}

static bool
try_edges(struct boxes *s)
{
    cn_four t = s->to_b, h = s->half_a;
    cn_four t0 = cn_four_order(t, 0, 0, 0, 0), h0 = cn_four_order(h, 0, 0, 0, 0);
    cn_four t1 = cn_four_order(t, 1, 1, 1, 1), h1 = cn_four_order(h, 1, 1, 1, 1);
    cn_four t2 = cn_four_order(t, 2, 2, 2, 2), h2 = cn_four_order(h, 2, 2, 2, 2);
    const cn_four *row = s->a_in_b.axis;
    s->edge[0] = edges_of(s, row[0], row[1], row[2], t1, t2, h1, h2);
    s->edge[1] = edges_of(s, row[1], row[2], row[0], t2, t0, h2, h0);
    s->edge[2] = edges_of(s, row[2], row[0], row[1], t0, t1, h0, h1);
    s->best_edge = cn_four_max(cn_four_max(s->edge[0], s->edge[1]), s->edge[2]);
    return (cn_four_bits(s->best_edge > cn_four_splat(s->pair->margin)) & 7) == 0;
}

/* The largest of the first three lanes and a number. */
static float
largest_of(cn_four a, float b)
{
    float x = a[0] > b ? a[0] : b, y = a[1] > a[2] ? a[1] : a[2];
    return x > y ? x : y;
}

struct choice {
    bool is_a; /* whether the face is A's */
    int face;  /* axis of the face */
    float side;
};

/* The face along which the boxes overlap least; in a tie the face of the last tick stays. */
static struct choice
choose_face(const struct boxes *s)
{
    float side_a[4], side_b[4], more_a = 0.5F * s->tie, more_b = 0.0F;
    cn_four_store(side_a, s->face_a);
    cn_four_store(side_b, s->face_b);
    int a = side_a[1] > side_a[0] ? 1 : 0, b = side_b[1] > side_b[0] ? 1 : 0;
    a = side_a[2] > side_a[a] ? 2 : a;
    b = side_b[2] > side_b[b] ? 2 : b;
    uint32_t kind = s->pair->hint >> 30, last = s->pair->hint >> 22 & 3;
    if (kind == CN_FAST_AXIS_FACE_A && last < 3) {
        a = side_a[last] + s->tie >= side_a[a] ? (int)last : a;
        more_a += s->tie;
    } else if (kind == CN_FAST_AXIS_FACE_B && last < 3) {
        b = side_b[last] + s->tie >= side_b[b] ? (int)last : b;
        more_b += s->tie;
    }
    return side_a[a] + more_a >= side_b[b] + more_b ? (struct choice){true, a, side_a[a]}
                                                    : (struct choice){false, b, side_b[b]};
}

static void
best_edges(const struct boxes *s, int *i_best, int *j_best, float *side)
{
    *side = -HUGE_VALF;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (s->edge[i][j] > *side) {
                *side = s->edge[i][j];
                *i_best = i;
                *j_best = j;
            }
        }
    }
}

/* The nearest points of two lines p + x u and q + y v, u and v unit, as x and y. */
static void
nearest_of_lines(cn_four p, cn_four u, cn_four q, cn_four v, float *x, float *y)
{
    cn_four way = q - p;
    float uv = cn_four_dot3(u, v), pu = cn_four_dot3(way, u), pv = cn_four_dot3(way, v);
    float determinant = 1.0F - uv * uv;
    *x = (pu - uv * pv) / determinant;
    *y = (uv * pu - pv) / determinant;
}

/* The middle of the edge along `axis` that lies farthest along `way`; sets the edge's name. */
static cn_four
edge_of(cn_four half, cn_four way, int axis, int *name)
{
    static const int next_of[5] = {1, 2, 0, 1, 2};
    int k = next_of[axis], l = next_of[axis + 1];
    float place[3];
    place[axis] = 0.0F;
    place[k] = way[k] < 0.0F ? -half[k] : half[k];
    place[l] = way[l] < 0.0F ? -half[l] : half[l];
    *name = cn_fast_box_edge(axis, way[k] >= 0.0F, way[l] >= 0.0F);
    return cn_four_set3(place[0], place[1], place[2]);
}

/* Adds one point for two edges that cross.  False: they miss each other. */
static bool
add_edges(const struct boxes *s, int i, int j)
{
    static const cn_four unit[3] = {{1.0F}, {0.0F, 1.0F}, {0.0F, 0.0F, 1.0F}};
    cn_four along_b = s->b_in_a.axis[j];
    cn_four normal = cn_four_cross(unit[i], along_b);
    normal = normal / cn_four_splat(sqrtf(cn_four_dot3(normal, normal)));
    if (cn_four_dot3(normal, s->to_b) < 0.0F) {
        normal = -normal;
    }
    int name_a, name_b;
    cn_four on_a = edge_of(s->half_a, normal, i, &name_a);
    cn_four on_b = edge_of(s->half_b, -cn_fast_turn3_apply(&s->a_in_b, normal), j, &name_b);
    on_b = s->to_b + cn_fast_turn3_apply(&s->b_in_a, on_b);
    float x, y;
    nearest_of_lines(on_a, unit[i], on_b, along_b, &x, &y);
    if (!(fabsf(x) <= s->half_a[i] + s->tie && fabsf(y) <= s->half_b[j] + s->tie)) {
        return false;
    }
    on_a += cn_four_splat(x) * unit[i];
    on_b += cn_four_splat(y) * along_b;
    cn_fast_set_normal(s->pair, cn_fast_turn(&s->a, normal));
    cn_fast_add(s->pair, cn_fast_apply(&s->a, cn_four_splat(0.5F) * (on_a + on_b)),
        cn_four_dot3(normal, on_b - on_a), cn_fast_feature_edges(true, name_a, name_b));
    s->pair->out->hint = cn_fast_hint_pack(CN_FAST_AXIS_EDGES, name_a, name_b);
    return true;
}

static void
make_face(const struct boxes *s, const struct choice *choice, struct cn_fast_box_face *face)
{
    bool is_a = choice->is_a;
    face->frame = is_a ? &s->a : &s->b;
    face->other = is_a ? &s->b_in_a : &s->a_in_b;
    face->back = is_a ? &s->a_in_b : &s->b_in_a;
    face->to_other = is_a ? s->to_b : -s->to_b_in_b;
    face->half = is_a ? s->half_a : s->half_b;
    face->half_other = is_a ? s->half_b : s->half_a;
    face->is_a = is_a;
    face->axis = choice->face;
    face->tie = s->tie;
    face->margin = s->pair->margin;
}

/*
 * The side from which on edges are better than the face.  They must be clearly better, because a
 * face gives more points.  But if cutting removed the deepest corner, the face was a wrong guess,
 * and edges that are as good as the face are better.
 */
static float
side_to_beat(const struct boxes *s, const struct choice *choice, float deepest)
{
    if (deepest > choice->side + 2.0F * s->tie) {
        return choice->side - s->tie;
    }
    return deepest + (s->pair->hint >> 30 == CN_FAST_AXIS_EDGES ? 0.0F : s->tie);
}

/* Adds the point of the two best edges, if their side is larger.  False: no point was added. */
static bool
try_best_edges(const struct boxes *s, float beat)
{
    if ((cn_four_bits(s->best_edge > cn_four_splat(beat)) & 7) == 0) {
        return false;
    }
    int i = 0, j = 0;
    float side;
    best_edges(s, &i, &j, &side);
    return add_edges(s, i, j);
}

void
cn_fast_box_box(const struct cn_fast_pair *pair)
{
    struct boxes s; /* large; an initializer would clear all of it */
    CN_ASSERT(pair->a->form == CN_FAST3_BOX && pair->b->form == CN_FAST3_BOX);
    s.pair = pair;
    s.a = cn_fast_box_frame(pair->a, pair->place_a, cn_four_splat(0.0F));
    s.b = cn_fast_box_frame(pair->b, pair->place_b, pair->between);
    s.half_a = cn_four_load(pair->a->half);
    s.half_b = cn_four_load(pair->b->half);
    s.tie = CN_FAST_TIE * (pair->a->width < pair->b->width ? pair->a->width : pair->b->width);
    if (!try_faces(&s) || !try_edges(&s)) {
        return;
    }
    struct choice choice = choose_face(&s);
    float most = largest_of(s.best_edge, choice.side);
    struct cn_fast_box_face face; /* large; an initializer would clear all of it */
    make_face(&s, &choice, &face);
    face.least = most >= 0.0F ? most - 0.1F * s.tie : -HUGE_VALF;
    cn_fast_box_clip(&face);
    if (try_best_edges(&s, side_to_beat(&s, &choice, face.deepest))) {
        return;
    }
    if (face.count == 0 && most <= 0.0F) {
        cn_fast_box_touch(&face);
    }
    cn_fast_box_emit(pair, &face);
}
