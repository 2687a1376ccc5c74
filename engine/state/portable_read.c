/*
 * portable_read.c: reads a world's state from the portable form.
 *
 * The tables become a shadow: a world owned by the reader, whose arrays are filled from the rows,
 * and from the scene where there are no rows.  The shadow is walked into an image of this version,
 * and the image is read like any other.  So outside data passes the checks of an image, a failure
 * leaves the world unchanged, and there is only one way in which fields are put into a world.
 */
#include "engine/state/portable.h"

#include "engine/base/assert.h"
#include "engine/state/portable_made.h"

#include <stdlib.h>
#include <string.h>

/* ---- the shadow's arrays ---- */

/* Whether the world is just made from its scene: then data without rows can be taken from it. */
static bool
is_as_made(const struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    bool same = model->body_count == world->scene_body_count &&
                model->shape_count == world->scene_shape_count &&
                model->joint_count == world->scene_joint_count;
    for (int i = 0; i < model->body_count && same; i++) {
        same = world->source[i] == CN_SOURCE_SCENE && model->body[i].generation == 0;
    }
    for (int i = 0; i < model->joint_count && same; i++) {
        same = world->joint_source[i] == CN_SOURCE_SCENE && model->joint[i].generation == 0;
    }
    return same;
}

static enum cn_status
check_scene(struct cn_reading *reading)
{
    const struct cn_world *world = reading->world;
    const struct cn_model *model = &world->model;
    struct cn_portable_scene *scene = &reading->scene;
    if (cn_reading_rows(reading, CN_PORTABLE_SCENE) != 1 ||
        cn_reading_rows(reading, CN_PORTABLE_SETTINGS) != 1 ||
        cn_reading_rows(reading, CN_PORTABLE_CLOCK) != 1) {
        return CN_READING_REFUSE(reading, "lacks its scene, its settings or its clock");
    }
    CN_READING_GET(reading, SCENE, portable_scene, 0, scene);
    const int32_t has[] = {scene->dimension, scene->bodies, scene->shapes, scene->joints,
        scene->materials, scene->springs, scene->thrusters, scene->constant_forces};
    const int wants[] = {(int)model->settings.dimension, world->scene_body_count,
        world->scene_shape_count, world->scene_joint_count, model->material_count,
        model->spring_count, model->thruster_count, model->constant_force_count};
    static const char *const names[] = {
        "dimension", "bodies", "shapes", "joints", "materials", "springs", "thrusters",
        "constant forces"};
    for (int i = 0; i < 8; i++) {
        if (has[i] != wants[i]) {
            return CN_READING_REFUSE(reading, "is of another scene: its %s are %d, the scene's %d",
                names[i], has[i], wants[i]);
        }
    }
    if (cn_reading_rows(reading, CN_PORTABLE_MATERIAL) != model->material_count ||
        cn_reading_rows(reading, CN_PORTABLE_SPRING) != model->spring_count ||
        cn_reading_rows(reading, CN_PORTABLE_THRUSTER) != model->thruster_count ||
        cn_reading_rows(reading, CN_PORTABLE_CONSTANT_FORCE) != model->constant_force_count) {
        return CN_READING_REFUSE(
            reading, "does not have a row for each material, spring, thruster and constant force");
    }
    if (!is_as_made(world)) {
        return CN_READING_REFUSE(reading, "can only be read into a world as its scene made it");
    }
    return CN_OK;
}

/*
 * Checks that each slot has one row.  So a file can not claim many slots without as many bytes of
 * rows.
 */
static enum cn_status
check_slots(struct cn_reading *reading)
{
    const struct cn_portable_scene *scene = &reading->scene;
    const struct cn_world *world = reading->world;
    enum cn_portable_table kind =
        scene->dimension == CN_PLANAR ? CN_PORTABLE_BODY2 : CN_PORTABLE_BODY3;
    int bodies = cn_reading_rows(reading, kind);
    int joints = cn_reading_rows(reading, CN_PORTABLE_JOINT);
    if (scene->body_slots != bodies + cn_reading_rows(reading, CN_PORTABLE_FREE_BODY) ||
        scene->joint_slots != joints + cn_reading_rows(reading, CN_PORTABLE_FREE_JOINT)) {
        return CN_READING_REFUSE(
            reading, "does not have a row for each slot of a body and a joint");
    }
    if (scene->body_slots < world->scene_body_count || scene->body_slots > CN_BODIES_MAX ||
        scene->shape_slots < world->scene_shape_count || scene->shape_slots > CN_SHAPES_MAX ||
        scene->joint_slots < world->scene_joint_count || scene->joint_slots > CN_JOINTS_MAX) {
        return CN_READING_REFUSE(reading, "has %d, %d and %d slots of bodies, shapes and joints",
            scene->body_slots, scene->shape_slots, scene->joint_slots);
    }
    return CN_OK;
}

/* Makes the shadow, with empty slots after those of the scene. */
static enum cn_status
make_shadow(struct cn_reading *reading)
{
    const struct cn_world *world = reading->world;
    struct cn_world *shadow = &reading->shadow;
    const struct cn_portable_scene *scene = &reading->scene;
    size_t bodies = (size_t)scene->body_slots, shapes = (size_t)scene->shape_slots;
    size_t joints = (size_t)scene->joint_slots;
    *shadow = *world;
    struct cn_model *model = &shadow->model;
    model->body_count = scene->body_slots;
    model->shape_count = scene->shape_slots;
    model->joint_count = scene->joint_slots;
    model->body = cn_reading_take(reading, bodies, sizeof(*model->body));
    model->motion = cn_reading_take(reading, bodies, sizeof(*model->motion));
    model->rest = cn_reading_take(reading, bodies, sizeof(*model->rest));
    model->shape = cn_reading_take(reading, shapes, sizeof(*model->shape));
    model->joint = cn_reading_take(reading, joints, sizeof(*model->joint));
    model->joint_state = cn_reading_take(reading, joints, sizeof(*model->joint_state));
    shadow->source = cn_reading_take(reading, bodies, 1);
    shadow->joint_source = cn_reading_take(reading, joints, 1);
    shadow->made = cn_reading_take(reading, bodies, sizeof(*shadow->made));
    if (model->body == NULL || model->motion == NULL || model->rest == NULL ||
        model->shape == NULL || model->joint == NULL || model->joint_state == NULL ||
        shadow->source == NULL || shadow->joint_source == NULL || shadow->made == NULL) {
        return cn_reading_no_memory(reading);
    }
    uintptr_t place = (uintptr_t)model->body, unit = _Alignof(struct cn_body);
    model->body = (struct cn_body *)((place + unit - 1) / unit * unit);
    memset(shadow->source, CN_SOURCE_NONE, bodies);
    memset(shadow->joint_source, CN_SOURCE_NONE, joints);
    for (size_t i = 0; i < shapes; i++) {
        model->shape[i] = (struct cn_shape){.body = -1};
    }
    model->length_min = scene->length_min < world->scene_length_min ? scene->length_min
                                                                    : world->scene_length_min;
    model->warm_count = 0;
    return CN_OK;
}

/* ---- bodies ---- */

/* Whether no row has had this slot before. */
static bool
is_new_slot(const struct cn_reading *reading, int32_t slot)
{
    return slot >= 0 && slot < reading->scene.body_slots &&
           reading->shadow.source[slot] == CN_SOURCE_NONE &&
           !reading->shadow.model.body[slot].absent;
}

static enum cn_status
read_body(struct cn_reading *reading, const struct cn_portable_body *row)
{
    struct cn_world *shadow = &reading->shadow;
    struct cn_model *model = &shadow->model;
    const struct cn_model *scene = &reading->world->model;
    bool of_scene = row->slot < shadow->scene_body_count;
    if (!is_new_slot(reading, row->slot)) {
        return CN_READING_REFUSE(reading, "body slot %d is none, or comes twice", row->slot);
    }
    bool good = row->source == CN_SOURCE_SCENE     ? of_scene && row->generation == 0
                : row->source == CN_SOURCE_CHANGED ? of_scene
                                                   : row->source == CN_SOURCE_MADE;
    if (!good) {
        return CN_READING_REFUSE(
            reading, "body %d can not be of source %d", row->slot, row->source);
    }
    struct cn_body *body = &model->body[row->slot];
    shadow->source[row->slot] = row->source;
    *body = row->source == CN_SOURCE_MADE ? (struct cn_body){.shape_count = 0}
                                          : scene->body[row->slot];
    body->type = row->source == CN_SOURCE_SCENE ? body->type : row->type;
    body->generation = row->generation;
    body->quarantined = row->quarantined;
    body->fresh = false;
    model->motion[row->slot] = row->motion;
    model->rest[row->slot] = row->rest;
    CN_ASSERT(body->shape_first + body->shape_count <= model->shape_count);
    for (int k = 0; k < body->shape_count; k++) {
        model->shape[body->shape_first + k] = scene->shape[body->shape_first + k];
    }
    return CN_OK;
}

static enum cn_status
read_bodies(struct cn_reading *reading)
{
    bool planar = reading->scene.dimension == CN_PLANAR;
    int count = cn_reading_rows(reading, planar ? CN_PORTABLE_BODY2 : CN_PORTABLE_BODY3);
    for (int i = 0; i < count; i++) {
        struct cn_portable_body row = {.motion = {.orientation = cn_quat_identity()}};
        if (planar) {
            CN_READING_GET(reading, BODY2, portable_body2, i, &row);
        } else {
            CN_READING_GET(reading, BODY3, portable_body3, i, &row);
        }
        CN_CHECK(read_body(reading, &row));
    }
    for (int i = 0; i < cn_reading_rows(reading, CN_PORTABLE_FREE_BODY); i++) {
        struct cn_portable_free row;
        CN_READING_GET(reading, FREE_BODY, portable_free, i, &row);
        if (!is_new_slot(reading, row.slot)) {
            return CN_READING_REFUSE(reading, "body slot %d is none, or comes twice", row.slot);
        }
        reading->shadow.model.body[row.slot] = (struct cn_body){
            .type = CN_STATIC, .absent = true, .generation = row.generation};
    }
    for (int i = 0; i < cn_reading_rows(reading, CN_PORTABLE_FILTER); i++) {
        struct cn_portable_filter row;
        CN_READING_GET(reading, FILTER, portable_filter, i, &row);
        struct cn_model *model = &reading->shadow.model;
        bool known = row.slot >= 0 && row.slot < model->body_count &&
                     reading->shadow.source[row.slot] == CN_SOURCE_CHANGED && row.shape >= 0 &&
                     row.shape < model->body[row.slot].shape_count;
        if (!known) {
            return CN_READING_REFUSE(
                reading, "a filter is of shape %d of body %d", row.shape, row.slot);
        }
        model->shape[model->body[row.slot].shape_first + row.shape].filter = row.filter;
    }
    return CN_OK;
}

/* ---- joints, forces, held inputs ---- */

static enum cn_status
read_joints(struct cn_reading *reading)
{
    struct cn_world *shadow = &reading->shadow;
    struct cn_model *model = &shadow->model;
    int wanted = 0;
    for (int i = 0; i < model->joint_count; i++) {
        model->joint[i].absent = true;
    }
    for (int i = 0; i < cn_reading_rows(reading, CN_PORTABLE_JOINT); i++) {
        struct cn_portable_joint row;
        CN_READING_GET(reading, JOINT, portable_joint, i, &row);
        bool of_scene = row.slot < shadow->scene_joint_count && row.generation == 0;
        if (row.slot < 0 || row.slot >= model->joint_count || !model->joint[row.slot].absent ||
            !(row.source == CN_SOURCE_MADE || (row.source == CN_SOURCE_SCENE && of_scene))) {
            return CN_READING_REFUSE(reading,
                "joint slot %d is none, comes twice, or is of source %d", row.slot, row.source);
        }
        shadow->joint_source[row.slot] = row.source;
        if (row.source == CN_SOURCE_SCENE) {
            model->joint[row.slot] = reading->world->model.joint[row.slot];
        }
        model->joint[row.slot].absent = false;
        model->joint[row.slot].generation = row.generation;
        model->joint_state[row.slot] = row.state;
        wanted += row.source == CN_SOURCE_MADE ? 1 : 0;
    }
    for (int i = 0; i < cn_reading_rows(reading, CN_PORTABLE_FREE_JOINT); i++) {
        struct cn_portable_free row;
        CN_READING_GET(reading, FREE_JOINT, portable_free, i, &row);
        if (row.slot < 0 || row.slot >= model->joint_count || !model->joint[row.slot].absent) {
            return CN_READING_REFUSE(reading, "joint slot %d is none, or is not free", row.slot);
        }
        model->joint[row.slot].generation = row.generation;
    }
    for (int i = 0; i < cn_reading_rows(reading, CN_PORTABLE_MADE_JOINT); i++, wanted--) {
        struct cn_portable_made_joint row = {.slot = -1};
        CN_READING_GET(reading, MADE_JOINT, portable_made_joint, i, &row);
        if (row.slot < 0 || row.slot >= model->joint_count ||
            shadow->joint_source[row.slot] != CN_SOURCE_MADE) {
            return CN_READING_REFUSE(reading, "joint %d was not made", row.slot);
        }
        row.joint.generation = model->joint[row.slot].generation;
        model->joint[row.slot] = row.joint;
    }
    return wanted == 0 ? CN_OK
                       : CN_READING_REFUSE(reading, "does not define each joint that was made");
}

/*
 * Reads pairs of a sensor and another shape, and of two shapes that touch; pairs that no longer
 * exist are left out.
 */
static void
read_within(struct cn_reading *reading, uint64_t *within)
{
    struct cn_model *model = &reading->shadow.model;
    model->within = within;
    model->within_count = 0;
    for (int i = 0; i < cn_reading_rows(reading, CN_PORTABLE_WITHIN); i++) {
        struct cn_portable_within row;
        CN_READING_GET(reading, WITHIN, portable_within, i, &row);
        uint64_t key = (uint64_t)(uint32_t)row.sensor << 32 | (uint32_t)row.shape;
        bool there = row.sensor >= 0 && row.sensor < model->shape_count && row.shape >= 0 &&
                     row.shape < model->shape_count && model->shape[row.sensor].body >= 0 &&
                     model->shape[row.shape].body >= 0 &&
                     (model->shape[row.sensor].sensor || row.sensor < row.shape) &&
                     !model->shape[row.shape].sensor;
        int count = model->within_count;
        if (there && (count == 0 || within[count - 1] < key)) {
            within[model->within_count++] = key;
        }
    }
    CN_ASSERT(model->within_count <= cn_reading_rows(reading, CN_PORTABLE_WITHIN));
    model->within_max = model->within_count;
}

static enum cn_status
read_rest(struct cn_reading *reading)
{
    struct cn_model *model = &reading->shadow.model;
    int held = cn_reading_rows(reading, CN_PORTABLE_HELD);
    int within_rows = cn_reading_rows(reading, CN_PORTABLE_WITHIN);
    model->material =
        cn_reading_take(reading, (size_t)model->material_count, sizeof(*model->material));
    model->spring = cn_reading_take(reading, (size_t)model->spring_count, sizeof(*model->spring));
    model->thruster =
        cn_reading_take(reading, (size_t)model->thruster_count, sizeof(*model->thruster));
    model->constant_force = cn_reading_take(
        reading, (size_t)model->constant_force_count, sizeof(*model->constant_force));
    model->held = cn_reading_take(reading, (size_t)held, sizeof(*model->held));
    uint64_t *within = cn_reading_take(reading, (size_t)within_rows, sizeof(*within));
    if (model->material == NULL || model->spring == NULL || model->thruster == NULL ||
        model->constant_force == NULL || model->held == NULL || within == NULL) {
        return cn_reading_no_memory(reading);
    }
    CN_READING_GET(reading, SETTINGS, portable_settings, 0, &model->settings);
    CN_READING_GET(reading, CLOCK, portable_clock, 0, &model->clock);
    for (int i = 0; i < model->material_count; i++) {
        CN_READING_GET(reading, MATERIAL, portable_material, i, &model->material[i]);
    }
    for (int i = 0; i < model->spring_count; i++) {
        CN_READING_GET(reading, SPRING, portable_spring, i, &model->spring[i]);
    }
    for (int i = 0; i < model->thruster_count; i++) {
        CN_READING_GET(reading, THRUSTER, portable_thruster, i, &model->thruster[i]);
    }
    for (int i = 0; i < model->constant_force_count; i++) {
        CN_READING_GET(
            reading, CONSTANT_FORCE, portable_constant_force, i, &model->constant_force[i]);
    }
    for (int i = 0; i < held; i++) {
        CN_READING_GET(reading, HELD, portable_held, i, &model->held[i]);
    }
    model->held_count = model->held_max = held;
    read_within(reading, within);
    return CN_OK;
}

/* Whether they can be is checked when the image is read. */
static enum cn_status
read_attributes(struct cn_reading *reading)
{
    struct cn_model *model = &reading->shadow.model;
    int count = cn_reading_rows(reading, CN_PORTABLE_ATTRIBUTE);
    model->attribute = cn_reading_take(reading, (size_t)count, sizeof(*model->attribute));
    if (model->attribute == NULL) {
        return cn_reading_no_memory(reading);
    }
    for (int i = 0; i < count; i++) {
        struct cn_portable_attribute row;
        memset(&row, 0, sizeof(row));
        CN_READING_GET(reading, ATTRIBUTE, portable_attribute, i, &row);
        if (row.value.size > CN_ATTRIBUTE_VALUE_MAX) {
            return CN_READING_REFUSE(reading, "attribute %d has %u bytes; at most %d are read", i,
                row.value.size, CN_ATTRIBUTE_VALUE_MAX);
        }
        struct cn_attribute *to = &model->attribute[i];
        to->owner = row.owner;
        memcpy(to->name, row.name, sizeof(to->name));
        to->value = row.value;
        memcpy(to->value.bytes, row.part, sizeof(to->value.bytes));
    }
    model->attribute_count = model->attribute_max = count;
    return CN_OK;
}

static enum cn_status
read_moves(struct cn_reading *reading)
{
    struct cn_model *model = &reading->shadow.model;
    int count = cn_reading_rows(reading, CN_PORTABLE_MOVE);
    model->move = cn_reading_take(reading, (size_t)count, sizeof(*model->move));
    if (model->move == NULL) {
        return cn_reading_no_memory(reading);
    }
    for (int i = 0; i < count; i++) {
        CN_READING_GET(reading, MOVE, portable_move, i, &model->move[i]);
    }
    model->move_count = model->move_max = count;
    return CN_OK;
}

/* ---- the whole form ---- */

static enum cn_status
read_all(struct cn_reading *reading, const unsigned char *bytes, size_t size)
{
    CN_CHECK(cn_reading_tables(reading, bytes, size));
    CN_CHECK(check_scene(reading));
    CN_CHECK(check_slots(reading));
    CN_CHECK(make_shadow(reading));
    CN_CHECK(read_bodies(reading));
    CN_CHECK(cn_reading_shapes(reading));
    CN_CHECK(cn_reading_made(reading));
    CN_CHECK(read_joints(reading));
    CN_CHECK(read_rest(reading));
    CN_CHECK(read_attributes(reading));
    CN_CHECK(read_moves(reading));
    return cn_reading_touching(reading);
}

enum cn_status
cn_world_portable_read(
    struct cn_world *world, const void *bytes, size_t size, struct cn_defect *defect)
{
    struct cn_reading *reading = calloc(1, sizeof(*reading));
    if (reading == NULL) {
        return cn_defect_set(defect, CN_MEMORY, "portable state", "no memory to read it");
    }
    reading->world = world;
    reading->defect = defect;
    enum cn_status status = read_all(reading, bytes, size);
    if (status == CN_OK) {
        status = cn_image_copy(world, &reading->shadow, defect);
        if (status == CN_IMAGE) {
            status = CN_READING_REFUSE(
                reading, "describes no state that a world of this scene can be in");
        }
    }
    for (int i = 0; i < reading->block_count; i++) {
        free(reading->block[i]);
    }
    free(reading);
    return status;
}

uint32_t
cn_portable_physics(const void *bytes, size_t size)
{
    bool begins = size >= CN_PORTABLE_HEADER_SIZE && memcmp(bytes, CN_PORTABLE_MAGIC, 4) == 0;
    return begins ? (uint32_t)walk_get((const unsigned char *)bytes + 8, 4) : 0;
}
