#include "prove/patch.h"

#include "engine/base/assert.h"

/* Points of the plane: c[0] and c[1] are two coordinates, c[2] stays 0. */
struct spots {
    int count, room;
    pv_vec *at;
};

static void
spots_init(struct spots *s, int room)
{
    *s = (struct spots){.room = room, .at = pv_alloc((size_t)room, sizeof(*s->at))};
    for (int i = 0; i < room; i++) {
        pv_vec_init(&s->at[i]);
    }
}

static void
spots_finish(struct spots *s)
{
    for (int i = 0; i < s->room; i++) {
        pv_vec_clear(&s->at[i]);
    }
    pv_free(s->at);
}

static pv_vec *
add_spot(struct spots *s)
{
    CN_ASSERT(s->count < s->room);
    return &s->at[s->count++];
}

void
pv_round(mpq_t x, unsigned bits)
{
    if (mpz_sizeinbase(mpq_denref(x), 2) <= bits) {
        return;
    }
    mpq_t half;
    mpz_t whole;
    mpq_init(half);
    mpz_init(whole);
    mpq_set_ui(half, 1, 2);
    mpq_mul_2exp(x, x, bits);
    mpq_add(x, x, half);
    mpz_fdiv_q(whole, mpq_numref(x), mpq_denref(x));
    mpq_set_z(x, whole);
    mpq_div_2exp(x, x, bits);
    mpz_clear(whole);
    mpq_clear(half);
}

void
pv_vec_round(pv_vec *v, unsigned bits)
{
    for (int k = 0; k < 3; k++) {
        pv_round(v->c[k], bits);
    }
}

/* Compares by the first coordinate, then the second, then the third. */
static int
compare_points(const pv_vec *p, const pv_vec *q)
{
    int order = mpq_cmp(p->c[0], q->c[0]);
    order = order != 0 ? order : mpq_cmp(p->c[1], q->c[1]);
    return order != 0 ? order : mpq_cmp(p->c[2], q->c[2]);
}

static void
sort_points(pv_vec *at, int count)
{
    for (int i = 1; i < count; i++) {
        pv_vec moved = at[i]; /* GMP numbers may be moved in memory */
        int k = i;
        for (; k > 0 && compare_points(&moved, &at[k - 1]) < 0; k--) {
            at[k] = at[k - 1];
        }
        at[k] = moved;
    }
}

/* out = (b - a) x (c - a) */
static void
turn_of(mpq_t out, const pv_vec *a, const pv_vec *b, const pv_vec *c)
{
    mpq_t d, e;
    mpq_inits(d, e, NULL);
    mpq_sub(d, b->c[0], a->c[0]);
    mpq_sub(e, c->c[1], a->c[1]);
    mpq_mul(out, d, e);
    mpq_sub(d, b->c[1], a->c[1]);
    mpq_sub(e, c->c[0], a->c[0]);
    pv_sub_product(out, d, e);
    mpq_clears(d, e, NULL);
}

/* Appends to a chain; drops points at which it would not turn left. */
static void
extend_chain(struct spots *chain, int begin, const pv_vec *p)
{
    mpq_t turn;
    mpq_init(turn);
    while (chain->count - begin >= 2) {
        turn_of(turn, &chain->at[chain->count - 2], &chain->at[chain->count - 1], p);
        if (mpq_sgn(turn) > 0) {
            break;
        }
        chain->count--;
    }
    pv_vec_set(add_spot(chain), p);
    mpq_clear(turn);
}

/* Replaces points by the corners of their hull, counter-clockwise from the first (Andrew 1979). */
static void
take_hull(struct spots *s)
{
    struct spots chain;
    sort_points(s->at, s->count);
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        if (kept == 0 || compare_points(&s->at[kept - 1], &s->at[i]) != 0) {
            pv_vec_set(&s->at[kept++], &s->at[i]);
        }
    }
    s->count = kept;
    if (kept < 3) {
        return;
    }
    spots_init(&chain, 2 * kept + 2);
    for (int i = 0; i < kept; i++) {
        extend_chain(&chain, 0, &s->at[i]);
    }
    int begin = chain.count - 1;
    for (int i = kept - 2; i >= 0; i--) {
        extend_chain(&chain, begin, &s->at[i]);
    }
    s->count = chain.count - 1; /* the chain ends where it begins */
    for (int i = 0; i < s->count; i++) {
        pv_vec_set(&s->at[i], &chain.at[i]);
    }
    spots_finish(&chain);
}

/* out = p + (q - p) here / (here - there) */
static void
add_crossing(struct spots *out, const pv_vec *p, const pv_vec *q, const mpq_t here,
    const mpq_t there)
{
    pv_vec edge;
    mpq_t part;
    mpq_init(part);
    pv_vec_init(&edge);
    mpq_sub(part, here, there);
    CN_ASSERT(mpq_sgn(part) != 0); /* the ends are on different sides */
    mpq_div(part, here, part);
    pv_vec_sub(&edge, q, p);
    pv_vec_add_scaled(add_spot(out), p, part, &edge);
    pv_vec_clear(&edge);
    mpq_clear(part);
}

/* The side of the line from a to b on which p lies; 0: on it, within `slack` in length. */
static int
side_of(const pv_vec *a, const pv_vec *b, const pv_vec *p, const mpq_t slack, mpq_t turn)
{
    turn_of(turn, a, b, p);
    if (mpq_sgn(turn) == 0 || mpq_sgn(slack) == 0) {
        return mpq_sgn(turn);
    }
    pv_vec d;
    mpq_t square, wall;
    mpq_inits(square, wall, NULL);
    pv_vec_init(&d);
    pv_vec_sub(&d, b, a);
    pv_dot(wall, &d, &d);
    mpq_mul(wall, wall, slack);
    mpq_mul(wall, wall, slack);
    mpq_mul(square, turn, turn);
    int side = mpq_cmp(square, wall) <= 0 ? 0 : mpq_sgn(turn);
    pv_vec_clear(&d);
    mpq_clears(square, wall, NULL);
    return side;
}

/* Whether p lies on a segment or point, within `slack` beside it and exactly between its ends. */
static bool
is_on(const pv_vec *p, const struct spots *segment, const mpq_t slack)
{
    const pv_vec *a = &segment->at[0], *b = &segment->at[segment->count - 1];
    pv_vec d, e;
    mpq_t along, whole;
    mpq_inits(along, whole, NULL);
    pv_vec_init(&d);
    pv_vec_init(&e);
    pv_vec_sub(&d, b, a);
    pv_vec_sub(&e, p, a);
    pv_dot(along, &d, &e);
    pv_dot(whole, &d, &d);
    bool on = side_of(a, b, p, slack, d.c[0]) == 0 && mpq_sgn(along) >= 0 &&
              mpq_cmp(along, whole) <= 0;
    if (segment->count == 1) {
        on = compare_points(a, p) == 0;
    }
    pv_vec_clear(&d);
    pv_vec_clear(&e);
    mpq_clears(along, whole, NULL);
    return on;
}

/* Whether p lies in a hull of any number of corners, within `slack`. */
static bool
is_in(const pv_vec *p, const struct spots *hull, const mpq_t slack)
{
    if (hull->count < 3) {
        return is_on(p, hull, slack);
    }
    mpq_t turn;
    mpq_init(turn);
    bool in = true;
    for (int i = 0; i < hull->count && in; i++) {
        in = side_of(&hull->at[i], &hull->at[(i + 1) % hull->count], p, slack, turn) >= 0;
    }
    mpq_clear(turn);
    return in;
}

/* Adds the point where two edges cross, if each has its ends on different sides of the other. */
static void
cross_edges(struct spots *out, const pv_vec *const *p, const pv_vec *const *q, const mpq_t slack)
{
    mpq_t here, there, other;
    mpq_inits(here, there, other, NULL);
    int first = side_of(q[0], q[1], p[0], slack, here);
    int second = side_of(q[0], q[1], p[1], slack, there);
    if (first * second < 0 && side_of(p[0], p[1], q[0], slack, other) *
                                      side_of(p[0], p[1], q[1], slack, other) <
                                  0) {
        add_crossing(out, p[0], p[1], here, there);
    }
    mpq_clears(here, there, other, NULL);
}

/* The edges of a hull of n corners; a segment has one. */
static int
edges_of(int n)
{
    return n == 2 ? 1 : n < 2 ? 0 : n;
}

/* Whether one of the spots is within `slack` of p in both coordinates. */
static bool
has_near(const struct spots *s, const pv_vec *p, const mpq_t slack)
{
    mpq_t d;
    mpq_init(d);
    bool has = false;
    for (int i = 0; i < s->count && !has; i++) {
        has = true;
        for (int k = 0; k < 2; k++) {
            mpq_sub(d, s->at[i].c[k], p->c[k]);
            mpq_abs(d, d);
            has = has && mpq_cmp(d, slack) <= 0;
        }
    }
    mpq_clear(d);
    return has;
}

/* out = the corners of the intersection of two hulls. */
static void
meet_hulls(struct spots *out, const struct spots *s, const struct spots *t, const mpq_t slack)
{
    for (int i = 0; i < s->count; i++) {
        if (is_in(&s->at[i], t, slack)) {
            pv_vec_set(add_spot(out), &s->at[i]);
        }
    }
    for (int i = 0; i < t->count; i++) {
        if (is_in(&t->at[i], s, slack) && !has_near(out, &t->at[i], slack)) {
            pv_vec_set(add_spot(out), &t->at[i]);
        }
    }
    for (int i = 0; i < edges_of(s->count); i++) {
        for (int j = 0; j < edges_of(t->count); j++) {
            const pv_vec *p[2] = {&s->at[i], &s->at[(i + 1) % s->count]};
            const pv_vec *q[2] = {&t->at[j], &t->at[(j + 1) % t->count]};
            cross_edges(out, p, q, slack);
        }
    }
    take_hull(out);
}

/* The corners of a set, moved along the normal and rounded. */
static void
project(struct spots *out, const struct pv_near *near, const pv_vec *normal, const mpq_t offset,
    int dropped)
{
    mpq_t h, square;
    pv_vec foot;
    mpq_inits(h, square, NULL);
    pv_vec_init(&foot);
    pv_dot(square, normal, normal);
    for (int i = 0; i < near->count; i++) {
        const pv_vec *p = &near->vertex[near->index[i]];
        pv_dot(h, normal, p);
        mpq_sub(h, offset, h);
        mpq_div(h, h, square);
        pv_vec_add_scaled(&foot, p, h, normal);
        pv_vec *spot = add_spot(out);
        mpq_set(spot->c[0], foot.c[(dropped + 1) % 3]);
        mpq_set(spot->c[1], foot.c[(dropped + 2) % 3]);
        pv_vec_round(spot, PV_POINT_BITS);
    }
    pv_vec_clear(&foot);
    mpq_clears(h, square, NULL);
}

/* Fills corner[] from the two coordinates and the plane, in the order of the spots. */
static void
lift_spots(struct pv_patch *patch, const struct spots *s, const pv_vec *normal,
    const mpq_t offset, int dropped)
{
    patch->count = s->count;
    patch->corner = s->count > 0 ? pv_alloc((size_t)s->count, sizeof(*patch->corner)) : NULL;
    for (int i = 0; i < s->count; i++) {
        pv_vec *p = &patch->corner[i];
        pv_vec_init(p);
        mpq_set(p->c[dropped], offset);
        for (int k = 0; k < 2; k++) {
            int axis = (dropped + 1 + k) % 3;
            mpq_set(p->c[axis], s->at[i].c[k]);
            pv_sub_product(p->c[dropped], normal->c[axis], s->at[i].c[k]);
        }
        mpq_div(p->c[dropped], p->c[dropped], normal->c[dropped]);
    }
}

static void
measure(struct pv_patch *patch, const struct spots *s, const pv_vec *normal, int dropped)
{
    pv_vec d;
    mpq_t part;
    mpq_init(part);
    pv_vec_init(&d);
    for (int i = 1; i + 1 < s->count; i++) {
        turn_of(part, &s->at[0], &s->at[i], &s->at[i + 1]);
        mpq_add(patch->area, patch->area, part);
    }
    mpq_div(patch->area, patch->area, normal->c[dropped]);
    mpq_mul(patch->area, patch->area, patch->area);
    pv_dot(part, normal, normal);
    mpq_mul(patch->area, patch->area, part);
    for (int i = 0; i < patch->count; i++) {
        for (int k = 0; k < i; k++) {
            pv_vec_sub(&d, &patch->corner[i], &patch->corner[k]);
            pv_dot(part, &d, &d);
            if (mpq_cmp(part, patch->length) > 0) {
                mpq_set(patch->length, part);
            }
        }
    }
    pv_vec_clear(&d);
    mpq_clear(part);
}

static bool
is_longer(const mpq_t a, const mpq_t b)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_abs(x, a);
    mpq_abs(y, b);
    bool longer = mpq_cmp(x, y) > 0;
    mpq_clears(x, y, NULL);
    return longer;
}

/* The coordinate along which the normal is longest; the first of several. */
static int
longest_part(const pv_vec *normal)
{
    int longest = 0;
    for (int k = 1; k < 3; k++) {
        longest = is_longer(normal->c[k], normal->c[longest]) ? k : longest;
    }
    return longest;
}

void
pv_patch_init(struct pv_patch *patch, const pv_vec *normal, const mpq_t offset,
    const struct pv_near *a, const struct pv_near *b, const mpq_t slack)
{
    CN_ASSERT(a->count > 0 && b->count > 0);
    int dropped = longest_part(normal), room = a->count + b->count;
    struct spots s, t, found;
    *patch = (struct pv_patch){0};
    mpq_inits(patch->area, patch->length, NULL);
    spots_init(&s, room);
    spots_init(&t, room);
    project(&s, a, normal, offset, dropped);
    project(&t, b, normal, offset, dropped);
    take_hull(&s);
    take_hull(&t);
    spots_init(&found, room + s.count * t.count);
    meet_hulls(&found, &s, &t, slack);
    lift_spots(patch, &found, normal, offset, dropped);
    measure(patch, &found, normal, dropped);
    sort_points(patch->corner, patch->count);
    spots_finish(&s);
    spots_finish(&t);
    spots_finish(&found);
}

bool
pv_patch_clip(const pv_vec *normal, const pv_vec *const *p, const struct pv_near *near, mpq_t low,
    mpq_t high)
{
    CN_ASSERT(near->count >= 3);
    static const int both[2] = {0, 1};
    pv_vec end[2] = {*p[0], *p[1]}; /* borrowed */
    struct pv_near segment = {end, both, 2};
    struct spots s, t;
    mpq_t none, here, there;
    mpq_inits(none, here, there, NULL);
    spots_init(&s, near->count + 2);
    spots_init(&t, 2);
    project(&s, near, normal, none, longest_part(normal));
    take_hull(&s);
    project(&t, &segment, normal, none, longest_part(normal));
    mpq_set_ui(low, 0, 1);
    mpq_set_ui(high, 1, 1);
    bool meets = s.count >= 3;
    for (int i = 0; i < s.count && meets; i++) {
        turn_of(here, &s.at[i], &s.at[(i + 1) % s.count], &t.at[0]);
        turn_of(there, &s.at[i], &s.at[(i + 1) % s.count], &t.at[1]);
        meets = mpq_sgn(here) >= 0 || mpq_sgn(there) >= 0;
        bool enters = mpq_sgn(here) < 0, leaves = mpq_sgn(there) < 0;
        if (meets && (enters || leaves)) {
            mpq_sub(there, here, there);
            mpq_div(here, here, there);
            if (enters && mpq_cmp(here, low) > 0) {
                mpq_set(low, here);
            } else if (leaves && mpq_cmp(here, high) < 0) {
                mpq_set(high, here);
            }
        }
    }
    spots_finish(&s);
    spots_finish(&t);
    mpq_clears(none, here, there, NULL);
    return meets && mpq_cmp(low, high) < 0;
}

void
pv_patch_finish(struct pv_patch *patch)
{
    for (int i = 0; i < patch->count; i++) {
        pv_vec_clear(&patch->corner[i]);
    }
    pv_free(patch->corner);
    mpq_clears(patch->area, patch->length, NULL);
}

int
pv_patch_compare(const struct pv_patch *a, const struct pv_patch *b)
{
    int order = mpq_cmp(a->area, b->area);
    return order != 0 ? order : mpq_cmp(a->length, b->length);
}
