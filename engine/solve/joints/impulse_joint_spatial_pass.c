/*
 * impulse_joint_spatial_pass.c: a single joint in space: one pass over its rows.
 *
 * The rows of a track are across its tangent, in directions that jump when another component of the
 * tangent becomes the smallest.  So a track's impulse is stored as a vector in world axes, and each
 * pass takes its components along the rows.
 */
#include "engine/solve/joints/impulse_joint_spatial.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"

#include <math.h>
#include <string.h>

typedef cn_soft_vec vec;

static void
save(const struct cn_impulse_joint_job *job, int32_t name, const struct cn_soft_place3 *end)
{
    if (name >= 0) {
        struct cn_impulse_body3 *body = (struct cn_impulse_body3 *)job->body + name;
        body->v[0] = end->v.x;
        body->v[1] = end->v.y;
        body->v[2] = end->v.z;
        body->w[0] = end->w.x;
        body->w[1] = end->w.y;
        body->w[2] = end->w.z;
    }
}

/* ---- passes ---- */

static float
row_rate(const struct cn_soft_row3 *row, const struct cn_soft_at3 *at)
{
    return cn_soft_dot(row->n, cn_soft_sub(at->b.v, at->a.v)) + cn_soft_dot(row->a, at->a.w) +
           cn_soft_dot(row->b, at->b.w);
}

/* A row, and the changes of spin by a unit impulse. */
struct heavy_row {
    struct cn_soft_row3 row;
    vec spin_a, spin_b;
};

static struct heavy_row
weigh(const struct cn_soft_joint3 *j, const struct cn_soft_row3 *row, const struct cn_soft_at3 *at)
{
    return (struct heavy_row){
        .row = *row,
        .spin_a = cn_soft_give(&at->a, j->inertia_a, row->a),
        .spin_b = cn_soft_give(&at->b, j->inertia_b, row->b),
    };
}

/* J inv(M) J' of two rows of a joint. */
static float
row_product(const struct cn_soft_joint3 *j, const struct heavy_row *p, const struct heavy_row *q)
{
    return (j->mass_a + j->mass_b) * cn_soft_dot(p->row.n, q->row.n) +
           cn_soft_dot(p->row.a, q->spin_a) + cn_soft_dot(p->row.b, q->spin_b);
}

static void
apply(const struct cn_soft_joint3 *j, const struct heavy_row *row, float impulse,
    struct cn_soft_at3 *at)
{
    at->a.v = cn_soft_add_scaled(at->a.v, -j->mass_a * impulse, row->row.n);
    at->a.w = cn_soft_add_scaled(at->a.w, impulse, row->spin_a);
    at->b.v = cn_soft_add_scaled(at->b.v, j->mass_b * impulse, row->row.n);
    at->b.w = cn_soft_add_scaled(at->b.w, impulse, row->spin_b);
}

/* The rows that hold, as one block. */
struct hold {
    struct cn_soft_block block;
    struct heavy_row row[CN_SOFT_HOLD_MAX];
};

/* Gives a thin joint's rows the softness that they have in a chain. */
static void
soften_as_chain(const struct cn_soft_joint3 *j, bool use_bias, struct cn_soft_block *block)
{
    block->mass_scale = 1.0f;
    block->impulse_scale = 0.0f;
    for (int i = 0; i < block->count; i++) {
        float give = cn_soft_thin_give(j->mass_a + j->mass_b, block->K[i][i]);
        block->K[i][i] += give;
        block->x[i] += use_bias ? give * j->impulse[i] : 0.0f;
    }
}

static void
find_hold(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j, bool use_bias,
    bool in_chain, const struct cn_soft_at3 *at, struct hold *hold)
{
    struct cn_soft_row3 rows[CN_SOFT_HOLD_MAX];
    struct cn_soft_block *block = &hold->block;
    block->count = cn_soft_find_hold3(job, j, at, rows);
    float bias_rate = use_bias ? job->soft.bias_rate : 0.0f;
    float lag_rate = use_bias ? job->tick->inverse_h : 0.0f;
    block->mass_scale = use_bias ? job->soft.mass_scale : 1.0f;
    block->impulse_scale = use_bias ? job->soft.impulse_scale : 0.0f;
    for (int i = 0; i < block->count; i++) {
        hold->row[i] = weigh(j, &rows[i], at);
        for (int k = 0; k <= i; k++) {
            block->K[i][k] = row_product(j, &hold->row[i], &hold->row[k]);
        }
        block->x[i] =
            row_rate(&rows[i], at) + bias_rate * rows[i].gap + lag_rate * rows[i].lag;
    }
    if (in_chain) {
        soften_as_chain(j, use_bias, block);
    }
}

/* The answer of the rows that hold to the turn of a thin ball. */
static struct cn_soft_yield
find_yield(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j, bool use_bias,
    bool in_chain, const struct cn_soft_at3 *at)
{
    struct hold hold;
    struct cn_soft_yield yield = {0};
    vec turn[CN_SOFT_HOLD_MAX]; /* the change of the relative spin by each row */
    float effect[CN_SOFT_HOLD_MAX], impulse[CN_SOFT_HOLD_MAX];
    find_hold(job, j, use_bias, in_chain, at, &hold);
    int count = hold.block.count;
    for (int i = 0; i < count; i++) {
        turn[i] = cn_soft_sub(hold.row[i].spin_b, hold.row[i].spin_a);
    }
    const vec axis[] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < count; i++) {
            effect[i] = cn_soft_dot(turn[i], axis[k]);
        }
        (void)cn_soft_thin_answer(&hold.block, effect, impulse);
        for (int i = 0; i < count; i++) {
            yield.K[k] = cn_soft_add_scaled(yield.K[k], impulse[i], turn[i]);
        }
    }
    cn_soft_thin_lack(&hold.block, j->impulse, impulse);
    for (int i = 0; i < count; i++) {
        yield.w = cn_soft_add_scaled(yield.w, impulse[i], turn[i]);
    }
    return yield;
}

/* Changes K and rate of the free coordinate of a thin joint by the answer of the rows that hold. */
static void
meet_answer(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j, bool use_bias,
    bool in_chain, const struct cn_soft_at3 *at, const struct heavy_row *row, float *K, float *rate)
{
    struct hold hold;
    float effect[CN_SOFT_HOLD_MAX];
    find_hold(job, j, use_bias, in_chain, at, &hold);
    for (int i = 0; i < hold.block.count; i++) {
        effect[i] = row_product(j, &hold.row[i], row);
    }
    cn_soft_thin_free(&hold.block, effect, j->impulse, K, rate);
}

/* The trace of the sum of both inverse inertias, of a thin ball less the answer of its point. */
static float
trace_of(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j)
{
    float trace = j->inertia_a[0] + j->inertia_a[1] + j->inertia_a[2] + j->inertia_b[0] +
                  j->inertia_b[1] + j->inertia_b[2];
    if (!j->thin) {
        return trace;
    }
    struct cn_soft_at3 at = cn_soft_find_ends3(job, j);
    struct cn_soft_yield yield = find_yield(job, j, false, true, &at);
    return cn_soft_thin_rest(trace, yield.K[0].x + yield.K[1].y + yield.K[2].z);
}

static cn_soft_mat
turn_frame(const cn_soft_mat *turn, const cn_mat33 *frame)
{
    return (cn_soft_mat){cn_soft_mat_apply(turn, cn_soft_vec_from(frame->cx)),
        cn_soft_mat_apply(turn, cn_soft_vec_from(frame->cy)),
        cn_soft_mat_apply(turn, cn_soft_vec_from(frame->cz))};
}

void
cn_soft_end3_make(const struct cn_impulse_joint_job *job, int body, const cn_vec3 *anchor,
    struct cn_soft_end3 *end)
{
    *end = (struct cn_soft_end3){
        .name = CN_IMPULSE_FIXED,
        .point = *anchor,
        .turn = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}},
    };
    if (body < 0) {
        return;
    }
    CN_ASSERT(body < job->model->body_count);
    const struct cn_place3 *place = (const struct cn_place3 *)job->place + body;
    end->turn = (cn_soft_mat){cn_soft_vec_of(place->turn), cn_soft_vec_of(place->turn + 3),
        cn_soft_vec_of(place->turn + 6)};
    end->arm = cn_soft_mat_apply(&end->turn, cn_soft_vec_from(*anchor));
    end->point = cn_vec3_make(place->x + (double)end->arm.x, place->y + (double)end->arm.y,
        place->z + (double)end->arm.z);
    end->name = job->solver_body[body];
    if (end->name >= 0) {
        const struct cn_impulse_mass3 *from =
            (const struct cn_impulse_mass3 *)job->mass + end->name;
        end->mass = from->inverse_mass;
        for (int k = 0; k < 6; k++) {
            end->inertia[k] = from->inverse_inertia[k];
        }
    }
}

struct cn_soft_angle
cn_soft_angle_make(const cn_soft_mat *frame_a, cn_soft_vec y_b, double before)
{
    double x = (double)cn_soft_dot(frame_a->cy, y_b), y = (double)cn_soft_dot(frame_a->cz, y_b);
    double angle = cn_atan2(y, x), turn = 2.0 * CN_PI;
    double length = sqrt(cn_max(x * x + y * y, 1e-12));
    float cosine = (float)(x / length), sine = (float)(y / length);
    return (struct cn_soft_angle){
        .angle = angle + turn * floor((before - angle) / turn + 0.5),
        .x = cn_soft_add_scaled(cn_soft_scale(frame_a->cy, cosine), sine, frame_a->cz),
    };
}

static void
prepare_angle(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j)
{
    struct cn_joint_state *state = &job->model->joint_state[j->index];
    struct cn_soft_angle angle = cn_soft_angle_make(&j->frame_a, j->frame_b.cy, state->place);
    state->place = angle.angle;
    j->angle = (float)angle.angle;
    j->angle_x = angle.x;
    j->angle_y = cn_soft_cross(j->frame_a.cx, angle.x);
    j->angle_b = j->frame_b.cy;
}

/* Writes the components of a track's impulse along its rows to total[]. */
static void
pull_along(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, vec pull)
{
    struct cn_soft_at3 at = cn_soft_find_ends3(job, j);
    struct cn_soft_row3 rows[2];
    (void)cn_soft_hold_track3(job, j, &at, rows);
    j->total[0] = cn_soft_dot(pull, rows[0].n);
    j->total[1] = cn_soft_dot(pull, rows[1].n);
}

static void
prepare_track(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j)
{
    struct cn_joint_state *state = &job->model->joint_state[j->index];
    const struct cn_curve *curve = &job->model->curve[job->model->joint[j->index].curve];
    cn_vec3 point = {j->point[0], j->point[1], j->point[2]};
    state->place = cn_curve_wrap(curve, cn_curve_foot_near(curve, point, state->place).parameter);
    j->parameter = state->place;
    struct cn_soft_at3 at = cn_soft_find_ends3(job, j);
    struct cn_soft_row3 rows[2];
    (void)cn_soft_hold_track3(job, j, &at, rows);
    j->pull = cn_soft_scale(rows[0].n, j->impulse[0]);
    j->pull = cn_soft_add_scaled(j->pull, j->impulse[1], rows[1].n);
}

void
cn_soft_prepare3(const struct cn_impulse_joint_job *job, int index, struct cn_soft_joint3 *j)
{
    CN_ASSERT(0 <= index && index < job->model->joint_count);
    CN_ASSERT(job->model->joint[index].body_b >= 0); /* the ground is always A */
    const struct cn_joint *joint = &job->model->joint[index];
    struct cn_soft_end3 a, b;
    cn_soft_end3_make(job, joint->body_a, &joint->anchor_a, &a);
    cn_soft_end3_make(job, joint->body_b, &joint->anchor_b, &b);
    *j = (struct cn_soft_joint3){
        .index = index,
        .name_a = a.name,
        .name_b = b.name,
        .mass_a = a.mass,
        .mass_b = b.mass,
        .arm_a = a.arm,
        .arm_b = b.arm,
        .apart = cn_soft_vec_from(cn_vec3_sub(b.point, a.point)),
        .frame_a = turn_frame(&a.turn, &joint->frame_a),
        .frame_b = turn_frame(&b.turn, &joint->frame_b),
        .point = {b.point.x, b.point.y, b.point.z},
        .thin = cn_soft_is_thin(job->model, index),
    };
    for (int k = 0; k < 6; k++) {
        j->inertia_a[k] = a.inertia[k];
        j->inertia_b[k] = b.inertia[k];
    }
    cn_soft_recall(job, index, j->impulse);
    if (joint->kind == CN_JOINT_HINGE) {
        prepare_angle(job, j);
    } else if (joint->kind == CN_JOINT_TRACK) {
        prepare_track(job, j);
    }
    if (joint->kind == CN_JOINT_BALL) {
        cn_soft_turn_prepare(job, j, trace_of(job, j));
    } else if (joint->has_limit || joint->has_motor || joint->has_spring ||
               joint->friction > 0.0) {
        struct cn_soft_at3 at = cn_soft_find_ends3(job, j);
        struct cn_soft_row3 row = cn_soft_find_coordinate3(job, j, &at);
        struct heavy_row heavy = weigh(j, &row, &at);
        float K = row_product(j, &heavy, &heavy), rate = 0.0f;
        if (j->thin) {
            meet_answer(job, j, false, true, &at, &heavy, &K, &rate);
        }
        j->free = cn_soft_free_make(job->model, index, job->tick->h, K);
    }
}

/* Applies the impulses along the present rows. */
static void
push(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j, struct cn_soft_at3 *at)
{
    struct cn_soft_row3 rows[CN_SOFT_HOLD_MAX];
    bool is_track = job->model->joint[j->index].kind == CN_JOINT_TRACK;
    int count = cn_soft_find_hold3(job, j, at, rows);
    for (int k = 0; k < count; k++) {
        struct heavy_row heavy = weigh(j, &rows[k], at);
        apply(j, &heavy, is_track ? cn_soft_dot(j->pull, rows[k].n) : j->impulse[k], at);
    }
    if (cn_soft_free_acts(&j->free)) {
        struct cn_soft_row3 row = cn_soft_find_coordinate3(job, j, at);
        struct heavy_row heavy = weigh(j, &row, at);
        apply(j, &heavy, cn_soft_free_sum(&j->free, j->impulse), at);
    }
    if (j->turn.acts) {
        cn_soft_turn_push(j, at);
    }
}

/* Finds the changes of vA, wA, vB, wB by the impulses along the present rows. */
static void
find_given(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at, vec given[4])
{
    struct cn_soft_at3 still = *at;
    still.a.v = still.a.w = still.b.v = still.b.w = cn_soft_vec_make(0.0f, 0.0f, 0.0f);
    push(job, j, &still);
    given[0] = still.a.v;
    given[1] = still.a.w;
    given[2] = still.b.v;
    given[3] = still.b.w;
}

/*
 * Corrects carry by the change of the rows since the pass with bias: then the bodies carry the
 * impulses along the present rows into the next substep.
 */
static void
carry_given(
    const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at)
{
    struct cn_impulse_carry3 *carry = job->carry;
    vec given[4];
    if (carry == NULL) {
        return;
    }
    find_given(job, j, at, given);
    const int32_t names[] = {j->name_a, j->name_b};
    for (int k = 0; k < 2; k++) {
        if (names[k] >= 0) {
            struct cn_impulse_carry3 *of = &carry[names[k]];
            vec v = cn_soft_sub(j->given[2 * k], given[2 * k]);
            vec w = cn_soft_sub(j->given[2 * k + 1], given[2 * k + 1]);
            of->v[0] += v.x;
            of->v[1] += v.y;
            of->v[2] += v.z;
            of->w[0] += w.x;
            of->w[1] += w.y;
            of->w[2] += w.z;
        }
    }
}

void
cn_soft_warm_start3(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j)
{
    struct cn_soft_at3 at = cn_soft_find_ends3(job, j);
    push(job, j, &at);
    save(job, j->name_a, &at.a);
    save(job, j->name_b, &at.b);
}

static void
solve_hold(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, bool use_bias,
    bool in_chain, struct cn_soft_at3 *at)
{
    struct hold hold;
    struct cn_soft_block *block = &hold.block;
    bool is_track = job->model->joint[j->index].kind == CN_JOINT_TRACK;
    find_hold(job, j, use_bias, in_chain, at, &hold);
    cn_soft_block_solve(block->count, block->K, block->x);
    vec pull = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < block->count; i++) {
        const struct heavy_row *row = &hold.row[i];
        if (is_track) {
            j->impulse[i] = cn_soft_dot(j->pull, row->row.n);
        }
        float grown = -block->mass_scale * block->x[i] - block->impulse_scale * j->impulse[i];
        j->impulse[i] += grown;
        pull = cn_soft_add_scaled(pull, j->impulse[i], row->row.n);
        apply(j, row, grown, at);
    }
    j->pull = pull;
}

/* Solves the free coordinate and the turn of a ball.  In relax, corrects carry first. */
static void
solve_free(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, bool use_bias,
    bool in_chain, struct cn_soft_at3 *at)
{
    if (!use_bias) {
        carry_given(job, j, at);
    }
    if (cn_soft_free_acts(&j->free)) {
        struct cn_soft_row3 row = cn_soft_find_coordinate3(job, j, at);
        struct heavy_row heavy = weigh(j, &row, at);
        float K = row_product(j, &heavy, &heavy), rate = row_rate(&row, at);
        if (j->thin) {
            meet_answer(job, j, use_bias, in_chain, at, &heavy, &K, &rate);
        }
        float grown = cn_soft_free_solve(
            &j->free, job->tick, &job->soft, use_bias, row.gap, rate, K, j->impulse);
        apply(j, &heavy, grown, at);
    }
    if (j->turn.acts) {
        struct cn_soft_yield yield;
        if (j->thin) {
            yield = find_yield(job, j, use_bias, in_chain, at);
        }
        cn_soft_turn_solve(job, j, use_bias, j->thin ? &yield : NULL, at);
    }
}

static void
note(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, bool use_bias,
    const struct cn_soft_at3 *at)
{
    if (use_bias) {
        find_given(job, j, at, j->given);
        return;
    }
    for (int part = 0; part < CN_JOINT_PARTS; part++) {
        j->total[part] += j->impulse[part];
    }
    j->pull_total = cn_soft_add(j->pull_total, j->pull);
}

static void
save_ends(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at)
{
    save(job, j->name_a, &at->a);
    save(job, j->name_b, &at->b);
}

void
cn_soft_solve3(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, bool use_bias)
{
    struct cn_soft_at3 at = cn_soft_find_ends3(job, j);
    solve_free(job, j, use_bias, false, &at);
    solve_hold(job, j, use_bias, false, &at);
    note(job, j, use_bias, &at);
    save_ends(job, j, &at);
}

/* ---- parts of a pass, for several joints at once ---- */

void
cn_soft_begin3(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, bool use_bias)
{
    struct cn_soft_at3 at = cn_soft_find_ends3(job, j);
    solve_free(job, j, use_bias, true, &at);
    if (j->thin) { /* before its rows are solved, a thin joint's body spins as it never does */
        solve_hold(job, j, use_bias, true, &at);
    }
    save_ends(job, j, &at);
}

static void
put_line(double *to, float s, vec linear, vec angular)
{
    to[0] = (double)(s * linear.x);
    to[1] = (double)(s * linear.y);
    to[2] = (double)(s * linear.z);
    to[3] = (double)angular.x;
    to[4] = (double)angular.y;
    to[5] = (double)angular.z;
}

int
cn_soft_lines3(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    bool use_bias, struct cn_soft_line *lines)
{
    struct cn_soft_at3 at = cn_soft_find_ends3(job, j);
    struct cn_soft_row3 rows[CN_SOFT_HOLD_MAX];
    int count = cn_soft_find_hold3(job, j, &at, rows);
    float bias_rate = use_bias ? job->soft.bias_rate : 0.0f;
    float lag_rate = use_bias ? job->tick->inverse_h : 0.0f;
    for (int i = 0; i < count; i++) {
        struct heavy_row heavy = weigh(j, &rows[i], &at);
        const struct cn_soft_row3 *row = &rows[i];
        put_line(lines[i].row[0], -1.0f, row->n, row->a);
        put_line(lines[i].row[1], 1.0f, row->n, row->b);
        put_line(lines[i].give[0], -j->mass_a, row->n, heavy.spin_a);
        put_line(lines[i].give[1], j->mass_b, row->n, heavy.spin_b);
        lines[i].lack =
            -(double)(row_rate(row, &at) + bias_rate * row->gap + lag_rate * row->lag);
    }
    return count;
}

void
cn_soft_end3(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, bool use_bias)
{
    struct cn_soft_at3 at = cn_soft_find_ends3(job, j);
    note(job, j, use_bias, &at);
}

void
cn_soft_store3(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j)
{
    if (job->model->joint[j->index].kind == CN_JOINT_TRACK) {
        pull_along(job, j, j->pull_total);
    }
    cn_soft_store(job, j->index, j->total);
}

void
cn_soft_run3(const struct cn_impulse_joint_job *job, enum cn_soft_pass pass, int32_t index,
    struct cn_soft_joint3 *j)
{
    switch (pass) {
    case CN_SOFT_PREPARE:
        cn_soft_prepare3(job, index, j);
        break;
    case CN_SOFT_WARM_START:
        cn_soft_warm_start3(job, j);
        break;
    case CN_SOFT_SOLVE:
    case CN_SOFT_RELAX:
        cn_soft_solve3(job, j, pass == CN_SOFT_SOLVE);
        break;
    case CN_SOFT_COOL:
        memset(j->impulse, 0, sizeof(j->impulse));
        j->pull = cn_soft_vec_make(0.0f, 0.0f, 0.0f);
        break;
    case CN_SOFT_STORE:
        cn_soft_store3(job, j);
        break;
    }
}
