/*
 * scene.h: the verifier's own reading of a scene: bodies, weights and contacts in exact numbers, by
 * the rules of docs/certificates.md.
 *
 * It knows nothing of prove/, and prove/ nothing of it: what both say of a scene, they say because
 * of the rules.
 */
#ifndef VERIFY_SCENE_H
#define VERIFY_SCENE_H

#include "engine/cairn.h"
#include "verify/q.h"

/* z is NULL in the plane. */
struct vf_vec {
    q x, y, z;
};

struct vf_body {
    bool is_fixed;
    q mass, inertia;
    q tensor[9]; /* in space, world axes, by rows */
    struct vf_vec center;
};

/* A convex outline, a disc (n = 1), or a half plane (n = 0). */
struct vf_shape {
    int body, material, n;
    bool is_disc;
    struct vf_vec *corner, *normal; /* n; a half plane has one normal */
    q *length;
    q radius, offset, extent;
    struct vf_vec center, axis[3]; /* of a cuboid (n = 8) */
    q half[3];
};

struct vf_contact {
    int a, b;
    struct vf_vec point, normal;
    q friction;
    bool bears;
};

struct vf_scene {
    bool is_spatial;
    struct q_pool pool;
    struct vf_vec gravity;
    q weight;
    struct vf_body *body;
    int body_count;
    struct vf_shape *shape;
    int shape_count;
    struct vf_contact *contact;
    int contact_count, contact_room;
    bool sides_left_out, friction_left_out;
};

/* NULL, or why the scene is none that a certificate can be about. */
const char *vf_scene_read(struct vf_scene *scene, const struct cn_world_def *def,
    bool side_contacts, bool friction);
void vf_scene_finish(struct vf_scene *scene);

/* Adds the contacts of two shapes of different bodies, `a` before `b`. NULL, or why not. */
const char *vf_scene_meet(struct vf_scene *scene, const struct cn_world_def *def,
    const struct vf_shape *a, const struct vf_shape *b, bool side_contacts, bool friction);

/* The same in space, where all shapes are cuboids and half spaces. */
void vf_space_body(struct vf_scene *scene, int index, const struct cn_body_def *def);
const char *vf_space_meet(struct vf_scene *scene, const struct cn_world_def *def,
    const struct vf_shape *a, const struct vf_shape *b, bool side_contacts, bool friction);

/* What two shapes have in common: points, the normal from a to b; or an overlap. */
#define VF_POINTS_MAX 16
struct vf_found {
    int count;
    struct vf_vec point[VF_POINTS_MAX], normal;
    bool overlaps;
};

/* Keeps what was found, or leaves it out, as chosen. NULL, or why it can not be. */
const char *vf_scene_keep(struct vf_scene *scene, const struct cn_world_def *def,
    const struct vf_shape *a, const struct vf_shape *b, const struct vf_found *found,
    bool side_contacts, bool friction);

q vf_dot(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
q vf_cross(struct q_pool *pool, struct vf_vec a, struct vf_vec b); /* its z */
/* a x b in space; in the plane a turn a = (0, 0, w) of the arm b, which has no z. */
struct vf_vec vf_turned(struct q_pool *pool, struct vf_vec a, struct vf_vec b);

/* at x force, with all three parts, in the plane too. */
struct vf_vec vf_moment(struct q_pool *pool, struct vf_vec at, struct vf_vec force);

struct vf_vec vf_sub(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
struct vf_vec vf_add(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
struct vf_vec vf_times(struct q_pool *pool, q s, struct vf_vec a);

/* Memory that is there: aborts when there is none. */
void *vf_alloc(size_t count, size_t size);

#endif
