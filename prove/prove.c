#include "prove/prove.h"


#define DOF_MAX 6
#define CRITICAL_PARTS 1000000000000ul /* of the weight */

/* The linear program of an arrangement, and what its columns mean. */
struct statement {
    const struct pv_arrangement *arrangement;
    struct pv_program program;
    int *row;           /* of a body's first equation; -1: fixed */
    int *column;        /* of a contact's first generator; one, or two with friction */
    int dof;
    int margin_column;  /* of t's positive part; its negative part is the next */
};

#define COLUMN_ROOM(statement) (2 * DOF_MAX)

/* Adds the effect of a force at the contact on its bodies: + on b, - on a. */
static void
add_wrench(const struct statement *s, struct pv_column *column, const struct pv_contact *contact,
    const pv_vec *force)
{
    mpq_t w[DOF_MAX];
    for (int k = 0; k < DOF_MAX; k++) {
        mpq_init(w[k]);
    }
    pv_wrench(s->arrangement, w, force, &contact->point);
    for (int side = 0; side < 2; side++) {
        int row = s->row[side == 0 ? contact->b : contact->a];
        for (int k = 0; k < s->dof && row >= 0; k++) {
            pv_column_add(column, row + k, w[k]);
        }
        for (int k = 0; k < DOF_MAX; k++) {
            mpq_neg(w[k], w[k]);
        }
    }
    for (int k = 0; k < DOF_MAX; k++) {
        mpq_clear(w[k]);
    }
}

/* The generators of the cone: the normal, or normal plus and minus mu times tangent (-ny, nx). */
static void
add_generators(struct statement *s, int c)
{
    const struct pv_contact *contact = &s->arrangement->contact[c];
    struct pv_column *column = &s->program.column[s->column[c]];
    const pv_vec *n = &contact->normal;
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

/* t presses on every bearing contact along its normal. */
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

/* b = -w, moments about the world's origin. */
static void
add_weights(struct statement *s)
{
    pv_vec force, nothing;
    pv_vec_init(&force);
    pv_vec_init(&nothing);
    mpq_t light;
    mpq_init(light);
    for (int i = 0; i < s->arrangement->body_count; i++) {
        const struct pv_body *body = &s->arrangement->body[i];
        if (s->row[i] >= 0) {
            mpq_neg(light, body->mass);
            pv_vec_add_scaled(&force, &nothing, light, &s->arrangement->gravity);
            pv_wrench(s->arrangement, &s->program.b[s->row[i]], &force, &body->center);
        }
    }
    mpq_clear(light);
    pv_vec_clear(&force);
    pv_vec_clear(&nothing);
}

static int
room_of(const struct statement *s, int column)
{
    return column < s->margin_column ? COLUMN_ROOM(s) : s->program.rows;
}

static void
statement_init(struct statement *s, const struct pv_arrangement *arrangement)
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
    s->margin_column = s->program.columns;
    s->program.columns += 2;
    s->program.b = pv_numbers((size_t)s->program.rows);
    s->program.c = pv_numbers((size_t)s->program.columns);
    s->program.column = pv_alloc((size_t)s->program.columns, sizeof(*s->program.column));
    for (int j = 0; j < s->program.columns; j++) {
        pv_column_init(&s->program.column[j], room_of(s, j));
    }
    for (int c = 0; c < arrangement->contact_count; c++) {
        add_generators(s, c);
    }
    add_margin(s);
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
        mpq_t *f = &force[2 * c], *generator = &x[s->column[c]];
        mpq_set_ui(f[1], 0, 1);
        mpq_set(f[0], generator[0]);
        if (mpq_sgn(contact->friction) > 0) {
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

/* Sums velocities times weights: the power, which is -b y. */
static void
power_of(const struct statement *s, mpq_t *y, mpq_t power)
{
    mpq_set_ui(power, 0, 1);
    for (int i = 0; i < s->program.rows; i++) {
        pv_sub_product(power, s->program.b[i], y[i]);
    }
}

/* Leaves out what no contact and no weight notices: it is not part of a proof. */
static void
read_motion(const struct statement *s, mpq_t *y, const mpq_t scale, mpq_t *motion)
{
    bool *noticed = pv_alloc((size_t)s->program.rows, sizeof(*noticed));
    for (int i = 0; i < s->program.rows; i++) {
        noticed[i] = mpq_sgn(s->program.b[i]) != 0;
    }
    for (int j = 0; j < s->margin_column; j++) {
        for (int k = 0; k < s->program.column[j].count; k++) {
            noticed[s->program.column[j].row[k]] = true;
        }
    }
    for (int i = 0; i < s->arrangement->body_count; i++) {
        for (int k = 0; k < s->dof && s->row[i] >= 0; k++) {
            if (noticed[s->row[i] + k]) {
                mpq_mul(motion[s->dof * i + k], y[s->row[i] + k], scale);
            }
        }
    }
    pv_free(noticed);
}

static void
judge(struct pv_answer *answer)
{
    mpq_t size, wall;
    mpq_inits(size, wall, NULL);
    mpq_abs(size, answer->margin);
    mpq_set_ui(wall, 1, CRITICAL_PARTS);
    mpq_mul(wall, wall, answer->arrangement.weight);
    bool critical = answer->kind == PV_MARGIN && mpq_cmp(size, wall) <= 0;
    bool negative = answer->kind == PV_NO_FORCE ||
                    (answer->kind == PV_MARGIN && mpq_sgn(answer->margin) < 0);
    answer->verdict = critical ? PV_CRITICAL : negative ? PV_UNSTABLE : PV_STABLE;
    mpq_clears(size, wall, NULL);
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
        mpq_inv(scale, scale);
        read_motion(s, solution->y, scale, answer->motion);
    } else if (outcome == PV_UNBOUNDED) {
        answer->kind = PV_ANY_FORCE;
        mpq_sub(scale, solution->ray[s->margin_column], solution->ray[s->margin_column + 1]);
        for (int j = 0; j < s->program.columns; j++) {
            mpq_div(solution->ray[j], solution->ray[j], scale);
        }
        read_forces(s, solution->x, answer->force);
        read_forces(s, solution->ray, answer->squeeze);
    }
    mpq_clear(scale);
    if (outcome != PV_UNDECIDED) {
        judge(answer);
    }
}

static void
solve(struct pv_answer *answer)
{
    const struct pv_arrangement *arrangement = &answer->arrangement;
    struct statement s;
    struct pv_solution solution;
    statement_init(&s, arrangement);
    pv_solution_init(&solution, &s.program);
    enum pv_outcome outcome = pv_program_solve(&s.program, &solution);
    answer->work = solution.work;
    answer->exact_pivots = solution.exact_pivots;
    read_solution(answer, &s, &solution, outcome);
    pv_solution_finish(&solution, &s.program);
    statement_finish(&s);
    if (answer->verdict == PV_UNSTABLE && !answer->with_friction) {
        pv_start_init(&answer->start, arrangement);
        answer->has_start = pv_start_solve(&answer->start, arrangement);
        answer->work += answer->start.work;
    }
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
    answer->force = pv_numbers(2 * contacts);
    answer->squeeze = pv_numbers(2 * contacts);
    answer->motion = pv_numbers(DOF_MAX * bodies);
    mpq_init(answer->margin);
    solve(answer);
}

enum cn_status
pv_answer_init(struct pv_answer *answer, const struct cn_world_def *def,
    const struct pv_choice *choice, struct cn_defect *defect)
{
    struct question question = {answer, def, choice, defect, CN_OK};
    *answer = (struct pv_answer){.choice = *choice, .verdict = PV_UNKNOWN};
    if (!pv_attempt(find_answer, &question)) {
        *answer = (struct pv_answer){0};
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for an exact computation");
    }
    return question.status;
}

void
pv_answer_finish(struct pv_answer *answer)
{
    size_t contacts = (size_t)answer->arrangement.contact_count;
    size_t bodies = (size_t)answer->arrangement.body_count;
    pv_numbers_free(answer->force, 2 * contacts);
    pv_numbers_free(answer->squeeze, 2 * contacts);
    pv_numbers_free(answer->motion, DOF_MAX * bodies);
    pv_start_finish(&answer->start, &answer->arrangement);
    pv_arrangement_finish(&answer->arrangement);
    mpq_clear(answer->margin);
    *answer = (struct pv_answer){0};
}

const char *
pv_verdict_name(enum pv_verdict verdict)
{
    static const char *const name[] = {"stable", "critical", "unstable", "unknown"};
    return name[verdict];
}
