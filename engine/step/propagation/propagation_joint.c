/*
 * propagation_joint.c: the impulses of joints.
 *
 * The rows that hold are solved at once, J inv(M) J' j = -J v, at most six of them; redundant rows
 * are left out.  Limits only push, and motors stay within their bounds.
 */
#include "engine/step/propagation/propagation.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>

#define WORK_PER_JOINT 600 /* operations, for the budget */
#define HOLD_MAX 6
#define PIVOT_MIN 1e-10 /* of a row's own entry: with a smaller pivot the row is redundant */

/* inv(M) J' of a row, for both bodies. */
struct response {
    struct cn_twist a, b;
};

static struct cn_twist
respond_to(const struct cn_mover *m, cn_vec3 linear, cn_vec3 angular)
{
    return (struct cn_twist){
        cn_vec3_scale(linear, m->mass.linear), cn_mat33_apply(&m->mass.angular, angular)};
}

static struct response
response_of(const struct cn_propagation *p, const struct cn_row *row)
{
    struct response response = {0};
    if (row->body_a >= 0) {
        response.a = respond_to(&p->mover[row->body_a], row->linear_a, row->angular_a);
    }
    if (row->body_b >= 0) {
        response.b = respond_to(&p->mover[row->body_b], row->linear_b, row->angular_b);
    }
    return response;
}

static double
row_entry(const struct cn_row *row, const struct response *x)
{
    return cn_vec3_dot(row->linear_a, x->a.linear) + cn_vec3_dot(row->angular_a, x->a.angular) +
           cn_vec3_dot(row->linear_b, x->b.linear) + cn_vec3_dot(row->angular_b, x->b.angular);
}

static double
rate_of(const struct cn_propagation *p, int k)
{
    const struct cn_row *row = &p->joint[k].row;
    struct response v = {0};
    if (row->body_a >= 0) {
        v.a = p->mover[row->body_a].velocity;
    }
    if (row->body_b >= 0) {
        v.b = p->mover[row->body_b].velocity;
    }
    return row_entry(row, &v) + p->joint_offset[k];
}

static void
add_twist(struct cn_twist *sum, double scale, const struct cn_twist *x)
{
    sum->linear = cn_vec3_add_scaled(sum->linear, scale, x->linear);
    sum->angular = cn_vec3_add_scaled(sum->angular, scale, x->angular);
}

static void
push_row(struct cn_propagation *p, int k, const struct response *response, double impulse)
{
    const struct cn_row *row = &p->joint[k].row;
    if (impulse != 0.0) {
        p->clock++;
    }
    if (row->body_a >= 0) {
        add_twist(&p->mover[row->body_a].velocity, impulse, &response->a);
        p->changed[row->body_a] = impulse != 0.0 ? p->clock : p->changed[row->body_a];
    }
    if (row->body_b >= 0) {
        add_twist(&p->mover[row->body_b].velocity, impulse, &response->b);
        p->changed[row->body_b] = impulse != 0.0 ? p->clock : p->changed[row->body_b];
    }
    p->joint_impulse[k] += impulse;
}

void
cn_propagation_joints(struct cn_propagation *p)
{
    p->joint_count = cn_joint_rows(p->model, p->model->motion, p->pose, p->joint);
    p->tie_count = 0;
    for (int k = 0; k < p->joint_count; k++) {
        const struct cn_joint_row *row = &p->joint[k];
        p->joint_impulse[k] = p->joint_offset[k] = p->joint_bounce[k] = 0.0;
        p->joint_offset[k] = row->rate - rate_of(p, k);
        struct cn_tie *tie = p->tie_count > 0 ? &p->tie[p->tie_count - 1] : NULL;
        if (tie == NULL || p->joint[tie->first].id >> 8 != row->id >> 8) {
            tie = &p->tie[p->tie_count++];
            *tie = (struct cn_tie){row->row.body_a, row->row.body_b, k, 0, 0, 0};
        }
        tie->count++;
        tie->hold_count += row->tag == CN_ROW_BILATERAL;
    }
}

/*
 * Solves A x = wanted in place, A symmetric, row major in A[n * HOLD_MAX]; the rows that depend on
 * those before them get 0.
 */
static void
solve_held(double *A, int n, double *x)
{
    bool used[HOLD_MAX];
    for (int j = 0; j < n; j++) { /* A = L D L' */
        double own = A[j * HOLD_MAX + j], pivot = own;
        for (int k = 0; k < j; k++) {
            double l = A[j * HOLD_MAX + k];
            pivot -= used[k] ? l * l * A[k * HOLD_MAX + k] : 0.0;
        }
        used[j] = pivot > PIVOT_MIN * own;
        A[j * HOLD_MAX + j] = pivot;
        for (int i = j + 1; i < n && used[j]; i++) {
            double sum = A[i * HOLD_MAX + j];
            for (int k = 0; k < j; k++) {
                sum -= used[k] ? A[i * HOLD_MAX + k] * A[j * HOLD_MAX + k] * A[k * HOLD_MAX + k]
                               : 0.0;
            }
            A[i * HOLD_MAX + j] = sum / pivot;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= used[k] ? A[i * HOLD_MAX + k] * x[k] : 0.0;
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] = used[i] ? x[i] / A[i * HOLD_MAX + i] : 0.0;
        for (int k = i + 1; k < n && used[i]; k++) {
            x[i] -= used[k] ? A[k * HOLD_MAX + i] * x[k] : 0.0;
        }
    }
}

/* Finds the x that changes rows first .. first + n - 1 by `wanted`, and stores it in wanted[]. */
static void
find_held(
    const struct cn_propagation *p, int first, int n, struct response *response, double *wanted)
{
    CN_ASSERT(n <= HOLD_MAX && first + n <= p->joint_count);
    double A[HOLD_MAX * HOLD_MAX];
    for (int i = 0; i < n; i++) {
        response[i] = response_of(p, &p->joint[first + i].row);
        for (int k = 0; k <= i; k++) {
            A[i * HOLD_MAX + k] = row_entry(&p->joint[first + k].row, &response[i]);
        }
    }
    solve_held(A, n, wanted);
}

static double
solve_tie(struct cn_propagation *p, const struct cn_tie *tie)
{
    struct response response[HOLD_MAX];
    double x[HOLD_MAX], change = 0.0;
    CN_ASSERT(tie->hold_count <= HOLD_MAX && tie->hold_count <= tie->count);
    for (int i = 0; i < tie->hold_count; i++) {
        x[i] = -rate_of(p, tie->first + i);
        change = cn_max(change, fabs(x[i]));
    }
    find_held(p, tie->first, tie->hold_count, response, x);
    for (int i = 0; i < tie->hold_count; i++) {
        push_row(p, tie->first + i, &response[i], x[i]);
    }
    return change;
}

/* Whether a limit that has restitution is met in this step, faster than the resting velocity. */
static bool
is_struck(const struct cn_propagation *p, int k, double rate)
{
    const struct cn_joint_row *row = &p->joint[k];
    return row->tag == CN_ROW_NORMAL && row->restitution > 0.0 &&
           rate < -cn_model_resting_velocity(p->model, 0.0) &&
           row->gap + p->h * rate <= p->model->gap_tolerance;
}

bool
cn_propagation_ties_struck(const struct cn_propagation *p)
{
    for (int k = 0; k < p->joint_count; k++) {
        if (is_struck(p, k, rate_of(p, k))) {
            return true;
        }
    }
    return false;
}

/* Solves a limit or a motor. */
static double
solve_bounded(struct cn_propagation *p, int k)
{
    const struct cn_joint_row *row = &p->joint[k];
    bool limit = row->tag == CN_ROW_NORMAL;
    if (!limit && !p->gained) {
        return 0.0; /* a motor is a force, not a collision */
    }
    struct response response = response_of(p, &row->row);
    double mass = row_entry(&row->row, &response);
    if (!(mass > 0.0)) {
        return 0.0;
    }
    double rate = rate_of(p, k), before = p->joint_impulse[k];
    double wanted = limit ? -cn_max(row->gap, 0.0) / p->h : 0.0;
    if (!p->gained && is_struck(p, k, rate)) {
        p->joint_bounce[k] = cn_max(p->joint_bounce[k], -row->restitution * rate);
    }
    bool bounces = p->joint_bounce[k] > 0.0;
    wanted = bounces && !p->gained ? p->joint_bounce[k] : wanted;
    double low = bounces ? before : limit ? 0.0 : p->h * row->lower;
    double high = limit ? HUGE_VAL : p->h * row->upper;
    double impulse = cn_clamp(before + (wanted - rate) / mass, low, high) - before;
    push_row(p, k, &response, impulse);
    return fabs(impulse) * mass;
}

double
cn_propagation_tie(struct cn_propagation *p, struct cn_tie *tie)
{
    double change = 0.0;
    for (int k = tie->first + tie->hold_count; k < tie->first + tie->count; k++) {
        change = cn_max(change, solve_bounded(p, k));
    }
    *p->work += WORK_PER_JOINT;
    cn_work_spend(WORK_PER_JOINT);
    return tie->hold_count > 0 ? cn_max(change, solve_tie(p, tie)) : change;
}

void
cn_propagation_tie_place(struct cn_propagation *p, struct cn_tie *tie, double part)
{
    struct response response[HOLD_MAX];
    double x[HOLD_MAX];
    CN_ASSERT(tie->hold_count <= HOLD_MAX && tie->hold_count <= tie->count);
    for (int i = 0; i < tie->hold_count; i++) {
        x[i] = -part * (p->joint[tie->first + i].gap + rate_of(p, tie->first + i));
    }
    find_held(p, tie->first, tie->hold_count, response, x);
    for (int i = 0; i < tie->hold_count; i++) {
        push_row(p, tie->first + i, &response[i], x[i]);
    }
    for (int k = tie->first + tie->hold_count; k < tie->first + tie->count; k++) {
        const struct cn_joint_row *row = &p->joint[k];
        double gap = row->gap + rate_of(p, k);
        struct response push = response_of(p, &row->row);
        double mass = row_entry(&row->row, &push);
        if (row->tag == CN_ROW_NORMAL && gap < 0.0 && mass > 0.0) {
            push_row(p, k, &push, -part * gap / mass);
        }
    }
}
