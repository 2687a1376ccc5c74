/*
 * march_energy.c: the impulses of a piece, so that no island of bodies gains energy by them.
 *
 * With v the velocities at the start, g = h inv(M) F what forces add, u = v + g + inv(M) J' f,
 *
 *     K(u) - h F u - K(v) = f . J v + f A f / 2 - |g|^2 / 2            (norm of M)
 *
 * is the growth of energy, with that of forces that have a potential.  Impulses that solve the
 * plastic problem have f . J u <= 0 except for the offsets c of the rows, which push (overlaps and
 * lengths are corrected).  Their growth is at most - f . c.  Three kinds of impulses may give more:
 *
 *   lengths      joints that rotation stretched are pulled back, against the forces in them.  The
 *                pull is kept as a velocity for the largest part that gives no energy; the rest of
 *                it is a displacement (march.h, joint_pull).
 *
 *   restitution  Newton's v+ = -e v- is not compatible with friction (Kane), with contacts of
 *                another e, or with joints.  Bodies keep the largest part of restitution for which
 *                the energy does not grow.  A contact that bounces also bears weight for h, which
 *                does work: e f |J g| / 2 is allowed, but not in the coarse rest of a tick of
 *                `event`.  Free flight takes that away again, |g|^2 / 2 in each step.
 *
 *   unsolved     a solver that stopped short pushes too much here and too little there.  Its
 *                impulses are shortened until nothing is gained, and judged again.
 *
 * Let f1 be the impulses found, and f0 those without restitution and pulls, or zero.  Between f0
 * and f1 all is convex: impulses stay in their cones, and bodies that approach at neither end
 * approach nowhere between.  The growth is a quadratic in the part of the way.  It is at most 0 at
 * f0.  Each island goes as far as the larger root, at most 1.  The rest of restitution is stated
 * again as a problem, so that forces and velocities solve one.
 */
#include "engine/step/march/march.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"
#include "engine/problem/islands.h"

#include <math.h>
#include <string.h>

/* Of the energies that the impulses move: the gain that rounding may cause. */
#define GAIN_FRACTION 1e-10

/* Operations for the budget. */
#define WORK_PER_ROW 150

/* Rounds that reduce restitution; after the last one the problem is not solved again. */
#define ROUNDS_MAX 4

struct books {
    struct cn_islands islands;
    double *f;              /* rows: the impulses at the end of the way, f1 */
    struct cn_twist *moved; /* bodies: inv(M) J' f1 */
    int *counted;           /* bodies: the last island that counted it, from 1 */
    bool bounced;           /* b changes along the way from plastic to whole */
};

/* The growth of an island's energy, part by part of the way: at[0] + at[1] p + at[2] p^2. */
struct growth {
    double at[3];
    double size; /* sum of the sizes of its terms */
};

static void
take_books(struct books *books, struct cn_arena *arena, int row_count, int body_count)
{
    size_t rows = (size_t)row_count, bodies = (size_t)body_count;
    cn_islands_take(&books->islands, arena, row_count, body_count);
    books->f = CN_ARENA_TAKE(arena, double, rows);
    books->moved = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    books->counted = CN_ARENA_TAKE(arena, int, bodies);
}

void
cn_march_energy_layout(struct cn_arena *scratch, int row_count, int body_count)
{
    struct books unused;
    take_books(&unused, scratch, row_count, body_count);
}

/* |g|^2 / 2 of a body [J]. */
static double
energy_of_gain(const struct cn_march *m, int body)
{
    return 0.5 * m->h * (cn_vec3_dot(m->wrench[body].force, m->gain[body].linear) +
                            cn_vec3_dot(m->wrench[body].torque, m->gain[body].angular));
}

/* |g|^2 / 2 of the bodies of a row that the island has not counted yet. */
static double
gain_of_row(const struct cn_march *m, struct books *books, int k, int island)
{
    const int body[2] = {m->row[k].body_a, m->row[k].body_b};
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        if (body[side] >= 0 && books->counted[body[side]] != island + 1) {
            books->counted[body[side]] = island + 1;
            sum += energy_of_gain(m, body[side]);
        }
    }
    return sum;
}

/* The energy that the row's own offset adds for an impulse of 1: see the file's header. */
static double
put_in(const struct cn_march *m, int k)
{
    double forced = cn_row_rate(&m->row[k], m->gain), offset = m->plastic[k] - m->start[k] - forced;
    if (m->b[k] != m->plastic[k] && !m->pulls) {
        if (m->model->clock.coarse) {
            return 0.0; /* `event` gains nothing from bearing weight */
        }
        double e = m->start[k] < 0.0 ? (m->b[k] - m->start[k] - forced) / m->start[k] : 0.0;
        return 0.5 * cn_max(e, 0.0) * cn_max(-forced, 0.0);
    }
    return m->tag[k] == CN_ROW_BILATERAL ? -offset : cn_max(-offset, 0.0);
}

/* From m->f, whose response is m->response, to books->f. */
static struct growth
growth_of(const struct cn_march *m, struct books *books, int island)
{
    struct growth growth = {0};
    double bodies = 0.0;
    for (int i = books->islands.start[island]; i < books->islands.start[island + 1]; i++) {
        int k = books->islands.row[i];
        double near = m->f[k], way = books->f[k] - near;
        double rate = m->start[k] - put_in(m, k);
        double moved = cn_row_rate(&m->row[k], m->response);
        double onward = cn_row_rate(&m->row[k], books->moved) - moved;
        growth.at[0] += near * (rate + 0.5 * moved);
        growth.at[1] += way * (rate + moved);
        growth.at[2] += 0.5 * way * onward;
        growth.size += fabs(books->f[k] * m->start[k]) + 0.5 * fabs(books->f[k] * (moved + onward));
        bodies += gain_of_row(m, books, k, island);
    }
    growth.at[0] -= bodies;
    growth.size += bodies;
    return growth;
}

/* The part of the way that an island may go; 1: all of it. */
static double
part_of(const struct growth *growth)
{
    const double *at = growth->at;
    double slack = GAIN_FRACTION * growth->size;
    if (at[0] + at[1] + at[2] <= slack || !isfinite(growth->size)) {
        return 1.0;
    }
    double root = at[1] * at[1] - 4.0 * at[2] * cn_min(at[0], 0.0);
    double top = sqrt(cn_max(root, 0.0)) - at[1];
    double part = at[2] > 0.0 ? top / (2.0 * at[2]) : 0.0;
    return cn_clamp(part, 0.0, 1.0);
}

static void
count_anew(const struct cn_march *m, struct books *books)
{
    memset(books->counted, 0, (size_t)m->model->body_count * sizeof(books->counted[0]));
}

/* Moves an island by this part of the way from m->f, the beginning, and b with it. */
static void
go_part(struct cn_march *m, const struct books *books, int island, double part)
{
    for (int i = books->islands.start[island]; i < books->islands.start[island + 1]; i++) {
        int k = books->islands.row[i];
        if (part == 1.0) {
            m->f[k] = books->f[k];
            continue;
        }
        m->f[k] += part * (books->f[k] - m->f[k]);
        if (books->bounced) {
            m->b[k] = m->plastic[k] + part * (m->b[k] - m->plastic[k]);
        }
    }
}

/* Moves every island as far as it may go.  True if an island can not go all the way. */
static bool
go_way(struct cn_march *m, struct books *books)
{
    struct cn_contact_problem problem = cn_march_problem(m);
    bool shortened = false;
    count_anew(m, books);
    for (int island = 0; island < books->islands.count; island++) {
        struct growth growth = growth_of(m, books, island);
        double part = part_of(&growth);
        shortened = shortened || part < 1.0;
        go_part(m, books, island, part);
    }
    cn_problem_accelerate(&problem, m->f, m->response);
    cn_work_spend((int64_t)WORK_PER_ROW * m->row_count);
    return shortened;
}

/* Whether some of the impulses found have restitution or correct lengths. */
static bool
bounces(const struct cn_march *m)
{
    for (int k = 0; k < m->row_count; k++) {
        if (m->b[k] != m->plastic[k] && m->f[k] != 0.0) {
            return true;
        }
    }
    return false;
}

/* Copies the impulses found to the end of the way. */
static void
put_at_end(const struct cn_march *m, struct books *books)
{
    size_t rows = (size_t)m->row_count, bodies = (size_t)m->model->body_count;
    memcpy(books->f, m->f, rows * sizeof(books->f[0]));
    memcpy(books->moved, m->response, bodies * sizeof(books->moved[0]));
}

/* Tells how much the impulses, which no solver has found, miss the conditions by. */
static void
judge_again(struct cn_march *m, struct books *books)
{
    struct cn_contact_problem problem = cn_march_problem(m);
    double residual = cn_residual_measure(&problem, m->f, books->moved);
    cn_work_spend((int64_t)WORK_PER_ROW * m->row_count);
    cn_answer_judge(m->looks ? NULL : m->model, residual, &m->note);
}

static bool
gains(const struct cn_march *m, struct books *books)
{
    put_at_end(m, books);
    count_anew(m, books);
    for (int island = 0; island < books->islands.count; island++) {
        struct growth growth = growth_of(m, books, island);
        if (part_of(&growth) < 1.0) {
            return true;
        }
    }
    return false;
}

/* Solves, and keeps the worse note. */
static void
solve_again(struct cn_march *m)
{
    struct cn_solve_note note = m->note;
    cn_march_solve(m);
    if (note.outcome > m->note.outcome) {
        m->note = note;
    }
}

/*
 * Goes from the impulses without restitution towards those with it, which are the end of the way.
 */
static void
take_back(struct cn_march *m, struct books *books)
{
    double *whole = m->b;
    memset(m->f, 0, (size_t)m->row_count * sizeof(m->f[0]));
    m->b = m->plastic;
    solve_again(m);
    m->b = whole;
    books->bounced = true;
    (void)go_way(m, books);
    books->bounced = false;
}

/* Goes from zero impulses towards those found, and judges the result. */
static void
shorten(struct cn_march *m, struct books *books)
{
    put_at_end(m, books);
    memset(m->f, 0, (size_t)m->row_count * sizeof(m->f[0]));
    memset(m->response, 0, (size_t)m->model->body_count * sizeof(m->response[0]));
    if (go_way(m, books)) {
        judge_again(m, books);
    }
}

/* Stores the part of the corrections of lengths that the kept impulses do not make. */
static void
leave_unkept(struct cn_march *m)
{
    bool found = m->note.outcome == CN_SOLVE_CONVERGED;
    for (int i = 0; i < m->model->body_count; i++) {
        const struct cn_twist *full = &m->unkept[i], *kept = &m->response[i];
        m->unkept[i] = !found ? (struct cn_twist){0}
                              : (struct cn_twist){cn_vec3_sub(full->linear, kept->linear),
                                    cn_vec3_sub(full->angular, kept->angular)};
    }
}

void
cn_march_impulses(struct cn_march *m)
{
    size_t bodies = (size_t)m->model->body_count;
    CN_ASSERT(m->row_count <= m->row_max);
    memset(m->unkept, 0, bodies * sizeof(m->unkept[0]));
    cn_march_solve(m);
    bool bounced = bounces(m);
    if (m->note.outcome == CN_SOLVE_CONVERGED && !bounced) {
        return;
    }
    struct cn_arena arena = m->energy_scratch;
    struct cn_contact_problem problem = cn_march_problem(m);
    struct books books = {0};
    take_books(&books, &arena, m->row_count, m->model->body_count);
    cn_work_spend((int64_t)WORK_PER_ROW * m->row_count);
    cn_islands_find(&books.islands, &problem);
    if (m->pulls) {
        memcpy(m->unkept, m->response, bodies * sizeof(m->unkept[0]));
    }
    bool left_over = false;
    for (int round = 1; bounced && !left_over && gains(m, &books); round++) {
        take_back(m, &books);
        left_over = round == ROUNDS_MAX || cn_march_is_spent(m);
        if (!left_over) {
            solve_again(m); /* with the restitution that is left */
        }
    }
    if (m->pulls) {
        leave_unkept(m);
    }
    if (left_over) {
        judge_again(m, &books);
    }
    if (m->note.outcome != CN_SOLVE_CONVERGED) {
        shorten(m, &books);
    }
}
