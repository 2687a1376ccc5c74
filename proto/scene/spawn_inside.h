/*
 * spawn_inside.h: what the files about spawns share (spawn.c, spawn_place.c, spawn_name.c).
 */
#ifndef PROTO_SCENE_SPAWN_INSIDE_H
#define PROTO_SCENE_SPAWN_INSIDE_H

#include "engine/base/defect.h"
#include "engine/math/pose.h"
#include "engine/math/quat.h"

#include "cairn/v1/world.pb-c.h"

/* The frame of a spawn. */
struct spawn_frame {
    cn_pose pose;
    cn_quat turn;
    double angle;
    bool planar, is_turned;
};

/* An absent vector is 0. */
cn_vec3 spawn_vector(const Cairn__V1__Vec3 *value);

/* False without memory. */
CN_MUST_USE bool spawn_set_vector(Cairn__V1__Vec3 **field, cn_vec3 value);

/* CN_DIMENSION or CN_RANGE with *defect filled, where the frame is not one of this world's. */
CN_MUST_USE enum cn_status spawn_read_frame(const Cairn__V1__Spawn *spawn, bool planar,
    struct spawn_frame *frame, struct cn_defect *defect);

/* Moves a copy of a prefab's body or joint into the frame.  False without memory. */
CN_MUST_USE bool spawn_put_body(
    const struct spawn_frame *frame, const Cairn__V1__Spawn *spawn, Cairn__V1__Body *body);
CN_MUST_USE bool spawn_put_joint(const struct spawn_frame *frame, Cairn__V1__Joint *joint);

/*
 * The name of the part with this index of a prefab with `count` of them: "STEM" of a single one,
 * else "STEM.NAME", where NAME may be the word and the index.  False without memory.
 */
CN_MUST_USE bool
spawn_name_part(char **field, const char *stem, size_t count, const char *word, size_t index);

/* The ends of a joint name the bodies of the copy.  False without memory. */
CN_MUST_USE bool spawn_name_ends(
    const Cairn__V1__Prefab *prefab, Cairn__V1__Body *const *bodies, Cairn__V1__Joint *joint);

#endif
