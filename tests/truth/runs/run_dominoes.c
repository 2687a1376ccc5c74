/*
 * run_dominoes.c: rows of dominoes, whose toes friction holds.
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
#include <cmocka.h>

#define DOMINOES_MAX 32

static struct scene scene;

/* The spin that just tips a domino over its toe: that of C-domino-single. */
static double
critical_spin(double W, double H)
{
    double square = W * W + H * H;
    return sqrt(3.0 * 9.81 * (sqrt(square) - H) / square);
}

/* Dominoes in a row to the right, the first turning about its toe at omega; body 0 is the floor. */
static struct cn_world *
make_row(int count, double W, double H, double pitch, double omega)
{
    scene_init(&scene, 9.81);
    scene_friction(&scene, 0, 0.5);
    scene_floor(&scene);
    for (int i = 0; i < count; i++) {
        int domino = scene_box(&scene, pitch * i, 0.5 * H, W, H);
        scene.body[domino].mass = 1.0;
        if (i == 0) {
            scene.body[domino].angular_velocity.z = -omega;
            scene.body[domino].velocity = cn_vec3_make(0.5 * H * omega, 0.5 * W * omega, 0.0);
        }
    }
    return scene_create(&scene);
}

/* Notes, of dominoes 1..count, when they lean by more than `lean`; returns how many do. */
static int
note_leaning(const struct cn_world *world, int count, double lean, double *since)
{
    int leaning = 0;
    for (int i = 1; i <= count; i++) {
        struct cn_body_view view = scene_view(world, i);
        bool leans = view.angle < -lean;
        if (leans && since[i] == 0.0) { /* at its present speed */
            since[i] = cn_world_time(world) - (-view.angle - lean) / -view.angular_velocity.z;
        }
        leaning += leans;
    }
    return leaning;
}

/* The dominoes of C-domino-single in a row, the first pushed by 1.05 of what tips it. */
void
truth_run_demo_dominoes(const json_t *data)
{
    const double W = 0.0075, H = 0.048;
    const json_t *expect = truth_member(data, "expect");
    int count = (int)truth_member_number(truth_member(data, "given"), "n");
    double since[DOMINOES_MAX] = {0.0}, least, start;
    struct cn_world *world = make_row(count, W, H, 0.02, 1.05 * critical_spin(W, H));
    double gain = truth_member_number(expect, "energy_increase_rel");
    double depth = truth_member_number(expect, "penetration_over_size") * W;
    start = least = cn_world_energy(world).total;
    int fallen = 0;
    for (int t = 0; t < 90; t++) {
        scene_tick(world);
        fallen = note_leaning(world, count, 0.25 * CN_PI, since);
        double energy = cn_world_energy(world).total;
        truth_near(fmax(energy - least, 0.0), 0.0, gain * start, "energy gained in tick %d", t);
        least = fmin(least, energy);
        truth_near(scene_depth(world), 0.0, depth, "penetration in tick %d", t);
    }
    assert_int_equal(fallen, (int)truth_member_number(expect, "fallen"));
    for (int i = 2; i <= count; i++) {
        assert_true(since[i] >= since[i - 1]);
    }
    for (int i = 1; i <= count; i++) {
        truth_near(cn_vec3_length(scene_view(world, i).velocity), 0.0, 1e-6, "speed at the end");
    }
    cn_world_destroy(world);
}

/* The speed of the wave between two dominoes of a row [m/s], in ticks that scale with the fall. */
static double
wave_speed(double W, double H, double spacing, int from, int to)
{
    double since[DOMINOES_MAX] = {0.0}, pitch = W + spacing;
    struct cn_world *world = make_row(to + 1, W, H, pitch, 1.5 * critical_spin(W, H));
    cn_world_destroy(world);
    scene.def.tick_rate = 40.0 * sqrt(9.81 / H);
    world = scene_create(&scene);
    for (int t = 0; t < 4000 && since[to] == 0.0; t++) {
        scene_tick(world);
        note_leaning(world, to, 0.02, since);
    }
    cn_world_destroy(world);
    assert_true(since[from] > 0.0 && since[to] > since[from]);
    return pitch * (to - from) / (since[to] - since[from]);
}

void
truth_run_domino_wave(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double H = truth_member_number(given, "H"), W = truth_member_number(given, "W");
    double spacing[4], range[2];
    int count = truth_member_numbers(given, "spacing", spacing, 4);
    truth_member_numbers(expect, "v_over_sqrt_gH", range, 2);
    double exponent = truth_member_number(expect, "scaling_exponent");
    for (int i = 0; i < count; i++) {
        double near = wave_speed(W, H, spacing[i], 10, 14);
        double far = wave_speed(W, H, spacing[i], 14, 18);
        truth_near(far / near, 1.0, 0.05, "speed after the tenth at %g m", spacing[i]);
        double v = wave_speed(W, H, spacing[i], 10, 18) / sqrt(9.81 * H);
        assert_true(v >= range[0] && v <= range[1]);
        double large = wave_speed(4.0 * W, 4.0 * H, 4.0 * spacing[i], 10, 18);
        double ratio = large / (v * sqrt(9.81 * H));
        truth_near(ratio, pow(4.0, exponent), 0.01 * ratio, "speed of fourfold dominoes");
    }
}
