/*
 * scene.h: a scene, from text or bytes to the definition of a world.
 *
 * A struct wire_scene owns the message and a cn_world_def whose arrays point into it; names of
 * bodies, materials and actuators are resolved once, here.  A scene that exists has passed
 * cn_world_def_check, so cn_world_create can fail on it only for want of memory.
 */
#ifndef PROTO_SCENE_H
#define PROTO_SCENE_H

#include "engine/cairn.h"
#include "proto/caps.h"
#include "proto/durability.h"
#include "proto/precision.h"
#include "proto/text.h"

#include <stddef.h>
#include <stdint.h>

struct Cairn__V1__Scene; /* protobuf-c's name for the message */

struct wire_scene;

struct as_folder;  /* assets/folder.h */
struct as_library; /* assets/library.h */

/* Where meshes come from that do not stand in the scene; each may be NULL. */
struct wire_mesh_tools {
    const struct as_folder *folder; /* of files that the scene names; NULL: such are refused */
    struct as_library *library;     /* where meshes are kept; NULL: each is made anew */
    bool is_own; /* the daemon has stored it: it may be as large as one of a file */
};

/* From YAML or JSON. NULL with *error filled (path, line, value, limit, nearest name). */
struct wire_scene *wire_scene_parse(const char *text, size_t size, struct wire_text_error *error);

/* From protobuf bytes. NULL with *error filled; line is 0. */
struct wire_scene *wire_scene_unpack(
    const uint8_t *bytes, size_t size, struct wire_text_error *error);

/* Whether the bytes of a scene hold meshes, so that reading it may take long; reads tags alone. */
bool wire_scene_bytes_have_meshes(const uint8_t *bytes, size_t size);

/* From a message; takes it (freed also on failure). */
struct wire_scene *wire_scene_adopt(
    struct Cairn__V1__Scene *message_take, struct wire_text_error *error);

/* The same with meshes from elsewhere; tools are not kept. */
struct wire_scene *wire_scene_parse_with(const char *text, size_t size,
    const struct wire_mesh_tools *tools, struct wire_text_error *error);
struct wire_scene *wire_scene_unpack_with(const uint8_t *bytes, size_t size,
    const struct wire_mesh_tools *tools, struct wire_text_error *error);

/* The same for the bodies of a change, whose shapes name the meshes of another scene. */
struct wire_scene *wire_scene_adopt_into(struct Cairn__V1__Scene *message_take,
    const struct wire_scene *into, struct wire_text_error *error);

void wire_scene_destroy(struct wire_scene *scene);

const struct Cairn__V1__Scene *wire_scene_message(const struct wire_scene *scene);
const struct cn_world_def *wire_scene_world_def(const struct wire_scene *scene);
enum wire_durability wire_scene_durability(
    const struct wire_scene *scene, enum wire_durability standard); /* where it does not say */
bool wire_scene_wants_leases(const struct wire_scene *scene);

/* What each person may do to each body, as far as the scene says. */
struct wire_caps wire_scene_caps(const struct wire_scene *scene);
struct wire_precision wire_scene_precision(const struct wire_scene *scene);

/* How far back queries may ask: in ms, where the scene says nothing the most, and in ticks. */
#define WIRE_REWIND_MS_MAX 1000
uint32_t wire_scene_rewind_ms(const struct wire_scene *scene);
int wire_scene_rewind_ticks(const struct wire_scene *scene);
const char *wire_scene_name(const struct wire_scene *scene);

/* "unknown" beyond those of the scene, which may have been unable to follow its world. */
const char *wire_scene_body_name(const struct wire_scene *scene, int body);
const char *wire_scene_joint_name(const struct wire_scene *scene, int joint);

/*
 * The shapes of a body as the scene says them, for who draws them: their geometry and meshes, not
 * their materials.  A body that the scene lacks has none.  *def borrows `vertices`, which has room
 * for WIRE_SHAPE_VERTICES_MAX.
 */
#define WIRE_SHAPE_VERTICES_MAX                                                                    \
    (CN_HULL_POINTS_MAX > CN_POLYGON_VERTICES_MAX ? CN_HULL_POINTS_MAX : CN_POLYGON_VERTICES_MAX)
int wire_scene_shape_count(const struct wire_scene *scene, int body);
void wire_scene_shape(const struct wire_scene *scene, int body, int index, cn_vec3 *vertices,
    struct cn_shape_def *def);

/* What a body says of who is to see it; a slot beyond the scene's bodies says nothing. */
bool wire_scene_body_is_relevant(const struct wire_scene *scene, int body);
bool wire_scene_body_has_tag(const struct wire_scene *scene, int body, const char *tag);

/* -1 when there is no such body. */
int wire_scene_body_find(const struct wire_scene *scene, const char *name);

#endif
