#include "verify/verify.h"

#include "engine/base/assert.h"
#include "verify/certificate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial {
    struct q_pool *pool;
    struct vf_scene scene;
    struct vf_certificate c;
    const struct vf_watch *watch;
    int contact, body; /* the ones being checked, for the message; -1: none */
};

/* The force on a body, and its moment about the world's origin. */
struct wrench {
    struct vf_vec force, moment;
};

static struct vf_vec
left_of(struct q_pool *pool, struct vf_vec v)
{
    return (struct vf_vec){q_neg(pool, v.y), v.x, NULL};
}

static bool
same_vectors(struct vf_vec a, struct vf_vec b)
{
    return q_same(a.x, b.x) && q_same(a.y, b.y) && (a.z == NULL || q_same(a.z, b.z));
}

static bool
is_zero(struct vf_vec v)
{
    return mpq_sgn(v.x) == 0 && mpq_sgn(v.y) == 0 && (v.z == NULL || mpq_sgn(v.z) == 0);
}

static struct wrench
no_wrench(struct trial *t)
{
    q zero = q_int(t->pool, 0);
    struct vf_vec none = {zero, zero, zero};
    return (struct wrench){{zero, zero, t->scene.is_spatial ? zero : NULL}, none};
}

static bool
is_round(const struct trial *t, const struct vf_contact *contact)
{
    return t->scene.is_spatial && mpq_sgn(contact->friction) != 0;
}

/* A contact's force from its parts along normal and tangent; for a round cone it is given whole. */
static struct vf_vec
force_of(struct trial *t, const struct vf_contact *contact, struct vf_vec part)
{
    if (is_round(t, contact)) {
        return part;
    }
    struct vf_vec force = vf_times(t->pool, part.x, contact->normal);
    if (mpq_sgn(part.y) == 0) {
        return force;
    }
    return vf_add(
        t->pool, force, vf_times(t->pool, part.y, left_of(t->pool, contact->normal)));
}

static const char *
same_contacts(struct trial *t)
{
    if (t->c.side_contacts == t->scene.sides_left_out ||
        t->c.friction == t->scene.friction_left_out) {
        return "it says that something is left out which is not there, or not what is";
    }
    if (t->c.contact_count != t->scene.contact_count || t->c.body_count != t->scene.body_count) {
        return "the scene has another number of contacts or bodies";
    }
    for (int i = 0; i < t->scene.contact_count; i++) {
        const struct vf_contact *is = &t->scene.contact[i];
        const struct vf_said *said = &t->c.contact[i];
        t->contact = i;
        if (is->a != said->a || is->b != said->b || is->bears != said->bears ||
            !same_vectors(is->point, said->point) || !same_vectors(is->normal, said->normal) ||
            !q_same(is->friction, said->friction)) {
            return "the scene's contact is another";
        }
    }
    t->contact = -1;
    return NULL;
}

/*
 * Splits a vector v: along = v.n, and side, the square of the part across n.  Each is times the
 * square of n's size, so that no root is needed.
 */
static void
split_vector(struct trial *t, const struct vf_contact *contact, struct vf_vec v, q *along, q *side)
{
    q nn = vf_dot(t->pool, contact->normal, contact->normal);
    *along = vf_dot(t->pool, v, contact->normal);
    *side = q_sub(t->pool, q_mul(t->pool, nn, vf_dot(t->pool, v, v)),
        q_mul(t->pool, *along, *along));
}

/*
 * Whether a force, given by its parts, is in the contact's cone after `less` along the normal is
 * taken away.
 */
static bool
in_cone(struct trial *t, const struct vf_contact *contact, struct vf_vec f, q less)
{
    if (!is_round(t, contact)) { /* n >= 0 and |s| <= mu n */
        q n = q_sub(t->pool, f.x, less);
        q wall = q_mul(t->pool, contact->friction, n);
        return mpq_sgn(n) >= 0 && !q_less(wall, q_abs(t->pool, f.y));
    }
    q along, side;
    struct vf_vec rest = vf_sub(t->pool, f, vf_times(t->pool, less, contact->normal));
    split_vector(t, contact, rest, &along, &side);
    q wall = q_mul(t->pool, contact->friction, along);
    return mpq_sgn(along) >= 0 && !q_less(q_mul(t->pool, wall, wall), side);
}

static void
push_on(struct trial *t, struct wrench *on, struct vf_vec force, struct vf_vec at)
{
    on->force = vf_add(t->pool, on->force, force);
    on->moment = vf_add(t->pool, on->moment, vf_moment(t->pool, at, force));
}

/*
 * The wrench on each body: its load and the contacts' forces, or with `squeeze` only the squeezing
 * forces.
 */
static struct wrench *
sum_wrenches(struct trial *t, bool squeeze)
{
    struct wrench *sum = vf_alloc((size_t)t->scene.body_count, sizeof(*sum));
    for (int i = 0; i < t->scene.body_count; i++) {
        const struct vf_body *body = &t->scene.body[i];
        sum[i] = no_wrench(t);
        if (!squeeze) {
            push_on(t, &sum[i], body->force, body->center);
            sum[i].moment = vf_add(t->pool, sum[i].moment, body->moment);
        }
    }
    for (int i = 0; i < t->scene.contact_count; i++) {
        const struct vf_contact *contact = &t->scene.contact[i];
        vf_tell(t->watch, "checking forces", i, t->scene.contact_count);
        CN_ASSERT(contact->a != contact->b && contact->b < t->scene.body_count);
        struct vf_vec f = squeeze ? t->c.contact[i].squeeze : t->c.contact[i].force;
        struct vf_vec force = force_of(t, contact, f);
        push_on(t, &sum[contact->b], force, contact->point);
        push_on(t, &sum[contact->a], vf_times(t->pool, q_int(t->pool, -1), force), contact->point);
    }
    return sum;
}

static const char *
in_balance(struct trial *t, bool squeeze)
{
    struct wrench *sum = sum_wrenches(t, squeeze);
    const char *why = NULL;
    for (int i = 0; i < t->scene.body_count && why == NULL; i++) {
        bool zero = is_zero(sum[i].force) && is_zero(sum[i].moment);
        if (!t->scene.body[i].is_fixed && !zero) {
            t->body = i;
            why = "the forces do not hold the body";
        }
    }
    free(sum);
    return why;
}

/*
 * Whether the forces hold the weights: `margin` away from their cones' edges where the contact
 * bears.
 */
static const char *
forces_hold(struct trial *t)
{
    for (int i = 0; i < t->scene.contact_count; i++) {
        const struct vf_contact *contact = &t->scene.contact[i];
        struct vf_vec f = t->c.contact[i].force;
        t->contact = i;
        if (contact->bears && t->c.kind == VF_ANY_FORCE) { /* squeezing moves it into its cone */
            if (mpq_sgn(contact->friction) == 0 && mpq_sgn(f.y) != 0) {
                return "a force has a tangent where there is no friction";
            }
            continue;
        }
        if (!in_cone(t, contact, f, contact->bears ? t->c.margin : q_int(t->pool, 0))) {
            return "a force is not in its cone";
        }
    }
    t->contact = -1;
    return in_balance(t, false);
}

/*
 * Checks the squeezing forces.  If no contact bears, as between rough walls, all forces may be 0.
 */
static const char *
squeeze_holds(struct trial *t)
{
    for (int i = 0; i < t->scene.contact_count; i++) {
        const struct vf_contact *contact = &t->scene.contact[i];
        struct vf_vec f = t->c.contact[i].squeeze;
        t->contact = i;
        if (!in_cone(t, contact, f, q_int(t->pool, contact->bears ? 1 : 0))) {
            return "a squeezing force is not in its cone";
        }
    }
    t->contact = -1;
    return in_balance(t, true);
}

static struct vf_vec
velocity_at(struct trial *t, int body, struct vf_vec at)
{
    CN_ASSERT(0 <= body && body < t->c.body_count);
    const struct vf_movement *m = &t->c.body[body];
    return vf_add(t->pool, m->velocity, vf_turned(t->pool, m->turn, at));
}

/* Marks which of a body's six parts of force and moment are affected by a force at a point. */
static void
mark_affected(struct trial *t, bool *part, struct vf_vec force, struct vf_vec at)
{
    struct vf_vec moment = vf_moment(t->pool, at, force);
    q all[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    for (int k = 0; k < 6; k++) {
        part[k] = part[k] || (all[k] != NULL && mpq_sgn(all[k]) != 0);
    }
}

/* A movement that affects no contact and no weight proves nothing, and is not written. */
static const char *
motion_is_plain(struct trial *t)
{
    CN_ASSERT(t->c.body_count == t->scene.body_count);
    bool(*part)[6] = vf_alloc((size_t)t->scene.body_count, sizeof(*part));
    const char *why = NULL;
    for (int i = 0; i < t->scene.body_count; i++) {
        const struct vf_body *body = &t->scene.body[i];
        q load[3] = {body->moment.x, body->moment.y, body->moment.z};
        mark_affected(t, part[i], t->scene.gravity, body->center);
        mark_affected(t, part[i], body->force, body->center);
        for (int k = 0; k < 3; k++) {
            part[i][3 + k] = part[i][3 + k] || mpq_sgn(load[k]) != 0;
        }
    }
    for (int k = 0; k < t->scene.contact_count; k++) {
        const struct vf_contact *c = &t->scene.contact[k];
        const int both[2] = {c->a, c->b};
        for (int side = 0; side < 2; side++) {
            mark_affected(t, part[both[side]], c->normal, c->point);
            for (int axis = 0; axis < 3 && is_round(t, c); axis++) {
                mark_affected(t, part[both[side]],
                    (struct vf_vec){q_int(t->pool, axis == 0), q_int(t->pool, axis == 1),
                        q_int(t->pool, axis == 2)}, c->point);
            }
            if (mpq_sgn(c->friction) != 0 && !t->scene.is_spatial) {
                struct vf_vec along =
                    vf_times(t->pool, c->friction, left_of(t->pool, c->normal));
                mark_affected(t, part[both[side]], vf_add(t->pool, c->normal, along), c->point);
                mark_affected(t, part[both[side]], vf_sub(t->pool, c->normal, along), c->point);
            }
        }
    }
    for (int i = 0; i < t->scene.body_count && why == NULL; i++) {
        const struct vf_movement *m = &t->c.body[i];
        q all[6] = {m->velocity.x, m->velocity.y, m->velocity.z, m->turn.x, m->turn.y, m->turn.z};
        t->body = i;
        for (int k = 0; k < 6; k++) {
            bool may = part[i][k] && !t->scene.body[i].is_fixed;
            if (all[k] != NULL && mpq_sgn(all[k]) != 0 && !may) {
                why = "the motion has a part that nothing notices";
            }
        }
    }
    t->body = why == NULL ? -1 : t->body;
    free(part);
    return why;
}

/* Whether n >= mu |s| for the rates along the normal and across it: in the dual cone. */
static bool
opens_contact(struct trial *t, const struct vf_contact *contact, struct vf_vec rate)
{
    q along, side;
    if (is_round(t, contact)) {
        split_vector(t, contact, rate, &along, &side);
        q mu = q_mul(t->pool, contact->friction, contact->friction);
        return mpq_sgn(along) >= 0 &&
               !q_less(q_mul(t->pool, along, along), q_mul(t->pool, mu, side));
    }
    bool smooth = mpq_sgn(contact->friction) == 0;
    along = vf_dot(t->pool, rate, contact->normal);
    side = smooth ? q_int(t->pool, 0)
                  : vf_dot(t->pool, rate, left_of(t->pool, contact->normal));
    return !q_less(along, q_mul(t->pool, contact->friction, q_abs(t->pool, side)));
}

/*
 * Forces that hold have 0 = sum over the bodies of (weights + contacts) velocity, and within their
 * cones sum f y >= t sum y_n: so t sum y_n <= -power.
 */
static const char *
motion_bounds(struct trial *t)
{
    const char *why = motion_is_plain(t);
    if (why != NULL) {
        return why;
    }
    q opening = q_int(t->pool, 0), power = q_int(t->pool, 0);
    for (int i = 0; i < t->scene.contact_count; i++) {
        const struct vf_contact *contact = &t->scene.contact[i];
        vf_tell(t->watch, "checking the motion", i, t->scene.contact_count);
        struct vf_vec rate = vf_sub(t->pool, velocity_at(t, contact->b, contact->point),
            velocity_at(t, contact->a, contact->point));
        q n = vf_dot(t->pool, rate, contact->normal);
        t->contact = i;
        if (!opens_contact(t, contact, rate)) {
            return "the motion closes a contact";
        }
        opening = contact->bears ? q_add(t->pool, opening, n) : opening;
    }
    t->contact = -1;
    for (int i = 0; i < t->scene.body_count; i++) {
        const struct vf_body *body = &t->scene.body[i];
        power = q_add(
            t->pool, power, vf_dot(t->pool, body->force, velocity_at(t, i, body->center)));
        power = q_add(t->pool, power, vf_dot(t->pool, body->moment, t->c.body[i].turn));
    }
    if (t->c.kind == VF_BOUNDS) { /* t opening <= -power: bound is no less than that */
        q wall = q_neg(t->pool, q_mul(t->pool, t->c.bound, opening));
        return mpq_sgn(opening) > 0 && !q_less(power, wall) ? NULL
                                                            : "the motion does not prove the bound";
    }
    bool no_force = t->c.kind == VF_NO_FORCE;
    if (!q_same(opening, q_int(t->pool, no_force ? 0 : 1))) {
        return "the motion opens the contacts by another sum";
    }
    if (!q_same(power, no_force ? q_int(t->pool, 1) : q_neg(t->pool, t->c.margin))) {
        return "the motion's power is another";
    }
    return NULL;
}

/* Newton's law for one body: mass (a - g) and inertia alpha against the contacts' forces. */
static const char *
obeys_newton(struct trial *t, const struct wrench *push, int i)
{
    const struct vf_body *body = &t->scene.body[i];
    const struct vf_movement *m = &t->c.body[i];
    t->body = i;
    if (body->is_fixed) {
        return is_zero(m->acceleration) && is_zero(m->angular) ? NULL : "a fixed body accelerates";
    }
    struct vf_vec need = vf_sub(
        t->pool, vf_times(t->pool, body->mass, m->acceleration), body->force);
    struct vf_vec about = vf_add(t->pool, body->moment, vf_sub(
        t->pool, push->moment, vf_moment(t->pool, body->center, push->force)));
    struct vf_vec turn = vf_times(t->pool, body->inertia, m->angular);
    if (t->scene.is_spatial) {
        const q *row = body->tensor;
        turn = (struct vf_vec){
            vf_dot(t->pool, (struct vf_vec){row[0], row[1], row[2]}, m->angular),
            vf_dot(t->pool, (struct vf_vec){row[3], row[4], row[5]}, m->angular),
            vf_dot(t->pool, (struct vf_vec){row[6], row[7], row[8]}, m->angular)};
    }
    bool good = same_vectors(need, push->force) && same_vectors(turn, about);
    return good ? NULL : "the body does not obey Newton's law";
}

static struct vf_vec
acceleration_at(struct trial *t, int body, struct vf_vec at)
{
    const struct vf_movement *m = &t->c.body[body];
    struct vf_vec arm = vf_sub(t->pool, at, t->scene.body[body].center);
    return vf_add(t->pool, m->acceleration, vf_turned(t->pool, m->angular, arm));
}

static const char *
start_is_true(struct trial *t)
{
    struct wrench *push = vf_alloc((size_t)t->scene.body_count, sizeof(*push));
    const char *why = NULL;
    for (int i = 0; i < t->scene.body_count; i++) {
        push[i] = no_wrench(t);
    }
    for (int i = 0; i < t->scene.contact_count && why == NULL; i++) {
        const struct vf_contact *contact = &t->scene.contact[i];
        const struct vf_said *said = &t->c.contact[i];
        t->contact = i;
        struct vf_vec rate = vf_sub(t->pool, acceleration_at(t, contact->b, contact->point),
            acceleration_at(t, contact->a, contact->point));
        bool law = mpq_sgn(said->push) >= 0 && mpq_sgn(said->opening) >= 0 &&
                   (mpq_sgn(said->push) == 0 || mpq_sgn(said->opening) == 0);
        if (!law || !q_same(said->opening, vf_dot(t->pool, rate, contact->normal))) {
            why = "a contact closes, pulls, or pushes while it opens";
            break;
        }
        struct vf_vec force = vf_times(t->pool, said->push, contact->normal);
        push_on(t, &push[contact->b], force, contact->point);
        push_on(t, &push[contact->a], vf_times(t->pool, q_int(t->pool, -1), force),
            contact->point);
    }
    t->contact = why == NULL ? -1 : t->contact;
    for (int i = 0; i < t->scene.body_count && why == NULL; i++) {
        why = obeys_newton(t, &push[i], i);
    }
    t->body = why == NULL ? -1 : t->body;
    free(push);
    return why;
}

/* The verdict that follows from a proved margin (NULL: none) and from a bound of it. */
static const char *
verdict_of(struct trial *t, q margin, q bound)
{
    q wall = q_mul(t->pool, q_ratio(t->pool, 1, 1000000000000), t->scene.weight);
    if (margin != NULL && q_less(wall, margin)) {
        return "stable";
    }
    q under = q_neg(t->pool, wall);
    if (bound != NULL && q_less(bound, under)) {
        return "unstable";
    }
    bool is_tie = margin != NULL && bound != NULL && !q_less(margin, under) &&
                  !q_less(wall, bound);
    return is_tie ? "critical" : "undecided";
}

/* Checks that verdict, claim and rounded margin follow from kind and margin. */
static const char *
words_follow(struct trial *t)
{
    const struct vf_certificate *c = &t->c;
    bool rough = false;
    for (int i = 0; i < t->scene.contact_count; i++) {
        rough = rough || mpq_sgn(t->scene.contact[i].friction) > 0;
    }
    const char *verdict = c->kind == VF_NO_FORCE    ? "unstable"
                          : c->kind == VF_ANY_FORCE ? "stable"
                          : c->kind == VF_MARGIN    ? verdict_of(t, c->margin, c->margin)
                                                    : verdict_of(t, c->margin, c->bound);
    bool falls = strcmp(verdict, "unstable") == 0, is_open = strcmp(verdict, "undecided") == 0;
    const char *claim = is_open ? "nothing is proved"
                        : rough ? falls ? "no holding force exists" : "a holding force exists"
                        : falls ? "falls"
                                : "stands";
    if (!vf_is_word(c->verdict, verdict) || !vf_is_word(c->claim, claim) ||
        c->stable == (falls || is_open)) {
        return "the verdict does not follow";
    }
    bool has_margin = c->kind == VF_MARGIN || (c->kind == VF_BOUNDS && c->margin != NULL);
    if (c->has_margin != has_margin ||
        (c->has_margin && !q_rounds_to(t->pool, c->margin, c->margin_rounded))) {
        return "the margin is rounded wrongly";
    }
    return c->start && (rough || !falls) ? "there is nothing that starts to fall" : NULL;
}

static const char *
try_all(struct trial *t)
{
    const char *why = same_contacts(t);
    bool by_bounds = t->c.kind == VF_BOUNDS;
    if (why == NULL && t->c.kind != VF_NO_FORCE && (!by_bounds || t->c.margin != NULL)) {
        why = forces_hold(t);
    }
    if (why == NULL && t->c.kind == VF_ANY_FORCE) {
        why = squeeze_holds(t);
    }
    if (why == NULL && t->c.kind != VF_ANY_FORCE && (!by_bounds || t->c.bound != NULL)) {
        why = motion_bounds(t);
    }
    if (why == NULL && t->c.start) {
        why = start_is_true(t);
    }
    return why == NULL ? words_follow(t) : why;
}

static void
tell_bounds(const struct trial *t, char *text, size_t size)
{
    char low[32] = "nothing", high[32] = "nothing";
    if (t->c.margin != NULL) {
        snprintf(low, sizeof(low), "%.9g N", mpq_get_d(t->c.margin));
    }
    if (t->c.bound != NULL) {
        snprintf(high, sizeof(high), "%.9g N", mpq_get_d(t->c.bound));
    }
    snprintf(text, size, "between %s and %s", low, high);
}

static void
write_finding(const struct trial *t, const char *why, struct vf_finding *finding)
{
    finding->good = why == NULL;
    if (why != NULL && t->c.tree.why != NULL) {
        snprintf(finding->text, sizeof(finding->text), "byte %zu: %s", t->c.tree.where, why);
    } else if (why != NULL && t->contact >= 0) {
        snprintf(finding->text, sizeof(finding->text), "contacts[%d]: %s", t->contact, why);
    } else if (why != NULL && t->body >= 0) {
        snprintf(finding->text, sizeof(finding->text), "bodies[%d]: %s", t->body, why);
    } else {
        snprintf(finding->text, sizeof(finding->text), "%s", why != NULL ? why : "");
    }
    if (why == NULL) {
        char margin[80] = "below every number";
        if (t->c.kind == VF_MARGIN) {
            snprintf(margin, sizeof(margin), "%.9g N", t->c.margin_rounded);
        } else if (t->c.kind == VF_BOUNDS) {
            tell_bounds(t, margin, sizeof(margin));
        } else if (t->c.kind == VF_ANY_FORCE) {
            snprintf(margin, sizeof(margin), "above every number");
        }
        snprintf(finding->text, sizeof(finding->text), "%.*s: %.*s; margin %s",
            (int)t->c.verdict->size, t->c.verdict->text, (int)t->c.claim->size, t->c.claim->text,
            margin);
    }
}

bool
vf_verify(const struct cn_world_def *def, const char *text, size_t size,
    struct vf_finding *finding)
{
    const struct vf_watch nobody = {NULL, NULL};
    return vf_verify_watched(def, text, size, &nobody, finding);
}

bool
vf_verify_watched(const struct cn_world_def *def, const char *text, size_t size,
    const struct vf_watch *watch, struct vf_finding *finding)
{
    struct q_pool pool = {0};
    struct trial t = {.pool = &pool, .watch = watch, .contact = -1, .body = -1};
    bool is_spatial = def->settings.dimension == CN_SPATIAL;
    const char *why = vf_certificate_read(&t.c, &pool, is_spatial, text, size);
    if (why == NULL) {
        why = vf_scene_read(&t.scene, def, t.c.side_contacts, t.c.friction, watch);
    }
    if (why == NULL) {
        why = try_all(&t);
    }
    write_finding(&t, why, finding);
    vf_certificate_finish(&t.c);
    vf_scene_finish(&t.scene);
    q_pool_finish(&pool);
    return finding->good;
}
