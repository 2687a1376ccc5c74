/*
 * run_hold.c: overhangs, arches, card houses and ladders, by the exact check: they hold up to the
 * limit that the truth set gives, and not beyond.
 */
#include "prove/prove.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define PI 3.14159265358979323846
#define BRICKS_MAX 64
#define SLIGHTLY 1e-9 /* the least step that has to change a verdict */
#define ROUGH 10.0    /* stands for endless friction */

static struct scene scene;

static enum pv_verdict
verdict_of(bool side_contacts)
{
    struct pv_choice choice = {.side_contacts = side_contacts, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    if (pv_answer_init(&answer, &scene.def, &choice, &defect) != CN_OK) {
        fail_msg("%s: %s", defect.path, defect.text);
    }
    enum pv_verdict verdict = answer.verdict;
    pv_answer_finish(&answer);
    return verdict;
}

/* Bricks 1 by 1/4 whose centres are at x, in rows from the table's top, which ends at x = 0. */
struct stack {
    int count;
    double x[BRICKS_MAX];
    int row[BRICKS_MAX];
};

static void
put(struct stack *stack, int row, double x)
{
    assert_true(stack->count < BRICKS_MAX);
    stack->x[stack->count] = x;
    stack->row[stack->count++] = row;
}

/* The stack with every x moved to (1 + s) x + s. */
static enum pv_verdict
stack_verdict(const struct stack *stack, double s)
{
    scene_init(&scene, 1.0);
    int table = scene_box(&scene, -32.0, -0.5, 64.0, 1.0);
    scene.body[table].type = CN_STATIC;
    for (int i = 0; i < stack->count; i++) {
        double x = s == 0.0 ? stack->x[i] : (1.0 + s) * stack->x[i] + s;
        scene_box(&scene, x, 0.125 + 0.25 * stack->row[i], 1.0, 0.25);
    }
    return verdict_of(false);
}

/* It reaches as far as that and is on its limit. */
static void
stack_is_critical(const struct stack *stack, double overhang)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < stack->count; i++) {
        most = fmax(most, stack->x[i] + 0.5);
    }
    truth_near(most, overhang, 1e-10, "overhang of %d bricks", stack->count);
    assert_int_equal(stack_verdict(stack, 0.0), PV_CRITICAL);
    assert_int_equal(stack_verdict(stack, SLIGHTLY), PV_UNSTABLE);
    assert_int_equal(stack_verdict(stack, -SLIGHTLY), PV_STABLE);
}

static void
make_harmonic(struct stack *stack, int n)
{
    stack->count = 0;
    double edge = 0.0;
    for (int row = 0; row < n; row++) {
        edge += 0.5 / (n - row);
        put(stack, row, edge - 0.5);
    }
}

/*
 * The spinal stack of four: t bricks' weight on the upper spine brick's left edge and itself, the
 * rest on the left edge of the lower one.  Its overhang 2 - 1/(2 t) - (t + 1/2)/4 is largest at
 * t = sqrt 2.
 */
static void
make_spine(struct stack *stack)
{
    double t = sqrt(2.0), lower = (3.0 - 2.0 * t) / 8.0;
    double upper_left = lower + 0.5 - 0.5 / t;
    double pressed = ((3.0 - t) * (lower - 0.5) + 0.5) / (2.0 - t);
    stack->count = 0;
    put(stack, 0, lower);
    put(stack, 1, -0.5);
    put(stack, 1, upper_left + 0.5);
    put(stack, 2, (2.0 - t) * pressed + (t - 1.0) * upper_left);
}

/* A tower of the truth set, whose scaling x -> (1 + s) x + s is taken back. */
static void
make_tower(struct stack *stack, const char *id, double s)
{
    size_t row, k;
    json_t *list, *x;
    stack->count = 0;
    json_array_foreach(truth_member(truth_find(id), "rows_center_x"), row, list)
    {
        json_array_foreach(list, k, x)
        {
            put(stack, (int)row, (truth_number(x) - s) / (1.0 + s));
        }
    }
}

void
truth_run_overhang(const json_t *data)
{
    static struct stack stack;
    char id[64];
    int n = (int)truth_member_number(data, "n");
    make_harmonic(&stack, n);
    stack_is_critical(&stack, truth_member_number(data, "harmonic"));
    switch (n) {
    case 1:
    case 2: break; /* the harmonic stack is the best */
    case 3: make_tower(&stack, "T-opt3", 0.0); break;
    case 4: make_spine(&stack); break;
    default:
        snprintf(id, sizeof(id), "T-opt%d-scale+1e-06", n);
        make_tower(&stack, id, 1e-6); /* fails by name where the stack is not known */
    }
    stack_is_critical(&stack, truth_member_number(data, "D"));
}

#define WEDGES 16 /* at most, of a voussoir, whose faces are round */
#define WEDGES_OF_ARCH 128
#define ARCH_MAX 128

/* Of an arch over the angle beta, whose ends stand on radii. */
static cn_vec3
arch_corner(double radius, int index, int count, double beta)
{
    double angle = 0.5 * (PI - beta) + beta * index / count;
    bool on_floor = beta == PI && (index == 0 || index == count);
    return cn_vec3_make(radius * cos(angle), on_floor ? 0.0 : radius * sin(angle), 0.0);
}

/* An arch of n equal voussoirs, mean radius 1, on the floor or on two radial faces. */
static enum pv_verdict
arch_verdict(int n, double thickness, double beta)
{
    static cn_vec3 vertex[ARCH_MAX * WEDGES][4];
    static struct cn_shape_def shape[ARCH_MAX][WEDGES];
    int wedges = WEDGES_OF_ARCH / n;
    wedges = wedges < 1 ? 1 : wedges > WEDGES ? WEDGES : wedges;
    assert_true(n <= ARCH_MAX);
    scene_init(&scene, 9.81);
    scene.material[0].static_friction = ROUGH;
    if (beta == PI) {
        scene_floor(&scene);
    } else {
        double rise = 0.5 * (PI - beta);
        scene_plane(&scene, -sin(rise), cos(rise), 0.0);
        scene_plane(&scene, sin(rise), cos(rise), 0.0);
    }
    for (int i = 0; i < n; i++) {
        double in = 1.0 - 0.5 * thickness, out = 1.0 + 0.5 * thickness;
        for (int k = 0; k < wedges; k++) {
            int wedge = wedges * i + k, count = wedges * n;
            vertex[wedge][0] = arch_corner(in, wedge, count, beta);
            vertex[wedge][1] = arch_corner(out, wedge, count, beta);
            vertex[wedge][2] = arch_corner(out, wedge + 1, count, beta);
            vertex[wedge][3] = arch_corner(in, wedge + 1, count, beta);
            shape[i][k] = (struct cn_shape_def){.kind = CN_SHAPE_POLYGON,
                .density = 1000.0,
                .polygon = {.vertices = vertex[wedge], .vertex_count = 4}};
        }
        int stone = scene_polygon(&scene, 0.0, 0.0, vertex[wedges * i], 4);
        scene.body[stone].shapes = shape[i];
        scene.body[stone].shape_count = wedges;
    }
    return verdict_of(true);
}

void
truth_run_arch(const json_t *data)
{
    double n[16], least[16], tolerance = truth_tolerance(data, 1.0);
    int count = truth_member_numbers(truth_member(data, "given"), "n", n, 16);
    assert_int_equal(
        truth_member_numbers(truth_member(data, "expect"), "t_over_R_min", least, 16), count);
    double degrees = truth_member_number(truth_member(data, "given"), "beta_deg");
    double beta = degrees == 180.0 ? PI : degrees * PI / 180.0;
    for (int i = 0; i < count; i++) {
        assert_int_equal(arch_verdict((int)n[i], least[i] + tolerance, beta), PV_STABLE);
        assert_int_equal(arch_verdict((int)n[i], least[i] - tolerance, beta), PV_UNSTABLE);
    }
}

/* The arch of endlessly many stones, by one of many. */
void
truth_run_arch_limit(const json_t *data)
{
    double least = truth_member_number(truth_member(data, "expect"), "t_over_R");
    double tolerance = truth_tolerance(data, least);
    assert_int_equal(arch_verdict(101, least + tolerance, PI), PV_STABLE);
    assert_int_equal(arch_verdict(101, least - tolerance, PI), PV_UNSTABLE);
}

/* A thin ladder from the floor, which has friction mu, to a wall without. */
static enum pv_verdict
ladder_verdict(double angle, double mu)
{
    double thickness = 1e-4, c = cos(angle), s = sin(angle);
    scene_init(&scene, 9.81);
    scene.material[1].static_friction = mu;
    scene.shape[scene_floor(&scene)].material = 1;
    scene_plane(&scene, 1.0, 0.0, 0.0);
    /* Its upper end leans on x = 0, its lower end stands on y = 0. */
    int ladder = scene_box(&scene, 0.5 * c + 0.5 * thickness * s, 0.5 * s + 0.5 * thickness * c,
        1.0, thickness);
    scene.body[ladder].angle = -angle;
    return verdict_of(true);
}

void
truth_check_ladder(const json_t *data)
{
    double degrees[8], mu[8];
    double near = truth_member_number(truth_member(data, "tol"), "bracket_rel");
    int count = truth_member_numbers(truth_member(data, "given"), "theta_deg", degrees, 8);
    truth_member_numbers(truth_member(data, "expect"), "mu_min", mu, 8);
    for (int i = 0; i < count; i++) {
        double angle = degrees[i] * PI / 180.0;
        assert_int_equal(ladder_verdict(angle, mu[i] * (1.0 + near)), PV_STABLE);
        assert_int_equal(ladder_verdict(angle, mu[i] * (1.0 - near)), PV_UNSTABLE);
    }
}

/* Two thin cards that lean on each other, at the angle from upright, without a load. */
static enum pv_verdict
cards_verdict(double angle, double mu)
{
    double thickness = 1e-4, c = cos(angle), s = sin(angle);
    scene_init(&scene, 9.81);
    scene.material[1].static_friction = mu;
    scene.shape[scene_floor(&scene)].material = 1;
    for (int side = -1; side <= 1; side += 2) { /* the inner upper corners meet at x = 0 */
        double x = 0.5 * s + 0.5 * thickness * c, y = 0.5 * c + 0.5 * thickness * s;
        int card = scene_box(&scene, side * x, y, thickness, 1.0);
        scene.body[card].angle = side * angle;
    }
    return verdict_of(true);
}

void
truth_check_cards(const json_t *data)
{
    double degrees[8], load[8];
    const json_t *given = truth_member(data, "given");
    double near = truth_member_number(truth_member(data, "tol"), "bracket_rel");
    int count = truth_member_numbers(given, "theta_deg", degrees, 8);
    int loads = truth_member_numbers(given, "Q_over_W", load, 8);
    for (int i = 0; i < count; i++) {
        double mu[8], angle = degrees[i] * PI / 180.0;
        const json_t *rows = truth_member(truth_member(data, "expect"), "mu_min");
        truth_numbers(json_array_get(rows, (size_t)i), mu, 8);
        for (int k = 0; k < loads; k++) {
            if (load[k] == 0.0) { /* an arrangement has no loads but its bodies */
                assert_int_equal(cards_verdict(angle, mu[k] * (1.0 + near)), PV_STABLE);
                assert_int_equal(cards_verdict(angle, mu[k] * (1.0 - near)), PV_UNSTABLE);
            }
        }
    }
}
