/*
 * law_image.c: a hundredth of the step leads to the same state; a mirrored or rotated scene moves
 * in the same way, mirrored or rotated.
 *
 * The growth of a difference at the start is measured.  Twins of the scene begin with a small
 * offset; A is the largest distance between them at the end, divided by that offset.  If A is
 * large, the scene is chaotic and is not judged.  Two runs of the same scene may end A times as far
 * apart as the resolution of the method:
 *
 *     image        the place where the exact stepper finds an impact (1e-9 of a width), and
 *                  rounding
 *     reference    the exact stepper: the gap that counts as touching, and the resting velocity
 *                  times the time that passed.  A march is of first order: h times the speed that
 *                  its bodies have, or get from gravity, for each step that changes the speed
 *
 * The accelerations of a march are its changes of velocity over h; they are solved to 1e-10 m/s.
 *
 * With friction, motions need not be unique.  Then only the first accelerations are compared, and
 * only with friction below the value up to which they are unique.
 */
#include "tests/laws/laws.h"

#include "engine/math/scalar.h"
#include "engine/math/trig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH_MAX 300.0
#define UNIQUE_FRICTION 0.2
#define ALL_TWINS 3

static struct laws_scene other, *const image = &other;

/* How far the bodies of two runs are from each other; `turn` takes the first to the second. */
static double
apart(const struct laws_run *a, const struct laws_run *b, const cn_mat33 *turn, bool gain)
{
    double most = 0.0;
    for (int i = 0; i < a->after.body_count; i++) {
        const struct cn_body_view *one = &a->after.body[i], *two = &b->after.body[i];
        cn_vec3 from = gain ? one->acceleration : one->center;
        cn_vec3 to = gain ? two->acceleration : two->center;
        cn_vec3 gap = cn_vec3_sub(cn_mat33_apply(turn, from), to);
        double length = cn_vec3_length(gap);
        most = length > most || !isfinite(length) ? length : most;
    }
    return most;
}

static const cn_mat33 same = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

/* By how much a disturbance of `shift` grows; < 0: a run did not end. */
static double
growth(const struct laws_run *run, double shift, int ticks)
{
    double most = 1.0;
    for (uint64_t k = 0; k < ALL_TWINS && most >= 0.0; k++) {
        struct laws_run twin;
        laws_scene_copy(image, run->scene);
        laws_scene_disturb(image, shift, run->scene->seed + k);
        bool done = laws_run_through(&twin, image, run->method, ticks);
        double off = done ? apart(run, &twin, &same, false) / shift : -1.0;
        most = off < 0.0 ? -1.0 : cn_max(most, off);
        laws_run_end(&twin);
    }
    return most;
}

/* The largest speed that a body has, or gets by falling [m/s]. */
static double
speed_of(const struct laws_run *run, double time)
{
    double most = 0.0;
    for (int i = 0; i < run->after.body_count; i++) {
        const struct cn_body_def *start = &run->scene->def.bodies[i];
        const struct cn_body_view *body = &run->after.body[i];
        double L = run->scene->length;
        most = cn_max(most, cn_vec3_length(start->velocity) +
                                L * cn_vec3_length(start->angular_velocity));
        most = cn_max(most, cn_vec3_length(body->velocity) +
                                L * cn_vec3_length(body->angular_velocity));
    }
    return most + time * cn_vec3_length(run->scene->def.settings.gravity);
}

void
laws_reference(
    const struct laws_scene *scene, struct laws_method method, struct laws_sink *sink)
{
    static struct laws_run run, fine;
    int ticks = scene->ticks;
    bool done = laws_run_through(&run, scene, method, ticks);
    double A = done ? growth(&run, 1e-6 * scene->length, ticks) : -1.0;
    if (done && A >= 0.0 && A < GROWTH_MAX) {
        laws_scene_copy(image, scene);
        image->def.settings.time_rate *= 0.01;
        if (laws_run_through(&fine, image, method, 100 * ticks)) {
            struct laws_measure measure = laws_measure(&run);
            double time = ticks * run.h, speed = speed_of(&run, time);
            double bound = 4.0 * measure.gap + measure.rest * time;
            if (!laws_is_exact(&method)) {
                bound += 4.0 * run.h * speed;
            }
            laws_check_at(sink, ticks, LAWS_reference, apart(&run, &fine, &same, false), A * bound,
                "places differ after %g s [m], growth %g, speed %g", time, A, speed);
        }
        laws_run_end(&fine);
    }
    laws_run_end(&run);
}

/* One image against the run: at once, and after some ticks where motions are unique. */
static void
compare(struct laws_run *run, const cn_mat33 *turn, double A, int ticks, const char *what,
    struct laws_sink *sink)
{
    struct laws_run first = {0}, start = {0}, end = {0};
    double size = 1.0;
    if (laws_run_through(&first, run->scene, run->method, 0) &&
        laws_run_through(&start, image, run->method, 0)) {
        for (int i = 0; i < first.after.body_count; i++) {
            size = cn_max(size, cn_vec3_length(first.after.body[i].acceleration));
        }
        double bound = 1e-7 * size + (laws_is_march(&run->method) ? 1e-9 / first.h : 0.0);
        laws_check_at(sink, 0, LAWS_image, apart(&first, &start, turn, true), bound,
            "first accelerations of the %s [m/s^2]", what);
    }
    if (A >= 0.0 && A <= GROWTH_MAX && laws_run_through(&end, image, run->method, ticks)) {
        double bound = A * 1e-7 * run->scene->length;
        laws_check_at(sink, ticks, LAWS_image, apart(run, &end, turn, false), bound,
            "places of the %s after %d ticks [m], growth %g", what, ticks, A);
    }
    laws_run_end(&first);
    laws_run_end(&start);
    laws_run_end(&end);
}

void
laws_image(const struct laws_scene *scene, struct laws_method method, struct laws_sink *sink)
{
    static struct laws_run run;
    bool unique = scene->friction_max == 0.0;
    if (method.solver->kind != CN_SOLVER_PROBLEM || method.solver->heuristic ||
        scene->friction_max > UNIQUE_FRICTION) {
        return;
    }
    int ticks = scene->ticks;
    if (laws_run_through(&run, scene, method, ticks)) {
        double A = unique ? growth(&run, 1e-8 * scene->length, ticks) : -1.0;
        cn_mat33 mirror = cn_mat33_diagonal(-1.0, 1.0, 1.0);
        laws_scene_copy(image, scene);
        laws_scene_mirror(image);
        compare(&run, &mirror, A, ticks, "mirror image", sink);
        double angle = 0.1 + 0.01 * (double)(scene->seed % 600), sine, cosine;
        cn_sin_cos(angle, &sine, &cosine);
        cn_mat33 turn = cn_mat33_about_z(sine, cosine);
        laws_scene_copy(image, scene);
        laws_scene_turn(image, angle);
        compare(&run, &turn, A, ticks, "turned scene", sink);
    }
    laws_run_end(&run);
}
