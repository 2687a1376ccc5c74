#include "prove/prove.h"

#include "engine/base/assert.h"
#include "prove/limits.h"
#include "prove/program/simplex.h"
#include "prove/wrench.h"


#define DOF_MAX 6
#define CRITICAL_PARTS 1000000000000ul /* critical: |t*| <= weight / CRITICAL_PARTS */

/* The linear program of an arrangement, and the meaning of its rows and columns. */
struct statement {
    const struct pv_arrangement *arrangement;
    struct pv_program program;
    int *row;           /* of a body's first equation; -1: fixed */
    int *column;        /* of a contact's first generator; it has one, with friction two */
    int dof;
    int margin_column;  /* of the positive part of t; the next is the negative part */
};

#define COLUMN_ROOM(statement) (2 * DOF_MAX)

static void
add_wrench(const struct statement *s, struct pv_column *column, const struct pv_contact *contact,
    const pv_vec *force)
{
    pv_wrench_add(s->arrangement, s->row, column, contact, force);
}

/* Adds the cone's generators: the normal, or the normal +- mu times the tangent (-ny, nx). */
static void
add_generators(struct statement *s, int c)
{
    const struct pv_contact *contact = &s->arrangement->contact[c];
    struct pv_column *column = &s->program.column[s->column[c]];
    const pv_vec *n = &contact->normal;
    CN_ASSERT(s->column[c] < s->margin_column);
    if (mpq_sgn(contact->friction) == 0) {
        add_wrench(s, column, contact, n);
        return;
    }
    pv_vec tangent, force;
    mpq_t mu;
    pv_vec_init(&tangent);
    pv_vec_init(&force);
    mpq_init(mu);
    mpq_neg(tangent.c[0], n->c[1]);
    mpq_set(tangent.c[1], n->c[0]);
    mpq_set(mu, contact->friction);
    for (int k = 0; k < 2; k++) {
        pv_vec_add_scaled(&force, n, mu, &tangent);
        add_wrench(s, &column[k], contact, &force);
        mpq_neg(mu, mu);
    }
    mpq_clear(mu);
    pv_vec_clear(&tangent);
    pv_vec_clear(&force);
}

/* Adds the columns of t: a force t along the normal of every bearing contact. */
static void
add_margin(struct statement *s)
{
    int m = s->program.rows;
    mpq_t *sum = pv_numbers((size_t)m);
    struct pv_column part;
    pv_column_init(&part, COLUMN_ROOM(s));
    for (int c = 0; c < s->arrangement->contact_count; c++) {
        const struct pv_contact *contact = &s->arrangement->contact[c];
        if (!contact->bears) {
            continue;
        }
        part.count = 0;
        add_wrench(s, &part, contact, &contact->normal);
        for (int k = 0; k < part.count; k++) {
            mpq_add(sum[part.row[k]], sum[part.row[k]], part.value[k]);
        }
    }
    pv_column_finish(&part, COLUMN_ROOM(s));
    for (int side = 0; side < 2; side++) {
        int j = s->margin_column + side;
        for (int i = 0; i < m; i++) {
            pv_column_add(&s->program.column[j], i, sum[i]);
            mpq_neg(sum[i], sum[i]);
        }
        mpq_set_si(s->program.c[j], side == 0 ? 1 : -1, 1);
    }
    pv_numbers_free(sum, (size_t)m);
}

/* b = -w.  w: weights and constant forces, and their moments about the centre of mass. */
static void
add_weights(struct statement *s)
{
    int d = s->arrangement->dimension;
    for (int i = 0; i < s->arrangement->body_count; i++) {
        const struct pv_body *body = &s->arrangement->body[i];
        for (int k = 0; k < s->dof && s->row[i] >= 0; k++) {
            const mpq_t *load = k < d     ? &body->force.c[k]
                                : d == 2 ? &body->moment.c[2]
                                         : &body->moment.c[k - 3];
            mpq_neg(s->program.b[s->row[i] + k], *load);
        }
    }
}

static int
room_of(const struct statement *s, int column)
{
    return column < s->margin_column ? COLUMN_ROOM(s) : s->program.rows;
}

/* by_bounds: fills only the loads, as round cones have no generators. */
static void
statement_init(struct statement *s, const struct pv_arrangement *arrangement, bool by_bounds)
{
    *s = (struct statement){.arrangement = arrangement, .dof = pv_dof(arrangement)};
    s->row = pv_alloc((size_t)arrangement->body_count, sizeof(*s->row));
    s->column = pv_alloc((size_t)arrangement->contact_count, sizeof(*s->column));
    for (int i = 0; i < arrangement->body_count; i++) {
        s->row[i] = arrangement->body[i].is_fixed ? -1 : s->program.rows;
        s->program.rows += arrangement->body[i].is_fixed ? 0 : s->dof;
    }
    for (int c = 0; c < arrangement->contact_count; c++) {
        s->column[c] = s->program.columns;
        s->program.columns += mpq_sgn(arrangement->contact[c].friction) > 0 ? 2 : 1;
    }
    CN_ASSERT(s->program.rows % s->dof == 0 && s->program.columns >= arrangement->contact_count);
    s->margin_column = s->program.columns;
    s->program.columns += 2;
    s->program.dof = s->dof;
    s->program.b = pv_numbers((size_t)s->program.rows);
    s->program.c = pv_numbers((size_t)s->program.columns);
    s->program.column = pv_alloc((size_t)s->program.columns, sizeof(*s->program.column));
    for (int j = 0; j < s->program.columns; j++) {
        pv_column_init(&s->program.column[j], room_of(s, j));
    }
    for (int c = 0; c < arrangement->contact_count && !by_bounds; c++) {
        add_generators(s, c);
    }
    if (!by_bounds) {
        add_margin(s);
    }
    add_weights(s);
}

static void
statement_finish(struct statement *s)
{
    for (int j = 0; j < s->program.columns; j++) {
        pv_column_finish(&s->program.column[j], room_of(s, j));
    }
    pv_free(s->program.column);
    pv_numbers_free(s->program.b, (size_t)s->program.rows);
    pv_numbers_free(s->program.c, (size_t)s->program.columns);
    pv_free(s->row);
    pv_free(s->column);
}

/* Forces along normal and tangent from the variables of the program. */
static void
read_forces(const struct statement *s, mpq_t *x, mpq_t *force)
{
    mpq_t t, part;
    mpq_inits(t, part, NULL);
    mpq_sub(t, x[s->margin_column], x[s->margin_column + 1]);
    for (int c = 0; c < s->arrangement->contact_count; c++) {
        const struct pv_contact *contact = &s->arrangement->contact[c];
        mpq_t *f = &force[PV_FORCE_MAX * c], *generator = &x[s->column[c]];
        mpq_set_ui(f[1], 0, 1);
        mpq_set(f[0], generator[0]);
        if (mpq_sgn(contact->friction) > 0) {
            CN_ASSERT(s->arrangement->dimension == 2); /* round cones have no generators */
            mpq_add(f[0], generator[0], generator[1]);
            mpq_sub(part, generator[0], generator[1]);
            mpq_mul(f[1], contact->friction, part);
        }
        if (contact->bears) {
            mpq_add(f[0], f[0], t);
        }
    }
    mpq_clears(t, part, NULL);
}

/* The power of the weights, the sum of velocities times weights: -b y. */
static void
power_of(const struct statement *s, mpq_t *y, mpq_t power)
{
    mpq_set_ui(power, 0, 1);
    for (int i = 0; i < s->program.rows; i++) {
        pv_sub_product(power, s->program.b[i], y[i]);
    }
}

/* Marks the parts of a body's force and moment (about the world's origin) that a force changes. */
static void
mark_affected(
    const struct statement *s, bool *noticed, int body, const pv_vec *force, const pv_vec *at)
{
    mpq_t w[DOF_MAX];
    for (int k = 0; k < DOF_MAX; k++) {
        mpq_init(w[k]);
    }
    pv_wrench(s->arrangement, w, force, at);
    for (int k = 0; k < s->dof; k++) {
        noticed[s->dof * body + k] = noticed[s->dof * body + k] || mpq_sgn(w[k]) != 0;
    }
    for (int k = 0; k < DOF_MAX; k++) {
        mpq_clear(w[k]);
    }
}

static void
mark_moment(const struct statement *s, bool *noticed, int body, const pv_vec *moment)
{
    int d = s->arrangement->dimension;
    for (int k = d; k < s->dof; k++) {
        bool is_there = mpq_sgn(moment->c[d == 2 ? 2 : k - d]) != 0;
        noticed[s->dof * body + k] = noticed[s->dof * body + k] || is_there;
    }
}

static void
mark_all_affected(const struct statement *s, bool *noticed)
{
    const struct pv_arrangement *arrangement = s->arrangement;
    pv_vec tangent, force;
    mpq_t mu;
    pv_vec_init(&tangent);
    pv_vec_init(&force);
    mpq_init(mu);
    for (int i = 0; i < arrangement->body_count; i++) {
        const struct pv_body *body = &arrangement->body[i];
        mark_affected(s, noticed, i, &arrangement->gravity, &body->center);
        mark_affected(s, noticed, i, &body->force, &body->center);
        mark_moment(s, noticed, i, &body->moment);
    }
    for (int c = 0; c < arrangement->contact_count; c++) {
        const struct pv_contact *contact = &arrangement->contact[c];
        mpq_neg(tangent.c[0], contact->normal.c[1]);
        mpq_set(tangent.c[1], contact->normal.c[0]);
        mpq_set(mu, contact->friction);
        bool is_round = arrangement->dimension == 3 && mpq_sgn(mu) != 0;
        for (int k = 0; k < 3; k++) { /* the cone's two edges and the normal; round: all axes */
            pv_vec_set(&force, &contact->normal);
            for (int i = 0; i < 3 && is_round; i++) {
                mpq_set_ui(force.c[i], i == k, 1);
            }
            if (!is_round && k < 2 && mpq_sgn(mu) != 0) {
                pv_vec_add_scaled(&force, &contact->normal, mu, &tangent);
                mpq_neg(mu, mu);
            }
            mark_affected(s, noticed, contact->a, &force, &contact->point);
            mark_affected(s, noticed, contact->b, &force, &contact->point);
        }
    }
    mpq_clear(mu);
    pv_vec_clear(&tangent);
    pv_vec_clear(&force);
}

/* Changes a motion from the velocity of the body's centre to that of its point at the origin. */
static void
move_to_origin(const struct statement *s, int body, mpq_t *motion)
{
    pv_vec turn, shift;
    pv_vec_init(&turn);
    pv_vec_init(&shift);
    int linear = s->arrangement->dimension;
    for (int k = linear; k < s->dof; k++) {
        mpq_set(turn.c[linear == 2 ? 2 : k - linear], motion[k]);
    }
    pv_cross(&shift, &turn, &s->arrangement->body[body].center);
    for (int k = 0; k < linear; k++) {
        mpq_sub(motion[k], motion[k], shift.c[k]);
    }
    pv_vec_clear(&turn);
    pv_vec_clear(&shift);
}

/* Leaves out the parts of the motion that change no contact and no weight: they prove nothing. */
static void
read_motion(const struct statement *s, mpq_t *y, const mpq_t scale, mpq_t *motion)
{
    int dof = s->dof;
    bool *noticed =
        pv_alloc((size_t)(dof * s->arrangement->body_count), sizeof(*noticed));
    mark_all_affected(s, noticed);
    for (int i = 0; i < s->arrangement->body_count; i++) {
        if (s->row[i] < 0) {
            continue;
        }
        CN_ASSERT(s->row[i] + dof <= s->program.rows);
        for (int k = 0; k < dof; k++) {
            mpq_mul(motion[dof * i + k], y[s->row[i] + k], scale);
        }
        move_to_origin(s, i, &motion[dof * i]);
        for (int k = 0; k < dof; k++) {
            if (!noticed[dof * i + k]) {
                mpq_set_ui(motion[dof * i + k], 0, 1);
            }
        }
    }
    pv_free(noticed);
}

static void
find_verdict(struct pv_answer *answer)
{
    bool by_bounds = answer->kind == PV_BOUNDS;
    mpq_t wall, under;
    mpq_inits(wall, under, NULL);
    mpq_set_ui(wall, 1, CRITICAL_PARTS);
    mpq_mul(wall, wall, answer->arrangement.weight);
    mpq_neg(under, wall);
    bool has_low = answer->kind == PV_MARGIN || (by_bounds && answer->has_margin);
    bool has_high = answer->kind == PV_MARGIN || (by_bounds && answer->has_bound);
    const mpq_t *high = by_bounds ? &answer->bound : &answer->margin;
    bool holds = answer->kind == PV_ANY_FORCE || (has_low && mpq_cmp(answer->margin, wall) > 0);
    bool falls = answer->kind == PV_NO_FORCE || (has_high && mpq_cmp(*high, under) < 0);
    bool is_tie = has_low && has_high && mpq_cmp(answer->margin, under) >= 0 &&
                  mpq_cmp(*high, wall) <= 0;
    CN_ASSERT(!holds || !falls); /* margin <= t* <= bound */
    answer->verdict =
        holds ? PV_STABLE : falls ? PV_UNSTABLE : is_tie ? PV_CRITICAL : PV_UNKNOWN;
    mpq_clears(wall, under, NULL);
}

static void
read_solution(struct pv_answer *answer, const struct statement *s, struct pv_solution *solution,
    enum pv_outcome outcome)
{
    mpq_t scale;
    mpq_init(scale);
    mpq_set_ui(scale, 1, 1);
    if (outcome == PV_OPTIMAL) {
        answer->kind = PV_MARGIN;
        read_forces(s, solution->x, answer->force);
        read_motion(s, solution->y, scale, answer->motion);
        mpq_sub(answer->margin, solution->x[s->margin_column], solution->x[s->margin_column + 1]);
    } else if (outcome == PV_INFEASIBLE) {
        answer->kind = PV_NO_FORCE;
        power_of(s, solution->y, scale);
        CN_ASSERT(mpq_sgn(scale) > 0); /* program.h: y b < 0 */
        mpq_inv(scale, scale);
        read_motion(s, solution->y, scale, answer->motion);
    } else if (outcome == PV_UNBOUNDED) {
        answer->kind = PV_ANY_FORCE;
        mpq_sub(scale, solution->ray[s->margin_column], solution->ray[s->margin_column + 1]);
        CN_ASSERT(mpq_sgn(scale) > 0); /* program.h: c ray > 0 */
        for (int j = 0; j < s->program.columns; j++) {
            mpq_div(solution->ray[j], solution->ray[j], scale);
        }
        read_forces(s, solution->x, answer->force);
        read_forces(s, solution->ray, answer->squeeze);
    }
    mpq_clear(scale);
    if (outcome != PV_UNDECIDED) {
        find_verdict(answer);
    }
}

/* Copies the result of bounds.h into the answer. */
static void
read_bounds(struct pv_answer *answer, const struct statement *s, struct pv_bounds *found,
    enum pv_outcome outcome)
{
    if (outcome == PV_UNDECIDED) {
        return;
    }
    mpq_t scale;
    mpq_init(scale);
    mpq_set_ui(scale, 1, 1);
    answer->kind = outcome == PV_INFEASIBLE ? PV_NO_FORCE
                   : outcome == PV_UNBOUNDED ? PV_ANY_FORCE
                   : found->is_exact         ? PV_MARGIN
                                             : PV_BOUNDS;
    answer->has_margin = found->has_margin;
    answer->has_bound = found->has_bound;
    mpq_set(answer->margin, found->margin);
    mpq_set(answer->bound, found->bound);
    for (int k = 0; k < PV_FORCE_MAX * s->arrangement->contact_count; k++) {
        mpq_swap(answer->force[k], found->force[k]);
        mpq_swap(answer->squeeze[k], found->squeeze[k]);
    }
    if (answer->kind == PV_NO_FORCE || answer->has_bound) {
        read_motion(s, found->y, scale, answer->motion);
    }
    mpq_clear(scale);
    find_verdict(answer);
}

static void
solve_bounds(struct pv_answer *answer, const struct statement *s)
{
    struct pv_bounds found = {
        .balance = {.arrangement = s->arrangement,
            .row = s->row,
            .rows = s->program.rows,
            .b = s->program.b}};
    pv_bounds_init(&found);
    enum pv_outcome outcome = pv_bounds_find(&found);
    answer->work += found.work;
    read_bounds(answer, s, &found, outcome);
    pv_bounds_finish(&found);
}

/* Whether the numbers are short enough for the simplex: long ones grow with every pivot. */
static bool
is_short(const struct pv_program *program)
{
    uint64_t words = 0, count = 0;
    for (int j = 0; j < program->columns; j++) {
        for (int k = 0; k < program->column[j].count; k++) {
            words += pv_words(program->column[j].value[k]);
            count++;
        }
    }
    return words <= PV_SIMPLEX_WORDS_MAX * count;
}

/* Solves the program exactly.  is_end: by the simplex, the last try, slow for large programs. */
static enum pv_outcome
solve_program(struct pv_answer *answer, struct statement *s, bool is_end)
{
    struct pv_solution solution;
    pv_solution_init(&solution, &s->program);
    uint64_t size = (uint64_t)(s->program.rows + 2) * (uint64_t)(s->program.columns + 1);
    enum pv_outcome outcome =
        !is_end                ? pv_program_solve(&s->program, PV_TABLE_QUICK, &solution)
        : size <= PV_TABLE_MAX ? pv_simplex_solve(&s->program, &solution)
                               : PV_UNDECIDED;
    answer->work += solution.work;
    answer->exact_pivots = solution.exact_pivots;
    answer->by_face = solution.by_face;
    read_solution(answer, s, &solution, outcome);
    pv_solution_finish(&solution, &s->program);
    return outcome;
}

static void
solve_statement(struct pv_answer *answer)
{
    const struct pv_arrangement *arrangement = &answer->arrangement;
    CN_ASSERT(answer->verdict == PV_UNKNOWN); /* nothing is proved yet */
    struct statement s;
    bool is_round = arrangement->dimension == 3 && answer->with_friction;
    statement_init(&s, arrangement, is_round);
    bool is_open = is_round || solve_program(answer, &s, false) == PV_UNDECIDED;
    if (is_open && arrangement->contact_count > 0) {
        solve_bounds(answer, &s);
    }
    if (answer->verdict == PV_UNKNOWN && !is_round && is_short(&s.program)) {
        solve_program(answer, &s, true);
    }
    statement_finish(&s);
}

static void
find_start(void *context)
{
    struct pv_answer *answer = context;
    pv_start_init(&answer->start, &answer->arrangement);
    answer->has_start = pv_start_solve(&answer->start, &answer->arrangement);
    answer->work += answer->start.work;
}

enum cn_status
pv_answer_find_start(struct pv_answer *answer, struct cn_defect *defect)
{
    if (answer->verdict != PV_UNSTABLE || answer->with_friction || answer->has_start) {
        return CN_OK;
    }
    if (answer->arrangement.contact_count > PV_START_CONTACTS_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "bodies",
            "touch at %d points; first accelerations are found for %d",
            answer->arrangement.contact_count, PV_START_CONTACTS_MAX);
    }
    pv_watch_set(&answer->choice.watch);
    pv_phase("finding first accelerations");
    bool good = pv_attempt(find_start, answer);
    pv_watch_set(NULL);
    if (!good) {
        answer->start = (struct pv_start){0};
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for an exact computation");
    }
    return CN_OK;
}

struct question {
    struct pv_answer *answer;
    const struct cn_world_def *def;
    const struct pv_choice *choice;
    struct cn_defect *defect;
    enum cn_status status;
};

static void
find_answer(void *context)
{
    struct question *question = context;
    struct pv_answer *answer = question->answer;
    question->status = pv_arrangement_init(
        &answer->arrangement, question->def, question->choice, question->defect);
    if (question->status != CN_OK) {
        return;
    }
    size_t contacts = (size_t)answer->arrangement.contact_count;
    size_t bodies = (size_t)answer->arrangement.body_count;
    answer->with_friction = pv_has_friction(&answer->arrangement);
    answer->force = pv_numbers(PV_FORCE_MAX * contacts);
    answer->squeeze = pv_numbers(PV_FORCE_MAX * contacts);
    answer->motion = pv_numbers(DOF_MAX * bodies);
    mpq_inits(answer->margin, answer->bound, NULL);
    solve_statement(answer);
}

enum cn_status
pv_answer_init(struct pv_answer *answer, const struct cn_world_def *def,
    const struct pv_choice *choice, struct cn_defect *defect)
{
    struct question question = {answer, def, choice, defect, CN_OK};
    *answer = (struct pv_answer){.choice = *choice, .verdict = PV_UNKNOWN};
    pv_watch_set(&choice->watch);
    bool good = pv_attempt(find_answer, &question);
    pv_watch_set(NULL);
    if (!good) {
        *answer = (struct pv_answer){0};
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for an exact computation");
    }
    if (question.status == CN_OK && choice->start) {
        question.status = pv_answer_find_start(answer, defect);
        if (question.status != CN_OK) {
            pv_answer_finish(answer);
        }
    }
    return question.status;
}

void
pv_answer_finish(struct pv_answer *answer)
{
    size_t contacts = (size_t)answer->arrangement.contact_count;
    size_t bodies = (size_t)answer->arrangement.body_count;
    pv_numbers_free(answer->force, PV_FORCE_MAX * contacts);
    pv_numbers_free(answer->squeeze, PV_FORCE_MAX * contacts);
    pv_numbers_free(answer->motion, DOF_MAX * bodies);
    pv_start_finish(&answer->start, &answer->arrangement);
    pv_arrangement_finish(&answer->arrangement);
    mpq_clears(answer->margin, answer->bound, NULL);
    *answer = (struct pv_answer){0};
}

const char *
pv_verdict_name(enum pv_verdict verdict)
{
    static const char *const name[] = {"stable", "critical", "unstable", "undecided"};
    CN_ASSERT((size_t)verdict < sizeof(name) / sizeof(name[0]));
    return name[verdict];
}
