/* scene_build.c: functions to build scenes; in space each shape also gets a depth. */
#include "tests/laws/laws.h"

#include "engine/base/assert.h"
#include "engine/math/trig.h"

#include <string.h>

double
laws_uniform(struct laws_scene *scene, double low, double high)
{
    return cn_rng_uniform(&scene->rng, low, high);
}

bool
laws_chance(struct laws_scene *scene, double share)
{
    return laws_uniform(scene, 0.0, 1.0) < share;
}

int
laws_choose(struct laws_scene *scene, int count)
{
    return (int)(cn_rng_next(&scene->rng) % (uint32_t)count);
}

/* Without libm's powers, whose last bit differs between machines. */
double
laws_spread(struct laws_scene *scene, int low, int high)
{
    double value = laws_uniform(scene, 1.0, 10.0);
    int power = low + laws_choose(scene, high - low);
    for (; power > 0; power--) {
        value *= 10.0;
    }
    for (; power < 0; power++) {
        value /= 10.0;
    }
    return value;
}

bool
laws_is_planar(const struct laws_scene *scene)
{
    return scene->def.settings.dimension == CN_PLANAR;
}

static int
add(struct laws_scene *scene, double x, double y, enum cn_shape_kind kind)
{
    CN_ASSERT(scene->def.body_count < LAWS_BODIES_MAX);
    int index = scene->def.body_count++;
    struct cn_body_def *body = &scene->body[index];
    struct cn_shape_def *shape = &scene->shape[index];
    cn_body_def_init(body);
    memset(shape, 0, sizeof(*shape));
    body->position = cn_vec3_make(x, y, 0.0);
    body->shapes = shape;
    body->shape_count = 1;
    body->mass = 1.0;
    shape->kind = kind;
    shape->material = scene->alike ? 0 : laws_choose(scene, LAWS_MATERIALS_MAX);
    return index;
}

int
laws_box(struct laws_scene *scene, double x, double y, cn_vec3 size)
{
    int index = add(scene, x, y, CN_SHAPE_BOX);
    scene->shape[index].box.size = size;
    return index;
}

int
laws_ball(struct laws_scene *scene, double x, double y, double radius)
{
    int index = add(scene, x, y, CN_SHAPE_SPHERE);
    scene->shape[index].sphere.radius = radius;
    return index;
}

int
laws_capsule(struct laws_scene *scene, double x, double y, double radius, double length)
{
    int index = add(scene, x, y, CN_SHAPE_CAPSULE);
    scene->shape[index].capsule.radius = radius;
    scene->shape[index].capsule.length = length;
    return index;
}

int
laws_prism(
    struct laws_scene *scene, double x, double y, const cn_vec3 *corner, int count, double depth)
{
    bool planar = laws_is_planar(scene);
    int index = add(scene, x, y, planar ? CN_SHAPE_POLYGON : CN_SHAPE_HULL);
    cn_vec3 *to = scene->corner[index];
    CN_ASSERT(count <= (planar ? LAWS_CORNERS_MAX : LAWS_CORNERS_MAX / 2));
    for (int i = 0; i < count; i++) {
        to[i] = cn_vec3_make(corner[i].x, corner[i].y, planar ? 0.0 : -0.5 * depth);
        if (!planar) {
            to[count + i] = cn_vec3_make(corner[i].x, corner[i].y, 0.5 * depth);
        }
    }
    if (planar) {
        scene->shape[index].polygon.vertices = to;
        scene->shape[index].polygon.vertex_count = count;
    } else {
        scene->shape[index].hull.vertices = to;
        scene->shape[index].hull.vertex_count = 2 * count;
    }
    return index;
}

void
laws_fix(struct laws_scene *scene, int body)
{
    scene->body[body].type = CN_STATIC;
    scene->body[body].mass = 0.0;
}

void
laws_tilt(struct laws_scene *scene, int body, double angle)
{
    scene->body[body].angle += laws_is_planar(scene) ? angle : 0.0;
    if (!laws_is_planar(scene)) {
        scene->body[body].orientation =
            cn_quat_multiply(cn_quat_about_z(angle), scene->body[body].orientation);
    }
}

void
laws_turn_any(struct laws_scene *scene, int body)
{
    if (laws_is_planar(scene)) {
        laws_tilt(scene, body, laws_uniform(scene, -3.0, 3.0));
        return;
    }
    double part[3];
    for (int i = 0; i < 3; i++) {
        part[i] = laws_uniform(scene, -1.0, 1.0);
    }
    cn_quat turn = {part[0], part[1], part[2], laws_uniform(scene, 0.1, 1.0)};
    scene->body[body].orientation = cn_quat_normalize(turn);
}

int
laws_ground(struct laws_scene *scene, double width)
{
    double depth = 0.25 * width;
    int ground = laws_box(scene, 0.0, -0.5 * depth, cn_vec3_make(width, depth, width));
    laws_fix(scene, ground);
    return ground;
}

struct cn_joint_def *
laws_joint(struct laws_scene *scene, enum cn_joint_kind kind, int a, int b, cn_vec3 anchor)
{
    CN_ASSERT(scene->def.joint_count < LAWS_JOINTS_MAX);
    struct cn_joint_def *joint = &scene->joint[scene->def.joint_count++];
    cn_joint_def_init(joint, kind);
    joint->body_a = a;
    joint->body_b = b;
    joint->anchor_a = joint->anchor_b = anchor;
    return joint;
}
