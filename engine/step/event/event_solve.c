/* event_solve.c: asks the solver for the forces of the present rows, and applies impulses. */
#include "engine/step/event/event.h"

#include "engine/base/assert.h"

#include <math.h>

/*
 * Of the judge's scale: forces that miss the conditions by this much are not a solution.  A solver
 * that does not report INFEASIBLE for Painleve's rod misses them by about 1.
 */
#define NO_FORCES_RESIDUAL 1e-2

/* Operations of a row in a solve, besides the solver's own count. */
#define WORK_PER_ROW 600

/*
 * The accuracy that a correction of drift must reach, in parts of its largest b, and its largest
 * work: corrections are small.
 */
#define DRIFT_TOLERANCE 1e-7
#define DRIFT_WORK_BASE 1000000
#define DRIFT_WORK_PER_ROW 10000

static struct cn_contact_problem
state_problem(const struct cn_event_scratch *s)
{
    return (struct cn_contact_problem){
        .row_count = s->row_count,
        .body_count = s->model->body_count,
        .rows = s->row,
        .mass = s->mass,
        .b = s->b,
        .tag = s->tag,
        .lower = s->lower,
        .upper = s->upper,
        .friction = s->mu,
        .slip = s->slip,
    };
}

void
cn_event_respond(struct cn_event_scratch *s, const double *f)
{
    struct cn_contact_problem problem = state_problem(s);
    cn_problem_accelerate(&problem, f, s->response);
}

/*
 * Whether no contact slides: then Coulomb's problem has a solution (Painleve's problems need not).
 */
static bool
slides_nowhere(const struct cn_event_scratch *s)
{
    bool across = false;
    for (int k = 0; k < s->row_count; k++) {
        if (s->slip[k] != 0.0) {
            return false;
        }
        across = across || cn_row_follows((enum cn_row_tag)s->tag[k]);
    }
    return across;
}

static void
solve_as(struct cn_event_scratch *s, struct cn_answer_wish wish)
{
    CN_ASSERT(s->row_count >= 0 && s->row_count <= s->row_max);
    struct cn_contact_problem problem = state_problem(s);
    wish.minimum_norm = s->minimum_norm;
    wish.exact = true;
    s->note = cn_answer_find(s->looks ? NULL : s->model, s->solver, &problem, &wish,
        s->solver_scratch, s->f, s->work);
    *s->work += (int64_t)WORK_PER_ROW * s->row_count;
    cn_problem_accelerate(&problem, s->f, s->response);
}

void
cn_event_solve(struct cn_event_scratch *s)
{
    solve_as(s, (struct cn_answer_wish){
                    .has_solution = slides_nowhere(s), .work_max = cn_event_solve_work(s)});
}

void
cn_event_solve_impulses(struct cn_event_scratch *s)
{
    solve_as(s, (struct cn_answer_wish){
                    .has_solution = true, .work_max = cn_event_solve_work(s)});
}

void
cn_event_solve_drift(struct cn_event_scratch *s)
{
    solve_as(s, (struct cn_answer_wish){.tolerance = DRIFT_TOLERANCE,
                    .work_max = DRIFT_WORK_BASE + (int64_t)DRIFT_WORK_PER_ROW * s->row_count});
}

void
cn_event_judge(struct cn_event_scratch *s)
{
    struct cn_contact_problem problem = state_problem(s);
    s->note.residual = cn_residual_measure(&problem, s->f, s->response);
    cn_problem_accelerate(&problem, s->f, s->response);
}

bool
cn_event_has_no_forces(const struct cn_event_scratch *s)
{
    return cn_event_has_discs(s) && (s->note.outcome == CN_SOLVE_INFEASIBLE ||
                                        !(s->note.residual <= NO_FORCES_RESIDUAL));
}

void
cn_event_note_squeezed(struct cn_event_scratch *s)
{
    if (s->note.outcome != CN_SOLVE_INFEASIBLE) {
        return;
    }
    CN_ASSERT(s->row_count > 0); /* without rows there is a solution */
    int worst = 0;
    double rate_min = HUGE_VAL;
    for (int k = 0; k < s->row_count; k++) {
        double rate = s->b[k] + cn_row_rate(&s->row[k], s->response);
        if (rate < rate_min) {
            rate_min = rate;
            worst = k;
        }
    }
    cn_event_note_at(s, worst, CN_EVENT_SQUEEZED, s->note.residual);
}

void
cn_event_note_at(const struct cn_event_scratch *s, int k, enum cn_event_kind kind, double value)
{
    CN_ASSERT(k >= 0 && k < s->row_count && !s->looks);
    int body_a = s->row[k].body_a, body_b = s->row[k].body_b;
    if (s->source[k].contact >= 0) {
        body_a = s->contact[s->source[k].contact].body_a;
        body_b = s->contact[s->source[k].contact].body_b;
    }
    cn_model_event(s->model, kind, body_a, body_b, value);
}

void
cn_event_push(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    CN_ASSERT(!s->looks); /* a view changes no velocity */
    for (int i = 0; i < model->body_count; i++) {
        struct cn_motion *motion = &model->motion[i];
        motion->velocity = cn_vec3_add(motion->velocity, s->response[i].linear);
        motion->angular_velocity =
            cn_vec3_add(motion->angular_velocity, s->response[i].angular);
    }
}
