/*
 * spawn.h: prefabs of a scene, and the spawns of a change (spawn.c).
 */
#ifndef PROTO_SCENE_SPAWN_H
#define PROTO_SCENE_SPAWN_H

#include "proto/limits.h"
#include "proto/scene.h"

#include "cairn/v1/scene.pb-c.h"

struct Cairn__V1__Change;

#define SCENE_STEM_SIZE (WIRE_NAME_SIZE_MAX + 1)

/* Of the bodies and joints of a change: those that a spawn made. */
struct scene_spawn {
    size_t body_first, body_count, joint_first, joint_count;
    bool is_numbered; /* its name is the prefab's and a number */
    unsigned number;
    char prefab[WIRE_PREFAB_NAME_SIZE_MAX + 1];
    char stem[SCENE_STEM_SIZE]; /* with which its names begin */
    cn_vec3 origin, spin;       /* m, rad/s */
};

struct scene_spawns {
    size_t count, numbered_count;
    size_t own_bodies, own_joints; /* of the change, before those of spawns */
    struct scene_spawn spawn[];
};

/*
 * Adds the bodies and joints of all spawns to the change.  The caller frees the result; NULL with
 * *defect filled, and then the change can still be freed.
 */
struct scene_spawns *scene_spawns_expand(
    struct Cairn__V1__Change *change, const struct wire_scene *into, struct cn_defect *defect);

/*
 * Gives the spawns without a name the lowest numbers that are free beside the bodies and joints
 * that are shown and stay.
 */
CN_MUST_USE enum cn_status
scene_spawns_name(struct scene_spawns *spawns, const struct Cairn__V1__Change *change,
    Cairn__V1__Body **bodies, size_t body_count, Cairn__V1__Joint **joints, size_t joint_count,
    const struct wire_scene *shown, struct cn_defect *defect);

/*
 * Adds the velocities of the centres of mass of a group that turns about its origin.  False without
 * memory.
 */
CN_MUST_USE bool scene_spawns_turn(const struct scene_spawns *spawns, struct wire_scene *part);

/* The path of a body that a spawn made begins with that spawn. */
void scene_spawns_locate(const struct scene_spawns *spawns, struct cn_defect *defect);

#endif
