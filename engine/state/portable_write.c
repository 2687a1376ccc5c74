/*
 * portable_write.c: writes a world's state in the portable form.
 */
#include "engine/state/portable.h"

#include "engine/base/assert.h"
#include "engine/state/image.h"
#include "engine/state/portable_rows.h"

static void
begin_table(struct cn_walk *walk, enum cn_portable_table kind, size_t row_size, int row_count)
{
    CN_ASSERT(row_size > 0 && row_count >= 0);
    uint32_t head[3] = {(uint32_t)kind, (uint32_t)row_size, (uint32_t)row_count};
    for (int i = 0; i < 3; i++) {
        walk_U32(walk, &head[i]);
    }
}

#define BEGIN(walk, NAME, function, count)                                                         \
    begin_table((walk), CN_PORTABLE_##NAME, function##_size, (count))

/* ---- bodies ---- */

/*
 * Writes the same as portable_body2 or 3, without building a row first, because every body is
 * written here.
 */
static void
write_body(struct cn_walk *walk, const struct cn_world *world, int slot, bool planar)
{
    const struct cn_body *body = &world->model.body[slot];
    const struct cn_motion *motion = &world->model.motion[slot];
    const struct cn_rest *rest = &world->model.rest[slot];
    size_t size = planar ? portable_body2_size : portable_body3_size;
    if (!walk_fits(walk, CN_WALK_WRITE, size)) {
        walk->used += size;
        return;
    }
    unsigned char *start = walk->write + walk->used, *to = start;
    to = walk_put(to, (uint32_t)slot, 4);
    to = walk_put(to, world->source[slot], 1);
    to = walk_put(to, body->generation, 4);
    to = walk_put(to, (uint64_t)body->type, 1);
    to = walk_put(to, body->quarantined, 1);
    to = put_F32(to, rest->still_time);
    to = walk_put(to, (uint32_t)rest->island, 4);
    if (planar) {
        to = put_F64(put_F64(to, motion->position.x), motion->position.y);
        to = put_F64(to, motion->angle);
        to = put_F64(put_F64(to, motion->velocity.x), motion->velocity.y);
        to = put_F64(to, motion->angular_velocity.z);
    } else {
        to = put_QUAT(put_VEC3(to, motion->position), motion->orientation);
        to = put_VEC3(put_VEC3(to, motion->velocity), motion->angular_velocity);
    }
    CN_ASSERT((size_t)(to - start) == size);
    walk->used += size;
}

static void
write_bodies(struct cn_walk *walk, struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    bool planar = model->settings.dimension == CN_PLANAR;
    int count = 0;
    for (int i = 0; i < model->body_count; i++) {
        count += model->body[i].absent ? 0 : 1;
    }
    begin_table(walk, planar ? CN_PORTABLE_BODY2 : CN_PORTABLE_BODY3,
        planar ? portable_body2_size : portable_body3_size, count);
    if (walk->mode == CN_WALK_MEASURE) {
        walk->used += (size_t)count * (planar ? portable_body2_size : portable_body3_size);
        return;
    }
    size_t begin = walk->used, row = planar ? portable_body2_size : portable_body3_size;
    for (int i = 0; i < model->body_count; i++) {
        if (!model->body[i].absent) {
            write_body(walk, world, i, planar);
        }
    }
    CN_ASSERT(walk->used == begin + (size_t)count * row); /* as many rows as the head says */
}

static void
write_free_bodies(struct cn_walk *walk, struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    int count = 0;
    for (int i = 0; i < model->body_count; i++) {
        count += model->body[i].absent ? 1 : 0;
    }
    BEGIN(walk, FREE_BODY, portable_free, count);
    for (int i = 0; i < model->body_count && count > 0; i++) {
        if (model->body[i].absent) {
            struct cn_portable_free row = {.slot = i, .generation = model->body[i].generation};
            portable_free(walk, &row);
        }
    }
}

static void
write_filters(struct cn_walk *walk, struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    int count = 0;
    for (int i = 0; i < model->body_count; i++) {
        count += world->source[i] == CN_SOURCE_CHANGED ? model->body[i].shape_count : 0;
    }
    BEGIN(walk, FILTER, portable_filter, count);
    for (int i = 0; i < model->body_count && count > 0; i++) {
        const struct cn_body *body = &model->body[i];
        for (int k = 0; world->source[i] == CN_SOURCE_CHANGED && k < body->shape_count; k++) {
            struct cn_portable_filter row = {.slot = i, .shape = k,
                .filter = model->shape[body->shape_first + k].filter};
            portable_filter(walk, &row);
        }
    }
}

/* ---- definitions of bodies made after the scene ---- */

/* The points of a definition, and their number. */
static const cn_vec3 *
points_of(const struct cn_shape_def *shape, int *count)
{
    switch (shape->kind) {
    case CN_SHAPE_POLYGON:
        *count = shape->polygon.vertex_count;
        return shape->polygon.vertices;
    case CN_SHAPE_HULL:
        *count = shape->hull.vertex_count;
        return shape->hull.vertices;
    case CN_SHAPE_OUTLINE:
    case CN_SHAPE_CHAIN:
        *count = shape->boundary.point_count;
        return shape->boundary.points;
    default:
        *count = 0;
        return NULL;
    }
}

static struct cn_portable_shape
row_of_shape(const struct cn_shape_def *shape)
{
    struct cn_portable_shape row = {.def = *shape, .mesh = -1};
    switch (shape->kind) {
    case CN_SHAPE_CIRCLE:
        row.radius = shape->circle.radius;
        break;
    case CN_SHAPE_SPHERE:
        row.radius = shape->sphere.radius;
        break;
    case CN_SHAPE_CAPSULE:
        row.radius = shape->capsule.radius;
        row.length = shape->capsule.length;
        break;
    case CN_SHAPE_BOX:
        row.size = shape->box.size;
        break;
    case CN_SHAPE_PLANE:
        row.normal = shape->plane.normal;
        row.offset = shape->plane.offset;
        break;
    case CN_SHAPE_OUTLINE:
    case CN_SHAPE_CHAIN:
        row.closed = shape->boundary.closed;
        break;
    case CN_SHAPE_MESH:
        row.mesh = shape->mesh.index;
        break;
    case CN_SHAPE_POLYGON:
    case CN_SHAPE_HULL:
    case CN_SHAPE_KIND_COUNT:
        break;
    }
    int count;
    (void)points_of(shape, &count);
    row.point_count = count;
    return row;
}

struct made_counts {
    int bodies, shapes, points;
};

static struct made_counts
count_made(const struct cn_world *world)
{
    struct made_counts counts = {0};
    for (int i = 0; i < world->model.body_count; i++) {
        if (world->source[i] != CN_SOURCE_MADE) {
            continue;
        }
        const struct cn_body_def *def = &world->made[i]->def;
        counts.bodies++;
        counts.shapes += def->shape_count;
        for (int k = 0; k < def->shape_count; k++) {
            int points;
            (void)points_of(&def->shapes[k], &points);
            counts.points += points;
        }
    }
    return counts;
}

/* Writes three tables, each over all such bodies. */
static void
write_made(struct cn_walk *walk, struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    struct made_counts counts = count_made(world);
    BEGIN(walk, MADE, portable_made, counts.bodies);
    for (int i = 0; i < model->body_count && counts.bodies > 0; i++) {
        if (world->source[i] == CN_SOURCE_MADE) {
            const struct cn_body_def *def = &world->made[i]->def;
            struct cn_portable_made row = {.slot = i, .shape_first = model->body[i].shape_first,
                .shape_count = def->shape_count, .def = *def};
            portable_made(walk, &row);
        }
    }
    BEGIN(walk, SHAPE, portable_shape, counts.shapes);
    for (int i = 0; i < model->body_count && counts.shapes > 0; i++) {
        bool made = world->source[i] == CN_SOURCE_MADE;
        for (int k = 0; made && k < world->made[i]->def.shape_count; k++) {
            struct cn_portable_shape row = row_of_shape(&world->made[i]->def.shapes[k]);
            portable_shape(walk, &row);
        }
    }
    BEGIN(walk, POINT, portable_point, counts.points);
    for (int i = 0; i < model->body_count && counts.points > 0; i++) {
        bool made = world->source[i] == CN_SOURCE_MADE;
        for (int k = 0; made && k < world->made[i]->def.shape_count; k++) {
            int count;
            const cn_vec3 *points = points_of(&world->made[i]->def.shapes[k], &count);
            for (int j = 0; j < count; j++) {
                struct cn_portable_point row = {.point = points[j]};
                portable_point(walk, &row);
            }
        }
    }
}

/* ---- joints and forces ---- */

static void
write_joints(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int present = 0, made = 0;
    for (int i = 0; i < model->joint_count; i++) {
        present += model->joint[i].absent ? 0 : 1;
        made += world->joint_source[i] == CN_SOURCE_MADE ? 1 : 0;
    }
    BEGIN(walk, JOINT, portable_joint, present);
    for (int i = 0; i < model->joint_count; i++) {
        if (!model->joint[i].absent) {
            struct cn_portable_joint row = {.slot = i, .source = world->joint_source[i],
                .generation = model->joint[i].generation, .state = model->joint_state[i]};
            portable_joint(walk, &row);
        }
    }
    BEGIN(walk, FREE_JOINT, portable_free, model->joint_count - present);
    for (int i = 0; i < model->joint_count; i++) {
        if (model->joint[i].absent) {
            struct cn_portable_free row = {.slot = i, .generation = model->joint[i].generation};
            portable_free(walk, &row);
        }
    }
    BEGIN(walk, MADE_JOINT, portable_made_joint, made);
    for (int i = 0; i < model->joint_count; i++) {
        if (world->joint_source[i] == CN_SOURCE_MADE) {
            struct cn_portable_made_joint row = {.slot = i, .joint = model->joint[i]};
            portable_made_joint(walk, &row);
        }
    }
}

static void
write_forces(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    BEGIN(walk, SPRING, portable_spring, model->spring_count);
    for (int i = 0; i < model->spring_count; i++) {
        portable_spring(walk, &model->spring[i]);
    }
    BEGIN(walk, THRUSTER, portable_thruster, model->thruster_count);
    for (int i = 0; i < model->thruster_count; i++) {
        portable_thruster(walk, &model->thruster[i]);
    }
    BEGIN(walk, CONSTANT_FORCE, portable_constant_force, model->constant_force_count);
    for (int i = 0; i < model->constant_force_count; i++) {
        portable_constant_force(walk, &model->constant_force[i]);
    }
    BEGIN(walk, HELD, portable_held, model->held_count);
    for (int i = 0; i < model->held_count; i++) {
        portable_held(walk, &model->held[i]);
    }
    BEGIN(walk, WITHIN, portable_within, model->within_count);
    for (int i = 0; i < model->within_count; i++) {
        struct cn_portable_within row = {.sensor = (int32_t)(model->within[i] >> 32),
            .shape = (int32_t)(model->within[i] & UINT32_MAX)};
        portable_within(walk, &row);
    }
}

/* Worlds without attributes have no table of them. */
static void
write_attributes(struct cn_walk *walk, struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    if (model->attribute_count == 0) {
        return;
    }
    BEGIN(walk, ATTRIBUTE, portable_attribute, model->attribute_count);
    for (int i = 0; i < model->attribute_count; i++) {
        const struct cn_attribute *from = &model->attribute[i];
        struct cn_portable_attribute row = {.owner = from->owner, .value = from->value};
        memcpy(row.name, from->name, sizeof(row.name));
        memcpy(row.part, from->value.bytes, sizeof(row.part));
        portable_attribute(walk, &row);
    }
}

static int
count_more(const struct cn_world *world)
{
    int count = 0;
    for (int i = 0; i < world->model.body_count; i++) {
        bool made = world->source[i] == CN_SOURCE_MADE;
        for (int k = 0; made && k < world->made[i]->def.shape_count; k++) {
            count += cn_shape_def_has_more(&world->made[i]->def.shapes[k]) ? 1 : 0;
        }
    }
    return count;
}

/* Worlds without such shapes have no table of them. */
static void
write_more(struct cn_walk *walk, struct cn_world *world)
{
    int count = count_more(world);
    if (count == 0) {
        return;
    }
    struct cn_portable_shape_more row = {.row = 0};
    BEGIN(walk, SHAPE_MORE, portable_shape_more, count);
    for (int i = 0; i < world->model.body_count; i++) {
        bool made = world->source[i] == CN_SOURCE_MADE;
        for (int k = 0; made && k < world->made[i]->def.shape_count; k++, row.row++) {
            row.def = world->made[i]->def.shapes[k];
            if (cn_shape_def_has_more(&row.def)) {
                portable_shape_more(walk, &row);
            }
        }
    }
}

/* Worlds without moves have no table of them. */
static void
write_moves(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    if (model->move_count == 0) {
        return;
    }
    BEGIN(walk, MOVE, portable_move, model->move_count);
    for (int i = 0; i < model->move_count; i++) {
        portable_move(walk, &model->move[i]);
    }
}

/* ---- touching pairs ---- */

/*
 * Whether nothing has been made or removed since the pipeline last looked, so that all shapes
 * exist.  Shapes removed since the last tick touch nothing.
 */
static bool
is_settled(const struct cn_pipeline *p)
{
    return p->version == p->model->structure_version && !p->stale;
}

static bool
are_there(const struct cn_pipeline *p, int32_t a, int32_t b)
{
    return p->model->shape[a].body >= 0 && p->model->shape[b].body >= 0;
}

static bool
pair_counts(const struct cn_pipeline *p, const struct cn_touch *pair, bool settled)
{
    return pair->manifold >= 0 && (settled || are_there(p, pair->a, pair->b));
}

static bool
entry_counts(const struct cn_pipeline *p, uint64_t key)
{
    return are_there(p, cn_asleep_a(key), cn_asleep_b(key));
}

static void
write_pair(struct cn_walk *walk, int32_t a, int32_t b, uint32_t pieces)
{
    if (walk_fits(walk, CN_WALK_WRITE, portable_touch_size)) {
        unsigned char *to = walk->write + walk->used;
        walk_put(walk_put(to, (uint32_t)a | (uint64_t)(uint32_t)b << 32, 8), pieces, 4);
    }
    walk->used += portable_touch_size;
}

/* Writes the sleeping pairs that come before the key. */
static int
write_asleep(struct cn_walk *walk, const struct cn_pipeline *p, int from, uint64_t before)
{
    int at = from;
    for (; at < p->asleep.entry_count && p->asleep.key[at] < before; at++) {
        uint64_t key = p->asleep.key[at];
        if (entry_counts(p, key)) {
            write_pair(walk, cn_asleep_a(key), cn_asleep_b(key), (uint32_t)(key & 0xffffU));
        }
    }
    return at;
}

/* Writes awake and sleeping pairs, ascending. */
static void
write_touching(struct cn_walk *walk, struct cn_world *world)
{
    int count = 0, entry = 0;
    if (world->production == NULL) {
        BEGIN(walk, TOUCH, portable_touch, 0);
        return;
    }
    struct cn_pipeline *p = &world->production->pipeline;
    bool settled = is_settled(p);
    for (int i = 0; i < p->pair_count; i++) {
        count += pair_counts(p, &p->pair[i], settled) ? 1 : 0;
    }
    for (int i = 0; i < p->asleep.entry_count; i++) {
        count += entry_counts(p, p->asleep.key[i]) ? 1 : 0;
    }
    BEGIN(walk, TOUCH, portable_touch, count);
    if (walk->mode == CN_WALK_MEASURE) {
        walk->used += (size_t)count * portable_touch_size;
        return;
    }
    size_t begin = walk->used;
    cn_asleep_sort(&p->asleep);
    for (int i = 0; i < p->pair_count; i++) {
        const struct cn_touch *pair = &p->pair[i];
        if (pair_counts(p, pair, settled)) {
            uint32_t pieces = pair->flags >> CN_TOUCH_PIECES_SHIFT;
            if (entry < p->asleep.entry_count) {
                uint64_t key = cn_asleep_key_of(pair->a, pair->b, pieces);
                entry = write_asleep(walk, p, entry, key);
            }
            write_pair(walk, pair->a, pair->b, pieces);
        }
    }
    write_asleep(walk, p, entry, UINT64_MAX);
    CN_ASSERT(walk->used == begin + (size_t)count * portable_touch_size);
}

/* ---- the world ---- */

static void
write_head(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    /* Bodies of the other dimension have no table; attributes and moves only if there are some. */
    uint32_t tables = CN_PORTABLE_TABLE_COUNT - 4 + (model->attribute_count > 0 ? 1u : 0u) +
                      (model->move_count > 0 ? 1u : 0u) + (count_more(world) > 0 ? 1u : 0u);
    uint32_t head[4] = {0, CN_PORTABLE_VERSION, cn_physics_version(), tables};
    for (int i = 0; i < 4; i++) {
        head[0] |= (uint32_t)(unsigned char)CN_PORTABLE_MAGIC[i] << (8 * i);
    }
    for (int i = 0; i < 4; i++) {
        walk_U32(walk, &head[i]);
    }
    struct cn_portable_scene scene = {.dimension = (int32_t)model->settings.dimension,
        .bodies = world->scene_body_count,
        .shapes = world->scene_shape_count,
        .joints = world->scene_joint_count,
        .materials = model->material_count,
        .springs = model->spring_count,
        .thrusters = model->thruster_count,
        .body_slots = model->body_count,
        .shape_slots = model->shape_count,
        .joint_slots = model->joint_count,
        .length_min = model->length_min,
        .constant_forces = model->constant_force_count};
    BEGIN(walk, SCENE, portable_scene, 1);
    portable_scene(walk, &scene);
    BEGIN(walk, SETTINGS, portable_settings, 1);
    portable_settings(walk, &model->settings);
    BEGIN(walk, CLOCK, portable_clock, 1);
    portable_clock(walk, &model->clock);
    BEGIN(walk, MATERIAL, portable_material, model->material_count);
    for (int i = 0; i < model->material_count; i++) {
        portable_material(walk, &model->material[i]);
    }
}

/* Writing changes nothing, so a const world may be walked. */
static size_t
write_world(struct cn_walk *walk, const struct cn_world *shown)
{
    cn_slice_finish_piece(shown);
    struct cn_world *world = shown->view->world;
    CN_ASSERT(!cn_world_is_mid_tick(world));
    write_head(walk, world);
    write_bodies(walk, world);
    write_free_bodies(walk, world);
    write_filters(walk, world);
    write_made(walk, world);
    write_joints(walk, world);
    write_forces(walk, world);
    write_touching(walk, world);
    write_attributes(walk, world);
    write_moves(walk, world);
    write_more(walk, world);
    return walk->used;
}

size_t
cn_world_portable_size(const struct cn_world *world)
{
    struct cn_walk walk = {.mode = CN_WALK_MEASURE};
    return write_world(&walk, world);
}

size_t
cn_world_portable_write(const struct cn_world *world, void *buffer, size_t size)
{
    struct cn_walk walk = {.mode = CN_WALK_WRITE, .write = buffer, .size = size};
    size_t used = write_world(&walk, world);
    return used <= size ? used : 0;
}
