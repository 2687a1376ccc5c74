/*
 * scene.h: worlds in a few lines, planar unless said otherwise, for tests and benchmarks.
 *
 *     static struct scene scene;
 *     scene_init(&scene, 9.81);
 *     scene_floor(&scene);
 *     int block = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
 *     scene.body[block].mass = 2.0;
 *     struct cn_world *world = scene_create(&scene);
 *
 * The arrays may be changed until the world is made.  All shapes have material 0, without friction,
 * unless they get another one.  Do not copy a scene: it points into itself.  An error ends the
 * program with a message.
 */
#ifndef TESTS_SUPPORT_WORLD_SCENE_H
#define TESTS_SUPPORT_WORLD_SCENE_H

#include "engine/cairn.h"

#define SCENE_BODIES_MAX 1024
#define SCENE_MATERIALS_MAX 16
#define SCENE_VERTICES_MAX 512
#define SCENE_JOINTS_MAX 512

struct scene {
    struct cn_world_def def;
    struct cn_material_def material[SCENE_MATERIALS_MAX];
    struct cn_body_def body[SCENE_BODIES_MAX];
    struct cn_shape_def shape[SCENE_BODIES_MAX]; /* of the body of the same index */
    cn_vec3 vertex[SCENE_VERTICES_MAX];
    int vertex_count;
    struct cn_joint_def joint[SCENE_JOINTS_MAX];
};

/* Gravity points down [m/s^2]; restitution 0, ticks of 1/60 s, stepper and solver the defaults. */
void scene_init(struct scene *scene, double gravity);

/* The same in space. */
void scene_init_space(struct scene *scene, double gravity);

/* In space: a body without shapes, at the origin, of 1 kg and these principal moments [kg m^2]. */
int scene_rotor(struct scene *scene, double I1, double I2, double I3);

/* Each returns the body's index. */
int scene_plane(struct scene *scene, double normal_x, double normal_y, double offset);
int scene_floor(struct scene *scene); /* solid at y <= 0 */
int scene_box(struct scene *scene, double x, double y, double width, double height);
int scene_circle(struct scene *scene, double x, double y, double radius);

/* A capsule along its local y: `length` between the centres of the ends. */
int scene_capsule(struct scene *scene, double x, double y, double radius, double length);

/* Counter-clockwise, in the body's frame, whose origin is at (x, y). */
int scene_polygon(struct scene *scene, double x, double y, const cn_vec3 *vertex, int count);

/* A joint between two bodies, -1 the world; the anchors are those of the world at the start. */
struct cn_joint_def *scene_joint(
    struct scene *scene, enum cn_joint_kind kind, int body_a, int body_b, cn_vec3 anchor);
struct cn_joint_def *scene_rod(struct scene *scene, enum cn_joint_kind kind, int body_a, int body_b,
    cn_vec3 anchor_a, cn_vec3 anchor_b);

/* The same coefficient of friction, sliding and resting, for a material. */
void scene_friction(struct scene *scene, int material, double friction);

struct cn_world *scene_create(struct scene *scene);

/* One whole tick. */
void scene_tick(struct cn_world *world);
void scene_ticks(struct cn_world *world, int count);

void scene_command(struct cn_world *world, const struct cn_command *command);

/* Holds a force for good; point and force in world axes, point from the body's frame origin. */
void scene_hold_force(struct cn_world *world, int body, cn_vec3 point, cn_vec3 force);

/* Makes a world of the same scene what another is, by its image. */
void scene_restore(struct cn_world *to, const struct cn_world *from);

struct cn_body_view scene_view(const struct cn_world *world, int body);

/*
 * Of the contacts between two bodies: how many, and the sums of force [N], friction [N] on the body
 * of the higher index, and impulse [N s].
 */
struct scene_contacts {
    int count;
    double force;
    double impulse;
    cn_vec3 friction;
};
struct scene_contacts scene_contacts(const struct cn_world *world, int body_a, int body_b);

/* Depth of the deepest contact; 0 when none is deeper than touching [m]. */
double scene_depth(const struct cn_world *world);

/* Events of a kind in the last tick; *event is the first of them when there is one. */
int scene_events(const struct cn_world *world, enum cn_event_kind kind, struct cn_event *event);

/* Whether both had the same events in the last tick, in the same order. */
bool scene_same_events(const struct cn_world *a, const struct cn_world *b);

#endif
