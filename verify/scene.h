/*
 * scene.h: the verifier's own reading of a scene: bodies, weights and contacts in exact numbers,
 * by the rules of docs/certificates.md.
 *
 * It shares nothing with prove/.  Both agree about a scene because both follow the rules.
 */
#ifndef VERIFY_SCENE_H
#define VERIFY_SCENE_H

#include "engine/cairn.h"
#include "verify/vec.h"
#include "verify/watch.h"

struct vf_body {
    bool is_fixed;
    q mass, inertia;
    q tensor[9]; /* in space, world axes, by rows */
    struct vf_vec center;
    struct vf_vec force, moment; /* weight and constant forces; moment about the centre, 3 parts */
};

/* The face of a solid: outward normal, of unit length apart from the rounding of roots. */
struct vf_face {
    struct vf_vec normal;
    int corner; /* one that lies on it */
};

/* A convex outline or solid, a capsule (n = 2), a disc (n = 1), or a half plane (n = 0). */
struct vf_shape {
    enum cn_shape_kind kind;
    int body, material, n;
    struct cn_filter filter;
    bool is_disc; /* in space: a ball */
    struct vf_vec *corner, *normal; /* n; a half plane has one normal */
    q *length;
    q radius, offset, extent;
    struct vf_vec center, axis[3]; /* of a cuboid; a ball has a centre */
    q half[3];
    struct vf_face *face; /* of a hull or cuboid */
    int face_count;
    int (*edge)[2]; /* of a hull or cuboid: corners, in ascending order */
    int edge_count;
    double low[3], high[3]; /* bounds, enlarged by more than the tolerance of touching */
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

/* Returns NULL, or the reason why a certificate cannot be about this scene. */
const char *vf_scene_read(struct vf_scene *scene, const struct cn_world_def *def,
    bool side_contacts, bool friction, const struct vf_watch *watch);
void vf_scene_finish(struct vf_scene *scene);

/* Adds the contacts of two shapes of different bodies, `a` before `b`.  NULL, or why it failed. */
const char *vf_scene_meet(struct vf_scene *scene, const struct cn_world_def *def,
    const struct vf_shape *a, const struct vf_shape *b, bool side_contacts, bool friction);

/* The same in space. */
void vf_space_body(struct vf_scene *scene, int index, const struct cn_body_def *def);
struct vf_vec vf_space_place(
    struct q_pool *pool, const struct cn_body_def *def, cn_vec3 v, bool is_point);
const char *vf_space_meet(struct vf_scene *scene, const struct cn_world_def *def,
    const struct vf_shape *a, const struct vf_shape *b, bool side_contacts, bool friction);

/* The points where two shapes touch, and the normal from a to b; or an overlap. */
#define VF_POINTS_MAX 512 /* two hulls of 256 corners */
struct vf_found {
    int count;
    struct vf_vec point[VF_POINTS_MAX], normal;
    bool overlaps;
};

/* Whether the scene says that shapes of these two materials do not touch. */
bool vf_scene_ignores(
    const struct cn_world_def *def, const struct vf_shape *a, const struct vf_shape *b);

/* Adds the found points to the contacts, unless the choice leaves them out.  NULL, or a refusal. */
const char *vf_scene_keep(struct vf_scene *scene, const struct cn_world_def *def,
    const struct vf_shape *a, const struct vf_shape *b, const struct vf_found *found,
    bool side_contacts, bool friction);

/* Finds where a ball touches a ball or a cuboid; one of a and b is a ball. */
void vf_ball_meet(struct vf_scene *scene, const struct vf_shape *a, const struct vf_shape *b,
    q near, struct vf_found *found);

/* Finds where two cuboids touch. */
void vf_cuboid_meet(struct vf_scene *scene, const struct vf_shape *a, const struct vf_shape *b,
    q near, struct vf_found *found);

/* Finds where a half space touches a ball or a cuboid; the normal points out of the half space. */
void vf_half_space_meet(struct q_pool *pool, const struct vf_shape *plane,
    const struct vf_shape *other, q near, struct vf_found *found);

#endif
