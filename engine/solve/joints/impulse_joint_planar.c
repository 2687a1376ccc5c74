/*
 * impulse_joint_planar.c: a single joint in the plane: its rows at the present places of its
 * bodies, and one pass over them.
 */
#include "engine/solve/joints/impulse_joint_inside.h"

#include "engine/base/assert.h"
#include "engine/math/trig.h"

#include <math.h>
#include <string.h>

#define LENGTH_MIN 1e-9f /* m: below it two points have no direction */

/* The present places and velocities of a joint's ends. */
struct at2 {
    struct cn_impulse_body2 a, b;
    float ax, ay, bx, by; /* arms */
    float dx, dy;         /* pB - pA */
    float ex, ey;         /* its change in a substep beyond h times its rate */
};

static const struct cn_impulse_body2 resting = {.cosine = 1.0f};

static struct cn_impulse_body2
load(const struct cn_impulse_joint_job *job, int32_t name)
{
    int32_t index = cn_impulse_index(name);
    return index >= 0 ? ((const struct cn_impulse_body2 *)job->body)[index] : resting;
}

static void
save(const struct cn_impulse_joint_job *job, int32_t name, const struct cn_impulse_body2 *from)
{
    if (name >= 0) {
        struct cn_impulse_body2 *body = (struct cn_impulse_body2 *)job->body + name;
        body->vx = from->vx;
        body->vy = from->vy;
        body->w = from->w;
    }
}

static struct at2
find_ends(const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j)
{
    struct at2 at = {.a = load(job, j->name_a), .b = load(job, j->name_b)};
    at.ax = at.a.cosine * j->arm_a[0] - at.a.sine * j->arm_a[1];
    at.ay = at.a.sine * j->arm_a[0] + at.a.cosine * j->arm_a[1];
    at.bx = at.b.cosine * j->arm_b[0] - at.b.sine * j->arm_b[1];
    at.by = at.b.sine * j->arm_b[0] + at.b.cosine * j->arm_b[1];
    at.dx = j->apart[0] + (at.b.dx - at.a.dx) + ((at.bx - j->arm_b[0]) - (at.ax - j->arm_a[0]));
    at.dy = j->apart[1] + (at.b.dy - at.a.dy) + ((at.by - j->arm_b[1]) - (at.ay - j->arm_a[1]));
    float lag_a = cn_soft_lag(job->tick->h, at.a.w * at.a.w);
    float lag_b = cn_soft_lag(job->tick->h, at.b.w * at.b.w);
    at.ex = lag_b * at.bx - lag_a * at.ax;
    at.ey = lag_b * at.by - lag_a * at.ay;
    return at;
}

/* ---- rows ---- */

/* The row of n . (pB - pA), where A's point moves with the arm (ax, ay). */
static struct cn_soft_row2
point_row(const struct at2 *at, float ax, float ay, float x, float y)
{
    return (struct cn_soft_row2){
        .x = x,
        .y = y,
        .a = x * ay - y * ax,
        .b = at->bx * y - at->by * x,
        .gap = x * at->dx + y * at->dy,
        .lag = x * at->ex + y * at->ey,
    };
}

static struct cn_soft_row2
world_row(const struct at2 *at, float x, float y)
{
    return point_row(at, at->ax, at->ay, x, y);
}

/* The same with n fixed in A. */
static struct cn_soft_row2
row_in_a(const struct at2 *at, float x, float y)
{
    return point_row(at, at->ax + at->dx, at->ay + at->dy, x, y);
}

static struct cn_soft_row2
length_row(const struct at2 *at, float h)
{
    float length = sqrtf(at->dx * at->dx + at->dy * at->dy);
    if (!(length > LENGTH_MIN)) {
        return world_row(at, 1.0f, 0.0f);
    }
    struct cn_soft_row2 row = world_row(at, at->dx / length, at->dy / length);
    row.gap = length;
    float vx = at->b.vx - at->b.w * at->by - (at->a.vx - at->a.w * at->ay);
    float vy = at->b.vy + at->b.w * at->bx - (at->a.vy + at->a.w * at->ax);
    float across = (row.x * vy - row.y * vx) / length;
    row.lag -= length * cn_soft_lag(h, across * across);
    return row;
}

static struct cn_soft_row2
angle_row(const struct cn_joint *joint, const struct cn_soft_joint2 *j, const struct at2 *at)
{
    float cosine = at->a.cosine * at->b.cosine + at->a.sine * at->b.sine;
    float sine = at->a.cosine * at->b.sine - at->a.sine * at->b.cosine;
    float sign = joint->frame_a.cx.z < 0.0 ? -1.0f : 1.0f; /* a hinge whose axis points to -z */
    float turn = (float)cn_atan2((double)sine, (double)cosine);
    return (struct cn_soft_row2){.a = -sign, .b = sign, .gap = sign * (j->angle + turn)};
}

static struct cn_soft_row2
track_row(const struct cn_impulse_joint_job *job, const struct cn_joint *joint,
    const struct cn_soft_joint2 *j, const struct at2 *at, bool along)
{
    cn_vec3 point = {j->point[0] + (double)at->dx - (double)j->apart[0],
        j->point[1] + (double)at->dy - (double)j->apart[1], 0.0};
    struct cn_curve_foot foot =
        cn_curve_foot_near(&job->model->curve[joint->curve], point, j->parameter);
    float x = (float)foot.tangent.x, y = (float)foot.tangent.y;
    struct cn_soft_row2 row = along ? world_row(at, x, y) : world_row(at, -y, x);
    double gap = along ? 0.0 : foot.tangent.x * (point.y - foot.point.y) -
                                   foot.tangent.y * (point.x - foot.point.x);
    row.gap = (float)gap;
    float way = job->tick->h * (x * at->b.vx + y * at->b.vy);
    float bend = x * (float)foot.curvature.y - y * (float)foot.curvature.x;
    row.lag -= along ? 0.0f : 0.5f * bend * way * way;
    return row;
}

/* Finds the rows that hold.  Returns their number. */
static int
find_hold(const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j,
    const struct at2 *at, struct cn_soft_row2 *rows)
{
    const struct cn_joint *joint = &job->model->joint[j->index];
    float x = at->a.cosine * j->axis[0] - at->a.sine * j->axis[1];
    float y = at->a.sine * j->axis[0] + at->a.cosine * j->axis[1];
    switch (joint->kind) {
    case CN_JOINT_BALL:
    case CN_JOINT_HINGE:
        rows[0] = world_row(at, 1.0f, 0.0f);
        rows[1] = world_row(at, 0.0f, 1.0f);
        return 2;
    case CN_JOINT_SLIDER:
        rows[0] = row_in_a(at, -y, x);
        rows[1] = angle_row(joint, j, at);
        return 2;
    case CN_JOINT_FIXED:
        rows[0] = world_row(at, 1.0f, 0.0f);
        rows[1] = world_row(at, 0.0f, 1.0f);
        rows[2] = angle_row(joint, j, at);
        return 3;
    case CN_JOINT_DISTANCE:
        if (joint->has_limit) {
            return 0;
        }
        rows[0] = length_row(at, job->tick->h);
        rows[0].gap -= (float)joint->length;
        return 1;
    case CN_JOINT_ROPE:
        return 0;
    case CN_JOINT_TRACK:
        rows[0] = track_row(job, joint, j, at, false);
        return 1;
    }
    return 0;
}

/* Finds the row of the free coordinate, for a joint that has one. */
static struct cn_soft_row2
find_coordinate(const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j,
    const struct at2 *at)
{
    const struct cn_joint *joint = &job->model->joint[j->index];
    switch (joint->kind) {
    case CN_JOINT_HINGE:
        return angle_row(joint, j, at);
    case CN_JOINT_SLIDER:
        return row_in_a(at, at->a.cosine * j->axis[0] - at->a.sine * j->axis[1],
            at->a.sine * j->axis[0] + at->a.cosine * j->axis[1]);
    case CN_JOINT_TRACK:
        return track_row(job, joint, j, at, true);
    default:
        return length_row(at, job->tick->h);
    }
}

/* ---- passes ---- */

static float
row_rate(const struct cn_soft_row2 *row, const struct at2 *at)
{
    return row->x * (at->b.vx - at->a.vx) + row->y * (at->b.vy - at->a.vy) + row->a * at->a.w +
           row->b * at->b.w;
}

/* J inv(M) J' of two rows of a joint. */
static float
row_product(
    const struct cn_soft_joint2 *j, const struct cn_soft_row2 *p, const struct cn_soft_row2 *q)
{
    return (j->mass_a + j->mass_b) * (p->x * q->x + p->y * q->y) + j->inertia_a * p->a * q->a +
           j->inertia_b * p->b * q->b;
}

static void
apply(const struct cn_soft_joint2 *j, const struct cn_soft_row2 *row, float impulse, struct at2 *at)
{
    at->a.vx -= j->mass_a * row->x * impulse;
    at->a.vy -= j->mass_a * row->y * impulse;
    at->a.w += j->inertia_a * row->a * impulse;
    at->b.vx += j->mass_b * row->x * impulse;
    at->b.vy += j->mass_b * row->y * impulse;
    at->b.w += j->inertia_b * row->b * impulse;
}

/* Gives a thin joint's rows the softness that they have in a chain. */
static void
soften_as_chain(const struct cn_soft_joint2 *j, bool use_bias, struct cn_soft_block *block)
{
    block->mass_scale = 1.0f;
    block->impulse_scale = 0.0f;
    for (int i = 0; i < block->count; i++) {
        float give = cn_soft_thin_give(j->mass_a + j->mass_b, block->K[i][i]);
        block->K[i][i] += give;
        block->x[i] += use_bias ? give * j->impulse[i] : 0.0f;
    }
}

/* The rows that hold, as one block. */
static void
find_block(const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j, bool use_bias,
    bool in_chain, const struct at2 *at, struct cn_soft_row2 *rows, struct cn_soft_block *block)
{
    block->count = find_hold(job, j, at, rows);
    float bias_rate = use_bias ? job->soft.bias_rate : 0.0f;
    float lag_rate = use_bias ? job->tick->inverse_h : 0.0f;
    block->mass_scale = use_bias ? job->soft.mass_scale : 1.0f;
    block->impulse_scale = use_bias ? job->soft.impulse_scale : 0.0f;
    for (int i = 0; i < block->count; i++) {
        for (int k = 0; k <= i; k++) {
            block->K[i][k] = row_product(j, &rows[i], &rows[k]);
        }
        block->x[i] =
            row_rate(&rows[i], at) + bias_rate * rows[i].gap + lag_rate * rows[i].lag;
    }
    if (in_chain) {
        soften_as_chain(j, use_bias, block);
    }
}

/* Changes K and rate of the free coordinate of a thin joint by the answer of the rows that hold. */
static void
meet_answer(const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j, bool use_bias,
    bool in_chain, const struct at2 *at, const struct cn_soft_row2 *row, float *K, float *rate)
{
    struct cn_soft_row2 rows[CN_SOFT_HOLD_MAX];
    struct cn_soft_block block;
    float effect[CN_SOFT_HOLD_MAX];
    find_block(job, j, use_bias, in_chain, at, rows, &block);
    for (int i = 0; i < block.count; i++) {
        effect[i] = row_product(j, &rows[i], row);
    }
    cn_soft_thin_free(&block, effect, j->impulse, K, rate);
}

struct cn_soft_end2
cn_soft_end2_make(const struct cn_impulse_joint_job *job, int body, const cn_vec3 *anchor)
{
    struct cn_soft_end2 end = {.name = CN_IMPULSE_FIXED, .point = {anchor->x, anchor->y}};
    if (body < 0) {
        return end;
    }
    CN_ASSERT(body < job->model->body_count);
    const struct cn_place2 *place = (const struct cn_place2 *)job->place + body;
    end.name = job->solver_body[body];
    if (end.name >= 0) {
        const struct cn_impulse_mass2 *from =
            (const struct cn_impulse_mass2 *)job->mass + end.name;
        end.mass = from->inverse_mass;
        end.inertia = from->inverse_inertia;
    }
    float x = (float)anchor->x, y = (float)anchor->y;
    end.arm[0] = place->cosine * x - place->sine * y;
    end.arm[1] = place->sine * x + place->cosine * y;
    end.point[0] = place->x + (double)end.arm[0];
    end.point[1] = place->y + (double)end.arm[1];
    return end;
}

void
cn_soft_prepare2(const struct cn_impulse_joint_job *job, int index, struct cn_soft_joint2 *j)
{
    struct cn_model *model = job->model;
    CN_ASSERT(0 <= index && index < model->joint_count);
    CN_ASSERT(model->joint[index].body_b >= 0); /* the ground is always A */
    const struct cn_joint *joint = &model->joint[index];
    struct cn_soft_end2 a = cn_soft_end2_make(job, joint->body_a, &joint->anchor_a);
    struct cn_soft_end2 b = cn_soft_end2_make(job, joint->body_b, &joint->anchor_b);
    *j = (struct cn_soft_joint2){
        .index = index,
        .name_a = a.name,
        .name_b = b.name,
        .mass_a = a.mass,
        .mass_b = b.mass,
        .inertia_a = a.inertia,
        .inertia_b = b.inertia,
        .arm_a = {a.arm[0], a.arm[1]},
        .arm_b = {b.arm[0], b.arm[1]},
        .apart = {(float)(b.point[0] - a.point[0]), (float)(b.point[1] - a.point[1])},
        .point = {b.point[0], b.point[1]},
        .thin = cn_soft_is_thin(model, index),
    };
    double angle_a = joint->body_a >= 0 ? model->motion[joint->body_a].angle : 0.0;
    j->angle = (float)(model->motion[joint->body_b].angle - angle_a - joint->angle);
    if (joint->kind == CN_JOINT_SLIDER) {
        struct cn_place2 place = {.cosine = 1.0f};
        if (joint->body_a >= 0) {
            place = ((const struct cn_place2 *)job->place)[joint->body_a];
        }
        float x = (float)joint->frame_a.cx.x, y = (float)joint->frame_a.cx.y;
        j->axis[0] = place.cosine * x - place.sine * y;
        j->axis[1] = place.sine * x + place.cosine * y;
    } else if (joint->kind == CN_JOINT_TRACK) {
        struct cn_joint_state *state = &model->joint_state[index];
        const struct cn_curve *curve = &model->curve[joint->curve];
        cn_vec3 point = {j->point[0], j->point[1], 0.0};
        state->place =
            cn_curve_wrap(curve, cn_curve_foot_near(curve, point, state->place).parameter);
        j->parameter = state->place;
    }
    if (joint->has_limit || joint->has_motor || joint->has_spring || joint->friction > 0.0) {
        struct at2 at = find_ends(job, j);
        struct cn_soft_row2 row = find_coordinate(job, j, &at);
        float K = row_product(j, &row, &row), rate = 0.0f;
        if (j->thin) {
            meet_answer(job, j, false, true, &at, &row, &K, &rate);
        }
        j->free = cn_soft_free_make(model, index, job->tick->h, K);
    }
    cn_soft_recall(job, index, j->impulse);
}

/* Applies the impulses along the present rows. */
static void
push(const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j, struct at2 *at)
{
    struct cn_soft_row2 rows[CN_SOFT_HOLD_MAX];
    int count = find_hold(job, j, at, rows);
    for (int k = 0; k < count; k++) {
        apply(j, &rows[k], j->impulse[k], at);
    }
    if (cn_soft_free_acts(&j->free)) {
        struct cn_soft_row2 row = find_coordinate(job, j, at);
        apply(j, &row, cn_soft_free_sum(&j->free, j->impulse), at);
    }
}

/* Finds the changes of vA, wA, vB, wB by the impulses along the present rows. */
static void
find_given(const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j,
    const struct at2 *at, float given[6])
{
    struct at2 still = *at;
    still.a.vx = still.a.vy = still.a.w = still.b.vx = still.b.vy = still.b.w = 0.0f;
    push(job, j, &still);
    given[0] = still.a.vx;
    given[1] = still.a.vy;
    given[2] = still.a.w;
    given[3] = still.b.vx;
    given[4] = still.b.vy;
    given[5] = still.b.w;
}

/*
 * Corrects carry by the change of the rows since the pass with bias: then the bodies carry the
 * impulses along the present rows into the next substep.
 */
static void
carry_given(
    const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j, const struct at2 *at)
{
    struct cn_impulse_carry2 *carry = job->carry;
    float given[6];
    if (carry == NULL) {
        return;
    }
    find_given(job, j, at, given);
    const int32_t names[] = {j->name_a, j->name_b};
    for (int k = 0; k < 2; k++) {
        if (names[k] >= 0) {
            carry[names[k]].vx += j->given[3 * k] - given[3 * k];
            carry[names[k]].vy += j->given[3 * k + 1] - given[3 * k + 1];
            carry[names[k]].w += j->given[3 * k + 2] - given[3 * k + 2];
        }
    }
}

void
cn_soft_warm_start2(const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j)
{
    struct at2 at = find_ends(job, j);
    push(job, j, &at);
    save(job, j->name_a, &at.a);
    save(job, j->name_b, &at.b);
}

static void
solve_hold(const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j, bool use_bias,
    bool in_chain, struct at2 *at)
{
    struct cn_soft_row2 rows[CN_SOFT_HOLD_MAX];
    struct cn_soft_block block;
    find_block(job, j, use_bias, in_chain, at, rows, &block);
    cn_soft_block_solve(block.count, block.K, block.x);
    for (int i = 0; i < block.count; i++) {
        float grown = -block.mass_scale * block.x[i] - block.impulse_scale * j->impulse[i];
        j->impulse[i] += grown;
        apply(j, &rows[i], grown, at);
    }
}

/* Solves the free coordinate.  In relax, corrects carry first. */
static void
solve_free(const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j, bool use_bias,
    bool in_chain, struct at2 *at)
{
    if (!use_bias) {
        carry_given(job, j, at);
    }
    if (cn_soft_free_acts(&j->free)) {
        struct cn_soft_row2 row = find_coordinate(job, j, at);
        float K = row_product(j, &row, &row), rate = row_rate(&row, at);
        if (j->thin) {
            meet_answer(job, j, use_bias, in_chain, at, &row, &K, &rate);
        }
        float grown = cn_soft_free_solve(
            &j->free, job->tick, &job->soft, use_bias, row.gap, rate, K, j->impulse);
        apply(j, &row, grown, at);
    }
}

static void
note(const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j, bool use_bias,
    const struct at2 *at)
{
    if (use_bias) {
        find_given(job, j, at, j->given);
        return;
    }
    for (int part = 0; part < CN_JOINT_PARTS; part++) {
        j->total[part] += j->impulse[part];
    }
}

static void
save_ends(
    const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j, const struct at2 *at)
{
    save(job, j->name_a, &at->a);
    save(job, j->name_b, &at->b);
}

void
cn_soft_solve2(const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j, bool use_bias)
{
    struct at2 at = find_ends(job, j);
    solve_free(job, j, use_bias, false, &at);
    solve_hold(job, j, use_bias, false, &at);
    note(job, j, use_bias, &at);
    save_ends(job, j, &at);
}

/* ---- parts of a pass, for several joints at once ---- */

void
cn_soft_begin2(const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j, bool use_bias)
{
    struct at2 at = find_ends(job, j);
    solve_free(job, j, use_bias, true, &at);
    if (j->thin) { /* before its rows are solved, a thin joint's body spins as it never does */
        solve_hold(job, j, use_bias, true, &at);
    }
    save_ends(job, j, &at);
}

int
cn_soft_lines2(const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j,
    bool use_bias, struct cn_soft_line *lines)
{
    struct at2 at = find_ends(job, j);
    struct cn_soft_row2 rows[CN_SOFT_HOLD_MAX];
    int count = find_hold(job, j, &at, rows);
    CN_ASSERT(count <= 3); /* the room of a chain's rows, see impulse_joint_chain_solve.c */
    float bias_rate = use_bias ? job->soft.bias_rate : 0.0f;
    float lag_rate = use_bias ? job->tick->inverse_h : 0.0f;
    for (int i = 0; i < count; i++) {
        const struct cn_soft_row2 *row = &rows[i];
        float lack = row_rate(row, &at) + bias_rate * row->gap + lag_rate * row->lag;
        double x = (double)row->x, y = (double)row->y, a = (double)row->a, b = (double)row->b;
        double mass_a = (double)j->mass_a, mass_b = (double)j->mass_b;
        lines[i] = (struct cn_soft_line){
            .row = {{-x, -y, a}, {x, y, b}},
            .give = {{-mass_a * x, -mass_a * y, (double)j->inertia_a * a},
                {mass_b * x, mass_b * y, (double)j->inertia_b * b}},
            .lack = -(double)lack,
        };
    }
    return count;
}

void
cn_soft_end2(const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j, bool use_bias)
{
    struct at2 at = find_ends(job, j);
    note(job, j, use_bias, &at);
}

void
cn_soft_run2(const struct cn_impulse_joint_job *job, enum cn_soft_pass pass, int32_t index,
    struct cn_soft_joint2 *j)
{
    switch (pass) {
    case CN_SOFT_PREPARE:
        cn_soft_prepare2(job, index, j);
        break;
    case CN_SOFT_WARM_START:
        cn_soft_warm_start2(job, j);
        break;
    case CN_SOFT_SOLVE:
    case CN_SOFT_RELAX:
        cn_soft_solve2(job, j, pass == CN_SOFT_SOLVE);
        break;
    case CN_SOFT_COOL:
        memset(j->impulse, 0, sizeof(j->impulse));
        break;
    case CN_SOFT_STORE:
        cn_soft_store(job, index, j->total);
        break;
    }
}
