/*
 * inside.h: the private parts of a scene, for the files that build it.
 *
 * One block holds all arrays; its size comes from counting the message first.  Strings belong to
 * the message, except default names of bodies, which are in the block.
 */
#ifndef PROTO_SCENE_INSIDE_H
#define PROTO_SCENE_INSIDE_H

#include "proto/limits.h"
#include "proto/rules.h"
#include "proto/scene.h"

#include "engine/base/arena.h"

#include "cairn/v1/scene.pb-c.h"

/* A name and its index, sorted by name, so that one of 10,000 bodies is found in 14 steps. */
struct scene_name {
    const char *name;
    int index;
};

/* "body12" */
struct scene_default_name {
    char text[32];
};

struct scene_counts {
    size_t materials, bodies, shapes, vertices, springs, thrusters, constants;
    size_t joints, curves, curve_points, attributes, material_pairs;
    size_t rules, rule_conditions, rule_effects, spawners;
};

/*
 * Unpacks with the C library's allocator.  On failure returns NULL and fills *defect: CN_SYNTAX if
 * the bytes are not a message of the kind `what`, CN_MEMORY if memory ran out.
 */
ProtobufCMessage *scene_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
    size_t size, const char *what, struct cn_defect *defect);

/*
 * copy.c: copies of messages.  Returns NULL for NULL, and if memory runs out.  Without memory
 * scene_copy_all is false, and *out can still be freed.
 */
ProtobufCMessage *scene_copy_message(const ProtobufCMessage *message);
CN_MUST_USE bool scene_copy_all(
    ProtobufCMessage *const *from, size_t count, void *out, size_t *out_count);

/* A scene without bodies that has the world, materials and curves of another; NULL: no memory. */
Cairn__V1__Scene *scene_part_begin(const Cairn__V1__Scene *into);

/* Addresses of the names by which a joint refers to its bodies; NULL for none. */
void scene_joint_ends(Cairn__V1__Joint *joint, char **ends[2]);

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
    struct cn_constant_force_def *constants;
    struct cn_joint_def *joints;
    struct cn_curve_def *curves;
    cn_vec3 *curve_points;
    struct cn_attribute *attributes;
    struct cn_material_pair *material_pairs;
    struct wire_rules rules;
    struct wire_rule *rule_rows;
    struct wire_condition *rule_conditions;
    struct wire_rule_effect *rule_effects;
    struct wire_spawner *spawners;
    const char **material_names, **body_names, **joint_names, **curve_names;
    struct scene_default_name *default_names; /* of bodies, materials, joints and curves */
    struct scene_name *material_order, *body_order, *joint_order, *curve_order;
    int *spring_force, *thruster_force, *constant_force; /* indices in the message's forces */
    int damping_force, gravitation_force; /* -1: absent */
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

/* Checks names, titles and colours. */
CN_MUST_USE enum cn_status scene_check_words(
    const Cairn__V1__Scene *message, struct cn_defect *defect);

/* Names bodies, materials, joints and curves, and sorts the names; refuses duplicate names. */
CN_MUST_USE enum cn_status scene_name_all(struct wire_scene *scene, struct cn_defect *defect);

/*
 * Names the bodies and joints of a running world's scene after their slots; these names are not
 * sorted.  False without memory.
 */
CN_MUST_USE bool scene_name_slots(struct wire_scene *scene);

/* The index of a name, or -1. */
int scene_name_find(const struct scene_name *order, size_t count, const char *name);

/* Fills a defect, for example: is "flor"; no body has that name; did you mean "floor"? */
enum cn_status scene_refuse_name(struct cn_defect *defect, const char *path, const char *name,
    const char *kind, const char *const *names, size_t count);

/* Counts the parts of the message; refuses more than the engine allows. */
CN_MUST_USE enum cn_status scene_count(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect);

/* Fills the definition from the message, after all names have been set. */
CN_MUST_USE enum cn_status scene_fill(struct wire_scene *scene, struct cn_defect *defect);

/* shape.c: adds the vertices of one shape; refuses too many. Paths begin at the shape. */
CN_MUST_USE enum cn_status scene_shape_count(
    const Cairn__V1__Shape *shape, size_t *vertex_count, struct cn_defect *defect);

/* Fills a shape except its material; moves *vertices past those that *def borrows. */
CN_MUST_USE enum cn_status scene_shape_fill(const Cairn__V1__Shape *shape, cn_vec3 **vertices,
    struct cn_shape_def *def, struct cn_defect *defect);

/* Whether each shape of the scene's message is valid. */
CN_MUST_USE bool scene_check_shapes(const struct wire_scene *scene);
struct cn_filter scene_filter_of(const Cairn__V1__Filter *filter);

/*
 * mesh.c: makes the meshes of the message and stores them inline in it, or uses those of
 * another scene.
 */
CN_MUST_USE enum cn_status scene_make_meshes(
    struct wire_scene *scene, const struct wire_mesh_tools *tools, struct cn_defect *defect);
CN_MUST_USE bool scene_take_meshes(struct wire_scene *scene, const struct wire_scene *from);
void scene_drop_meshes(struct wire_scene *scene);

/* Fills a shape that names a mesh; the path begins at the shape. */
CN_MUST_USE enum cn_status scene_find_mesh(const struct wire_scene *scene,
    const Cairn__V1__Shape *shape, struct cn_shape_def *def, struct cn_defect *defect);

/* attribute.c: counts and fills the attributes of the world and of bodies. */
CN_MUST_USE enum cn_status scene_count_attributes(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect);
CN_MUST_USE enum cn_status scene_fill_attributes(
    struct wire_scene *scene, struct cn_defect *defect);

/* material_pair.c: fills the pairs of materials. */
CN_MUST_USE enum cn_status scene_fill_material_pairs(
    struct wire_scene *scene, struct cn_defect *defect);

/* rules.c: counts, fills and checks rules and spawners. */
CN_MUST_USE enum cn_status scene_count_rules(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect);
CN_MUST_USE enum cn_status scene_fill_rules(struct wire_scene *scene, struct cn_defect *defect);

/* joint.c: fills joints and curves. */
CN_MUST_USE enum cn_status scene_fill_joints(struct wire_scene *scene, struct cn_defect *defect);
CN_MUST_USE enum cn_status scene_count_joints(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect);

#endif
