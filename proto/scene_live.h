/*
 * scene_live.h: changes of a world that runs: what is made and removed, and the scene that follows.
 *
 * A change's bodies and joints are read as a scene of their own, with the world, materials and
 * curves of the scene that they come into; so they are checked as a scene is, and its paths name
 * what is wrong.  Joints are between bodies of the same change, or of one and the world.
 *
 * The scene that members see follows the world: body and joint i of its message are slot i.  A slot
 * that is empty is a STATIC body without shapes, marked absent, or a joint without a kind.
 */
#ifndef PROTO_SCENE_LIVE_H
#define PROTO_SCENE_LIVE_H

#include "proto/scene.h"

struct Cairn__V1__Change;

struct wire_change {
    struct Cairn__V1__Change *message; /* names to remove; its bodies and joints are in the part */
    struct wire_scene *part;           /* NULL: nothing is made */
    uint8_t *bytes;                    /* as they came, so that it can be read again; owned */
    size_t size;
};

/* From protobuf bytes of a Change. NULL with *defect filled. */
struct wire_change *wire_change_unpack(
    const uint8_t *bytes, size_t size, const struct wire_scene *into, struct cn_defect *defect);
void wire_change_destroy(struct wire_change *change);

/*
 * Looks up what a change removes and whether its new names are free; fills the slots to be removed
 * (as many as wire_change_gone_counts says).
 */
void wire_change_gone_counts(const struct wire_change *change, int *bodies, int *joints);
CN_MUST_USE enum cn_status wire_change_resolve(const struct wire_change *change,
    const struct wire_scene *shown, int *gone_bodies, int *gone_joints, struct cn_defect *defect);

/*
 * A scene that followed another one, from the bytes of its message (wire_scene_pack); it has the
 * meshes of that one, or of one that followed it.  NULL without memory, or when that is no scene or
 * has shapes that can not be.
 */
struct wire_scene *wire_scene_show(
    const uint8_t *bytes, size_t size, const struct wire_scene *from);

/* The message of a scene as bytes, heap; NULL without memory. */
uint8_t *wire_scene_pack(const struct wire_scene *scene, size_t *size);

/*
 * The scene as the world now is: the shown one, with the change's bodies and joints in the slots
 * that they took, and what is absent left out.  It can be shown and printed, and no world can be
 * made from it.  NULL without memory.
 */
struct wire_scene *wire_scene_follow(const struct wire_scene *shown, const struct cn_world *world,
    const struct wire_change *change, const int *body_slots, const int *joint_slots);

#endif
