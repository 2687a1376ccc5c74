#include "engine/world/advice.h"

#include "engine/base/union_find.h"
#include "engine/solve/table/solver_table.h"

#include <string.h>

#define FAST 1.0 /* m/s */
#define NEAR 5e-4 /* m: a contact farther apart and without force does not count */

struct cn_advice
cn_advice_find(
    const struct cn_settings *settings, int contact_count, bool has_friction, bool moves)
{
    const struct cn_solver *solver = cn_solver_find(settings->solver);
    bool on_bodies = solver != NULL && solver->kind != CN_SOLVER_PROBLEM;
    struct cn_advice advice = {settings->stepper, settings->solver, !on_bodies};
    if (on_bodies || !has_friction || contact_count <= CN_ADVICE_MOVING_MAX) {
        return advice;
    }
    if (moves || contact_count > CN_ADVICE_SETTLED_MAX) {
        return (struct cn_advice){"time", "impulse", false};
    }
    return (struct cn_advice){strcmp(settings->stepper, "event") == 0 ? "event" : "time", "newton",
        true};
}

static bool
is_dynamic(const struct cn_world_def *def, int body)
{
    return body >= 0 && body < def->body_count && def->bodies[body].type == CN_DYNAMIC;
}

int
cn_advice_island(const struct cn_world *world, const struct cn_world_def *def, int *parent)
{
    const struct cn_contact_view *contact;
    int count = cn_world_contacts(world, &contact), most = 0;
    for (int i = 0; i < def->body_count; i++) {
        parent[i] = i;
    }
    for (int k = 0; k < count; k++) {
        int a = contact[k].body_a, b = contact[k].body_b;
        bool touch = contact[k].gap <= NEAR || contact[k].force > 0.0;
        if (touch && is_dynamic(def, a) && is_dynamic(def, b)) {
            parent[cn_union_root(parent, a)] = cn_union_root(parent, b);
        }
    }
    for (int i = 0; i < def->body_count; i++) {
        parent[i] = cn_union_root(parent, i);
    }
    /* From here on parent[] of the root of a counted island is minus its number of contacts. */
    for (int k = 0; k < count; k++) {
        int a = contact[k].body_a, b = contact[k].body_b;
        if (contact[k].gap > NEAR && !(contact[k].force > 0.0)) {
            continue;
        }
        int body = is_dynamic(def, a) ? a : b;
        if (is_dynamic(def, body)) {
            int root = parent[body] < 0 ? body : parent[body];
            int so_far = parent[root] < 0 ? -parent[root] : 0;
            parent[root] = -(so_far + 1);
            most = so_far + 1 > most ? so_far + 1 : most;
        }
    }
    return most;
}

bool
cn_advice_moves(const struct cn_world_def *def)
{
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body = &def->bodies[i];
        bool fast = cn_vec3_length(body->velocity) > FAST;
        if (fast || (body->type == CN_KINEMATIC && cn_vec3_length(body->angular_velocity) > 0.0)) {
            return true;
        }
    }
    for (int i = 0; i < def->joint_count; i++) {
        if (def->joints[i].has_motor) {
            return true;
        }
    }
    return false;
}
