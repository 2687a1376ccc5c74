/*
 * motion.c: how fast a world moves, and which bodies are connected.
 */
#include "engine/base/assert.h"
#include "engine/base/union_find.h"
#include "engine/world/world_inside.h"

#include <string.h>

static bool
moves_by_itself(const struct cn_model *model, int body)
{
    const struct cn_motion *motion = &model->motion[body];
    return model->body[body].type == CN_KINEMATIC &&
        (cn_vec3_dot(motion->velocity, motion->velocity) > 0.0 ||
            cn_vec3_dot(motion->angular_velocity, motion->angular_velocity) > 0.0);
}

struct cn_world_motion
cn_world_motion(const struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    cn_slice_finish_piece(world);
    struct cn_world_motion sum = {.fastest = -1};
    double most = 0.0;
    for (int i = 0; i < model->body_count; i++) {
        if (model->body[i].type != CN_DYNAMIC) {
            sum.has_drive = sum.has_drive || moves_by_itself(model, i);
            continue;
        }
        cn_vec3 v = model->motion[i].velocity;
        double kinetic = 0.5 * model->body[i].mass * cn_vec3_dot(v, v);
        sum.kinetic += kinetic;
        sum.mass += model->body[i].mass;
        if (kinetic > most) {
            most = kinetic;
            sum.fastest = i;
        }
    }
    sum.has_store = model->spring_count > 0 || model->joint_count > 0 ||
        model->settings.gravitation > 0.0;
    sum.has_drive = sum.has_drive || model->joint_count > 0 || cn_model_has_surface(model) ||
        model->constant_force_count > 0;
    return sum;
}

/* ---- what hangs together ---- */

/* Only DYNAMIC bodies pass a connection on. */
static void
connect_bodies(const struct cn_model *model, int32_t *parent, int32_t a, int32_t b)
{
    if (a < 0 || b < 0 || model->body[a].type != CN_DYNAMIC || model->body[b].type != CN_DYNAMIC) {
        return;
    }
    CN_ASSERT(a < model->body_count && b < model->body_count);
    int32_t root_a = cn_union_root(parent, a), root_b = cn_union_root(parent, b);
    parent[root_a > root_b ? root_a : root_b] = root_a > root_b ? root_b : root_a;
}

int
cn_world_connected(
    const struct cn_world *world, int body, unsigned char *mark, int32_t *parent)
{
    CN_ASSERT(0 <= body && body < world->model.body_count);
    const struct cn_model *model = &world->model;
    const struct cn_contact_view *contacts;
    int contact_count = cn_world_contacts(world, &contacts), count = 0;
    for (int i = 0; i < model->body_count; i++) {
        parent[i] = i;
    }
    for (int i = 0; i < contact_count; i++) {
        connect_bodies(model, parent, contacts[i].body_a, contacts[i].body_b);
    }
    for (int i = 0; i < model->joint_count; i++) {
        if (!model->joint[i].absent) {
            connect_bodies(model, parent, model->joint[i].body_a, model->joint[i].body_b);
        }
    }
    for (int i = 0; i < model->spring_count; i++) {
        if (!model->spring[i].absent) {
            connect_bodies(model, parent, model->spring[i].body_a, model->spring[i].body_b);
        }
    }
    for (int i = 0; i < model->body_count; i++) {
        mark[i] = model->body[i].type == CN_DYNAMIC &&
            cn_union_root(parent, i) == cn_union_root(parent, body);
        count += mark[i];
    }
    return count;
}
