/*
 * run_rattleback.c: a celt on a rough table, and its mirror image.
 *
 * The case tests symmetry, and that energy does not grow.  Here the celt is a faceted hull, which
 * loses its spin at the edges, so the reversal of its spin is not tested.
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

#define RINGS 4
#define SPOKES 14
#define TICKS 90

/* On its edges the celt is unstable: rounding grows tenfold in six ticks from then on. */
#define TICKS_MIRRORED 60

static struct scene scene;

/* The lower half of an ellipsoid, as the hull of points on it that are their own mirror image. */
static int
add_celt(double a, double b, double c)
{
    int body = scene_box(&scene, 0.0, c, 1.0, 1.0), count = 0;
    scene.vertex[count++] = cn_vec3_make(0.0, -c, 0.0);
    for (int ring = 1; ring <= RINGS; ring++) {
        double down = cos(0.5 * CN_PI * ring / RINGS), out = sin(0.5 * CN_PI * ring / RINGS);
        for (int k = 0; k < SPOKES; k++) {
            double angle = 2.0 * CN_PI * (k + 0.5) / SPOKES;
            scene.vertex[count++] = cn_vec3_make(
                a * out * sin(angle), ring < RINGS ? -c * down : 0.0, b * out * cos(angle));
        }
    }
    scene.shape[body].kind = CN_SHAPE_HULL;
    scene.shape[body].hull.vertices = scene.vertex;
    scene.shape[body].hull.vertex_count = count;
    return body;
}

/* The celt whose principal axes are turned by delta against its own, spun about the vertical. */
static struct cn_world *
make_world(const json_t *given, double sign)
{
    double a = truth_member_number(given, "a"), b = truth_member_number(given, "b");
    double c = truth_member_number(given, "c");
    double delta = sign * truth_member_number(given, "delta_deg") * CN_PI / 180.0;
    scene_init_space(&scene, 9.81);
    scene_friction(&scene, 0, 0.8);
    scene_floor(&scene);
    int celt = add_celt(a, b, c);
    double along = 0.2 * (b * b + c * c), across = 0.2 * (a * a + c * c);
    double up = 0.2 * (a * a + b * b);
    double s = sin(delta), k = cos(delta);
    struct cn_body_def *body = &scene.body[celt];
    body->mass = 1.0;
    body->inertia_tensor = (cn_mat33){
        {k * k * along + s * s * across, 0.0, s * k * (across - along)},
        {0.0, up, 0.0},
        {s * k * (across - along), 0.0, s * s * along + k * k * across},
    };
    /* A push that makes it rock; in the mirror at x = 0 turns about y and z go the other way. */
    body->angular_velocity =
        cn_vec3_make(0.4, sign * truth_member_number(given, "spin"), sign * 0.3);
    return scene_create(&scene);
}

void
truth_run_rattleback(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    struct cn_world *world = make_world(given, 1.0), *mirror = make_world(given, -1.0);
    double energy = cn_world_energy(world).total;
    const double same = 1e-6; /* m, rad/s; facets that meet the table part what rounding parts */
    for (int t = 0; t < TICKS; t++) {
        scene_tick(world);
        scene_tick(mirror);
        double now = cn_world_energy(world).total;
        assert_true(now <= energy * (1.0 + 1e-8)); /* the integrator's error in a tick */
        energy = now;
        if (t >= TICKS_MIRRORED) {
            continue;
        }
        struct cn_body_view is = scene_view(world, 1), reflected = scene_view(mirror, 1);
        truth_near(reflected.position.x, -is.position.x, same, "x, tick %d", t);
        truth_near(reflected.position.y, is.position.y, same, "y, tick %d", t);
        truth_near(reflected.position.z, is.position.z, same, "z, tick %d", t);
        truth_near(reflected.angular_velocity.x, is.angular_velocity.x, same, "wx, tick %d", t);
        truth_near(reflected.angular_velocity.y, -is.angular_velocity.y, same, "wy, tick %d", t);
        truth_near(reflected.angular_velocity.z, -is.angular_velocity.z, same, "wz, tick %d", t);
    }
    assert_true(fabs(scene_view(world, 1).angular_velocity.y) < 4.9); /* friction has acted */
    cn_world_destroy(world);
    cn_world_destroy(mirror);
}
