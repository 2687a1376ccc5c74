/* bench_build.c: growing arrays that become a definition. */
#include "clients/bench/bench_build.h"

#include "clients/base/exit.h"
#include "engine/base/assert.h"
#include "engine/math/trig.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static void *
append_items(struct bench_array *array, int count)
{
    if (array->count + count > array->max) {
        int max = 2 * (array->count + count);
        void *item = realloc(array->item, (size_t)max * array->size);
        if (item == NULL) {
            cli_complain("no memory for a scene of %d pieces", max);
            exit(CLI_COULD_NOT);
        }
        array->item = item;
        array->max = max;
    }
    array->count += count;
    CN_ASSERT(array->size > 0 && array->count <= array->max);
    return (char *)array->item + (size_t)(array->count - count) * array->size;
}

void
bench_init(struct bench_build *build, enum cn_dimension dimension)
{
    *build = (struct bench_build){
        .dimension = dimension,
        .material = {.size = sizeof(struct cn_material_def)},
        .body = {.size = sizeof(struct cn_body_def)},
        .shape = {.size = sizeof(struct cn_shape_def)},
        .joint = {.size = sizeof(struct cn_joint_def)},
        .point = {.size = sizeof(cn_vec3)},
        .shape_first = {.size = sizeof(int)},
        .point_first = {.size = sizeof(int)},
        .mesh = {.size = sizeof(struct cn_mesh *)},
        .density = 1.0,
        .filter = CN_FILTER_DEFAULT,
    };
    cn_world_def_init(&build->def);
    build->def.tick_rate = 60.0;
    build->def.settings.dimension = dimension;
    build->def.settings.gravity = cn_vec3_make(0.0, -10.0, 0.0);
    build->def.settings.combine_friction = CN_COMBINE_MULTIPLY;
    build->def.settings.combine_restitution = CN_COMBINE_MAX;
    bench_material(build, 0.6, 0.0);
}

void
bench_finish(struct bench_build *build)
{
    struct cn_mesh **mesh = build->mesh.item;
    for (int i = 0; i < build->mesh.count; i++) {
        cn_mesh_drop(mesh[i]);
    }
    struct bench_array *arrays[] = {&build->material, &build->body, &build->shape, &build->joint,
        &build->point, &build->shape_first, &build->point_first,
        &build->mesh};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        free(arrays[i]->item);
        arrays[i]->item = NULL;
        arrays[i]->count = arrays[i]->max = 0;
    }
}

/* Shapes keep indices of their points until these stand where they stay. */
static void
find_points(struct bench_build *build, int first, int count)
{
    struct cn_shape_def *shape = build->shape.item;
    const cn_vec3 *point = build->point.item;
    const int *point_first = build->point_first.item;
    for (int k = first; k < first + count; k++) {
        if (point_first[k] >= 0 && shape[k].kind == CN_SHAPE_HULL) {
            shape[k].hull.vertices = &point[point_first[k]];
        } else if (point_first[k] >= 0) {
            shape[k].polygon.vertices = &point[point_first[k]];
        }
    }
}

void
bench_close(struct bench_build *build)
{
    struct cn_body_def *body = build->body.item;
    struct cn_shape_def *shape = build->shape.item;
    const int *shape_first = build->shape_first.item;
    struct cn_mesh *const *mesh = build->mesh.item;
    CN_ASSERT(build->body.count == build->shape_first.count);
    CN_ASSERT(build->shape.count == build->point_first.count);
    CN_ASSERT(build->def.bodies == NULL); /* it is called once */
    for (int i = 0; i < build->shape.count; i++) {
        if (shape[i].kind == CN_SHAPE_MESH) {
            CN_ASSERT(shape[i].mesh.index >= 0 && shape[i].mesh.index < build->mesh.count);
            shape[i].mesh.mesh = mesh[shape[i].mesh.index];
        }
    }
    build->def.meshes = mesh;
    build->def.mesh_count = build->mesh.count;
    find_points(build, 0, build->shape.count);
    for (int i = 0; i < build->body.count; i++) {
        body[i].shapes = body[i].shape_count > 0 ? &shape[shape_first[i]] : NULL;
    }
    build->def.materials = build->material.item;
    build->def.material_count = build->material.count;
    build->def.bodies = body;
    build->def.body_count = build->body.count;
    build->def.joints = build->joint.item;
    build->def.joint_count = build->joint.count;
}

int
bench_mesh_make(struct bench_build *build, const struct cn_mesh_def *def)
{
    struct cn_defect defect;
    struct cn_mesh *mesh;
    if (cn_mesh_make(def, &mesh, &defect) != CN_OK) {
        cli_complain("no mesh: %s: %s", defect.path, defect.text);
        exit(CLI_COULD_NOT);
    }
    struct cn_mesh **place = append_items(&build->mesh, 1);
    *place = mesh;
    return build->mesh.count - 1;
}

double
bench_chance(uint32_t i)
{
    i = (i ^ 61U) ^ (i >> 16);
    i *= 9U;
    i ^= i >> 4;
    i *= 0x27d4eb2dU;
    i ^= i >> 15;
    return (double)(i & 0xffffffU) / (double)0x1000000U;
}

int
bench_material(struct bench_build *build, double friction, double restitution)
{
    struct cn_material_def *material = append_items(&build->material, 1);
    cn_material_def_init(material);
    material->friction = material->static_friction = sqrt(friction); /* multiplied: the mean */
    material->restitution = restitution;
    return build->material.count - 1;
}

int
bench_body(struct bench_build *build, enum cn_body_type type, cn_vec3 position)
{
    struct cn_body_def *body = append_items(&build->body, 1);
    int *shape_first = append_items(&build->shape_first, 1);
    cn_body_def_init(body);
    body->type = type;
    body->position = position;
    *shape_first = build->shape.count;
    return build->body.count - 1;
}

struct cn_body_def *
bench_body_def(struct bench_build *build, int body)
{
    CN_ASSERT(0 <= body && body < build->body.count);
    return (struct cn_body_def *)build->body.item + body;
}

struct cn_shape_def *
bench_shape(struct bench_build *build, enum cn_shape_kind kind)
{
    struct cn_body_def *body = bench_body_def(build, build->body.count - 1);
    struct cn_shape_def *shape = append_items(&build->shape, 1);
    int *point_first = append_items(&build->point_first, 1);
    *shape = (struct cn_shape_def){
        .kind = kind,
        .material = build->shape_material,
        .has_filter = true,
        .filter = build->filter,
        .density = body->type == CN_DYNAMIC ? build->density : 0.0,
    };
    *point_first = -1;
    body->shape_count++;
    return shape;
}

void
bench_box(struct bench_build *build, cn_vec3 size, cn_vec3 at)
{
    struct cn_shape_def *shape = bench_shape(build, CN_SHAPE_BOX);
    shape->box.size = size;
    shape->position = at;
}

void
bench_ball(struct bench_build *build, double radius)
{
    bool planar = build->dimension == CN_PLANAR;
    struct cn_shape_def *shape = bench_shape(build, planar ? CN_SHAPE_CIRCLE : CN_SHAPE_SPHERE);
    if (planar) {
        shape->circle.radius = radius;
    } else {
        shape->sphere.radius = radius;
    }
}

/* A capsule lies along its own y, which is turned to the direction from -> to. */
void
bench_capsule(struct bench_build *build, cn_vec3 from, cn_vec3 to, double radius)
{
    struct cn_shape_def *shape = bench_shape(build, CN_SHAPE_CAPSULE);
    cn_vec3 along = cn_vec3_sub(to, from);
    double length = cn_vec3_length(along);
    shape->capsule.radius = radius;
    shape->capsule.length = length;
    shape->position = cn_vec3_scale(cn_vec3_add(from, to), 0.5);
    cn_vec3 y = length > 0.0 ? cn_vec3_scale(along, 1.0 / length) : cn_vec3_make(0.0, 1.0, 0.0);
    if (build->dimension == CN_PLANAR) {
        shape->angle = cn_atan2(-y.x, y.y);
    } else if (y.y > -0.999999) {
        /* The half-way quaternion of y and its image: (1 + cos, y x image). */
        shape->orientation = cn_quat_normalize((cn_quat){1.0 + y.y, y.z, 0.0, -y.x});
    } else {
        shape->orientation = (cn_quat){0.0, 1.0, 0.0, 0.0};
    }
}

int
bench_points(struct bench_build *build, const cn_vec3 *points, int count)
{
    cn_vec3 *copy = append_items(&build->point, count);
    for (int i = 0; i < count; i++) {
        copy[i] = points[i];
    }
    return build->point.count - count;
}

void
bench_convex(struct bench_build *build, int point_first, int count)
{
    bool planar = build->dimension == CN_PLANAR;
    CN_ASSERT(0 <= point_first && count <= build->point.count - point_first);
    struct cn_shape_def *shape = bench_shape(build, planar ? CN_SHAPE_POLYGON : CN_SHAPE_HULL);
    if (planar) {
        shape->polygon.vertex_count = count;
    } else {
        shape->hull.vertex_count = count;
    }
    ((int *)build->point_first.item)[build->shape.count - 1] = point_first;
}

struct cn_joint_def *
bench_joint(struct bench_build *build, enum cn_joint_kind kind, int body_a, int body_b,
    cn_vec3 anchor)
{
    struct cn_joint_def *joint = append_items(&build->joint, 1);
    cn_joint_def_init(joint, kind);
    joint->body_a = body_a;
    joint->body_b = body_b;
    joint->anchor_b = anchor;
    return joint;
}

/* About its axis, of a body that is built; the axis' inertia is taken about the centre of mass. */
static double
inverse_inertia(struct bench_build *build, int index, cn_vec3 axis)
{
    if (index < 0) {
        return 0.0;
    }
    struct cn_body_def body = *bench_body_def(build, index);
    if (body.type != CN_DYNAMIC) {
        return 0.0;
    }
    int first = ((const int *)build->shape_first.item)[index];
    find_points(build, first, body.shape_count);
    body.shapes = (const struct cn_shape_def *)build->shape.item + first;
    struct cn_mass_properties mass = cn_body_def_weigh(&body, build->dimension);
    if (build->dimension == CN_PLANAR) {
        return 1.0 / mass.inertia.cz.z;
    }
    cn_mat33 rotation = cn_quat_to_mat33(cn_quat_normalize(body.orientation));
    cn_vec3 own = cn_mat33_apply_back(&rotation, axis);
    cn_mat33 inverse = cn_mat33_invert_symmetric(&mass.inertia);
    return cn_vec3_dot(own, cn_mat33_apply(&inverse, own));
}

/* The sum of both bodies. */
static double
inverse_inertias(struct bench_build *build, const struct cn_joint_def *joint, cn_vec3 axis)
{
    return inverse_inertia(build, joint->body_a, axis) +
           inverse_inertia(build, joint->body_b, axis);
}

static void
set_spring(struct cn_joint_def *joint, double inverse, double hertz, double damping_ratio)
{
    double omega = 2.0 * PI * hertz;
    joint->has_spring = true;
    joint->stiffness = omega * omega / inverse;
    joint->damping = 2.0 * damping_ratio * omega / inverse;
}

void
bench_hinge_spring(
    struct bench_build *build, struct cn_joint_def *joint, double hertz, double damping_ratio)
{
    cn_vec3 axis = cn_vec3_scale(joint->axis, 1.0 / cn_vec3_length(joint->axis));
    set_spring(joint, inverse_inertias(build, joint, axis), hertz, damping_ratio);
}

void
bench_ball_spring(
    struct bench_build *build, struct cn_joint_def *joint, double hertz, double damping_ratio)
{
    double sum = inverse_inertias(build, joint, cn_vec3_make(1.0, 0.0, 0.0)) +
                 inverse_inertias(build, joint, cn_vec3_make(0.0, 1.0, 0.0)) +
                 inverse_inertias(build, joint, cn_vec3_make(0.0, 0.0, 1.0));
    set_spring(joint, sum / 3.0, hertz, damping_ratio);
}
