/*
 * law_forces.c: reported forces push, stay within Coulomb's cone, and solve the problem.
 *
 * For each contact, f is the force along the normal and t the force across it.  u and a are the
 * velocity and the acceleration of B's point relative to A's.  They are computed from the reported
 * motion of the bodies:
 *
 *     f >= 0,  |t| <= mu f, no force where there is a gap
 *     an instant       a_n >= 0 and f a_n = 0 where the contact touches and does not part; t is
 *                      against sliding with all it has, or a_t = 0, or it is at its rim against a_t
 *     a march's step   the same of u + h a + c, where c is gap / h, and e u_n where it is hit: some
 *                      e up to the material's where friction, joints or other contacts may make
 *                      energy of it, the material's where there is only this contact
 *
 * The residual is that of the judge (problem/contact_problem.h), computed here from masses and
 * places.  A solver that reports CONVERGED must stay below 1e-8 of the problem's scale.  Any other
 * must stay below its reported residual.  If bodies turn or slide on curved faces, a_n is not the
 * acceleration of the gap.  So an instant is judged only at speeds so low that the difference is
 * negligible.
 */
#include "tests/laws/laws.h"

#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/* The speeds of one contact, of B's place against A's. */
struct relative {
    cn_vec3 speed, gain; /* m/s, m/s^2 */
    double turning;      /* what turning and sliding may change of a_n [m/s^2] */
    double diagonal;     /* A_nn [1/kg] */
};

static double
diagonal_of(const struct laws_run *run, const struct cn_body_view *body, int index,
    const struct cn_contact_view *contact)
{
    if (!laws_moves(run, index)) {
        return 0.0;
    }
    cn_vec3 arm = cn_vec3_sub(contact->point, body->center);
    cn_vec3 moment = cn_vec3_cross(arm, contact->normal);
    cn_mat33 turn = cn_quat_to_mat33(body->orientation);
    cn_vec3 local = cn_mat33_apply_back(&turn, moment);
    cn_mat33 inertia = body->inertia_tensor;
    if (inertia.cx.x == 0.0) {
        return 1.0 / body->mass + local.z * local.z / inertia.cz.z;
    }
    cn_mat33 inverse = cn_mat33_invert_symmetric(&inertia);
    return 1.0 / body->mass + cn_vec3_dot(local, cn_mat33_apply(&inverse, local));
}

static struct relative
relative_of(const struct laws_run *run, const struct laws_moment *moment,
    const struct cn_contact_view *contact)
{
    struct relative r = {0};
    double least = 4.0 * run->scene->length;
    for (int side = 0; side < 2; side++) {
        int index = side == 0 ? contact->body_a : contact->body_b;
        const struct cn_body_view *body = &moment->body[index];
        double sign = side == 0 ? -1.0 : 1.0;
        cn_vec3 arm = cn_vec3_sub(contact->point, body->center), w = body->angular_velocity;
        cn_vec3 v = cn_vec3_add(body->velocity, cn_vec3_cross(w, arm));
        cn_vec3 a = cn_vec3_add(body->acceleration,
            cn_vec3_cross(body->angular_acceleration, arm));
        r.speed = cn_vec3_add_scaled(r.speed, sign, v);
        r.gain = cn_vec3_add_scaled(r.gain, sign, a);
        double turn = cn_vec3_length(w);
        r.turning += turn * turn * cn_vec3_length(arm);
        r.diagonal += diagonal_of(run, body, index, contact);
    }
    double speed = cn_vec3_length(r.speed);
    double w = cn_vec3_length(moment->body[contact->body_a].angular_velocity) +
               cn_vec3_length(moment->body[contact->body_b].angular_velocity);
    struct laws_measure measure = laws_measure(run);
    least = cn_min(least, 0.1 * measure.width);
    r.turning += 2.0 * w * speed + speed * speed / least;
    return r;
}

static double
friction_of(const struct laws_run *run, int a, int b)
{
    const struct laws_scene *scene = run->scene;
    double mu_a = scene->material[scene->shape[a].material].friction;
    double mu_b = scene->material[scene->shape[b].material].friction;
    return cn_max(mu_a, mu_b);
}

static double
restitution_of(const struct laws_run *run, int a, int b)
{
    const struct laws_scene *scene = run->scene;
    return cn_min(scene->material[scene->shape[a].material].restitution,
        scene->material[scene->shape[b].material].restitution);
}

static void
check_signs(struct laws_run *run, const struct cn_contact_view *contact, double most)
{
    double rounding = run->method.solver->kind == CN_SOLVER_PROBLEM ? 1e-12 : 1e-5;
    laws_check(run, LAWS_forces, -contact->force, rounding * most,
        "bodies %d and %d are pulled together", contact->body_a, contact->body_b);
    double mu = friction_of(run, contact->body_a, contact->body_b);
    double across = cn_vec3_length(contact->friction);
    if (run->method.solver->kind == CN_SOLVER_PROBLEM) {
        laws_check(run, LAWS_forces, across - mu * contact->force, rounding * (1.0 + mu) * most,
            "bodies %d and %d: friction %g N beyond mu %g times %g N", contact->body_a,
            contact->body_b, across, mu, contact->force);
    }
}

/* Friction and normal forces of the manifold of two bodies, whose points may share theirs. */
static void
check_manifold(struct laws_run *run, int first, double most)
{
    const struct laws_moment *now = &run->after;
    const struct cn_contact_view *contact = &now->contact[first];
    double force = 0.0, across = 0.0;
    for (int i = 0; i < now->touching_count; i++) {
        if (now->contact[i].body_a == contact->body_a &&
            now->contact[i].body_b == contact->body_b) {
            force += now->contact[i].force;
            across += cn_vec3_length(now->contact[i].friction);
        }
    }
    double mu = friction_of(run, contact->body_a, contact->body_b);
    laws_check(run, LAWS_forces, across - mu * force, 1e-4 * (1.0 + mu) * most,
        "bodies %d and %d: friction %g N beyond mu %g times %g N in all", contact->body_a,
        contact->body_b, across, mu, force);
}

/* The residual of friction: x is the speed or the gain across, D turns force into its unit. */
static double
across_off(const struct cn_contact_view *contact, double mu, cn_vec3 x, double D)
{
    double rim = mu * cn_max(contact->force, 0.0);
    cn_vec3 wanted = cn_vec3_add_scaled(cn_vec3_scale(contact->friction, D), -1.0, x);
    double length = cn_vec3_length(wanted);
    if (length > D * rim) {
        wanted = cn_vec3_scale(wanted, D * rim / length);
    }
    return cn_vec3_length(cn_vec3_add_scaled(wanted, -D, contact->friction));
}

static cn_vec3
without_normal(cn_vec3 v, cn_vec3 normal)
{
    return cn_vec3_add_scaled(v, -cn_vec3_dot(v, normal), normal);
}

/* The residual of one contact at an instant. Negative: this contact can not be judged. */
static double
instant_off(const struct laws_run *run, const struct cn_contact_view *contact,
    const struct laws_measure *measure, const struct relative *r, double scale)
{
    if (contact->gap > measure->gap || contact->velocity > measure->still) {
        return contact->gap > measure->gap ? r->diagonal * contact->force : -1.0;
    }
    if (r->turning > 1e-10 * scale || contact->velocity < -measure->rest) {
        return -1.0;
    }
    double a = cn_vec3_dot(contact->normal, r->gain), D = r->diagonal;
    double off = fabs(cn_min(a, D * contact->force));
    double mu = friction_of(run, contact->body_a, contact->body_b);
    cn_vec3 slide = without_normal(r->speed, contact->normal);
    cn_vec3 across = without_normal(r->gain, contact->normal);
    double speed = cn_vec3_length(slide);
    if (speed > measure->still) {
        cn_vec3 against = cn_vec3_add_scaled(
            contact->friction, mu * contact->force / speed, slide);
        return cn_max(off, D * cn_vec3_length(against));
    }
    return mu > 0.0 && speed < 1e-3 * measure->still
        ? cn_max(off, across_off(contact, mu, across, D)) : off;
}

/* Whether a bounce has no friction, no joint and only one contact. */
static bool
bounces_alone(const struct laws_run *run)
{
    return run->scene->friction_max == 0.0 && run->scene->def.joint_count == 0 &&
           run->before.touching_count == 1;
}

/* The same of a march's step, at velocity level. */
static double
step_off(const struct laws_run *run, const struct cn_contact_view *contact,
    const struct laws_measure *measure, const struct relative *r)
{
    bool pushes = strcmp(run->method.stepper->name, "position") == 0;
    double h = run->h, D = r->diagonal, c = cn_max(contact->gap, 0.0) / h;
    if (pushes) {
        if (r->turning * h > 1e-12) {
            return -1.0; /* sides bend */
        }
        c = cn_max(contact->gap / h, -0.25 * measure->width);
    }
    double u = contact->velocity + h * cn_vec3_dot(contact->normal, r->gain);
    double off = fabs(cn_min(u + c, D * h * contact->force));
    if (!pushes && contact->velocity < 0.0) { /* it may be one that is hit */
        double e = restitution_of(run, contact->body_a, contact->body_b);
        double most = -e * contact->velocity;
        double least = bounces_alone(run) ? most : 0.0;
        double hit = fabs(cn_min(u - cn_clamp(u, least, most), D * h * contact->force));
        off = e > 0.0 ? cn_min(off, hit) : off;
    }
    double mu = friction_of(run, contact->body_a, contact->body_b);
    if (mu <= 0.0) {
        return off;
    }
    struct cn_contact_view impulse = *contact;
    impulse.force *= h;
    impulse.friction = cn_vec3_scale(contact->friction, h);
    cn_vec3 across = without_normal(
        cn_vec3_add_scaled(r->speed, h, r->gain), contact->normal);
    return cn_max(off, across_off(&impulse, mu, across, D));
}

static double
scale_of(const struct laws_run *run, const struct laws_moment *moment)
{
    double scale = 1.0, h = run->h;
    for (int i = 0; i < moment->touching_count; i++) {
        const struct cn_contact_view *contact = &moment->contact[i];
        double g = cn_vec3_length(run->scene->def.settings.gravity);
        double b = laws_is_exact(&run->method) ? g : fabs(contact->velocity) + h * g;
        scale = cn_max(scale, b);
    }
    return scale;
}

static void
judge(struct laws_run *run, const struct laws_moment *moment, const struct laws_measure *measure)
{
    double scale = scale_of(run, moment), worst = 0.0, largest = 0.0;
    int at = -1;
    bool exact = laws_is_exact(&run->method);
    for (int i = 0; i < moment->touching_count; i++) {
        const struct cn_contact_view *contact = &moment->contact[i];
        struct relative r = relative_of(run, moment, contact);
        double unit = exact ? 1.0 : run->h;
        double off = exact ? instant_off(run, contact, measure, &r, scale)
                           : step_off(run, contact, measure, &r);
        largest = cn_max(largest, r.diagonal * fabs(contact->force) * unit);
        at = off > worst ? i : at;
        worst = cn_max(worst, off);
    }
    if (at < 0) {
        return;
    }
    double told = moment->summary.residual;
    bool converged = moment->summary.outcome == CN_SOLVE_CONVERGED;
    double mu = 1.0 + run->scene->friction_max;
    double bound = mu * (1e-8 + 1e-12 * largest / scale) + (converged ? 0.0 : 10.0 * told);
    laws_check(run, LAWS_forces, worst / scale, bound,
        "bodies %d and %d: residual %g, told are %g and %s", moment->contact[at].body_a,
        moment->contact[at].body_b, worst / scale, told,
        cn_solve_outcome_name(moment->summary.outcome));
}

void
laws_forces(struct laws_run *run)
{
    struct laws_measure measure = laws_measure(run);
    const struct laws_moment *now = &run->after;
    double most = 1e-9;
    for (int i = 0; i < now->touching_count; i++) {
        most = cn_max(most, fabs(now->contact[i].force));
    }
    bool stated = run->method.solver->kind == CN_SOLVER_PROBLEM;
    for (int i = 0; i < now->touching_count; i++) {
        check_signs(run, &now->contact[i], most);
        if (!stated && run->method.solver->kind == CN_SOLVER_BODIES) {
            check_manifold(run, i, most);
        }
    }
    if (stated && laws_is_exact(&run->method)) {
        judge(run, now, &measure);
    } else if (stated && run->tick > 0 && measure.pieces == 1) {
        judge(run, &run->before, &measure); /* h is that of the step that was done with it */
    }
}
