/*
 * run_frame.c: Rote's loop on positions for points and bars: worlds by the stepper `position`,
 * whose literal mode takes the paper's first rule for lengths (L') instead of (L'').
 */
#include "engine/math/vec2.h"
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

static struct scene scene;

static cn_vec2
pair_at(const json_t *array, int i)
{
    double xy[2];
    assert_int_equal(truth_numbers(json_array_get(array, (size_t)i), xy, 2), 2);
    return cn_vec2_make(xy[0], xy[1]);
}

static void
pair_near(const json_t *data, const char *key, int i, cn_vec2 actual)
{
    cn_vec2 expected = pair_at(truth_member(truth_member(data, "expect"), key), i);
    truth_near(actual.x, expected.x, truth_tolerance(data, 1.0), "%s[%d].x", key, i);
    truth_near(actual.y, expected.y, truth_tolerance(data, 1.0), "%s[%d].y", key, i);
}

static void
position_scene(double gravity, double dt)
{
    scene_init(&scene, gravity);
    /* If dt needs a higher rate than CN_TICK_RATE_MAX, time runs slower instead. */
    scene.def.settings.time_rate = fmin(1.0, CN_TICK_RATE_MAX * dt);
    scene.def.tick_rate = scene.def.settings.time_rate / dt;
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "position");
}

/* The rule (L') of lengths instead of (L''). */
static void
take_literally(void)
{
    scene.def.settings.propagation.literal = 1;
}

/* A point mass: a body without a shape; no torque acts on its inertia. */
static int
mass_at(cn_vec2 p, cn_vec2 v, double mass)
{
    int body = scene.def.body_count++;
    cn_body_def_init(&scene.body[body]);
    scene.body[body].position = cn_vec3_make(p.x, p.y, 0.0);
    scene.body[body].velocity = cn_vec3_make(v.x, v.y, 0.0);
    scene.body[body].mass = mass;
    scene.body[body].inertia = 1.0;
    return body;
}

/* A point mass with contacts: a disc of that radius. */
static int
disc_at(cn_vec2 p, cn_vec2 v, double mass, double radius)
{
    int body = scene_circle(&scene, p.x, p.y, radius);
    scene.body[body].velocity = cn_vec3_make(v.x, v.y, 0.0);
    scene.body[body].mass = mass;
    scene.body[body].inertia = 1.0;
    return body;
}

static cn_vec3
in_space(cn_vec2 v)
{
    return cn_vec3_make(v.x, v.y, 0.0);
}

/* ---- theorem 5.1 ---- */

#define FRAME_POINTS_MAX 32
#define POINT_RADIUS 0.05
#define EDGE_DEPTH 0.1
#define BALANCE_AT 1.0

/* A framework of a case: points, bars, and one edge on which a point lies. */
struct frame {
    int count;
    cn_vec2 p[FRAME_POINTS_MAX], v[FRAME_POINTS_MAX];
    double mass[FRAME_POINTS_MAX];
    int edge[2], on_edge; /* the points of the edge, and the one on it */
    int body[FRAME_POINTS_MAX]; /* of points but those of the edge, which have one */
    int rod;
    cn_vec2 middle; /* of the edge's masses */
};

static void
frame_read(struct frame *frame, const json_t *given)
{
    const json_t *contact = truth_member(given, "contact");
    frame->count = truth_member_numbers(given, "masses", frame->mass, FRAME_POINTS_MAX);
    for (int i = 0; i < frame->count; i++) {
        frame->p[i] = pair_at(truth_member(given, "points"), i);
        frame->v[i] = pair_at(truth_member(given, "v"), i);
    }
    frame->edge[0] = (int)truth_member_number(contact, "i");
    frame->edge[1] = (int)truth_member_number(contact, "j");
    frame->on_edge = (int)truth_member_number(contact, "k");
}

/* The mean of a quantity of the edge's two points, by their masses. */
static cn_vec2
edge_mean(const struct frame *frame, cn_vec2 at_i, cn_vec2 at_j)
{
    double m_i = frame->mass[frame->edge[0]], m_j = frame->mass[frame->edge[1]];
    cn_vec2 sum = cn_vec2_add_scaled(cn_vec2_scale(at_i, m_i), m_j, at_j);
    return cn_vec2_scale(sum, 1.0 / (m_i + m_j));
}

/* The turn that carries the edge's points by so much. */
static double
edge_turn(const struct frame *frame, cn_vec2 by_i, cn_vec2 by_j)
{
    cn_vec2 d = cn_vec2_sub(frame->p[frame->edge[1]], frame->p[frame->edge[0]]);
    return cn_vec2_cross(d, cn_vec2_sub(by_j, by_i)) / cn_vec2_dot(d, d);
}

/*
 * The bar of the edge as a body of two boxes.  The disc touches a face of the first box, on the
 * side `side`, when the disc's centre is on the line of the points.  The second box is small and
 * far on the other side.  It moves the body's centre of mass to that of the points.
 */
static void
add_edge(struct frame *frame, double side, struct cn_shape_def shapes[2])
{
    int i = frame->edge[0], j = frame->edge[1];
    cn_vec2 d = cn_vec2_sub(frame->p[j], frame->p[i]);
    double length = cn_vec2_length(d), m_i = frame->mass[i], m_j = frame->mass[j];
    double deep = POINT_RADIUS + 0.5 * EDGE_DEPTH;
    frame->middle = edge_mean(frame, frame->p[i], frame->p[j]);
    frame->rod = scene_box(&scene, frame->middle.x, frame->middle.y, 1.0, 1.0);
    struct cn_body_def *body = &scene.body[frame->rod];
    for (int k = 0; k < 2; k++) {
        shapes[k] = scene.shape[frame->rod];
        shapes[k].density = 1.0;
    }
    shapes[0].box.size = cn_vec3_make(4.0 * length, EDGE_DEPTH, 1.0);
    shapes[0].position = cn_vec3_make(0.0, -side * deep, 0.0);
    shapes[1].box.size = cn_vec3_make(4.0 * length, EDGE_DEPTH, 1.0);
    shapes[1].position = cn_vec3_make(0.0, side * BALANCE_AT, 0.0);
    shapes[1].density = deep / BALANCE_AT;
    body->shapes = shapes;
    body->shape_count = 2;
    body->angle = atan2(d.y, d.x);
    body->mass = m_i + m_j;
    body->inertia = m_i * m_j / (m_i + m_j) * length * length;
    body->velocity = in_space(edge_mean(frame, frame->v[i], frame->v[j]));
    body->angular_velocity.z = edge_turn(frame, frame->v[i], frame->v[j]);
}

/* The world of a framework; the point on the edge is held from the side `side`. */
static struct cn_world *
frame_world(struct frame *frame, const json_t *given, double side, struct cn_shape_def shapes[2])
{
    double gravity[2];
    const json_t *bars = truth_member(given, "bars");
    truth_member_numbers(given, "g", gravity, 2);
    scene.def.settings.gravity = cn_vec3_make(gravity[0], gravity[1], 0.0);
    add_edge(frame, side, shapes);
    for (int i = 0; i < frame->count; i++) {
        bool is_edge = i == frame->edge[0] || i == frame->edge[1];
        frame->body[i] = is_edge ? frame->rod
                         : i == frame->on_edge
                             ? disc_at(frame->p[i], frame->v[i], frame->mass[i], POINT_RADIUS)
                             : mass_at(frame->p[i], frame->v[i], frame->mass[i]);
    }
    bool has_edge = false;
    for (size_t r = 0; r < json_array_size(bars); r++) {
        cn_vec2 ends = pair_at(bars, (int)r);
        int a = (int)ends.x, b = (int)ends.y;
        if (frame->body[a] == frame->body[b]) {
            has_edge = true; /* the body itself */
        } else {
            scene_rod(&scene, CN_JOINT_DISTANCE, frame->body[a], frame->body[b],
                in_space(frame->p[a]), in_space(frame->p[b]));
        }
    }
    assert_true(has_edge);
    return scene_create(&scene);
}

/* A force that pushes means that the world is the equality's: it tells which side that is. */
static bool
frame_is_held(const struct frame *frame, const struct cn_world *world)
{
    return scene_contacts(world, frame->rod, frame->body[frame->on_edge]).force > 0.0;
}

/* Accelerations of all points, in the first instant. */
static void
frame_accelerations(const json_t *data, struct frame *frame, const struct cn_world *world)
{
    for (int i = 0; i < frame->count; i++) {
        struct cn_body_view view = scene_view(world, frame->body[i]);
        cn_vec2 a = cn_vec2_make(view.acceleration.x, view.acceleration.y);
        if (frame->body[i] == frame->rod) {
            cn_vec2 r = cn_vec2_sub(frame->p[i], frame->middle);
            double w = view.angular_velocity.z, alpha = view.angular_acceleration.z;
            a = cn_vec2_add(a, cn_vec2_make(-alpha * r.y, alpha * r.x));
            a = cn_vec2_add_scaled(a, -w * w, r);
        }
        pair_near(data, "acc", i, a);
    }
}

/* Places of all points after a tick; those of the edge by its centre and its turn. */
static void
frame_places(const json_t *data, struct frame *frame, const struct cn_world *world)
{
    const json_t *next = truth_member(truth_member(data, "expect"), "p_next");
    for (int i = 0; i < frame->count; i++) {
        if (frame->body[i] != frame->rod) {
            cn_vec3 p = scene_view(world, frame->body[i]).position;
            pair_near(data, "p_next", i, cn_vec2_make(p.x, p.y));
        }
    }
    int i = frame->edge[0], j = frame->edge[1];
    cn_vec2 p_i = pair_at(next, i), p_j = pair_at(next, j), middle = edge_mean(frame, p_i, p_j);
    double turn =
        edge_turn(frame, cn_vec2_sub(p_i, frame->p[i]), cn_vec2_sub(p_j, frame->p[j]));
    struct cn_body_view view = scene_view(world, frame->rod);
    double tolerance = truth_tolerance(data, 1.0);
    truth_near(view.center.x, middle.x, tolerance, "the edge's centre, x");
    truth_near(view.center.y, middle.y, tolerance, "the edge's centre, y");
    truth_near(view.angle - scene.body[frame->rod].angle, turn, tolerance, "the edge's turn");
}

/* Theorem 5.1: the loops on accelerations and on positions give the same next positions. */
void
truth_run_equiv(const json_t *data)
{
    static struct frame frame;
    struct cn_shape_def shapes[2];
    const json_t *given = truth_member(data, "given");
    frame_read(&frame, given);
    int held = 0;
    for (double side = -1.0; side <= 1.0; side += 2.0) {
        scene_init(&scene, 1.0);
        struct cn_world *world = frame_world(&frame, given, side, shapes);
        bool holds = frame_is_held(&frame, world);
        if (holds) {
            held++;
            frame_accelerations(data, &frame, world);
        }
        cn_world_destroy(world);
        if (holds) {
            position_scene(1.0, truth_member_number(given, "dt"));
            take_literally();
            world = frame_world(&frame, given, side, shapes);
            scene_tick(world);
            frame_places(data, &frame, world);
            cn_world_destroy(world);
        }
    }
    assert_int_equal(held, 1);
}

/* ---- lengths ---- */

/* A bar that spins freely: by (L'') as long as the angle of a tick makes it, by (L') it drifts. */
static double
length_of_spinning_bar(double omega, double dt, int ticks, double length, bool literal)
{
    position_scene(0.0, dt);
    if (literal) {
        take_literally();
    }
    double speed = 0.5 * omega * length;
    int a = mass_at(cn_vec2_make(0.0, 0.0), cn_vec2_make(0.0, -speed), 1.0);
    int b = mass_at(cn_vec2_make(length, 0.0), cn_vec2_make(0.0, speed), 1.0);
    scene_rod(&scene, CN_JOINT_DISTANCE, a, b, scene.body[a].position, scene.body[b].position);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, ticks);
    cn_vec3 d = cn_vec3_sub(scene_view(world, b).position, scene_view(world, a).position);
    cn_world_destroy(world);
    return cn_vec3_length(d);
}

void
truth_run_drift(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double omega = truth_member_number(given, "omega0"), dt = truth_member_number(given, "dt");
    double length = truth_member_number(given, "L0");
    int ticks = (int)(truth_member_number(given, "T") / dt + 0.5);
    truth_expect(data, "L_Lprime", length_of_spinning_bar(omega, dt, ticks, length, true));
    truth_expect(data, "L_Lsecond", length_of_spinning_bar(omega, dt, ticks, length, false));
}

/* ---- theorem 7.1 ---- */

/* The square's corners as points tied by five bars; how far a tick's velocities are off (Q*). */
static double
deviation_from_qstar(const json_t *data, double dt)
{
    const json_t *given = truth_member(data, "given");
    const json_t *star = truth_member(truth_member(data, "expect"), "v_Qstar");
    int low = (int)truth_member_number(given, "low_vertex");
    cn_vec2 p[4];
    position_scene(0.0, dt);
    take_literally();
    scene_plane(&scene, 0.0, 1.0, -POINT_RADIUS);
    for (int i = 0; i < 4; i++) {
        p[i] = pair_at(truth_member(given, "points"), i);
        cn_vec2 v = pair_at(truth_member(given, "v_old"), i);
        int body = i == low ? disc_at(p[i], v, 1.0, POINT_RADIUS) : mass_at(p[i], v, 1.0);
        assert_int_equal(body, i + 1);
    }
    for (int i = 0; i < 5; i++) { /* four sides and a diagonal */
        int a = i % 4, b = i < 4 ? (i + 1) % 4 : 2;
        scene_rod(&scene, CN_JOINT_DISTANCE, a + 1, b + 1, in_space(p[a]), in_space(p[b]));
    }
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    double deviation = 0.0;
    for (int i = 0; i < 4; i++) {
        cn_vec3 v = scene_view(world, i + 1).velocity;
        cn_vec2 expected = pair_at(star, i);
        deviation = fmax(deviation, fabs(v.x - expected.x));
        deviation = fmax(deviation, fabs(v.y - expected.y));
    }
    cn_world_destroy(world);
    return deviation;
}

/* The deviation from (Q*) is of first order where the old motion turns the bars. */
void
truth_run_loop_impact(const json_t *data)
{
    truth_run_qstar(data);
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double dts[8], deviations[8];
    int count = truth_member_numbers(given, "dts", dts, 8);
    assert_int_equal(truth_member_numbers(expect, "max_dev_per_dt", deviations, 8), count);
    for (int c = 0; c < count; c++) {
        /* Velocities are moves over dt, whose rounding is that of places. */
        double rounding = truth_rounding(data) / dts[c];
        truth_near(deviation_from_qstar(data, dts[c]), deviations[c],
            fmax(truth_tolerance(data, deviations[c]), rounding), "deviation at dt %g", dts[c]);
    }
}

/* The angle that a pendulum has at T, from dangling [rad]. */
static double
pendulum_angle(const json_t *given, double dt)
{
    double length = truth_member_number(given, "L"), theta = truth_member_number(given, "theta0");
    position_scene(truth_member_number(given, "g"), dt);
    cn_vec2 place = cn_vec2_make(length * sin(theta), -length * cos(theta));
    int ball = mass_at(place, cn_vec2_make(0.0, 0.0), 1.0);
    scene_rod(&scene, CN_JOINT_DISTANCE, -1, ball, cn_vec3_make(0.0, 0.0, 0.0), in_space(place));
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, (int)(truth_member_number(given, "T") / dt + 0.5));
    cn_vec3 p = scene_view(world, ball).position;
    cn_world_destroy(world);
    return atan2(p.x, -p.y);
}

void
truth_run_pendulum_order(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double dts[8], errors[8], ratio[2];
    int count = truth_member_numbers(given, "dts", dts, 8);
    truth_member_numbers(expect, "error_ratio_per_halving", ratio, 2);
    for (int c = 0; c < count; c++) {
        errors[c] = fabs(pendulum_angle(given, dts[c]) - truth_member_number(expect, "theta_T"));
        if (c > 0) {
            double halved = errors[c - 1] / errors[c];
            truth_near(halved, 0.5 * (ratio[0] + ratio[1]), 0.5 * (ratio[1] - ratio[0]),
                "ratio of errors at dt %g", dts[c]);
        }
    }
}
