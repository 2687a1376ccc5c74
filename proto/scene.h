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
#include "proto/text.h"

#include <stddef.h>
#include <stdint.h>

struct Cairn__V1__Scene; /* protobuf-c's name for the message */

struct wire_scene;

/* Where a mesh comes from that does not stand inline, as the scene says. */
struct wire_mesh_source {
    const char *file; /* a name beside the scene; NULL: */
    const char *obj;  /* the text of an OBJ file */
};

/* What is read of one: from malloc, the caller's to free. */
struct wire_mesh_arrays {
    int vertex_count, triangle_count;
    cn_vec3 *vertex;
    int32_t (*triangle)[3];
};

/*
 * Who reads meshes for a scene, and who keeps them; the paths of defects begin at the source.  A
 * function that is NULL: nothing is read, and meshes are baked by cn_mesh_make.
 */
struct wire_mesh_tools {
    void *context;
    enum cn_status (*read)(void *context, const struct wire_mesh_source *source,
        struct wire_mesh_arrays *arrays, struct cn_defect *defect);
    enum cn_status (*bake)(void *context, const struct cn_mesh_def *def, struct cn_mesh **mesh,
        struct cn_defect *defect);
};

/* From YAML or JSON. NULL with *error filled (path, line, value, limit, nearest name). */
struct wire_scene *wire_scene_parse(const char *text, size_t size, struct wire_text_error *error);

/* From protobuf bytes. NULL with *error filled; line is 0. */
struct wire_scene *wire_scene_unpack(
    const uint8_t *bytes, size_t size, struct wire_text_error *error);

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
const char *wire_scene_name(const struct wire_scene *scene);
const char *wire_scene_body_name(const struct wire_scene *scene, int body);
const char *wire_scene_joint_name(const struct wire_scene *scene, int joint);

/* -1 when there is no such body. */
int wire_scene_body_find(const struct wire_scene *scene, const char *name);

#endif
