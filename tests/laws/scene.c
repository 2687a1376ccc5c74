/* scene.c: makes a scene from its seed, and changes whole scenes. */
#include "tests/laws/laws.h"

#include "engine/math/trig.h"

#include <string.h>

static void
bind(struct laws_scene *scene)
{
    scene->def.materials = scene->material;
    scene->def.bodies = scene->body;
    scene->def.joints = scene->joint;
    for (int i = 0; i < scene->def.body_count; i++) {
        scene->body[i].shapes = &scene->shape[i];
        if (scene->shape[i].kind == CN_SHAPE_POLYGON) {
            scene->shape[i].polygon.vertices = scene->corner[i];
        } else if (scene->shape[i].kind == CN_SHAPE_HULL) {
            scene->shape[i].hull.vertices = scene->corner[i];
        }
    }
}

void
laws_scene_copy(struct laws_scene *to, const struct laws_scene *from)
{
    size_t bodies = (size_t)from->def.body_count, joints = (size_t)from->def.joint_count;
    memcpy(to, from, offsetof(struct laws_scene, body));
    memcpy(to->body, from->body, bodies * sizeof(from->body[0]));
    memcpy(to->shape, from->shape, bodies * sizeof(from->shape[0]));
    memcpy(to->corner, from->corner, bodies * sizeof(from->corner[0]));
    memcpy(to->joint, from->joint, joints * sizeof(from->joint[0]));
    bind(to);
}

/* A coefficient from 0 to usual ones, and rarely so large that paradoxes occur. */
static double
choose_friction(struct laws_scene *scene)
{
    double kind = laws_uniform(scene, 0.0, 1.0);
    return kind < 0.35   ? 0.0
           : kind < 0.55 ? 0.5
           : kind < 0.85 ? laws_uniform(scene, 0.02, 1.0)
           : kind < 0.97 ? laws_uniform(scene, 1.0, 3.0)
                         : laws_uniform(scene, 3.0, 10.0);
}

static double
choose_restitution(struct laws_scene *scene)
{
    double kind = laws_uniform(scene, 0.0, 1.0);
    return kind < 0.5 ? 0.0 : kind < 0.9 ? laws_uniform(scene, 0.05, 0.95) : 1.0;
}

static void
choose_materials(struct laws_scene *scene)
{
    scene->alike = laws_chance(scene, 0.7);
    double friction = choose_friction(scene), restitution = choose_restitution(scene);
    for (int i = 0; i < LAWS_MATERIALS_MAX; i++) {
        struct cn_material_def *material = &scene->material[i];
        cn_material_def_init(material);
        if (i > 0 && !scene->alike) {
            friction = friction > 0.0 ? choose_friction(scene) : 0.0;
            restitution = choose_restitution(scene);
        }
        material->friction = material->static_friction = friction;
        material->restitution = restitution;
        scene->friction_max = friction > scene->friction_max ? friction : scene->friction_max;
        scene->restitution_max =
            restitution > scene->restitution_max ? restitution : scene->restitution_max;
    }
}

/* Most scenes run in real time; the others run in slow motion. */
static void
choose_time(struct laws_scene *scene)
{
    double kind = laws_uniform(scene, 0.0, 1.0);
    scene->def.tick_rate = kind < 0.5 ? 60.0 : kind < 0.6 ? 240.0 : 1000.0;
    scene->def.settings.time_rate = kind < 0.7 ? 1.0 : 0.01;
}

/* All bodies have equal masses, one density, similar masses, or unrelated masses. */
static void
choose_masses(struct laws_scene *scene)
{
    int kind = laws_choose(scene, 4);
    double unit = laws_spread(scene, -1, 2);
    for (int i = 0; i < scene->def.body_count; i++) {
        struct cn_body_def *body = &scene->body[i];
        if (body->type != CN_DYNAMIC) {
            continue;
        }
        if (kind == 0) {
            body->mass = unit;
        } else if (kind == 1) {
            body->mass = 0.0;
            scene->shape[i].density = 100.0 * unit;
        } else if (kind == 2) {
            body->mass = unit * laws_uniform(scene, 0.5, 2.0);
        } else {
            body->mass = laws_spread(scene, -3, 4);
        }
    }
}

static int
choose_size(struct laws_scene *scene)
{
    double kind = laws_uniform(scene, 0.0, 1.0);
    return kind < 0.9     ? 1 + laws_choose(scene, 8)
           : kind < 0.98  ? 10 + laws_choose(scene, 30)
           : kind < 0.995 ? 50 + laws_choose(scene, 150)
                          : 250 + laws_choose(scene, 750);
}

void
laws_scene_make(struct laws_scene *scene, uint64_t seed)
{
    memset(scene, 0, offsetof(struct laws_scene, body));
    scene->seed = seed;
    scene->rng.state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 4; i++) {
        (void)cn_rng_next(&scene->rng);
    }
    cn_world_def_init(&scene->def);
    scene->index = laws_choose(scene, laws_family_count);
    scene->family = laws_families[scene->index].name;
    scene->def.settings.dimension = laws_chance(scene, 0.55) ? CN_PLANAR : CN_SPATIAL;
    scene->length = laws_chance(scene, 0.7) ? 1.0 : laws_chance(scene, 0.5) ? 0.1 : 5.0;
    scene->def.settings.gravity = cn_vec3_make(0.0, -9.81, 0.0);
    scene->def.settings.sleep = false;
    scene->def.material_count = LAWS_MATERIALS_MAX;
    choose_materials(scene);
    choose_time(scene);
    laws_families[scene->index].make(scene, choose_size(scene));
    choose_masses(scene);
    int count = scene->def.body_count;
    scene->ticks = count <= 12 ? 12 : count <= 60 ? 5 : 2;
    bind(scene);
}

/* ---- operations on whole scenes ---- */

static cn_vec3
flip(cn_vec3 v)
{
    return cn_vec3_make(-v.x, v.y, v.z);
}

/*
 * Mirrors an angular velocity: the part about x stays, the parts about y and z change their signs.
 */
static cn_vec3
flip_turn(cn_vec3 w)
{
    return cn_vec3_make(w.x, -w.y, -w.z);
}

static void
flip_shape(struct laws_scene *scene, int i)
{
    const struct cn_shape_def *shape = &scene->shape[i];
    bool polygon = shape->kind == CN_SHAPE_POLYGON;
    int count = polygon ? shape->polygon.vertex_count
                : shape->kind == CN_SHAPE_HULL ? shape->hull.vertex_count : 0;
    cn_vec3 old[LAWS_CORNERS_MAX];
    memcpy(old, scene->corner[i], sizeof(old));
    for (int k = 0; k < count; k++) {
        scene->corner[i][k] = flip(old[polygon ? count - 1 - k : k]);
    }
}

void
laws_scene_mirror(struct laws_scene *scene)
{
    scene->def.settings.gravity = flip(scene->def.settings.gravity);
    for (int i = 0; i < scene->def.body_count; i++) {
        struct cn_body_def *body = &scene->body[i];
        body->position = flip(body->position);
        body->velocity = flip(body->velocity);
        body->angle = -body->angle;
        body->orientation.y = -body->orientation.y;
        body->orientation.z = -body->orientation.z;
        body->angular_velocity = flip_turn(body->angular_velocity);
        flip_shape(scene, i);
    }
    for (int i = 0; i < scene->def.joint_count; i++) {
        struct cn_joint_def *joint = &scene->joint[i];
        joint->anchor_a = flip(joint->anchor_a);
        joint->anchor_b = flip(joint->anchor_b);
        joint->axis = joint->kind == CN_JOINT_HINGE ? flip_turn(joint->axis) : flip(joint->axis);
    }
}

void
laws_scene_turn(struct laws_scene *scene, double angle)
{
    double sine, cosine;
    cn_sin_cos(angle, &sine, &cosine);
    cn_mat33 turn = cn_mat33_about_z(sine, cosine);
    scene->def.settings.gravity = cn_mat33_apply(&turn, scene->def.settings.gravity);
    for (int i = 0; i < scene->def.body_count; i++) {
        struct cn_body_def *body = &scene->body[i];
        body->position = cn_mat33_apply(&turn, body->position);
        body->velocity = cn_mat33_apply(&turn, body->velocity);
        body->angular_velocity = cn_mat33_apply(&turn, body->angular_velocity);
        laws_tilt(scene, i, angle);
    }
    for (int i = 0; i < scene->def.joint_count; i++) {
        struct cn_joint_def *joint = &scene->joint[i];
        joint->anchor_a = cn_mat33_apply(&turn, joint->anchor_a);
        joint->anchor_b = cn_mat33_apply(&turn, joint->anchor_b);
        joint->axis = cn_mat33_apply(&turn, joint->axis);
    }
}

static bool
is_jointed(const struct laws_scene *scene, int body)
{
    for (int i = 0; i < scene->def.joint_count; i++) {
        if (scene->joint[i].body_a == body || scene->joint[i].body_b == body) {
            return true;
        }
    }
    return false;
}

/* Shifts free bodies upwards, so that they do not begin within a body below; skips jointed ones. */
void
laws_scene_disturb(struct laws_scene *scene, double shift, uint64_t seed)
{
    struct cn_rng rng = {.state = seed * 7919 + 17};
    for (int i = 0; i < scene->def.body_count; i++) {
        struct cn_body_def *body = &scene->body[i];
        bool planar = laws_is_planar(scene);
        if (body->type != CN_DYNAMIC || is_jointed(scene, i)) {
            continue;
        }
        double *members[] = {&body->position.x, &body->position.y, &body->position.z,
            &body->velocity.x, &body->velocity.y, &body->velocity.z, &body->angular_velocity.z,
            &body->angular_velocity.x, &body->angular_velocity.y};
        for (int k = 0; k < 9; k++) {
            double change = cn_rng_uniform(&rng, -shift, shift);
            if (!planar || (k != 2 && k != 5 && k < 7)) {
                *members[k] += change;
            }
        }
    }
}

bool
laws_scene_drop(struct laws_scene *scene, int body)
{
    int count = scene->def.body_count, kept = 0;
    if (count <= 2) {
        return false;
    }
    for (int i = body; i + 1 < count; i++) {
        scene->body[i] = scene->body[i + 1];
        scene->shape[i] = scene->shape[i + 1];
        memcpy(scene->corner[i], scene->corner[i + 1], sizeof(scene->corner[i]));
    }
    scene->def.body_count--;
    for (int i = 0; i < scene->def.joint_count; i++) {
        struct cn_joint_def joint = scene->joint[i];
        if (joint.body_a == body || joint.body_b == body) {
            continue;
        }
        joint.body_a -= joint.body_a > body;
        joint.body_b -= joint.body_b > body;
        scene->joint[kept++] = joint;
    }
    scene->def.joint_count = kept;
    bind(scene);
    return true;
}
