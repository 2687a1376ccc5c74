#include "engine/world/world_def.h"

#include "engine/base/assert.h"

#include <math.h>
#include <string.h>

#define WEIGH_PARTS 32 /* shapes weighed before they are summed */

void
cn_world_def_init(struct cn_world_def *def)
{
    *def = (struct cn_world_def){
        .settings =
            {
                .dimension = CN_PLANAR,
                .gravity = {0.0, -9.81, 0.0},
                .time_rate = 1.0,
                .collision = CN_COLLISION_SIMULTANEOUS,
                .combine_restitution = CN_COMBINE_MIN,
                .combine_friction = CN_COMBINE_MAX,
                .stepper = "event",
                .solver = "baraff94",
                .substeps = 4,
                .sleep = true,
#define X(member, name, least, most, usual, text) .propagation.member = usual,
                CN_PROPAGATION_TABLE(X)
#undef X
            },
        .tick_rate = 60.0,
    };
}

void
cn_material_def_init(struct cn_material_def *material)
{
    *material = (struct cn_material_def){0};
}

void
cn_body_def_init(struct cn_body_def *body)
{
    *body = (struct cn_body_def){
        .type = CN_DYNAMIC, .orientation = cn_quat_identity(), .gravity_scale = 1.0};
}

void
cn_joint_def_init(struct cn_joint_def *joint, enum cn_joint_kind kind)
{
    *joint = (struct cn_joint_def){
        .kind = kind,
        .body_a = -1,
        .axis = {kind == CN_JOINT_SLIDER, 0.0, kind == CN_JOINT_HINGE || kind == CN_JOINT_BALL},
        .motor_force_max = HUGE_VAL,
    };
}

bool
cn_body_def_has_tensor(const struct cn_body_def *body)
{
    const cn_mat33 *I = &body->inertia_tensor;
    return cn_vec3_length(I->cx) > 0.0 || cn_vec3_length(I->cy) > 0.0 ||
           cn_vec3_length(I->cz) > 0.0;
}

struct cn_mass_properties
cn_body_def_weigh(const struct cn_body_def *def, enum cn_dimension dimension)
{
    struct cn_mass_properties parts[WEIGH_PARTS];
    int part_count = 0;
    bool by_density = false;
    for (int k = 0; k < def->shape_count; k++) {
        double density = def->shapes[k].density;
        if (def->shapes[k].sensor) {
            continue;
        }
        if (part_count == WEIGH_PARTS) {
            parts[0] = cn_mass_properties_sum(parts, part_count);
            part_count = 1;
        }
        CN_ASSERT(part_count < WEIGH_PARTS);
        parts[part_count++] =
            cn_shape_mass(&def->shapes[k], dimension, density > 0.0 ? density : 1.0);
        by_density = by_density || density > 0.0;
    }
    struct cn_mass_properties sum = cn_mass_properties_sum(parts, part_count);
    double mass = def->mass > 0.0 ? def->mass : by_density ? sum.mass : 1.0;
    double scale = sum.mass > 0.0 ? mass / sum.mass : 0.0;
    CN_ASSERT(scale >= 0.0);
    sum.mass = mass;
    sum.inertia.cx = cn_vec3_scale(sum.inertia.cx, scale);
    sum.inertia.cy = cn_vec3_scale(sum.inertia.cy, scale);
    sum.inertia.cz = cn_vec3_scale(sum.inertia.cz, scale);
    if (def->has_center) {
        sum.center = def->center_of_mass;
        sum.center.z = dimension == CN_PLANAR ? 0.0 : sum.center.z;
    }
    if (def->inertia > 0.0) {
        sum.inertia = cn_mat33_diagonal(0.0, 0.0, def->inertia);
    }
    if (cn_body_def_has_tensor(def)) {
        sum.inertia = def->inertia_tensor;
    }
    return sum;
}
