#include "engine/collide/query/gjk.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

/* Parts of the size of B - A: the rounding error of a length, and of a product. */
#define TOUCH_RATIO 1e-15
#define PROGRESS_RATIO 4e-16

/*
 * Successive rounds in which rounding may keep |v|^2 from falling, and by how much it may then
 * rise.
 */
#define STALLS_MAX 8
#define STALL_RATIO 1e-14

/*
 * Part of the product of its edges: a tetrahedron or triangle of less volume or area counts as
 * flat.
 */
#define FLAT_RATIO 1e-12

struct vertex {
    cn_vec3 w, a, b;
    int index_a, index_b;
};

struct simplex {
    int count;
    struct vertex vertex[4];
};

/* The nearest point of a face of the simplex to the origin, and its barycentric weights. */
struct nearest {
    cn_vec3 v;
    double square; /* |v|^2 */
    int count;
    int index[4]; /* of the simplex's vertices */
    double weight[4];
};

static void
take_better(struct nearest *best, const struct nearest *other)
{
    if (other->square < best->square) {
        *best = *other;
    }
}

static struct nearest
on_vertex(const struct simplex *s, int i)
{
    cn_vec3 w = s->vertex[i].w;
    return (struct nearest){
        .v = w, .square = cn_vec3_dot(w, w), .count = 1, .index = {i}, .weight = {1.0}};
}

static struct nearest
on_edge(const struct simplex *s, int i, int k)
{
    cn_vec3 p = s->vertex[i].w, q = s->vertex[k].w, along = cn_vec3_sub(q, p);
    double square = cn_vec3_dot(along, along), at = -cn_vec3_dot(p, along);
    if (at <= 0.0) {
        return on_vertex(s, i);
    }
    if (at >= square) {
        return on_vertex(s, k);
    }
    double t = at / square;
    /* Measured from the nearer end, so that a near foot keeps its digits on a long edge. */
    cn_vec3 v = t < 0.5 ? cn_vec3_add_scaled(p, t, along)
                        : cn_vec3_add_scaled(q, cn_vec3_dot(q, along) / square * -1.0, along);
    /*
     * A short v across a long edge: the rounding error along the edge would change its direction.
     */
    v = cn_vec3_add_scaled(v, -cn_vec3_dot(v, along) / square, along);
    return (struct nearest){.v = v,
        .square = cn_vec3_dot(v, v),
        .count = 2,
        .index = {i, k},
        .weight = {1.0 - t, t}};
}

/* The foot of the origin in a triangle; false where it is outside the triangle. */
static bool
within_triangle(const struct simplex *s, const int index[3], struct nearest *found)
{
    cn_vec3 a = s->vertex[index[0]].w, b = s->vertex[index[1]].w, c = s->vertex[index[2]].w;
    cn_vec3 ab = cn_vec3_sub(b, a), ac = cn_vec3_sub(c, a), n = cn_vec3_cross(ab, ac);
    double area = cn_vec3_length(n), edges = cn_vec3_length(ab) * cn_vec3_length(ac);
    if (area <= FLAT_RATIO * edges) {
        return false;
    }
    double wa = cn_vec3_dot(n, cn_vec3_cross(b, c)), wb = cn_vec3_dot(n, cn_vec3_cross(c, a));
    double wc = cn_vec3_dot(n, cn_vec3_cross(a, b)), sum = wa + wb + wc;
    if (wa <= 0.0 || wb <= 0.0 || wc <= 0.0) {
        return false;
    }
    cn_vec3 unit = cn_vec3_scale(n, 1.0 / area);
    cn_vec3 v = cn_vec3_scale(unit, cn_vec3_dot(unit, a));
    *found = (struct nearest){.v = v,
        .square = cn_vec3_dot(v, v),
        .count = 3,
        .index = {index[0], index[1], index[2]},
        .weight = {wa / sum, wb / sum, wc / sum}};
    return true;
}

static struct nearest
on_triangle(const struct simplex *s, int i, int j, int k)
{
    const int index[3] = {i, j, k};
    struct nearest best;
    if (within_triangle(s, index, &best)) {
        return best;
    }
    best = on_edge(s, i, j);
    struct nearest other = on_edge(s, j, k);
    take_better(&best, &other);
    other = on_edge(s, k, i);
    take_better(&best, &other);
    return best;
}

/* Six times the signed volume of three vertices and the origin. */
static double
signed_volume(const struct simplex *s, int i, int j, int k)
{
    return cn_vec3_dot(s->vertex[i].w, cn_vec3_cross(s->vertex[j].w, s->vertex[k].w));
}

/* Whether the origin is strictly within a tetrahedron that is not flat; fills its weights. */
static bool
within_tetrahedron(const struct simplex *s, struct nearest *found)
{
    cn_vec3 a = s->vertex[0].w, ab = cn_vec3_sub(s->vertex[1].w, a);
    cn_vec3 ac = cn_vec3_sub(s->vertex[2].w, a), ad = cn_vec3_sub(s->vertex[3].w, a);
    double whole = cn_vec3_dot(ab, cn_vec3_cross(ac, ad));
    double edges = cn_vec3_length(ab) * cn_vec3_length(ac) * cn_vec3_length(ad);
    if (fabs(whole) <= FLAT_RATIO * edges) {
        return false;
    }
    double part[4] = {signed_volume(s, 1, 2, 3) / whole, -signed_volume(s, 0, 2, 3) / whole,
        signed_volume(s, 0, 1, 3) / whole, -signed_volume(s, 0, 1, 2) / whole};
    for (int i = 0; i < 4; i++) {
        if (part[i] <= 0.0) {
            return false;
        }
    }
    *found = (struct nearest){.count = 4,
        .index = {0, 1, 2, 3},
        .weight = {part[0], part[1], part[2], part[3]}};
    return true;
}

static struct nearest
on_simplex(const struct simplex *s)
{
    if (s->count == 1) {
        return on_vertex(s, 0);
    }
    if (s->count == 2) {
        return on_edge(s, 0, 1);
    }
    struct nearest best = on_triangle(s, 0, 1, 2);
    if (s->count == 4) {
        struct nearest other;
        if (within_tetrahedron(s, &other)) {
            return other;
        }
        other = on_triangle(s, 0, 1, 3);
        take_better(&best, &other);
        other = on_triangle(s, 0, 2, 3);
        take_better(&best, &other);
        other = on_triangle(s, 1, 2, 3);
        take_better(&best, &other);
    }
    return best;
}

/* Keeps only the vertices of the simplex that carry the nearest point, in their order. */
static void
reduce_simplex(struct simplex *s, struct nearest *at)
{
    CN_ASSERT(0 < at->count && at->count <= s->count);
    struct simplex kept = {.count = at->count};
    for (int i = 0; i < at->count; i++) {
        kept.vertex[i] = s->vertex[at->index[i]];
        at->index[i] = i;
    }
    *s = kept;
}

static struct vertex
vertex_of(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a, int index_a,
    int index_b)
{
    CN_ASSERT(0 <= index_a && index_a < a->vertex_count);
    CN_ASSERT(0 <= index_b && index_b < b->vertex_count);
    struct vertex v = {.index_a = index_a, .index_b = index_b};
    v.a = cn_convex_vertex(a, index_a);
    v.b = cn_pose_apply(b_in_a, cn_convex_vertex(b, index_b));
    v.w = cn_vec3_sub(v.b, v.a);
    return v;
}

/* The vertex of B - A farthest along `down`. */
static struct vertex
support_vertex(
    const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a, cn_vec3 down)
{
    struct vertex v;
    v.a = cn_convex_support(a, cn_vec3_negate(down), &v.index_a);
    cn_vec3 local = cn_convex_support(b, cn_pose_turn_back(b_in_a, down), &v.index_b);
    v.b = cn_pose_apply(b_in_a, local);
    v.w = cn_vec3_sub(v.b, v.a);
    return v;
}

static bool
is_known(const struct simplex *s, const struct vertex *v)
{
    for (int i = 0; i < s->count; i++) {
        const struct vertex *known = &s->vertex[i];
        bool same_feature = v->index_a >= 0 && v->index_b >= 0 && known->index_a == v->index_a &&
                            known->index_b == v->index_b;
        bool same_place = known->w.x == v->w.x && known->w.y == v->w.y && known->w.z == v->w.z;
        if (same_feature || same_place) {
            return true;
        }
    }
    return false;
}

static double
size_of(const struct simplex *s)
{
    double square = 0.0;
    for (int i = 0; i < s->count; i++) {
        square = cn_max(square, cn_vec3_dot(s->vertex[i].w, s->vertex[i].w));
        square = cn_max(square, cn_vec3_dot(s->vertex[i].a, s->vertex[i].a));
    }
    return sqrt(square);
}

static void
start_simplex(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a,
    const struct cn_gjk_seed *seed, struct simplex *s)
{
    CN_ASSERT(seed == NULL || (0 <= seed->count && seed->count <= 4));
    s->count = 0;
    for (int i = 0; seed != NULL && i < seed->count; i++) {
        struct vertex v = vertex_of(a, b, b_in_a, seed->index_a[i], seed->index_b[i]);
        if (!is_known(s, &v)) {
            s->vertex[s->count++] = v;
        }
    }
    if (s->count == 0) {
        s->vertex[s->count++] = vertex_of(a, b, b_in_a, 0, 0);
    }
}

/* Points of arcs have no index and are not in the seed. */
static void
keep_seed(const struct simplex *s, struct cn_gjk_seed *seed)
{
    seed->count = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->vertex[i].index_a >= 0 && s->vertex[i].index_b >= 0) {
            seed->index_a[seed->count] = s->vertex[i].index_a;
            seed->index_b[seed->count++] = s->vertex[i].index_b;
        }
    }
}

static void
make_result(const struct simplex *s, const struct nearest *at, double size, double low,
    struct cn_gjk *result)
{
    cn_vec3 zero = {0.0, 0.0, 0.0};
    result->point_a = zero;
    result->point_b = zero;
    for (int i = 0; i < at->count; i++) {
        result->point_a = cn_vec3_add_scaled(result->point_a, at->weight[i], s->vertex[i].a);
        result->point_b = cn_vec3_add_scaled(result->point_b, at->weight[i], s->vertex[i].b);
    }
    double length = sqrt(at->square);
    bool apart = at->count < 4 && length > TOUCH_RATIO * size;
    result->distance = apart ? length : 0.0;
    result->normal = apart ? cn_vec3_scale(at->v, 1.0 / length) : zero;
    result->bound = apart ? cn_clamp(low / length, 0.0, length) : 0.0;
}

/* A simplex, its nearest point, and the bound that the axis of that proves. */
struct state {
    struct simplex s;
    struct nearest at;
    double low; /* v . w of the farthest vertex along -v; at most |v|^2 */
};

/* Whether the axis of `a` proves a larger bound than that of `b`. */
static bool
proves_more(const struct state *a, const struct state *b)
{
    return a->low * sqrt(b->at.square) > b->low * sqrt(a->at.square);
}

static bool
is_touching(const struct state *state, double size)
{
    return state->at.count == 4 || sqrt(state->at.square) <= TOUCH_RATIO * size;
}

/*
 * The vertex that joins next; false: no vertex makes progress.  Sets the bound of the present axis.
 */
static bool
find_next(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a, double size,
    struct state *state, struct vertex *next)
{
    double length = sqrt(state->at.square);
    *next = support_vertex(a, b, b_in_a, cn_vec3_negate(state->at.v));
    state->low = cn_vec3_dot(state->at.v, next->w);
    double progress = state->at.square - state->low;
    return !is_known(&state->s, next) && progress > PROGRESS_RATIO * length * (length + size);
}

static struct state
join_vertex(const struct state *state, const struct vertex *next)
{
    CN_ASSERT(state->s.count < 4); /* with four the origin is within, and the search has ended */
    struct state grown = *state;
    grown.s.vertex[grown.s.count++] = *next;
    grown.at = on_simplex(&grown.s);
    grown.low = 0.0;
    reduce_simplex(&grown.s, &grown.at);
    return grown;
}

void
cn_gjk(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a,
    struct cn_gjk_seed *seed, struct cn_gjk *result)
{
    struct state state = {.low = 0.0}, best;
    start_simplex(a, b, b_in_a, seed, &state.s);
    state.at = on_simplex(&state.s);
    reduce_simplex(&state.s, &state.at);
    best = state;
    double size = size_of(&state.s);
    int stall_count = 0;
    *result = (struct cn_gjk){.is_cut_off = true};
    while (result->round_count < CN_GJK_ROUNDS_MAX && result->is_cut_off) {
        struct vertex next;
        result->round_count++;
        bool touches = is_touching(&state, size);
        bool goes_on = !touches && find_next(a, b, b_in_a, size, &state, &next);
        best = touches || stall_count == 0 || proves_more(&state, &best) ? state : best;
        struct state grown = goes_on ? join_vertex(&state, &next) : state;
        stall_count = grown.at.square < state.at.square ? 0 : stall_count + 1;
        result->is_cut_off = goes_on && stall_count <= STALLS_MAX &&
                             grown.at.square <= state.at.square * (1.0 + STALL_RATIO);
        state = grown;
        size = cn_max(size, size_of(&state.s));
    }
    make_result(&best.s, &best.at, size, best.low, result);
    if (seed != NULL) {
        keep_seed(&best.s, seed);
    }
}

bool
cn_gjk_is_within(
    const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a, double reach)
{
    struct state state = {.low = 0.0};
    struct vertex next;
    start_simplex(a, b, b_in_a, NULL, &state.s);
    state.at = on_simplex(&state.s);
    double size = size_of(&state.s);
    for (int round = 0; round < CN_GJK_ROUNDS_MAX; round++) {
        if (state.at.square <= reach * reach || is_touching(&state, size)) {
            return true;
        }
        bool goes_on = find_next(a, b, b_in_a, size, &state, &next);
        if (!goes_on || state.low > reach * sqrt(state.at.square)) {
            return false;
        }
        double before = state.at.square;
        state = join_vertex(&state, &next);
        size = cn_max(size, size_of(&state.s));
        if (state.at.square >= before) {
            return sqrt(state.at.square) <= reach;
        }
    }
    return false;
}
