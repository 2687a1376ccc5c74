/*
 * impulse_joint_chain_solve.c: solves the rows of a whole chain at once.
 *
 * K is stored by rows, each from its first nonzero column on (an envelope), and factored in place.
 * Row i of L D L' holds L[i][first ... i - 1], and inverse[i] holds 1 / D[i].  Redundant rows are
 * left out as in cn_soft_block_solve.
 */
#include "engine/solve/joints/impulse_joint_chain.h"

#include "engine/base/assert.h"
#include "engine/constraint/joint.h"
#include "engine/solve/joints/impulse_joint_inside.h"

#include <string.h>

#define PIVOT_MIN 1e-9 /* part of its diagonal; a row with a smaller pivot depends on others */

/* One chain's data.  Array sizes are numbers of joints, or of rows. */
struct chain {
    int count, row_count;
    const int32_t *low;
    void *joint; /* cn_soft_joint2 or 3 */
    struct cn_soft_line *line; /* rows */
    int32_t *first;            /* joints + 1: the first row of a joint */
    int32_t *left;             /* rows: the first column */
    size_t *place;             /* rows: in row[]; row[place + j - left] is column j */
    double *row;               /* the envelope */
    size_t entry_max;          /* its room */
    double *inverse, *x;       /* rows */
};

/* Assigns a chain its arrays from `data` on, or only measures.  Returns the bytes. */
static size_t
lay_out(struct chain *c, const struct cn_impulse_joint_chains *chains, int index, bool planar,
    unsigned char *data)
{
    size_t count = (size_t)(chains->start[index + 1] - chains->start[index]);
    CN_ASSERT(0 <= index && index < chains->count && count > 0);
    size_t rows = count * (planar ? 3 : CN_SOFT_HOLD_MAX);
    struct cn_arena arena = {.memory = data, .size = (size_t)-1};
    c->count = (int)count;
    c->low = chains->low + chains->start[index];
    c->joint = cn_arena_take(&arena,
        count * (planar ? sizeof(struct cn_soft_joint2) : sizeof(struct cn_soft_joint3)));
    c->line = CN_ARENA_TAKE(&arena, struct cn_soft_line, rows);
    c->first = CN_ARENA_TAKE(&arena, int32_t, count + 1);
    c->left = CN_ARENA_TAKE(&arena, int32_t, rows);
    c->place = CN_ARENA_TAKE(&arena, size_t, rows);
    c->entry_max = chains->envelope[index];
    c->row = CN_ARENA_TAKE(&arena, double, chains->envelope[index]);
    c->inverse = CN_ARENA_TAKE(&arena, double, rows);
    c->x = CN_ARENA_TAKE(&arena, double, rows);
    return arena.used;
}

size_t
cn_soft_chain_size(const struct cn_impulse_joint_chains *chains, int index, bool planar)
{
    struct chain c;
    return lay_out(&c, chains, index, planar, NULL);
}

static struct cn_soft_joint2 *
joint2(const struct chain *c, int k)
{
    return (struct cn_soft_joint2 *)c->joint + k;
}

static struct cn_soft_joint3 *
joint3(const struct chain *c, int k)
{
    return (struct cn_soft_joint3 *)c->joint + k;
}

static void
names_of(const struct chain *c, bool planar, int k, int32_t name[2])
{
    name[0] = planar ? joint2(c, k)->name_a : joint3(c, k)->name_a;
    name[1] = planar ? joint2(c, k)->name_b : joint3(c, k)->name_b;
}

/* ---- the matrix ---- */

/* J inv(M) J' of two rows, by the moving bodies that their joints share. */
static double
product(const struct cn_soft_line *p, const struct cn_soft_line *q, const int32_t of_p[2],
    const int32_t of_q[2], int size)
{
    double sum = 0.0;
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            if (of_p[a] < 0 || of_p[a] != of_q[b]) {
                continue;
            }
            for (int k = 0; k < size; k++) {
                sum += p->row[a][k] * q->give[b][k];
            }
        }
    }
    return sum;
}

static void
fill(struct chain *c, bool planar)
{
    size_t used = 0;
    int size = planar ? 3 : 6;
    for (int k = 0; k < c->count; k++) {
        CN_ASSERT(0 <= c->low[k] && c->low[k] <= k);
        int32_t own[2], left = c->first[c->low[k]];
        names_of(c, planar, k, own);
        for (int32_t i = c->first[k]; i < c->first[k + 1]; i++) {
            c->left[i] = left;
            c->place[i] = used;
            for (int m = c->low[k]; m <= k; m++) {
                int32_t other[2];
                names_of(c, planar, m, other);
                for (int32_t j = c->first[m]; j < c->first[m + 1] && j <= i; j++) {
                    c->row[used++] = product(&c->line[i], &c->line[j], own, other, size);
                }
            }
            CN_ASSERT(used == c->place[i] + (size_t)(i - left) + 1); /* up to the diagonal */
        }
    }
    CN_ASSERT(used <= c->entry_max);
}

/* The entry in row i and column j. */
static inline double *
entry(const struct chain *c, int32_t i, int32_t j)
{
    return &c->row[c->place[i] + (size_t)(j - c->left[i])];
}

/* Adds g diag(K) to K, g one part in CN_CHAIN_STIFFNESS.  With bias the impulses act against it. */
static void
soften(struct chain *c, bool planar, bool use_bias)
{
    for (int k = 0; k < c->count; k++) {
        const float *impulse = planar ? joint2(c, k)->impulse : joint3(c, k)->impulse;
        bool is_thin = planar ? joint2(c, k)->thin : joint3(c, k)->thin;
        float mass = planar ? joint2(c, k)->mass_a + joint2(c, k)->mass_b
                            : joint3(c, k)->mass_a + joint3(c, k)->mass_b;
        CN_ASSERT(c->first[k] <= c->first[k + 1] && c->first[k + 1] <= c->row_count);
        for (int32_t i = c->first[k]; i < c->first[k + 1]; i++) {
            double give = *entry(c, i, i) / CN_CHAIN_STIFFNESS;
            if (is_thin) {
                give = (double)cn_soft_thin_give(mass, (float)*entry(c, i, i));
            }
            *entry(c, i, i) += give;
            c->x[i] -= use_bias ? give * (double)impulse[i - c->first[k]] : 0.0;
        }
    }
}

static void
factor(struct chain *c)
{
    for (int32_t i = 0; i < c->row_count; i++) {
        double diagonal = *entry(c, i, i), pivot = diagonal;
        for (int32_t j = c->left[i]; j < i; j++) {
            int32_t from = c->left[i] > c->left[j] ? c->left[i] : c->left[j];
            double sum = *entry(c, i, j);
            for (int32_t k = from; k < j; k++) {
                sum -= *entry(c, i, k) * *entry(c, j, k);
            }
            *entry(c, i, j) = sum; /* still L D; the rows above hold L */
        }
        for (int32_t j = c->left[i]; j < i; j++) {
            double scaled = *entry(c, i, j) * c->inverse[j];
            pivot -= scaled * *entry(c, i, j);
            *entry(c, i, j) = scaled;
        }
        c->inverse[i] = pivot > PIVOT_MIN * diagonal ? 1.0 / pivot : 0.0;
    }
}

static void
solve(struct chain *c)
{
    for (int32_t i = 0; i < c->row_count; i++) {
        for (int32_t j = c->left[i]; j < i; j++) {
            c->x[i] -= *entry(c, i, j) * c->x[j];
        }
    }
    for (int32_t i = c->row_count - 1; i >= 0; i--) {
        c->x[i] *= c->inverse[i];
    }
    for (int32_t i = c->row_count - 1; i >= 0; i--) {
        for (int32_t j = c->left[i]; j < i; j++) {
            c->x[j] -= *entry(c, i, j) * c->x[i];
        }
    }
}

/* ---- passes ---- */

static void
apply2(const struct cn_impulse_joint_job *job, const struct chain *c, int k)
{
    struct cn_soft_joint2 *j = joint2(c, k);
    const int32_t name[] = {j->name_a, j->name_b};
    for (int32_t i = c->first[k]; i < c->first[k + 1]; i++) {
        j->impulse[i - c->first[k]] += (float)c->x[i];
        for (int e = 0; e < 2; e++) {
            if (name[e] >= 0) {
                struct cn_impulse_body2 *body = (struct cn_impulse_body2 *)job->body + name[e];
                body->vx += (float)(c->line[i].give[e][0] * c->x[i]);
                body->vy += (float)(c->line[i].give[e][1] * c->x[i]);
                body->w += (float)(c->line[i].give[e][2] * c->x[i]);
            }
        }
    }
}

static void
apply3(const struct cn_impulse_joint_job *job, const struct chain *c, int k)
{
    struct cn_soft_joint3 *j = joint3(c, k);
    const int32_t name[] = {j->name_a, j->name_b};
    for (int32_t i = c->first[k]; i < c->first[k + 1]; i++) {
        j->impulse[i - c->first[k]] += (float)c->x[i];
        for (int e = 0; e < 2; e++) {
            if (name[e] < 0) {
                continue;
            }
            struct cn_impulse_body3 *body = (struct cn_impulse_body3 *)job->body + name[e];
            for (int m = 0; m < 3; m++) {
                body->v[m] += (float)(c->line[i].give[e][m] * c->x[i]);
                body->w[m] += (float)(c->line[i].give[e][m + 3] * c->x[i]);
            }
        }
    }
}

static void
solve_chain(const struct cn_impulse_joint_job *job, struct chain *c, bool planar, bool use_bias)
{
    for (int k = 0; k < c->count; k++) {
        if (planar) {
            cn_soft_begin2(job, joint2(c, k), use_bias);
        } else {
            cn_soft_begin3(job, joint3(c, k), use_bias);
        }
    }
    c->row_count = 0;
    for (int k = 0; k < c->count; k++) {
        c->first[k] = c->row_count;
        struct cn_soft_line *line = &c->line[c->row_count];
        c->row_count += planar ? cn_soft_lines2(job, joint2(c, k), use_bias, line)
                               : cn_soft_lines3(job, joint3(c, k), use_bias, line);
    }
    CN_ASSERT(c->row_count <= c->count * (planar ? 3 : CN_SOFT_HOLD_MAX));
    c->first[c->count] = c->row_count;
    for (int32_t i = 0; i < c->row_count; i++) {
        c->x[i] = c->line[i].lack;
    }
    fill(c, planar);
    soften(c, planar, use_bias);
    factor(c);
    solve(c);
    for (int k = 0; k < c->count; k++) {
        if (planar) {
            apply2(job, c, k);
            cn_soft_end2(job, joint2(c, k), use_bias);
        } else {
            apply3(job, c, k);
            cn_soft_end3(job, joint3(c, k), use_bias);
        }
    }
}

/* ---- tension ---- */

/*
 * The number of a joint's end.  All ends at one body have the number of the first of them in the
 * chain.
 */
static int
number_of(const struct chain *c, bool planar, int k, int end)
{
    int32_t own[2], other[2];
    names_of(c, planar, k, own);
    for (int m = c->low[k]; m < k; m++) {
        names_of(c, planar, m, other);
        for (int e = 0; e < 2; e++) {
            if (other[e] == own[end]) {
                return 2 * m + e;
            }
        }
    }
    return 2 * k + end;
}

/*
 * Adds `more` about each axis to an inertia that is given by its inverse; with an arm only about
 * axes across it.
 */
static void
add_inertia(float inverse[6], double more, const cn_soft_vec *arm)
{
    cn_mat33 m = {{(double)inverse[0], (double)inverse[3], (double)inverse[5]},
        {(double)inverse[3], (double)inverse[1], (double)inverse[4]},
        {(double)inverse[5], (double)inverse[4], (double)inverse[2]}};
    double size = m.cx.x + m.cy.y + m.cz.z;
    if (!(cn_mat33_determinant(&m) > 1e-9 * size * size * size)) {
        for (int k = 0; k < 6; k++) { /* an axis is locked */
            inverse[k] = (float)((double)inverse[k] / (1.0 + more * size));
        }
        return;
    }
    m = cn_mat33_invert_symmetric(&m);
    m.cx.x += more;
    m.cy.y += more;
    m.cz.z += more;
    if (arm != NULL) {
        double x = (double)arm->x, y = (double)arm->y, z = (double)arm->z;
        double part = more / (x * x + y * y + z * z);
        m.cx.x -= part * x * x;
        m.cy.y -= part * y * y;
        m.cz.z -= part * z * z;
        m.cx.y -= part * x * y;
        m.cy.z -= part * y * z;
        m.cz.x -= part * z * x;
        m.cy.x = m.cx.y;
        m.cz.y = m.cy.z;
        m.cx.z = m.cz.x;
    }
    m = cn_mat33_invert_symmetric(&m);
    const double members[] = {m.cx.x, m.cy.y, m.cz.z, m.cx.y, m.cy.z, m.cz.x};
    for (int k = 0; k < 6; k++) {
        inverse[k] = (float)members[k];
    }
}

/* How much a joint pulls its ends away from their bodies' centres: F r of the substep [N s m]. */
static void
find_tension(
    const struct cn_impulse_joint_job *job, const struct chain *c, bool planar, int k, double *pull)
{
    struct cn_soft_line line[CN_SOFT_HOLD_MAX];
    int count = planar ? cn_soft_lines2(job, joint2(c, k), false, line)
                       : cn_soft_lines3(job, joint3(c, k), false, line);
    CN_ASSERT(0 <= count && count <= CN_SOFT_HOLD_MAX && count <= CN_JOINT_PARTS);
    const float *impulse = planar ? joint2(c, k)->impulse : joint3(c, k)->impulse;
    for (int e = 0; e < 2; e++) {
        cn_vec3 arm = {0.0, 0.0, 0.0};
        if (planar) {
            const float *r = e == 0 ? joint2(c, k)->arm_a : joint2(c, k)->arm_b;
            arm = cn_vec3_make((double)r[0], (double)r[1], 0.0);
        } else {
            cn_soft_vec r = e == 0 ? joint3(c, k)->arm_a : joint3(c, k)->arm_b;
            arm = cn_vec3_make((double)r.x, (double)r.y, (double)r.z);
        }
        double sum = 0.0;
        for (int i = 0; i < count; i++) {
            const double *row = line[i].row[e];
            sum += (double)impulse[i] *
                   (row[0] * arm.x + row[1] * arm.y + (planar ? 0.0 : row[2] * arm.z));
        }
        pull[e] = sum > 0.0 ? sum : 0.0;
    }
}

/*
 * The arm of an end at a body that has no other joint in the chain, where the joint is thin; else
 * NULL.  Such a body turns freely about its arm.
 */
static const cn_soft_vec *
lone_arm(const struct chain *c, int k, int end)
{
    int32_t own[2], other[2];
    const struct cn_soft_joint3 *j = joint3(c, k);
    const cn_soft_vec *arm = end == 0 ? &j->arm_a : &j->arm_b;
    names_of(c, false, k, own);
    if (!j->thin || own[end] < 0 || !(cn_soft_dot(*arm, *arm) > 0.0f)) {
        return NULL;
    }
    for (int m = 0; m < c->count; m++) {
        names_of(c, false, m, other);
        if (m != k && (other[0] == own[end] || other[1] == own[end])) {
            return NULL;
        }
    }
    return arm;
}

/* Increases the inertia of a chain's bodies by its tension. */
static void
brace(const struct cn_impulse_joint_job *job, const struct chain *c, bool planar)
{
    double *more = c->x, h = (double)job->tick->h;
    for (int n = 0; n < 2 * c->count; n++) {
        more[n] = 0.0;
    }
    for (int k = 0; k < c->count; k++) {
        double pull[2];
        find_tension(job, c, planar, k, pull);
        for (int e = 0; e < 2; e++) {
            more[number_of(c, planar, k, e)] += h * pull[e];
        }
    }
    for (int k = 0; k < c->count; k++) {
        double a = more[number_of(c, planar, k, 0)], b = more[number_of(c, planar, k, 1)];
        if (planar) {
            struct cn_soft_joint2 *j = joint2(c, k);
            j->inertia_a = (float)((double)j->inertia_a / (1.0 + a * (double)j->inertia_a));
            j->inertia_b = (float)((double)j->inertia_b / (1.0 + b * (double)j->inertia_b));
        } else {
            add_inertia(joint3(c, k)->inertia_a, a, lone_arm(c, k, 0));
            add_inertia(joint3(c, k)->inertia_b, b, lone_arm(c, k, 1));
        }
    }
}

/* Runs a pass that treats each joint alone. */
static void
each(const struct cn_impulse_joint_job *job, const struct chain *c, bool planar,
    enum cn_soft_pass pass, const int32_t *joint)
{
    for (int k = 0; k < c->count; k++) {
        if (planar) {
            cn_soft_run2(job, pass, joint[k], joint2(c, k));
        } else {
            cn_soft_run3(job, pass, joint[k], joint3(c, k));
        }
    }
}

void
cn_soft_chain_run(const struct cn_impulse_joint_job *job, enum cn_soft_pass pass, int index,
    unsigned char *data)
{
    const struct cn_impulse_joint_chains *chains = job->plan->chains;
    bool planar = job->model->settings.dimension == CN_PLANAR;
    CN_ASSERT(chains != NULL && data != NULL);
    struct chain c;
    (void)lay_out(&c, chains, index, planar, data);
    if (pass == CN_SOFT_SOLVE || pass == CN_SOFT_RELAX) {
        solve_chain(job, &c, planar, pass == CN_SOFT_SOLVE);
    } else {
        each(job, &c, planar, pass, chains->joint + chains->start[index]);
        if (pass == CN_SOFT_PREPARE) {
            brace(job, &c, planar);
        }
    }
}
