/*
 * bench_impulse.c: what the stages of the production solver cost, by kernel.
 *
 * A pyramid of boxes, BASE (100) in the lowest row, as its contacts would be: two below each box
 * and its neighbours, all touching.  Each kernel solves ticks of four substeps, over and over; the
 * table has the median of each stage in microseconds of processor time a tick, and of the whole.
 *
 * usage: bench_impulse [ROUNDS [BASE [KERNEL]]]
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/solve/impulse_run.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define ROUNDS_MAX 1000
#define STAGES 9

static const char *const stage_name[STAGES] = {"color", "prepare", "velocities", "warm_start",
    "solve", "positions", "relax", "restitution", "store"};

static int base = 100;
static double sample[STAGES + 1][ROUNDS_MAX];

static double
now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Row r has base - r boxes; their indices ascend from the lowest row on. */
static int
box_index(int row, int column)
{
    return row * base - row * (row - 1) / 2 + column;
}

static int contact_count;

/* A contact of two boxes of 1 m whose centres are (x, y) apart, along the axis that is 1 m. */
static void
add_contact(struct impulse_run *run, int32_t a, int32_t b, float x, float y)
{
    int i = contact_count++;
    run->contact[i] = (struct cn_impulse_contact){.body_a = a, .body_b = b, .manifold = i,
        .friction = 0.6f};
    bool upright = y == 1.0f;
    float from = upright ? fmaxf(-0.5f, x - 0.5f) : -0.5f;
    float to = upright ? fminf(0.5f, x + 0.5f) : 0.5f;
    if (!run->spatial) {
        struct cn_manifold2 *m = (struct cn_manifold2 *)run->manifold + i;
        *m = (struct cn_manifold2){.normal_x = upright ? 0 : 1, .normal_y = upright ? 1 : 0,
            .point_count = 2};
        for (int k = 0; k < 2; k++) {
            struct cn_point2 *p = &m->point[k];
            float along = k == 0 ? from : to;
            p->anchor_ax = upright ? along : 0.5f;
            p->anchor_ay = upright ? 0.5f : along;
            p->anchor_bx = p->anchor_ax - x;
            p->anchor_by = p->anchor_ay - y;
        }
        return;
    }
    struct cn_manifold3 *m = (struct cn_manifold3 *)run->manifold + i;
    *m = (struct cn_manifold3){.normal = {upright ? 0 : 1, upright ? 1 : 0, 0}, .point_count = 4};
    for (int k = 0; k < 4; k++) {
        struct cn_point3 *p = &m->point[k];
        float along = k & 1 ? from : to;
        p->anchor_a[0] = upright ? along : 0.5f;
        p->anchor_a[1] = upright ? 0.5f : along;
        p->anchor_a[2] = p->anchor_b[2] = k & 2 ? 0.5f : -0.5f;
        p->anchor_b[0] = p->anchor_a[0] - x;
        p->anchor_b[1] = p->anchor_a[1] - y;
    }
}

static void
make_body(struct impulse_run *run, int i)
{
    if (run->spatial) {
        ((struct cn_impulse_mass3 *)run->mass)[i] = (struct cn_impulse_mass3){1, {6, 6, 6}, 0};
        ((struct cn_impulse_drive3 *)run->drive)[i] =
            (struct cn_impulse_drive3){.a = {0, -10, 0}, .keep_linear = 1, .keep_angular = 1};
    } else {
        ((struct cn_impulse_mass2 *)run->mass)[i] = (struct cn_impulse_mass2){1, 6};
        ((struct cn_impulse_drive2 *)run->drive)[i] =
            (struct cn_impulse_drive2){.ay = -10, .keep_linear = 1, .keep_angular = 1};
    }
}

static void
make_pyramid(struct impulse_run *run, bool spatial)
{
    int body_count = base * (base + 1) / 2;
    impulse_run_make(run, spatial, body_count, 3 * body_count);
    contact_count = 0;
    for (int c = 0; c < base; c++) {
        add_contact(run, CN_IMPULSE_FIXED, c, 0, 1);
    }
    for (int r = 0; r < base; r++) {
        for (int c = 0; c < base - r; c++) {
            int32_t box = box_index(r, c);
            make_body(run, box);
            if (c + 1 < base - r) {
                add_contact(run, box, box + 1, 1, 0);
            }
            if (r + 1 < base && c > 0) {
                add_contact(run, box, box_index(r + 1, c - 1), -0.5f, 1);
            }
            if (r + 1 < base && c + 1 < base - r) {
                add_contact(run, box, box_index(r + 1, c), 0.5f, 1);
            }
        }
    }
    run->contact_count = contact_count;
}

static void
begin_tick(struct impulse_run *run)
{
    for (int i = 0; i < run->body_count; i++) {
        if (run->spatial) {
            struct cn_impulse_body3 *body = (struct cn_impulse_body3 *)run->body + i;
            memset(body->d, 0, sizeof(body->d));
            memset(body->q, 0, sizeof(body->q));
            body->q[3] = 1;
            memcpy((struct cn_impulse_carry3 *)run->carry + i, body, 24);
        } else {
            struct cn_impulse_body2 *body = (struct cn_impulse_body2 *)run->body + i;
            body->dx = body->dy = body->sine = 0;
            body->cosine = 1;
            memcpy((struct cn_impulse_carry2 *)run->carry + i, body, 12);
        }
    }
}

/* One tick; what each stage took is added to us[]. */
static void
timed_tick(struct impulse_run *run, const struct cn_impulse_kernel *kernel, double us[STAGES])
{
    const struct cn_impulse_stages *stages = impulse_run_stages(run, kernel);
    begin_tick(run);
    struct cn_impulse_job job = impulse_run_job(run, false);
    double t[2] = {now_us(), 0};
#define TIMED(stage, work) \
    work; \
    t[1] = now_us(); \
    us[stage] += t[1] - t[0]; \
    t[0] = t[1]
    TIMED(1, IMPULSE_RUN(run, prepare));
    for (int k = 0; k < run->tick.substep_count; k++) {
        TIMED(2, stages->integrate_velocities(&job, 0, run->body_count));
        if (k == 0) {
            TIMED(3, IMPULSE_RUN(run, warm_start));
        }
        TIMED(4, IMPULSE_RUN(run, solve));
        TIMED(5, stages->integrate_positions(&job, 0, run->body_count));
        TIMED(6, IMPULSE_RUN(run, relax));
    }
    TIMED(7, IMPULSE_RUN(run, restitution));
    TIMED(8, IMPULSE_RUN(run, store));
#undef TIMED
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void
measure(struct impulse_run *run, const struct cn_impulse_kernel *kernel, int rounds)
{
    double t = now_us();
    impulse_run_color(run, kernel);
    double color = now_us() - t;
    for (int r = 0; r < rounds; r++) {
        double us[STAGES] = {color};
        timed_tick(run, kernel, us);
        sample[STAGES][r] = 0;
        for (int s = 0; s < STAGES; s++) {
            sample[s][r] = us[s];
            sample[STAGES][r] += s > 0 ? us[s] : 0;
        }
    }
    printf("| %s %s |", run->spatial ? "spatial" : "planar", kernel->name);
    for (int s = 0; s <= STAGES; s++) {
        qsort(sample[s], (size_t)rounds, sizeof(double), compare);
        printf(" %.0f |", sample[s][rounds / 2]);
    }
    size_t size = impulse_run_stages(run, kernel)->block_size;
    printf(" %zu |\n", size / (size_t)kernel->lanes);
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    base = argc > 2 ? atoi(argv[2]) : 100;
    base = base < 1 ? 1 : base;
    printf("us a tick |");
    for (int s = 0; s < STAGES; s++) {
        printf(" %s |", stage_name[s]);
    }
    printf(" all but color | bytes a contact |\n");
    for (int spatial = 0; spatial < 2; spatial++) {
        for (size_t i = 0; cn_impulse_kernels[i] != NULL; i++) {
            const struct cn_impulse_kernel *kernel = cn_impulse_kernels[i];
            if (!cn_impulse_kernel_runs(kernel) ||
                (argc > 3 && strcmp(argv[3], kernel->name) != 0)) {
                continue;
            }
            struct impulse_run run;
            make_pyramid(&run, spatial != 0);
            measure(&run, kernel, rounds);
            impulse_run_free(&run);
        }
    }
    return 0;
}
