/*
 * fuzz_deeds.c: any bytes as deeds for a follower (deed/follower.h).
 *
 * The first byte of a piece chooses ticks to step, or that the next bytes are deeds.  Deeds are any
 * bytes, or good entries with chosen fields.  The follower either continues or has no world any
 * more, and a second follower from an image of the first has its hash.
 */
#include "deed/follower.h"

#include "deed/entry.h"
#include "engine/base/assert.h"
#include "proto/scene_live.h"
#include "tests/fuzz/take.h"

#include <stdlib.h>
#include <string.h>

#define PIECES_MAX 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char scene_text[] =
    "name: deeds\n"
    "world: {stepper: time, solver: impulse}\n"
    "bodies:\n"
    "- {name: floor, type: STATIC, position: {y: -0.5}, shapes: [{box: {size: {x: 9, y: 1}}}]}\n"
    "- {name: one, position: {y: 0.5}, mass: 1, shapes: [{box: {size: {x: 1, y: 1}}}]}\n"
    "- {name: two, position: {y: 1.5}, mass: 2, shapes: [{circle: {radius: 0.5}}]}\n"
    "joints: [{hinge: {bodyA: one, bodyB: two, anchor: {y: 1}}}]\n";

/* The packed scene, made once. */
static uint8_t *scene_bytes;
static size_t scene_size;

static void
make_scene(void)
{
    struct wire_text_error error;
    struct wire_scene *scene = wire_scene_parse(scene_text, sizeof(scene_text) - 1, &error);
    CN_ASSERT(scene != NULL);
    scene_bytes = wire_scene_pack(scene, &scene_size);
    CN_ASSERT(scene_bytes != NULL);
    wire_scene_destroy(scene);
}

/* A follower at an image of a world: that of the scene at tick 0 where `of` is NULL. */
static void
begin(struct dd_follower *follower, const struct dd_follower *of)
{
    struct wire_text_error wrong;
    struct wire_error error;
    struct cn_defect defect;
    struct cn_world *world = of != NULL ? of->engine : NULL;
    struct wire_scene *scene = NULL;
    if (of == NULL) {
        scene = wire_scene_parse(scene_text, sizeof(scene_text) - 1, &wrong);
        CN_ASSERT(cn_world_create(wire_scene_world_def(scene), &defect, &world) == CN_OK);
    }
    size_t size = cn_world_image_size(world), shown_size = 0;
    uint8_t *image = malloc(size), *shown = NULL;
    CN_ASSERT(image != NULL && cn_world_image_write(world, image, size) == size);
    if (of != NULL && of->shown != of->scene) {
        shown = wire_scene_pack(of->shown, &shown_size);
    }
    const struct dd_image from = {.scene = scene_bytes, .scene_size = scene_size, .shown = shown,
        .shown_size = shown_size, .image = image, .image_size = size,
        .tick = cn_world_tick(world), .hash = cn_world_hash(world), .generation = 1};
    bool is_begun = dd_follower_begin(follower, &from, &error);
    CN_ASSERT(is_begun);
    free(image);
    free(shown);
    if (of == NULL) {
        cn_world_destroy(world);
        wire_scene_destroy(scene);
    }
}

/* A good entry, with numbers from the input. */
static bool
apply_entry(struct dd_follower *follower, struct take *in)
{
    struct dd_entries entries = {0};
    struct dd_entry entry = {.kind = DD_ENTRY_COMMAND};
    struct cn_command *command = &entry.command;
    const struct cn_holder holder = {
        .source = 1 + take_byte(in) % 3, .slot = take_byte(in) % 3, .until_tick = take_number(in)};
    const cn_vec3 vector = cn_vec3_make(take_double(in), take_double(in), take_double(in));
    int32_t body = (int32_t)take_number(in) - 1;
    switch (take_byte(in) % 6) {
    case 0:
        command->kind = CN_COMMAND_HOLD_FORCE;
        command->hold_force = (struct cn_hold_force){
            .holder = holder, .body = body, .frame = CN_FRAME_WORLD, .force = vector};
        break;
    case 1:
        command->kind = CN_COMMAND_HOLD_DRAG;
        command->hold_drag = (struct cn_hold_drag){.holder = holder, .body = body,
            .target = vector, .stiffness = take_double(in), .damping = take_double(in)};
        break;
    case 2:
        entry.kind = DD_ENTRY_LEFT;
        entry.settled.session = holder.source;
        break;
    case 3:
        entry.kind = DD_ENTRY_SETTINGS;
        entry.settings.has_gravity = true;
        entry.settings.gravity = vector;
        break;
    case 4:
        command->kind = CN_COMMAND_SET_VELOCITY;
        command->set_velocity = (struct cn_set_velocity){.body = body, .velocity = vector};
        break;
    default:
        command->kind = CN_COMMAND_PLACE_BODY;
        command->place_body = (struct cn_place_body){.body = body, .position = vector,
            .orientation = {.w = 1.0}};
    }
    struct wire_error error;
    bool is_added = dd_entries_add(&entries, &entry);
    CN_ASSERT(is_added);
    bool is_good = dd_follower_apply(follower, entries.bytes, entries.size, &error);
    dd_entries_finish(&entries);
    return is_good;
}

static bool
apply_bytes(struct dd_follower *follower, struct take *in)
{
    struct wire_error error;
    size_t left = (size_t)(in->end - in->at), wanted = take_number(in);
    left = left > 0 ? (size_t)(in->end - in->at) : 0;
    size_t size = wanted < left ? wanted : left;
    bool is_good = dd_follower_apply(follower, in->at, size, &error);
    in->at += size;
    return is_good;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct take in = {data, data + size};
    struct dd_follower follower = {0}, twin = {0};
    bool is_good = true;
    if (scene_bytes == NULL) {
        make_scene();
    }
    begin(&follower, NULL);
    for (int i = 0; i < PIECES_MAX && is_good && !take_is_empty(&in); i++) {
        unsigned what = take_byte(&in) % 8;
        if (what < 3) {
            (void)cn_world_step(follower.engine, CN_WORK_UNLIMITED);
        } else if (what < 6) {
            is_good = apply_entry(&follower, &in);
        } else {
            is_good = apply_bytes(&follower, &in);
        }
        CN_ASSERT(is_good == (follower.engine != NULL));
    }
    if (is_good) {
        begin(&twin, &follower);
        for (int i = 0; i < 2; i++) {
            (void)cn_world_step(follower.engine, CN_WORK_UNLIMITED);
            (void)cn_world_step(twin.engine, CN_WORK_UNLIMITED);
            CN_ASSERT(cn_world_hash(follower.engine) == cn_world_hash(twin.engine));
        }
    }
    dd_follower_finish(&twin);
    dd_follower_finish(&follower);
    return 0;
}
