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

struct vf_vec {
    q x, y;
};

struct vf_body {
    bool is_fixed;
    q mass, inertia;
    struct vf_vec center;
};

/* A convex outline, a disc (n = 1), or a half plane (n = 0). */
struct vf_shape {
    int body, material, n;
    bool is_disc;
    struct vf_vec *corner, *normal; /* n; a half plane has one normal */
    q *length;
    q radius, offset, extent;
};

struct vf_contact {
    int a, b;
    struct vf_vec point, normal;
    q friction;
    bool bears;
};

struct vf_scene {
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

q vf_dot(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
q vf_cross(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
struct vf_vec vf_sub(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
struct vf_vec vf_add(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
struct vf_vec vf_times(struct q_pool *pool, q s, struct vf_vec a);

/* Memory that is there: aborts when there is none. */
void *vf_alloc(size_t count, size_t size);

#endif
