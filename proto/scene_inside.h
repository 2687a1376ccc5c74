/*
 * scene_inside.h: the inside of a scene, for the files that build it.
 *
 * One block holds all arrays; it is laid out by counting the message first.  Strings belong to the
 * message, but for default names of bodies, which stand in the block.
 */
#ifndef PROTO_SCENE_INSIDE_H
#define PROTO_SCENE_INSIDE_H

#include "proto/limits.h"
#include "proto/scene.h"

#include "engine/base/arena.h"

#include "cairn/v1/scene.pb-c.h"

/* A name and what it names, sorted by name, so that 10,000 bodies are found in 14 steps. */
struct scene_name {
    const char *name;
    int index;
};

/* "body12" */
struct scene_default_name {
    char text[32];
};

struct scene_counts {
    size_t materials, bodies, shapes, vertices, springs, thrusters;
    size_t joints, curves, curve_points;
};

/*
 * Unpacks with the C library's memory.  NULL with *defect filled: CN_SYNTAX when the bytes are no
 * message of `what`, CN_MEMORY when that can not be known.
 */
ProtobufCMessage *scene_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
    size_t size, const char *what, struct cn_defect *defect);

struct wire_scene {
    Cairn__V1__Scene *message;
    struct cn_world_def def;
    struct scene_counts count;
    struct cn_material_def *materials;
    struct cn_body_def *bodies;
    struct cn_shape_def *shapes;
    cn_vec3 *vertices;
    struct cn_spring_def *springs;
    struct cn_thruster_def *thrusters;
    struct cn_joint_def *joints;
    struct cn_curve_def *curves;
    cn_vec3 *curve_points;
    const char **material_names, **body_names, **joint_names, **curve_names;
    struct scene_default_name *default_names; /* of bodies, materials, joints and curves */
    struct scene_name *material_order, *body_order, *joint_order, *curve_order;
    int *spring_force, *thruster_force; /* index among the message's forces */
    int damping_force, gravitation_force; /* -1: none */
    struct cn_mesh **meshes;  /* each kept */
    int mesh_count;
    const Cairn__V1__Scene *mesh_names; /* the message that names them */
    void *block;
};

CN_MUST_USE enum cn_status scene_check_precision(
    const Cairn__V1__Scene *message, struct cn_defect *defect);
CN_MUST_USE enum cn_status scene_check_rewind(
    const Cairn__V1__Scene *message, struct cn_defect *defect);
CN_MUST_USE enum cn_status scene_check_caps(
    const Cairn__V1__Scene *message, struct cn_defect *defect);

/* Words: names, titles, colours. */
CN_MUST_USE enum cn_status scene_check_words(
    const Cairn__V1__Scene *message, struct cn_defect *defect);

/* Gives bodies, materials, joints and curves names and sorts them; refuses two of one name. */
CN_MUST_USE enum cn_status scene_name_all(struct wire_scene *scene, struct cn_defect *defect);

/*
 * Gives bodies and joints of a scene that follows a world names, those of their slots; no order
 * sorts them.  False without memory.
 */
CN_MUST_USE bool scene_name_slots(struct wire_scene *scene);

/* The index of a name, -1 when there is none. */
int scene_name_find(const struct scene_name *order, size_t count, const char *name);

/* "is "flor"; no body has that name; did you mean "floor"?" */
enum cn_status scene_refuse_name(struct cn_defect *defect, const char *path, const char *name,
    const char *kind, const char *const *names, size_t count);

/* Counts what the message holds; refuses more than the engine admits. */
CN_MUST_USE enum cn_status scene_count(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect);

/* Fills the definition from the message; names have been given. */
CN_MUST_USE enum cn_status scene_fill(struct wire_scene *scene, struct cn_defect *defect);

/* scene_shape.c: adds the vertices of one shape; refuses too many. Paths begin at the shape. */
CN_MUST_USE enum cn_status scene_shape_count(
    const Cairn__V1__Shape *shape, size_t *vertex_count, struct cn_defect *defect);

/* All of a shape but its material; moves *vertices on by what was counted, which *def borrows. */
CN_MUST_USE enum cn_status scene_shape_fill(const Cairn__V1__Shape *shape, cn_vec3 **vertices,
    struct cn_shape_def *def, struct cn_defect *defect);

/* Whether each shape of the scene's message can be read, as it was before. */
CN_MUST_USE bool scene_check_shapes(const struct wire_scene *scene);
struct cn_filter scene_filter_of(const Cairn__V1__Filter *filter);

/* scene_mesh.c: makes the meshes of the message, which then stand inline; or takes another's. */
CN_MUST_USE enum cn_status scene_make_meshes(
    struct wire_scene *scene, const struct wire_mesh_tools *tools, struct cn_defect *defect);
CN_MUST_USE bool scene_take_meshes(struct wire_scene *scene, const struct wire_scene *from);
void scene_drop_meshes(struct wire_scene *scene);

/* Fills a shape that names a mesh; the path begins at the shape. */
CN_MUST_USE enum cn_status scene_find_mesh(const struct wire_scene *scene,
    const Cairn__V1__Shape *shape, struct cn_shape_def *def, struct cn_defect *defect);

/* scene_joint.c: fills joints and curves. */
CN_MUST_USE enum cn_status scene_fill_joints(struct wire_scene *scene, struct cn_defect *defect);
CN_MUST_USE enum cn_status scene_count_joints(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect);

#endif
