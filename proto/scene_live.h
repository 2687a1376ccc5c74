/*
 * scene_live.h: changes of a running world, which make and remove bodies and joints, and the
 * resulting scene.
 *
 * The bodies and joints of a change are read as a separate scene, with the world, materials and
 * curves of the scene to which they are added.  So they get the same checks as a scene, and errors
 * have the same paths.  A joint connects two bodies of the same change, or one body and the world.
 *
 * The scene that members receive is updated with the world: body i and joint i of its message are
 * slot i.  An empty slot is a STATIC body without shapes, marked absent, or a joint without a kind.
 */
#ifndef PROTO_SCENE_LIVE_H
#define PROTO_SCENE_LIVE_H

#include "proto/scene.h"

struct Cairn__V1__Change;
struct scene_spawns;

struct wire_change {
    struct Cairn__V1__Change *message; /* names to remove; its bodies and joints are in `part` */
    struct wire_scene *part;           /* NULL if the change only removes */
    struct scene_spawns *spawns;       /* which of its bodies copy a prefab; NULL: none do */
    uint8_t *bytes;                    /* the original bytes, so that it can be read again; owned */
    size_t size;
};

/* Reads protobuf bytes of a Change.  NULL with *defect filled. */
struct wire_change *wire_change_unpack(
    const uint8_t *bytes, size_t size, const struct wire_scene *into, struct cn_defect *defect);
void wire_change_destroy(struct wire_change *change);

/* The path of a body that a spawn makes is changed to begin with the spawn. */
void wire_change_locate(const struct wire_change *change, struct cn_defect *defect);

/*
 * Looks up the bodies and joints that a change removes, names the spawns that have no name, and
 * checks that new names are free.  Fills the slots to remove; wire_change_gone_counts gives their
 * number.
 */
void wire_change_gone_counts(const struct wire_change *change, int *bodies, int *joints);
CN_MUST_USE enum cn_status wire_change_resolve(struct wire_change *change,
    const struct wire_scene *shown, int *gone_bodies, int *gone_joints, struct cn_defect *defect);

/*
 * Reads an updated scene from the bytes of its message (wire_scene_pack).  It shares the meshes of
 * the scene that it was made from.  NULL without memory, or if it is not a scene or has invalid
 * shapes.
 */
struct wire_scene *wire_scene_show(
    const uint8_t *bytes, size_t size, const struct wire_scene *from);

/* Packs the message of a scene into bytes, heap; NULL without memory. */
uint8_t *wire_scene_pack(const struct wire_scene *scene, size_t *size);

/*
 * Returns the scene after the change: `shown` with the new bodies and joints in their slots and
 * without the removed ones.  It can be shown and printed, but no world can be made from it.  NULL
 * without memory.
 */
struct wire_scene *wire_scene_follow(const struct wire_scene *shown, const struct cn_world *world,
    const struct wire_change *change, const int *body_slots, const int *joint_slots);

#endif
