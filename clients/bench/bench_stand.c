/* bench_stand.c: how a stack stands. */
#include "clients/bench/bench.h"

#include "engine/math/trig.h"

#include <math.h>

#define FALL 1.0 /* m */

static double
tilt_of(const struct cn_body_view *view, enum cn_dimension dimension)
{
    if (dimension == CN_PLANAR) {
        return fabs(view->angle);
    }
    cn_vec3 up = cn_quat_to_mat33(view->orientation).cy;
    return cn_atan2(sqrt(up.x * up.x + up.z * up.z), up.y);
}

/* The kinetic energy of a body in the plane, or of one in space with equal inertia on all axes. */
static double
energy_of(const struct cn_body_view *view, enum cn_dimension dimension)
{
    double inertia = dimension == CN_PLANAR ? view->inertia : view->inertia_tensor.cx.x;
    cn_vec3 v = view->velocity, w = view->angular_velocity;
    return 0.5 * (view->mass * cn_vec3_dot(v, v) + inertia * cn_vec3_dot(w, w));
}

void
bench_stand_watch(struct bench_stand *stand, const struct cn_world *world,
    const struct bench_build *build, int step)
{
    double time = cn_world_time(world);
    if (step == 0) {
        stand->fell = stand->slept = 0.0;
    }
    bool sleeps = cn_world_count(world).awake_count == 0;
    stand->slept = !sleeps ? 0.0 : stand->slept > 0.0 ? stand->slept : time;
    for (int i = 1; i < build->def.body_count && stand->fell == 0.0 && !sleeps; i++) {
        struct cn_body_view view;
        cn_world_body_state(world, i, &view);
        cn_vec3 way = cn_vec3_sub(view.position, build->def.bodies[i].position);
        stand->fell = cn_vec3_dot(way, way) > FALL * FALL ? time : 0.0;
    }
}

struct bench_stand
bench_stand_measure(const struct cn_world *world, const struct bench_build *build)
{
    struct bench_stand stand = {0};
    const struct cn_body_def *def = build->def.bodies;
    double top = def[build->def.body_count - 1].position.y;
    int top_count = 0;
    for (int i = 1; i < build->def.body_count; i++) {
        struct cn_body_view view;
        cn_world_body_view(world, i, &view);
        cn_vec3 way = cn_vec3_sub(view.position, def[i].position);
        stand.drift = fmax(stand.drift, sqrt(way.x * way.x + way.z * way.z));
        stand.energy += energy_of(&view, build->dimension);
        stand.tilt = fmax(stand.tilt, tilt_of(&view, build->dimension));
        if (def[i].position.y == top) {
            stand.sag -= way.y;
            top_count++;
        }
    }
    stand.sag /= top_count > 0 ? top_count : 1;
    const struct cn_contact_view *contact;
    int contact_count = cn_world_contacts(world, &contact);
    for (int k = 0; k < contact_count; k++) {
        stand.penetration = fmax(stand.penetration, -contact[k].gap);
    }
    return stand;
}
