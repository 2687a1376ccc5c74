/* read.c: reads, packs and frees scenes; fill.c and name.c convert their contents. */
#include "proto/scene/inside.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "proto/text/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static void
lay_out(struct wire_scene *scene, struct cn_arena *arena)
{
    const struct scene_counts *count = &scene->count;
    scene->materials = CN_ARENA_TAKE(arena, struct cn_material_def, count->materials);
    scene->bodies = CN_ARENA_TAKE(arena, struct cn_body_def, count->bodies);
    scene->shapes = CN_ARENA_TAKE(arena, struct cn_shape_def, count->shapes);
    scene->vertices = CN_ARENA_TAKE(arena, cn_vec3, count->vertices);
    scene->springs = CN_ARENA_TAKE(arena, struct cn_spring_def, count->springs);
    scene->thrusters = CN_ARENA_TAKE(arena, struct cn_thruster_def, count->thrusters);
    scene->constants = CN_ARENA_TAKE(arena, struct cn_constant_force_def, count->constants);
    scene->joints = CN_ARENA_TAKE(arena, struct cn_joint_def, count->joints);
    scene->curves = CN_ARENA_TAKE(arena, struct cn_curve_def, count->curves);
    scene->curve_points = CN_ARENA_TAKE(arena, cn_vec3, count->curve_points);
    scene->attributes = CN_ARENA_TAKE(arena, struct cn_attribute, count->attributes);
    scene->material_pairs =
        CN_ARENA_TAKE(arena, struct cn_material_pair, count->material_pairs);
    scene->rule_rows = CN_ARENA_TAKE(arena, struct wire_rule, count->rules);
    scene->rule_conditions = CN_ARENA_TAKE(arena, struct wire_condition, count->rule_conditions);
    scene->rule_effects = CN_ARENA_TAKE(arena, struct wire_rule_effect, count->rule_effects);
    scene->spawners = CN_ARENA_TAKE(arena, struct wire_spawner, count->spawners);
    scene->material_names = CN_ARENA_TAKE(arena, const char *, count->materials);
    scene->body_names = CN_ARENA_TAKE(arena, const char *, count->bodies);
    scene->joint_names = CN_ARENA_TAKE(arena, const char *, count->joints);
    scene->curve_names = CN_ARENA_TAKE(arena, const char *, count->curves);
    scene->default_names = CN_ARENA_TAKE(arena, struct scene_default_name,
        count->bodies + count->materials + count->joints + count->curves);
    scene->material_order = CN_ARENA_TAKE(arena, struct scene_name, count->materials);
    scene->body_order = CN_ARENA_TAKE(arena, struct scene_name, count->bodies);
    scene->joint_order = CN_ARENA_TAKE(arena, struct scene_name, count->joints);
    scene->curve_order = CN_ARENA_TAKE(arena, struct scene_name, count->curves);
    scene->spring_force = CN_ARENA_TAKE(arena, int, count->springs);
    scene->thruster_force = CN_ARENA_TAKE(arena, int, count->thrusters);
    scene->constant_force = CN_ARENA_TAKE(arena, int, count->constants);
}

static enum cn_status
allocate_scene(struct wire_scene *scene, struct cn_defect *defect)
{
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    lay_out(scene, &arena);
    size_t size = (arena.used + 63) / 64 * 64 + 64;
    scene->block = aligned_alloc(64, size);
    if (scene->block == NULL) {
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for %zu bytes of a scene", size);
    }
    memset(scene->block, 0, size);
    cn_arena_init(&arena, scene->block, size);
    lay_out(scene, &arena);
    CN_ASSERT(arena.used <= size); /* laid out as it was measured */
    return CN_OK;
}

void
wire_scene_destroy(struct wire_scene *scene)
{
    if (scene == NULL) {
        return;
    }
    scene_drop_meshes(scene);
    wire_text_free(&scene->message->base);
    free(scene->block);
    free(scene);
}

/* ---- from a message ---- */

/* Reads the index where a path begins with `list`[index]. */
static bool
has_index(const char *path, const char *list, int *index)
{
    size_t length = strlen(list);
    if (strncmp(path, list, length) != 0 || path[length] != '[') {
        return false;
    }
    *index = atoi(path + length + 1);
    return true;
}

/* The engine's paths name springs[2] or damping; in the scene these are elements of `forces`. */
static void
name_force(const struct wire_scene *scene, struct cn_defect *defect)
{
    char rest[CN_DEFECT_PATH_SIZE];
    const char *dot = strchr(defect->path, '.');
    snprintf(rest, sizeof(rest), "%s", dot != NULL ? dot : "");
    int index = 0, force = -1;
    const char *kind = "";
    if (has_index(defect->path, "springs", &index)) {
        CN_ASSERT(index >= 0 && index < scene->def.spring_count);
        force = scene->spring_force[index];
        kind = "spring";
    } else if (has_index(defect->path, "thrusters", &index)) {
        CN_ASSERT(index >= 0 && index < scene->def.thruster_count);
        force = scene->thruster_force[index];
        kind = "thruster";
    } else if (has_index(defect->path, "constants", &index)) {
        CN_ASSERT(index >= 0 && index < scene->def.constant_force_count);
        force = scene->constant_force[index];
        kind = "constant";
    } else if (strncmp(defect->path, "damping.", 8) == 0) {
        force = scene->damping_force;
        kind = "damping";
    } else if (strncmp(defect->path, "gravitation.", 12) == 0) {
        force = scene->gravitation_force;
        kind = "gravitation";
    }
    if (force >= 0) {
        defect->path[0] = '\0';
        cn_defect_prefix(defect, "forces[%d].%s%.90s", force, kind, rest);
    }
}

/* Which scene's meshes a scene uses. */
struct origin {
    const struct wire_mesh_tools *tools;
    const struct wire_scene *into; /* NULL if it has its own meshes */
};

static enum cn_status
get_meshes(struct wire_scene *scene, const struct origin *origin, struct cn_defect *defect)
{
    if (origin->into == NULL) {
        return scene_make_meshes(scene, origin->tools, defect);
    }
    return scene_take_meshes(scene, origin->into)
               ? CN_OK
               : cn_defect_set(defect, CN_MEMORY, "", "no memory for a scene");
}

static enum cn_status check_prefabs(
    const struct wire_scene *scene, struct cn_defect *defect);

static enum cn_status
build_scene(struct wire_scene *scene, const struct origin *origin, struct cn_defect *defect)
{
    enum cn_status status = scene_check_words(scene->message, defect);
    if (status == CN_OK) {
        status = scene_check_precision(scene->message, defect);
    }
    if (status == CN_OK) {
        status = scene_check_rewind(scene->message, defect);
    }
    if (status == CN_OK) {
        status = scene_check_caps(scene->message, defect);
    }
    if (status == CN_OK) {
        status = scene_count(scene->message, &scene->count, defect);
    }
    if (status == CN_OK) {
        status = allocate_scene(scene, defect);
    }
    if (status == CN_OK) {
        status = scene_name_all(scene, defect);
    }
    if (status == CN_OK) {
        status = get_meshes(scene, origin, defect);
    }
    if (status == CN_OK) {
        status = scene_fill(scene, defect);
    }
    if (status == CN_OK) {
        status = cn_world_def_check(&scene->def, defect);
        name_force(scene, defect);
    }
    if (status == CN_OK) {
        status = check_prefabs(scene, defect);
    }
    return status == CN_OK ? scene_fill_rules(scene, defect) : status;
}

static struct wire_scene *
make_scene(Cairn__V1__Scene *message_take, const struct origin *origin, struct cn_defect *defect)
{
    struct wire_scene *scene = calloc(1, sizeof(*scene));
    if (scene == NULL) {
        wire_text_free(&message_take->base);
        (void)cn_defect_set(defect, CN_MEMORY, "", "no memory for a scene");
        return NULL;
    }
    CN_ASSERT(message_take != NULL);
    scene->message = message_take;
    wire_message_drop_signs_of_zero(&message_take->base);
    if (build_scene(scene, origin, defect) != CN_OK) {
        wire_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

/* ---- prefabs of a scene ---- */

static enum cn_status
check_prefab(const struct wire_scene *scene, const Cairn__V1__Prefab *prefab,
    struct cn_defect *defect)
{
    Cairn__V1__Scene *part = scene_part_begin(scene->message);
    if (part == NULL ||
        !scene_copy_all((ProtobufCMessage *const *)prefab->bodies, prefab->n_bodies,
            &part->bodies, &part->n_bodies) ||
        !scene_copy_all((ProtobufCMessage *const *)prefab->joints, prefab->n_joints,
            &part->joints, &part->n_joints)) {
        if (part != NULL) {
            cairn__v1__scene__free_unpacked(part, NULL);
        }
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for a prefab");
    }
    const struct origin origin = {NULL, scene};
    struct wire_scene *made = make_scene(part, &origin, defect);
    wire_scene_destroy(made);
    return made != NULL ? CN_OK : defect->status;
}

static enum cn_status
check_prefab_name(const Cairn__V1__Scene *scene, size_t index, struct cn_defect *defect)
{
    const char *name = scene->prefabs[index]->name;
    if (name[0] == '\0' || strlen(name) > WIRE_PREFAB_NAME_SIZE_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "name", "has %zu bytes; 1 to %d are accepted",
            strlen(name), WIRE_PREFAB_NAME_SIZE_MAX);
    }
    for (size_t i = 0; i < index; i++) {
        if (strcmp(scene->prefabs[i]->name, name) == 0) {
            return cn_defect_set(defect, CN_DUPLICATE, "name",
                "is %s, the name of prefabs[%zu] already", cn_quote(name).text, i);
        }
    }
    return CN_OK;
}

/* Checks every prefab like a scene of its own. */
static enum cn_status
check_prefabs(const struct wire_scene *scene, struct cn_defect *defect)
{
    const Cairn__V1__Scene *message = scene->message;
    if (message->n_prefabs > WIRE_PREFABS_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "prefabs",
            "has %zu entries; at most %d are accepted", message->n_prefabs, WIRE_PREFABS_MAX);
    }
    for (size_t i = 0; i < message->n_prefabs; i++) {
        enum cn_status status = check_prefab_name(message, i, defect);
        if (status == CN_OK) {
            status = check_prefab(scene, message->prefabs[i], defect);
        }
        if (status != CN_OK) {
            bool is_inside = defect->path[0] != '\0';
            cn_defect_prefix(defect, "prefabs[%zu]%s", i, is_inside ? "." : "");
            return status;
        }
    }
    return CN_OK;
}

/* ---- from texts and bytes ---- */

struct wire_scene *
wire_scene_parse_with(const char *text, size_t size, const struct wire_mesh_tools *tools,
    struct wire_text_error *error)
{
    ProtobufCMessage *message = wire_text_parse(&cairn__v1__scene__descriptor, text, size, error);
    if (message == NULL) {
        return NULL;
    }
    *error = (struct wire_text_error){0};
    const struct origin origin = {tools, NULL};
    struct wire_scene *scene = make_scene((Cairn__V1__Scene *)message, &origin, &error->defect);
    if (scene == NULL) {
        (void)wire_text_locate(text, size, error->defect.path, &error->line, &error->column);
    }
    return scene;
}

struct wire_scene *
wire_scene_parse(const char *text, size_t size, struct wire_text_error *error)
{
    return wire_scene_parse_with(text, size, NULL, error);
}

static struct wire_scene *
adopt_message(
    Cairn__V1__Scene *message_take, const struct origin *origin, struct wire_text_error *error)
{
    *error = (struct wire_text_error){0};
    if (wire_message_check(&message_take->base, &error->defect) != CN_OK) {
        wire_text_free(&message_take->base);
        return NULL;
    }
    return make_scene(message_take, origin, &error->defect);
}

struct wire_scene *
wire_scene_adopt(Cairn__V1__Scene *message_take, struct wire_text_error *error)
{
    return adopt_message(message_take, &(struct origin){NULL, NULL}, error);
}

struct wire_scene *
wire_scene_adopt_into(
    Cairn__V1__Scene *message_take, const struct wire_scene *into, struct wire_text_error *error)
{
    return adopt_message(message_take, &(struct origin){NULL, into}, error);
}

static void *
allocate_noting(void *is_short, size_t size)
{
    void *block = malloc(size);
    if (block == NULL) {
        *(bool *)is_short = true;
    }
    return block;
}

static void
free_noting(void *is_short, void *block)
{
    (void)is_short;
    free(block);
}

ProtobufCMessage *
scene_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t size,
    const char *what, struct cn_defect *defect)
{
    bool is_short = false;
    ProtobufCAllocator allocator = {allocate_noting, free_noting, &is_short};
    ProtobufCMessage *message = protobuf_c_message_unpack(descriptor, &allocator, size, bytes);
    if (message == NULL) {
        (void)(is_short
                   ? cn_defect_set(defect, CN_MEMORY, "", "no memory for %s", what)
                   : cn_defect_set(defect, CN_SYNTAX, "", "is not a protobuf message of %s", what));
    }
    return message;
}

struct wire_scene *
wire_scene_unpack_with(const uint8_t *bytes, size_t size, const struct wire_mesh_tools *tools,
    struct wire_text_error *error)
{
    *error = (struct wire_text_error){0};
    ProtobufCMessage *message =
        scene_unpack(&cairn__v1__scene__descriptor, bytes, size, "a scene", &error->defect);
    if (message == NULL) {
        return NULL;
    }
    return adopt_message((Cairn__V1__Scene *)message, &(struct origin){tools, NULL}, error);
}

struct wire_scene *
wire_scene_unpack(const uint8_t *bytes, size_t size, struct wire_text_error *error)
{
    return wire_scene_unpack_with(bytes, size, NULL, error);
}

static bool
read_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

bool
wire_scene_bytes_have_meshes(const uint8_t *bytes, size_t size)
{
    enum { VARINT, FIXED64, BYTES, FIXED32 = 5 }; /* protobuf's wire types */
    const ProtobufCFieldDescriptor *meshes =
        protobuf_c_message_descriptor_get_field_by_name(&cairn__v1__scene__descriptor, "meshes");
    const uint8_t *at = bytes, *end = bytes + size;
    uint64_t tag, value;
    while (read_varint(&at, end, &tag)) {
        uint64_t skip = 0;
        if (tag >> 3 == meshes->id) {
            return true;
        }
        switch (tag & 7) {
        case VARINT:
            if (!read_varint(&at, end, &value)) {
                return false;
            }
            break;
        case FIXED64:
            skip = 8;
            break;
        case BYTES:
            if (!read_varint(&at, end, &skip)) {
                return false;
            }
            break;
        case FIXED32:
            skip = 4;
            break;
        default:
            return false; /* not a scene; the parser refuses it at once */
        }
        if (skip > (uint64_t)(end - at)) {
            return false;
        }
        at += skip;
    }
    return false;
}
