/*
 * engine.c: the functions that a WebAssembly module offers to JavaScript: a world from a scene,
 * its ticks, inputs, queries, images and hashes.
 *
 * JavaScript passes bytes through memory that it takes with cairn_reserve() and gives back with
 * cairn_release(); addresses and sizes are 32-bit numbers, ticks and hashes 64-bit ones.  Messages
 * have the bytes that the daemon's WebSocket has (proto/WIRE.md): an input and a query are a
 * ClientMessage, an answer is a ServerMessage.
 *
 * Errors: a function that refuses returns 0 or false.  Then cairn_error_path() and
 * cairn_error_text() return the field and the reason, as texts that end with a zero byte.  They
 * hold until the next refusal.
 *
 * Ownership: what cairn_create() returns is destroyed with cairn_destroy(); arrays that functions
 * return belong to it and hold until its next call.
 *
 * Threads: the module has one.
 */
#include "wasm/inside.h"

#include "proto/codec.h"

#include <stdlib.h>
#include <string.h>

#define PLACE_NUMBERS 8 /* x, y, z [m], planar angle [rad], orientation w, x, y, z */

/* ---- memory ---- */

/* Memory into which JavaScript writes bytes; 0 if malloc fails. */
EXPORT(cairn_reserve) void *
cairn_reserve(size_t size)
{
    return malloc(size > 0 ? size : 1);
}

EXPORT(cairn_release) void
cairn_release(void *bytes)
{
    free(bytes);
}

/* ---- a world ---- */

EXPORT(cairn_destroy) void
cairn_destroy(struct cairn *cairn)
{
    if (cairn != NULL) {
        wa_forget_scenes(cairn);
        cn_world_destroy(cairn->world);
        wire_scene_destroy(cairn->scene);
        free(cairn->places);
        free(cairn->read);
        free(cairn->asleep);
        free(cairn->answer);
        free(cairn->frames);
        dd_entries_finish(&cairn->deed);
        free(cairn);
    }
}

/* A world from the bytes of a Scene (proto/cairn/v1/scene.proto); 0 if they are refused. */
EXPORT(cairn_create) struct cairn *
cairn_create(const uint8_t *scene, size_t size)
{
    struct cairn *cairn = calloc(1, sizeof(*cairn));
    if (cairn == NULL) {
        wa_note_memory();
        return NULL;
    }
    struct wire_text_error error;
    struct cn_defect defect;
    cairn->scene = wa_scene_read(scene, size, &error);
    if (cairn->scene == NULL) {
        wa_note_defect(&error.defect);
        cairn_destroy(cairn);
        return NULL;
    }
    const struct cn_world_def *def = wire_scene_world_def(cairn->scene);
    if (cn_world_create(def, &defect, &cairn->world) != CN_OK) {
        wa_note_defect(&defect);
        cairn_destroy(cairn);
        return NULL;
    }
    return cairn;
}

/* One tick.  False without memory: the tick is not done, and a later call may do it. */
EXPORT(cairn_step) bool
cairn_step(struct cairn *cairn)
{
    return wa_step(cairn) || wa_note_memory();
}

EXPORT(cairn_tick) uint64_t
cairn_tick(const struct cairn *cairn)
{
    return cn_world_tick(cairn->world);
}

EXPORT(cairn_tick_rate) double
cairn_tick_rate(const struct cairn *cairn)
{
    return cn_world_tick_rate(cairn->world);
}

EXPORT(cairn_hash) uint64_t
cairn_hash(const struct cairn *cairn)
{
    return cn_world_hash(cairn->world);
}

EXPORT(cairn_physics_version) uint32_t
cairn_physics_version(void)
{
    return cn_physics_version();
}

/* ---- images ---- */

EXPORT(cairn_image_size) size_t
cairn_image_size(const struct cairn *cairn)
{
    return cn_world_image_size(cairn->world);
}

/* The bytes written; 0 if `size` is too small. */
EXPORT(cairn_image_write) size_t
cairn_image_write(const struct cairn *cairn, void *bytes, size_t size)
{
    return cn_world_image_write(cairn->world, bytes, size);
}

/* The image is of a world that was made from the same scene.  A refusal changes nothing. */
EXPORT(cairn_image_read) bool
cairn_image_read(struct cairn *cairn, const void *bytes, size_t size)
{
    struct cn_defect defect;
    if (cn_world_image_read(cairn->world, bytes, size, &defect) != CN_OK) {
        return wa_note_defect(&defect);
    }
    if (!wa_go_back(cairn)) {
        wa_note_error("", "the image is older than the scenes that are kept");
        return false;
    }
    return true;
}

/*
 * The bytes of the scene as it is at the image that was read last, where bodies have come or gone
 * before it: rules name bodies.
 */
EXPORT(cairn_show) bool
cairn_show(struct cairn *cairn, const uint8_t *bytes, size_t size)
{
    return wa_show(cairn, bytes, size) || wa_note_memory();
}

/* ---- bodies ---- */

/* Slots of bodies, absent ones included. */
EXPORT(cairn_body_count) int
cairn_body_count(const struct cairn *cairn)
{
    return cn_world_body_count(cairn->world);
}

static bool
make_place_room(struct cairn *cairn, int count)
{
    if (count <= cairn->place_room) {
        return true;
    }
    double *places = malloc((size_t)count * PLACE_NUMBERS * sizeof(*places));
    struct cn_body_place *read = malloc((size_t)count * sizeof(*read));
    uint8_t *asleep = malloc((size_t)count);
    if (places == NULL || read == NULL || asleep == NULL) {
        free(places);
        free(read);
        free(asleep);
        return wa_note_memory();
    }
    free(cairn->places);
    free(cairn->read);
    free(cairn->asleep);
    cairn->places = places;
    cairn->read = read;
    cairn->asleep = asleep;
    cairn->place_room = count;
    return true;
}

/*
 * Of each slot of a body 8 numbers: x, y, z of the body's frame [m], the planar angle [rad] (0 in
 * space) and the orientation w, x, y, z.  0 without memory.
 */
EXPORT(cairn_places) const double *
cairn_places(struct cairn *cairn)
{
    int count = cn_world_body_count(cairn->world);
    if (!make_place_room(cairn, count > 0 ? count : 1)) {
        return NULL;
    }
    cn_world_body_places(cairn->world, 0, count, cairn->read);
    for (int i = 0; i < count; i++) {
        const struct cn_body_place *from = &cairn->read[i];
        double place[PLACE_NUMBERS] = {from->position.x, from->position.y, from->position.z,
            from->angle, from->orientation.w, from->orientation.x, from->orientation.y,
            from->orientation.z};
        memcpy(&cairn->places[(size_t)i * PLACE_NUMBERS], place, sizeof(place));
        cairn->asleep[i] = from->is_asleep && !from->is_static;
    }
    return cairn->places;
}

/* Of each slot 1 if the body slept at the last call of cairn_places(); NULL before any. */
EXPORT(cairn_asleep) const uint8_t *
cairn_asleep(const struct cairn *cairn)
{
    return cairn->asleep;
}

/* ---- messages ---- */

/*
 * Applies the input of a session before the next tick, as the daemon does: what it holds ends
 * after its `holdTicks`.  Number and tick of the input (`seq`, `atTick`) are the caller's matter.
 */
EXPORT(cairn_input) bool
cairn_input(struct cairn *cairn, uint64_t session, const uint8_t *bytes, size_t size)
{
    struct wire_client_message message;
    if (!wa_decode(bytes, size, WIRE_CLIENT_INPUT, &message)) {
        return false;
    }
    struct cn_command command = message.input.command;
    cn_command_set_source(
        &command, session, cn_world_tick(cairn->world), message.input.hold_ticks);
    wire_client_message_finish(&message);
    struct cn_defect defect;
    return cn_world_command_apply(cairn->world, &command, &defect) == CN_OK ||
        wa_note_defect(&defect);
}

/* The session leaves: what it holds ends before the next tick. */
EXPORT(cairn_leave) bool
cairn_leave(struct cairn *cairn, uint64_t session)
{
    struct cn_command command = {
        .kind = CN_COMMAND_RELEASE_SOURCE, .release_source = {.source = session}};
    struct cn_defect defect;
    return cn_world_command_apply(cairn->world, &command, &defect) == CN_OK ||
        wa_note_defect(&defect);
}
