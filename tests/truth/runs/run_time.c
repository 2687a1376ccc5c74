/*
 * run_time.c: times of impact, and bounces up to the time at which they accumulate.
 */
#include "engine/math/scalar.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define IMPACTS_MAX 64

static struct scene scene;

/* The first impact within that many ticks. */
static struct cn_event
first_impact(struct cn_world *world, int tick_count_max)
{
    struct cn_event event = {.kind = CN_EVENT_KIND_COUNT};
    for (int i = 0; i < tick_count_max; i++) {
        scene_tick(world);
        if (scene_events(world, CN_EVENT_IMPACT, &event) > 0) {
            return event;
        }
    }
    fail_msg("no impact in %d ticks", tick_count_max);
    return event;
}

/* A vertex falls on a plane from height h: a box on its corner, whose impulse is m v (e = 0). */
void
truth_run_toi(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double half = sqrt(0.5);
    scene_init(&scene, truth_member_number(given, "g"));
    scene_floor(&scene);
    int box = scene_box(&scene, 0.0, truth_member_number(given, "h") + half, 1.0, 1.0);
    scene.body[box].angle = 0.25 * CN_PI;
    scene.body[box].mass = 1.0;
    scene.body[box].velocity.y = truth_member_number(given, "v0");
    struct cn_world *world = scene_create(&scene);
    struct cn_event event = first_impact(world, 600);
    truth_expect(data, "t", event.time);
    const json_t *expect = truth_member(data, "expect");
    double g = truth_member_number(given, "g"), t_error = truth_tolerance(data, 1.0);
    truth_near(-event.value, truth_member_number(expect, "v_impact"), g * t_error, "v_impact");
    cn_world_destroy(world);
}

/* A spinning rod falls: a thin capsule, raised by its radius. */
void
truth_run_toi_rod(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double l = truth_member_number(given, "l"), radius = 0.01;
    scene_init(&scene, truth_member_number(given, "g"));
    scene_floor(&scene);
    int rod =
        scene_capsule(&scene, 0.0, truth_member_number(given, "y0") + radius, radius, 2.0 * l);
    scene.body[rod].angle = 0.5 * CN_PI;
    scene.body[rod].angular_velocity.z = truth_member_number(given, "omega");
    struct cn_world *world = scene_create(&scene);
    truth_expect(data, "t", first_impact(world, 600).time);
    cn_world_destroy(world);
}

/*
 * A ball bounces.  Heights between impacts follow from the impulses: J = (1 + e) m v, and the ball
 * rises by (e v)^2 / 2 g.  It rests, without having hung, a little after the times pile up.
 */
void
truth_run_bounce(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double e = truth_member_number(given, "e"), g = truth_member_number(given, "g");
    /* The ball is small because the speed below which it stops to bounce depends on its size. */
    double apex[IMPACTS_MAX], times[IMPACTS_MAX], radius = 0.01 * truth_member_number(given, "h");
    int apex_count = truth_member_numbers(expect, "apex", apex, IMPACTS_MAX);
    int time_count = truth_member_numbers(expect, "impact_times", times, IMPACTS_MAX);
    scene_init(&scene, g);
    scene.material[0].restitution = e;
    scene_floor(&scene);
    int ball = scene_circle(&scene, 0.0, truth_member_number(given, "h") + radius, radius);
    scene.body[ball].mass = 1.0;
    struct cn_world *world = scene_create(&scene);
    double t_total = truth_member_number(expect, "t_total");
    int found = 0;
    double last = 0.0;
    while (cn_world_time(world) < 1.2 * t_total) {
        scene_tick(world);
        const struct cn_event *events;
        int count = cn_world_events(world, &events);
        for (int i = 0; i < count; i++) {
            if (events[i].kind != CN_EVENT_IMPACT) {
                continue;
            }
            double rise = events[i].value * e / (1.0 + e);
            last = events[i].time;
            if (found < time_count) {
                truth_near(last, times[found], truth_tolerance(data, times[found]),
                    "impact_times[%d]", found);
            }
            if (found < apex_count) {
                truth_near(0.5 * rise * rise / g, apex[found],
                    truth_tolerance(data, apex[found]), "apex[%d]", found);
            }
            found++;
        }
    }
    assert_true(found >= time_count);
    truth_near(last, t_total, truth_tolerance(data, t_total), "t_total");
    truth_near(scene_view(world, ball).velocity.y, 0.0, 1e-9, "velocity at rest");
    truth_near(scene_contacts(world, 0, ball).force, g, 1e-9 * g, "force at rest");
    cn_world_destroy(world);
}

/* A ball of e = 1 comes back to where it fell from, at every length of the tick. */
static void
fly(const json_t *data, const char *stepper, const char *solver)
{
    const json_t *given = truth_member(data, "given");
    double dt[8], h = truth_member_number(given, "h"), radius = 0.1;
    int count = truth_member_numbers(given, "dts", dt, 8);
    for (int i = 0; i < count; i++) {
        scene_init(&scene, truth_member_number(given, "g"));
        snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", stepper);
        snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver);
        scene.def.tick_rate = 1.0 / dt[i];
        scene.material[0].restitution = truth_member_number(given, "e");
        scene_floor(&scene);
        int ball = scene_circle(&scene, 0.0, h + radius, radius);
        struct cn_world *world = scene_create(&scene);
        first_impact(world, 4000);
        double top = 0.0;
        while (scene_view(world, ball).velocity.y > 0.0) {
            scene_tick(world);
            top = fmax(top, scene_view(world, ball).position.y - radius);
        }
        double range[2];
        const json_t *ranges = truth_member(truth_member(data, "expect"), "h_rebound_over_h");
        truth_numbers(json_array_get(ranges, (size_t)i), range, 2);
        assert_true(top / h >= range[0] && top / h <= range[1]);
        cn_world_destroy(world);
    }
}

void
truth_run_freeflight(const json_t *data)
{
    fly(data, "event", "baraff94");
    fly(data, "propagation", "guendelman03");
}
