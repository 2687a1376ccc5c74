/*
 * test_stands.c: walls and chains that the production solver must hold up.
 *
 * The bounds for the walls are Box3D's results on the same scenes, in the same 300 steps of 1/60 s
 * and 4 substeps, without sleep.  For penetration and tilt of the large wall they come from a wall
 * whose bricks begin a little differently.  Such numbers are the same on every machine, but change
 * by a third if any detail changes.
 */
#include "clients/cli/bench.h"
#include "clients/cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

#define DEGREE (3.14159265358979323846 / 180.0)

/* The builder's one message: no memory. */
void
cli_complain(const char *format, ...)
{
    fputs(format, stderr);
}

static struct cn_world *
make(struct bench_build *build)
{
    struct cn_defect defect;
    struct cn_world *world;
    strcpy(build->def.settings.solver, "impulse");
    strcpy(build->def.settings.stepper, "time");
    build->def.settings.sleep = false;
    bench_close(build);
    if (cn_world_create(&build->def, &defect, &world) != CN_OK) {
        fail_msg("%s: %s", defect.path, defect.text);
    }
    return world;
}

static void
run(struct cn_world *world, int steps)
{
    for (int k = 0; k < steps; k++) {
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
    }
}

static void
expect(const char *what, double value, double bound)
{
    if (!(value <= bound)) {
        fail_msg("%s is %.5g, above %.5g", what, value, bound);
    }
}

/* ---- walls ---- */

static void
check_stand(struct bench_build *build, struct bench_stand bound)
{
    struct cn_world *world = make(build);
    run(world, 300);
    struct bench_stand stand = bench_stand_measure(world, build);
    print_message("penetration %.2f mm, sag %.1f mm, drift %.1f mm, tilt %.3f degrees\n",
        1e3 * stand.penetration, 1e3 * stand.sag, 1e3 * stand.drift, stand.tilt / DEGREE);
    expect("penetration", stand.penetration, bound.penetration);
    expect("sag", stand.sag, bound.sag);
    expect("drift", stand.drift, bound.drift);
    expect("tilt", stand.tilt, bound.tilt);
    cn_world_destroy(world);
    bench_finish(build);
}

static void
test_wall(void **state)
{
    (void)state;
    struct bench_build build;
    bench_init(&build, CN_SPATIAL);
    bench_spatial_wall(&build);
    check_stand(&build, (struct bench_stand){.penetration = 13.3e-3,
                             .sag = 72.0e-3, .drift = 85.2e-3, .tilt = 0.77 * DEGREE});
}

static void
test_small_wall(void **state)
{
    (void)state;
    struct bench_build build;
    bench_init(&build, CN_SPATIAL);
    bench_spatial_wall_small(&build);
    check_stand(&build, (struct bench_stand){.penetration = 3.73e-3,
                             .sag = 11.5e-3, .drift = 13.4e-3, .tilt = 0.174 * DEGREE});
}

/* ---- chains ---- */

/*
 * 100 links of 1 m that start level, held at one end, and swing down; a ball ten times as heavy as
 * a link hangs on them.  No joint opens by more than a fiftieth of a link at any time.
 */
static void
check_chain(enum cn_dimension dimension)
{
    enum { LINKS = 100 };
    struct bench_build build;
    bench_init(&build, dimension);
    int before = -1;
    build.filter = (struct cn_filter){.category = 2, .mask = 1};
    build.density = 10.0;
    for (int i = 0; i < LINKS; i++) {
        int link = bench_body(&build, CN_DYNAMIC, cn_vec3_make(i + 0.5, 0.0, 0.0));
        bench_capsule(&build, cn_vec3_make(-0.4, 0.0, 0.0), cn_vec3_make(0.4, 0.0, 0.0), 0.1);
        bench_joint(&build, CN_JOINT_BALL, before, link, cn_vec3_make(i, 0.0, 0.0));
        before = link;
    }
    build.density = dimension == CN_PLANAR ? 24.4 : 69.4; /* ten links */
    int ball = bench_body(&build, CN_DYNAMIC, cn_vec3_make(LINKS, 0.0, 0.0));
    bench_ball(&build, 0.5);
    bench_joint(&build, CN_JOINT_BALL, before, ball, cn_vec3_make(LINKS, 0.0, 0.0));
    struct cn_world *world = make(&build);
    double worst = 0.0;
    for (int k = 0; k < 600; k++) {
        run(world, 1);
        for (int j = 0; j < cn_world_joint_count(world); j++) {
            struct cn_joint_view view;
            cn_world_joint_view(world, j, &view);
            worst = fmax(worst, view.gap);
        }
    }
    struct cn_body_view view;
    cn_world_body_view(world, ball, &view);
    print_message("worst joint %.2f mm, ball %.2f m away\n", 1e3 * worst,
        cn_vec3_length(view.position));
    expect("a joint's gap", worst, 0.02);
    expect("the chain's length", cn_vec3_length(view.position), 101.0);
    cn_world_destroy(world);
    bench_finish(&build);
}

static void
test_chains(void **state)
{
    (void)state;
    check_chain(CN_PLANAR);
    check_chain(CN_SPATIAL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_wall),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
