#include "prove/forces_tree.h"

#include "engine/base/assert.h"
#include "prove/exact/watch.h"
#include "prove/forces.h"

#include <math.h>

#define THIN 1e-3 /* least height of a triangle of contacts over its longest side */

/* The contacts of a body, in a list by body. */
struct link {
    int contact, next; /* -1: the last */
};

struct tree {
    struct pv_search *s;
    const struct pv_arrangement *r;
    mpq_t *force; /* PV_FORCE_MAX a contact */
    struct link *link; /* two a contact */
    int *first;        /* of a body's links */
    int *order, count; /* bodies in the order in which they joined the tree */
    bool *joined;
    int (*corner)[3]; /* of a body: contacts with its parent */
    int *parent;
    mpq_t *wrench; /* six a body: what is left, about the world's origin */
};

static void
tree_init(struct tree *t, struct pv_search *s, mpq_t *force)
{
    const struct pv_arrangement *r = s->r;
    size_t bodies = (size_t)r->body_count;
    *t = (struct tree){.s = s, .r = r, .force = force};
    t->link = pv_alloc(2 * (size_t)r->contact_count, sizeof(*t->link));
    t->first = pv_alloc(bodies, sizeof(*t->first));
    t->order = pv_alloc(bodies, sizeof(*t->order));
    t->joined = pv_alloc(bodies, sizeof(*t->joined));
    t->corner = pv_alloc(bodies, sizeof(*t->corner));
    t->parent = pv_alloc(bodies, sizeof(*t->parent));
    t->wrench = pv_numbers(6 * bodies);
    for (int i = 0; i < r->body_count; i++) {
        t->first[i] = -1;
    }
    for (int c = r->contact_count - 1; c >= 0; c--) {
        const int body[2] = {r->contact[c].a, r->contact[c].b};
        for (int k = 0; k < 2; k++) {
            t->link[2 * c + k] = (struct link){c, t->first[body[k]]};
            t->first[body[k]] = 2 * c + k;
        }
    }
}

static void
tree_finish(struct tree *t)
{
    pv_numbers_free(t->wrench, 6 * (size_t)t->r->body_count);
    pv_free(t->link);
    pv_free(t->first);
    pv_free(t->order);
    pv_free(t->joined);
    pv_free(t->corner);
    pv_free(t->parent);
}

static void
difference(const struct tree *t, int from, int to, double *out)
{
    for (int k = 0; k < 3; k++) {
        out[k] = pv_double(t->r->contact[to].point.c[k]) -
                 pv_double(t->r->contact[from].point.c[k]);
    }
}

static double
square_of(const double *v)
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

/* The square of twice the area of a triangle of contacts. */
static double
area_of(const struct tree *t, int a, int b, int c)
{
    double d[3], e[3], n[3];
    difference(t, a, b, d);
    difference(t, a, c, e);
    for (int k = 0; k < 3; k++) {
        n[k] = d[(k + 1) % 3] * e[(k + 2) % 3] - d[(k + 2) % 3] * e[(k + 1) % 3];
    }
    return square_of(n);
}

/*
 * Chooses three contacts with friction between two bodies: the first, the farthest from it, and the
 * farthest from their line.  False: they do not exist, or are nearly on a line.
 */
static bool
find_corners(const struct tree *t, int body, int parent, int *corner)
{
    double most[3] = {-1.0, 0.0, 0.0};
    for (int turn = 0; turn < 3; turn++) {
        corner[turn] = -1;
        for (int l = t->first[body]; l >= 0; l = t->link[l].next) {
            int c = t->link[l].contact;
            const struct pv_contact *contact = &t->r->contact[c];
            bool is_theirs = contact->a + contact->b == body + parent;
            if (!is_theirs || t->s->column_count[c] < 3) {
                continue;
            }
            double d[3], size = 0.0;
            if (turn > 0) {
                difference(t, corner[0], c, d);
                size = turn == 1 ? square_of(d) : area_of(t, corner[0], corner[1], c);
            }
            if (size > most[turn]) {
                most[turn] = size;
                corner[turn] = c;
            }
        }
        if (corner[turn] < 0) {
            return false;
        }
    }
    return sqrt(most[2]) > THIN * most[1];
}

/* Joins the bodies to the tree, from the fixed ones on.  False: a body can not be joined. */
static bool
grow_tree(struct tree *t)
{
    int fixed = 0;
    for (int i = 0; i < t->r->body_count; i++) {
        if (t->r->body[i].is_fixed) {
            t->joined[i] = true;
            t->order[t->count++] = i;
            fixed++;
        }
    }
    for (int k = 0; k < t->count; k++) {
        int parent = t->order[k];
        for (int l = t->first[parent]; l >= 0; l = t->link[l].next) {
            const struct pv_contact *contact = &t->r->contact[t->link[l].contact];
            int body = contact->a + contact->b - parent;
            if (!t->joined[body] && find_corners(t, body, parent, t->corner[body])) {
                CN_ASSERT(t->count < t->r->body_count);
                t->joined[body] = true;
                t->parent[body] = parent;
                t->order[t->count++] = body;
            }
        }
    }
    return t->count == t->r->body_count && fixed > 0;
}

/* wrench += sign times a force at a point. */
static void
add_force(struct tree *t, int body, const pv_vec *force, const pv_vec *at, int sign)
{
    pv_vec moment;
    pv_vec_init(&moment);
    pv_cross(&moment, at, force);
    for (int k = 0; k < 3; k++) {
        mpq_t *f = &t->wrench[6 * body + k], *m = &t->wrench[6 * body + 3 + k];
        (sign > 0 ? mpq_add : mpq_sub)(*f, *f, force->c[k]);
        (sign > 0 ? mpq_add : mpq_sub)(*m, *m, moment.c[k]);
    }
    pv_vec_clear(&moment);
}

/* The force of a contact on its body b. */
static void
read_force(const struct tree *t, int c, pv_vec *out)
{
    const mpq_t *f = (const mpq_t *)&t->force[PV_FORCE_MAX * c];
    pv_vec none;
    pv_vec_init(&none);
    if (t->s->column_count[c] == 1) {
        pv_vec_add_scaled(out, &none, f[0], &t->r->contact[c].normal);
    } else {
        for (int k = 0; k < 3; k++) {
            mpq_set(out->c[k], f[k]);
        }
    }
    pv_vec_clear(&none);
}

/* Sets the wrenches that are left: loads and all forces. */
static void
sum_wrenches(struct tree *t)
{
    pv_vec force;
    pv_vec_init(&force);
    for (int i = 0; i < t->r->body_count; i++) {
        const struct pv_body *body = &t->r->body[i];
        add_force(t, i, &body->force, &body->center, 1);
        for (int k = 0; k < 3; k++) {
            mpq_t *m = &t->wrench[6 * i + 3 + k];
            mpq_add(*m, *m, body->moment.c[k]);
        }
    }
    for (int c = 0; c < t->r->contact_count; c++) {
        const struct pv_contact *contact = &t->r->contact[c];
        read_force(t, c, &force);
        add_force(t, contact->b, &force, &contact->point, 1);
        add_force(t, contact->a, &force, &contact->point, -1);
    }
    pv_vec_clear(&force);
}

/* Adds `part` times v to the force of a contact on `body`. */
static void
push(struct tree *t, int c, int body, const mpq_t part, const pv_vec *v)
{
    mpq_t *f = &t->force[PV_FORCE_MAX * c];
    for (int k = 0; k < 3; k++) {
        if (t->r->contact[c].b == body) {
            pv_add_product(f[k], part, v->c[k]);
        } else {
            pv_sub_product(f[k], part, v->c[k]);
        }
    }
}

/* part = factor (m . v) / divisor */
static void
share(mpq_t part, const pv_vec *m, const pv_vec *v, const mpq_t divisor, bool negative)
{
    pv_dot(part, m, v);
    mpq_div(part, part, divisor);
    if (negative) {
        mpq_neg(part, part);
    }
}

/*
 * Passes a body's wrench (F, M) on, by forces at p1, p2, p3.  With d = p2 - p1, e = p3 - p1,
 * n = d x e and the moment M1 about p1:
 *
 *     at p2: (M1 . e) / n.n n - (M1 . n) / (d.d n.n) n x d
 *     at p3: -(M1 . d) / n.n n
 *     at p1: -F, less the two
 */
static void
pass_on(struct tree *t, int body)
{
    const int *corner = t->corner[body];
    const pv_vec *p[3];
    pv_vec d, e, n, side, force, moment;
    mpq_t square, part, one;
    pv_vec *const all[6] = {&d, &e, &n, &side, &force, &moment};
    mpq_inits(square, part, one, NULL);
    for (int k = 0; k < 6; k++) {
        pv_vec_init(all[k]);
    }
    for (int k = 0; k < 3; k++) {
        p[k] = &t->r->contact[corner[k]].point;
        mpq_set(force.c[k], t->wrench[6 * body + k]);
    }
    pv_vec_sub(&d, p[1], p[0]);
    pv_vec_sub(&e, p[2], p[0]);
    pv_cross(&n, &d, &e);
    pv_cross(&side, &n, &d);
    pv_cross(&moment, &force, p[0]); /* M - p1 x F */
    for (int k = 0; k < 3; k++) {
        mpq_add(moment.c[k], moment.c[k], t->wrench[6 * body + 3 + k]);
    }
    mpq_set_si(one, -1, 1);
    push(t, corner[0], body, one, &force);
    pv_dot(square, &n, &n);
    CN_ASSERT(mpq_sgn(square) > 0); /* find_corners: not on a line */
    share(part, &moment, &e, square, false);
    push(t, corner[1], body, part, &n);
    mpq_neg(part, part);
    push(t, corner[0], body, part, &n);
    share(part, &moment, &d, square, true);
    push(t, corner[2], body, part, &n);
    mpq_neg(part, part);
    push(t, corner[0], body, part, &n);
    pv_dot(one, &d, &d);
    mpq_mul(square, square, one);
    share(part, &moment, &n, square, true);
    push(t, corner[1], body, part, &side);
    mpq_neg(part, part);
    push(t, corner[0], body, part, &side);
    for (int k = 0; k < 6; k++) {
        mpq_t *to = &t->wrench[6 * t->parent[body] + k];
        mpq_add(*to, *to, t->wrench[6 * body + k]);
        pv_vec_clear(all[k]);
    }
    mpq_clears(square, part, one, NULL);
}

bool
pv_forces_by_tree(struct pv_search *s, double scale, double t, mpq_t *force)
{
    struct tree tree;
    CN_ASSERT(s->r->dimension == 3);
    tree_init(&tree, s, force);
    bool good = grow_tree(&tree);
    if (good) {
        pv_phase("proving in exact numbers");
        pv_forces_round(s, scale, t, force);
        sum_wrenches(&tree);
    }
    for (int k = tree.count - 1; k >= 0 && good; k--) {
        int body = tree.order[k];
        pv_part(1.0 - (double)k / tree.count);
        if (!s->r->body[body].is_fixed) {
            pass_on(&tree, body);
        }
    }
    tree_finish(&tree);
    return good;
}
