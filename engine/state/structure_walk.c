/*
 * structure_walk.c: the slots of a world in an image.
 *
 *     counts of body, shape and joint slots, the smallest length
 *     count of the scene's bodies that are gone, and their slots
 *     count of records, then for each body that is not as the scene has it, ascending:
 *         slot, source, generation, and the definition of CHANGED and MADE bodies
 *     the same for joints
 *
 * A world whose slots are those of the scene has no records: 32 bytes.
 *
 * The data comes from outside: definitions pass the same checks as commands, references are
 * checked, and slots must be free.
 */
#include "engine/base/assert.h"
#include "engine/model/life.h"
#include "engine/state/joint_check.h"
#include "engine/state/walk_inside.h"

#include <stdlib.h>

#define RECORD_SIZE_MIN 9 /* bytes: slot, source, generation */

WALK_STRUCT(walk_body_def, struct cn_body_def, CN_FIELDS_BODY_DEF)
WALK_STRUCT(walk_shape_def, struct cn_shape_def, CN_FIELDS_SHAPE_DEF)
WALK_STRUCT(walk_shape_more, struct cn_shape_def, CN_FIELDS_SHAPE_MORE)
WALK_STRUCT(walk_filter, struct cn_filter, CN_FIELDS_FILTER)
WALK_STRUCT(walk_joint_made, struct cn_joint, CN_FIELDS_JOINT_MADE)
WALK_STRUCT(walk_joint_turn, struct cn_joint, CN_FIELDS_JOINT_TURN)

/* Added to the source of a joint's record that has CN_FIELDS_JOINT_TURN. */
#define HAS_TURN 0x80

/* Added to the kind of a shape that has CN_FIELDS_SHAPE_MORE. */
#define HAS_MORE 0x80

/* ---- definitions ---- */

/* Walks the points of a definition; when they were read the caller frees them. */
static bool
walk_points(struct cn_walk *walk, const cn_vec3 **points, int *count, int max)
{
    if (!walk_count(walk, count, max)) {
        return false;
    }
    bool reads = walk->mode == CN_WALK_READ;
    CN_ASSERT(reads || *count == 0 || *points != NULL);
    cn_vec3 *read = NULL;
    if (reads) {
        *points = read = calloc((size_t)*count + 1, sizeof(*read));
        if (read == NULL) {
            return false;
        }
    }
    for (int i = 0; i < *count; i++) {
        cn_vec3 point = reads ? (cn_vec3){0.0, 0.0, 0.0} : (*points)[i];
        walk_VEC3(walk, &point);
        if (reads) {
            read[i] = point;
        }
    }
    return true;
}

static bool
walk_shape_size(struct cn_walk *walk, struct cn_shape_def *shape)
{
    switch (shape->kind) {
    case CN_SHAPE_CIRCLE:
        walk_F64(walk, &shape->circle.radius);
        return true;
    case CN_SHAPE_SPHERE:
        walk_F64(walk, &shape->sphere.radius);
        return true;
    case CN_SHAPE_CAPSULE:
        walk_F64(walk, &shape->capsule.radius);
        walk_F64(walk, &shape->capsule.length);
        return true;
    case CN_SHAPE_BOX:
        walk_VEC3(walk, &shape->box.size);
        return true;
    case CN_SHAPE_PLANE:
        walk_VEC3(walk, &shape->plane.normal);
        walk_F64(walk, &shape->plane.offset);
        return true;
    case CN_SHAPE_POLYGON:
        return walk_points(walk, &shape->polygon.vertices, &shape->polygon.vertex_count,
            CN_POLYGON_VERTICES_MAX);
    case CN_SHAPE_HULL:
        return walk_points(
            walk, &shape->hull.vertices, &shape->hull.vertex_count, CN_HULL_POINTS_MAX);
    case CN_SHAPE_OUTLINE:
    case CN_SHAPE_CHAIN:
        WALK_SMALL(walk, shape->boundary.closed, bool);
        return walk_points(walk, &shape->boundary.points, &shape->boundary.point_count,
            CN_POLYGON_VERTICES_MAX);
    case CN_SHAPE_MESH: {
        int32_t index = shape->mesh.index;
        walk_I32(walk, &index);
        shape->mesh.index = index;
        return true;
    }
    case CN_SHAPE_KIND_COUNT:
        break;
    }
    return false;
}

/* Everything but the size; most shapes have only the first part, and no byte of the other. */
static void
walk_shape(struct cn_walk *walk, struct cn_shape_def *shape)
{
    if (walk->mode != CN_WALK_READ && cn_shape_def_has_more(shape)) {
        shape->kind = (enum cn_shape_kind)((int)shape->kind | HAS_MORE);
    }
    walk_shape_def(walk, shape);
    if (((int)shape->kind & HAS_MORE) != 0) {
        shape->kind = (enum cn_shape_kind)((int)shape->kind & ~HAS_MORE);
        walk_shape_more(walk, shape);
    }
}

static void
walk_def(struct cn_walk *walk, struct cn_body_def *def)
{
    walk_body_def(walk, def);
    int32_t count = def->shape_count;
    CN_ASSERT(0 <= count && count <= CN_SHAPES_PER_BODY_MAX);
    walk_I32(walk, &count);
    for (int k = 0; k < def->shape_count; k++) {
        struct cn_shape_def shape = def->shapes[k];
        walk_shape(walk, &shape);
        bool walked = walk_shape_size(walk, &shape);
        CN_ASSERT(walked);
    }
}

static uint64_t
hash_def(struct cn_made *made)
{
    if (made->hash == 0) {
        struct cn_walk walk = {.mode = CN_WALK_HASH};
        cn_hash_init(&walk.hash);
        walk_def(&walk, &made->def);
        hash_stage(&walk);
        made->hash = walk.hash.state | 1;
    }
    return made->hash;
}

static void
free_def(struct cn_shape_def *shapes, int count)
{
    for (int k = 0; k < count; k++) {
        switch (shapes[k].kind) {
        case CN_SHAPE_POLYGON:
            free((void *)(uintptr_t)shapes[k].polygon.vertices);
            break;
        case CN_SHAPE_HULL:
            free((void *)(uintptr_t)shapes[k].hull.vertices);
            break;
        case CN_SHAPE_OUTLINE:
        case CN_SHAPE_CHAIN:
            free((void *)(uintptr_t)shapes[k].boundary.points);
            break;
        default:
            break;
        }
    }
    free(shapes);
}

/* ---- writing ---- */

static bool
body_differs(const struct cn_world *world, int slot)
{
    return world->source[slot] != CN_SOURCE_SCENE || world->model.body[slot].generation != 0;
}

static bool
joint_differs(const struct cn_world *world, int slot)
{
    return world->joint_source[slot] != CN_SOURCE_SCENE || world->model.joint[slot].generation != 0;
}

/* Whether the slot is empty, or holds another body. */
static bool
scene_body_is_gone(const struct cn_world *world, int slot)
{
    return slot < world->scene_body_count &&
           (world->source[slot] == CN_SOURCE_NONE || world->source[slot] == CN_SOURCE_MADE);
}

static void
write_body(struct cn_walk *walk, struct cn_world *world, int slot)
{
    struct cn_model *model = &world->model;
    struct cn_body *body = &model->body[slot];
    int32_t index = slot;
    walk_I32(walk, &index);
    WALK_SMALL(walk, world->source[slot], unsigned char);
    walk_U32(walk, &body->generation);
    if (world->source[slot] == CN_SOURCE_NONE) {
        return;
    }
    if (world->source[slot] == CN_SOURCE_MADE) {
        int32_t shape_first = body->shape_first;
        CN_ASSERT(world->made[slot] != NULL); /* a body of this source has its definition */
        walk_I32(walk, &shape_first);
        if (walk->mode == CN_WALK_HASH) {
            cn_hash_u64(&walk->hash, hash_def(world->made[slot]));
        } else {
            walk_def(walk, &world->made[slot]->def);
        }
    }
    WALK_SMALL(walk, body->type, enum cn_body_type);
    for (int k = 0; k < body->shape_count && world->source[slot] == CN_SOURCE_CHANGED; k++) {
        walk_filter(walk, &model->shape[body->shape_first + k].filter);
    }
}

static void
write_joint(struct cn_walk *walk, struct cn_world *world, int slot)
{
    struct cn_joint *joint = &world->model.joint[slot];
    int32_t index = slot;
    bool made = world->joint_source[slot] == CN_SOURCE_MADE;
    bool has_turn = made && (joint->has_cone || joint->friction != 0.0);
    unsigned char source = world->joint_source[slot];
    source = (unsigned char)(source | (has_turn ? HAS_TURN : 0));
    walk_I32(walk, &index);
    WALK_SMALL(walk, source, unsigned char);
    walk_U32(walk, &joint->generation);
    if (made) {
        walk_joint_made(walk, joint);
    }
    if (has_turn) {
        walk_joint_turn(walk, joint);
    }
}

static void
count_records(const struct cn_world *world, int32_t *bodies, int32_t *joints)
{
    *bodies = *joints = 0;
    for (int i = 0; i < world->model.body_count; i++) {
        *bodies += body_differs(world, i);
    }
    for (int i = 0; i < world->model.joint_count; i++) {
        *joints += joint_differs(world, i);
    }
}

/* Writing does not change the world. */
static void
write_structure(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int32_t bodies = model->body_count, shapes = model->shape_count, joints = model->joint_count;
    CN_ASSERT(bodies >= world->scene_body_count && shapes >= world->scene_shape_count);
    CN_ASSERT(joints >= world->scene_joint_count);
    walk_I32(walk, &bodies);
    walk_I32(walk, &shapes);
    walk_I32(walk, &joints);
    walk_F64(walk, &model->length_min);
    int32_t gone_count = 0, body_records = 0, joint_records = 0;
    count_records(world, &body_records, &joint_records);
    for (int i = 0; i < model->body_count; i++) {
        gone_count += scene_body_is_gone(world, i);
    }
    walk_I32(walk, &gone_count);
    for (int32_t i = 0; i < world->scene_body_count && gone_count > 0; i++) {
        if (scene_body_is_gone(world, i)) {
            int32_t slot = i;
            walk_I32(walk, &slot);
        }
    }
    walk_I32(walk, &body_records);
    for (int i = 0; i < model->body_count && body_records > 0; i++) {
        if (body_differs(world, i)) {
            write_body(walk, world, i);
        }
    }
    walk_I32(walk, &joint_records);
    for (int i = 0; i < model->joint_count && joint_records > 0; i++) {
        if (joint_differs(world, i)) {
            write_joint(walk, world, i);
        }
    }
}

/* ---- reading ---- */

/* A definition with the fields that checks of a body read. */
static struct cn_world_def
as_def(const struct cn_model *model)
{
    return (struct cn_world_def){
        .settings = model->settings,
        .material_count = model->material_count,
        .meshes = model->mesh,
        .mesh_count = model->mesh_count,
    };
}

/* Finds a mesh by its index. */
static bool
find_mesh(const struct cn_model *model, struct cn_shape_def *shape)
{
    if (shape->kind != CN_SHAPE_MESH) {
        return true;
    }
    int index = shape->mesh.index;
    bool known = index >= 0 && index < model->mesh_count;
    shape->mesh.mesh = known ? model->mesh[index] : NULL;
    return known;
}

/* Reads the arrays of a definition and copies it; NULL when it is not valid. */
static struct cn_made *
read_made(struct cn_walk *walk, const struct cn_model *model)
{
    struct cn_body_def def;
    cn_body_def_init(&def);
    walk_body_def(walk, &def);
    if (!walk_count(walk, &def.shape_count, CN_SHAPES_PER_BODY_MAX)) {
        return NULL;
    }
    struct cn_shape_def *shapes = calloc((size_t)def.shape_count + 1, sizeof(*shapes));
    bool good = shapes != NULL;
    int read = 0;
    for (; read < def.shape_count && good; read++) {
        walk_shape(walk, &shapes[read]);
        good = walk_shape_size(walk, &shapes[read]) && find_mesh(model, &shapes[read]);
    }
    def.shapes = shapes;
    struct cn_world_def world_def = as_def(model);
    struct cn_made *made = NULL;
    if (good && cn_body_def_check(&world_def, &def, NULL) == CN_OK) {
        made = cn_made_create(&def, model->settings.dimension);
    }
    free_def(shapes, read);
    return made;
}

static bool
slots_are_free(const struct cn_slots *slots, int first, int count, int end)
{
    if (first < 0 || first > end - count) {
        return false;
    }
    for (int i = first; i < first + count; i++) {
        if (cn_slots_has(slots, i)) {
            return false;
        }
    }
    return true;
}

static bool
read_made_body(struct cn_walk *walk, struct cn_world *world, int slot)
{
    struct cn_model *model = &world->model;
    int32_t shape_first = 0;
    walk_I32(walk, &shape_first);
    struct cn_made *made = read_made(walk, model);
    if (made == NULL) {
        return false;
    }
    if (!slots_are_free(&model->shape_slots, shape_first, made->def.shape_count,
            made->def.shape_count > 0 ? model->shape_count : shape_first)) {
        free(made);
        return false;
    }
    cn_make_body_at(world, made, &made->def, slot, shape_first);
    return true;
}

/* Reads a type that the body can have. */
static bool
read_type(struct cn_walk *walk, struct cn_world *world, int slot)
{
    enum cn_body_type type = CN_STATIC;
    WALK_SMALL(walk, type, enum cn_body_type);
    const struct cn_body *body = &world->model.body[slot];
    double trace = body->inertia.cx.x + body->inertia.cy.y + body->inertia.cz.z;
    if (type > CN_KINEMATIC || (type == CN_DYNAMIC && !(trace > 0.0 && body->mass > 0.0))) {
        return false;
    }
    for (int k = 0; k < body->shape_count && type == CN_DYNAMIC; k++) {
        if (world->model.shape[body->shape_first + k].kind == CN_SHAPE_PLANE) {
            return false;
        }
    }
    if (type != body->type) {
        cn_make_type(world, slot, type);
    }
    return true;
}

static bool
read_body_record(struct cn_walk *walk, struct cn_world *world, int slot)
{
    struct cn_model *model = &world->model;
    CN_ASSERT(slot < model->body_count);
    unsigned char source = CN_SOURCE_NONE;
    uint32_t generation = 0;
    WALK_SMALL(walk, source, unsigned char);
    walk_U32(walk, &generation);
    bool of_scene = slot < world->scene_body_count;
    bool present = world->source[slot] != CN_SOURCE_NONE; /* unchanged from the scene */
    model->body[slot].generation = generation;
    if (source == CN_SOURCE_NONE) {
        return !present;
    }
    if (source == CN_SOURCE_MADE) {
        return !present && read_made_body(walk, world, slot) && read_type(walk, world, slot);
    }
    if (source != CN_SOURCE_CHANGED || !of_scene || !present || !cn_make_keep_body(world, slot)) {
        return false;
    }
    const struct cn_body *body = &model->body[slot];
    world->source[slot] = CN_SOURCE_CHANGED;
    if (!read_type(walk, world, slot)) {
        return false;
    }
    for (int k = 0; k < body->shape_count; k++) {
        walk_filter(walk, &model->shape[body->shape_first + k].filter);
    }
    return true;
}

static bool
read_joint_record(struct cn_walk *walk, struct cn_world *world, int slot)
{
    struct cn_model *model = &world->model;
    CN_ASSERT(slot < model->joint_count);
    unsigned char source = CN_SOURCE_NONE;
    uint32_t generation = 0;
    WALK_SMALL(walk, source, unsigned char);
    walk_U32(walk, &generation);
    if (cn_slots_has(&model->joint_slots, slot)) {
        if (!cn_make_keep_joint(world, slot)) {
            return false;
        }
        cn_slots_give(&model->joint_slots, slot, 1);
    }
    cn_model_clear_joint(model, slot);
    world->joint_source[slot] = CN_SOURCE_NONE;
    model->joint[slot].generation = generation;
    if (source == CN_SOURCE_NONE) {
        return true;
    }
    struct cn_joint joint = {.actuator = -1, .generation = generation};
    walk_joint_made(walk, &joint);
    if ((source & HAS_TURN) != 0) {
        walk_joint_turn(walk, &joint);
        source = (unsigned char)(source & ~HAS_TURN);
    }
    if (source != CN_SOURCE_MADE || (int)joint.kind >= CN_JOINT_KIND_COUNT ||
        !cn_read_joint_is_valid(model, &joint)) {
        return false;
    }
    if (joint.has_motor) {
        joint.actuator = model->thruster_count + model->motor_count + slot;
    }
    model->joint[slot] = joint;
    world->joint_source[slot] = CN_SOURCE_MADE;
    cn_slots_take(&model->joint_slots, slot, 1);
    return true;
}

/* Frees the slots of a removed body of the scene and of its shapes, for bodies made later. */
static bool
read_gone(struct cn_walk *walk, struct cn_world *world, int slot)
{
    (void)walk;
    CN_ASSERT(slot < world->scene_body_count);
    struct cn_model *model = &world->model;
    const struct cn_body *body = &model->body[slot];
    if (!cn_make_keep_body(world, slot)) {
        return false;
    }
    for (int k = 0; k < body->shape_count; k++) {
        cn_model_clear_shape(model, body->shape_first + k);
    }
    cn_slots_give(&model->shape_slots, body->shape_first, body->shape_count);
    cn_slots_give(&model->body_slots, slot, 1);
    cn_model_clear_body(model, slot);
    world->source[slot] = CN_SOURCE_NONE;
    return true;
}

typedef bool record_reader(struct cn_walk *walk, struct cn_world *world, int slot);

/* Reads records, which stand in ascending order of their slots. */
static bool
read_records(struct cn_walk *walk, struct cn_world *world, int slot_count, record_reader *reader,
    int *count)
{
    int32_t last = -1;
    if (!walk_count(walk, count, slot_count)) {
        return false;
    }
    for (int i = 0; i < *count; i++) {
        int32_t slot = -1;
        walk_I32(walk, &slot);
        if (slot <= last || slot >= slot_count || !reader(walk, world, slot)) {
            return false;
        }
        last = slot;
    }
    return true;
}

/* Whether the image has the same slots as the world. */
static bool
is_same(const struct cn_walk *walk, struct cn_world *world, size_t *size)
{
    struct cn_walk same = {.mode = CN_WALK_SAME, .read = walk->read + walk->used,
        .size = walk->used <= walk->size ? walk->size - walk->used : 0};
    write_structure(&same, world);
    *size = same.used;
    return !same.differs;
}

static bool
read_structure(struct cn_walk *walk, struct cn_world *world)
{
    size_t size;
    if (is_same(walk, world, &size)) {
        walk->used += size;
        return true;
    }
    int bodies = 0, shapes = 0, joints = 0;
    double length_min = 0.0;
    bool counted = walk_count(walk, &bodies, CN_BODIES_MAX) &&
                   walk_count(walk, &shapes, CN_SHAPES_MAX) &&
                   walk_count(walk, &joints, CN_JOINTS_MAX);
    walk_F64(walk, &length_min);
    if (!counted || bodies < world->scene_body_count || shapes < world->scene_shape_count ||
        joints < world->scene_joint_count) {
        return false;
    }
    /* Each slot beyond those of the scene has a record, and the image must have its bytes. */
    size_t more = (size_t)(bodies - world->scene_body_count) +
                  (size_t)(joints - world->scene_joint_count);
    if (walk->used > walk->size || more > (walk->size - walk->used) / RECORD_SIZE_MIN) {
        return false;
    }
    if (!cn_structure_begin(world, bodies, shapes, joints, &walk->aside)) {
        return false;
    }
    int gone_read = 0, bodies_read = 0, joints_read = 0;
    if (!read_records(walk, world, world->scene_body_count, read_gone, &gone_read) ||
        !read_records(walk, world, bodies, read_body_record, &bodies_read) ||
        !read_records(walk, world, joints, read_joint_record, &joints_read)) {
        return false;
    }
    int32_t body_records = 0, joint_records = 0; /* all records have been read */
    count_records(world, &body_records, &joint_records);
    if (bodies_read != body_records || joints_read != joint_records) {
        return false;
    }
    /* A removed body may have been smaller than all present ones. */
    bool measured = length_min >= CN_LENGTH_MIN && length_min <= world->model.length_min;
    if (!measured || !cn_read_joints_have_bodies(&world->model)) {
        return false;
    }
    cn_structure_link(world);
    world->model.length_min = length_min;
    cn_make_tolerances(&world->model);
    return true;
}

bool
cn_walk_structure(struct cn_walk *walk, struct cn_world *world)
{
    if (walk->mode == CN_WALK_READ) {
        return read_structure(walk, world);
    }
    write_structure(walk, world);
    return true;
}
