/*
 * scene.h: reads a scene from text or bytes and makes the definition of a world.
 *
 * A struct wire_scene owns the message and a cn_world_def whose arrays point into it.  Names of
 * bodies, materials and actuators are resolved here, once.  Every scene has passed
 * cn_world_def_check, so cn_world_create can only fail because memory runs out.
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

/* Sources of meshes that are not inside the scene; each may be NULL. */
struct wire_mesh_tools {
    const struct as_folder *folder; /* files that the scene names; NULL: files are refused */
    struct as_library *library;     /* scenes share its meshes; NULL: each scene makes its own */
    bool is_own; /* the scene comes from the daemon's store: the larger limits of files hold */
};

/* Reads YAML or JSON.  On failure NULL and *error with path, line, value, limit, nearest name. */
struct wire_scene *wire_scene_parse(const char *text, size_t size, struct wire_text_error *error);

/* Reads protobuf bytes.  NULL with *error filled; line is 0. */
struct wire_scene *wire_scene_unpack(
    const uint8_t *bytes, size_t size, struct wire_text_error *error);

/* Whether a scene's bytes contain meshes, so that reading may take long; looks at tags only. */
bool wire_scene_bytes_have_meshes(const uint8_t *bytes, size_t size);

/* Reads a message and takes it: the message is also freed on failure. */
struct wire_scene *wire_scene_adopt(
    struct Cairn__V1__Scene *message_take, struct wire_text_error *error);

/* The same with meshes from elsewhere; `tools` is only used during the call. */
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
    const struct wire_scene *scene, enum wire_durability standard); /* if the scene sets none */
bool wire_scene_wants_leases(const struct wire_scene *scene);

/* The caps of each body that the scene sets. */
struct wire_caps wire_scene_caps(const struct wire_scene *scene);
struct wire_precision wire_scene_precision(const struct wire_scene *scene);

/* The largest age of a query, in ms and in ticks; if the scene sets none, the largest allowed. */
#define WIRE_REWIND_MS_MAX 1000
uint32_t wire_scene_rewind_ms(const struct wire_scene *scene);
int wire_scene_rewind_ticks(const struct wire_scene *scene);
const char *wire_scene_name(const struct wire_scene *scene);

/* "unknown" beyond the scene's bodies: the scene may not be updated with its world. */
const char *wire_scene_body_name(const struct wire_scene *scene, int body);
const char *wire_scene_joint_name(const struct wire_scene *scene, int joint);

/*
 * The shapes of a body for drawing: geometry and meshes, without materials.  A body that is not in
 * the scene has no shapes.  *def borrows `vertices`, which has room for WIRE_SHAPE_VERTICES_MAX.
 */
#define WIRE_SHAPE_VERTICES_MAX                                                                    \
    (CN_HULL_POINTS_MAX > CN_POLYGON_VERTICES_MAX ? CN_HULL_POINTS_MAX : CN_POLYGON_VERTICES_MAX)
int wire_scene_shape_count(const struct wire_scene *scene, int body);
void wire_scene_shape(const struct wire_scene *scene, int body, int index, cn_vec3 *vertices,
    struct cn_shape_def *def);

/* The body's tags and whether it is always relevant; a slot beyond the scene's bodies has none. */
bool wire_scene_body_is_relevant(const struct wire_scene *scene, int body);
bool wire_scene_body_has_tag(const struct wire_scene *scene, int body, const char *tag);

/* -1 if there is no such body. */
int wire_scene_body_find(const struct wire_scene *scene, const char *name);

#endif
