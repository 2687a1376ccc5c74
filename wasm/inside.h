/*
 * inside.h: what the files of the module share; see engine.c.
 */
#ifndef WASM_INSIDE_H
#define WASM_INSIDE_H

#include "deed/entry.h"
#include "engine/cairn.h"
#include "proto/scene.h"
#include "proto/wire.h"

/* A function that JavaScript calls. */
#define EXPORT(name) __attribute__((export_name(#name), used))

struct cairn {
    struct wire_scene *scene;
    struct cn_world *world;
    double *places; /* PLACE_NUMBERS for each slot of a body, present or not */
    struct cn_body_place *read;
    uint8_t *asleep; /* 1 for each slot of a body that sleeps */
    int place_room;
    uint8_t *answer; /* to the last query */
    size_t answer_size;
    uint8_t *frames; /* of the last cairn_frames() */
    size_t frames_size, frames_room;
    struct dd_entries deed; /* the last one that was made of an input */
};

/* These note a refusal; the last two return false (refusal.c). */
void wa_note_error(const char *path, const char *text);
bool wa_note_defect(const struct cn_defect *defect);
bool wa_note_memory(void);

/* A scene from its bytes, to be destroyed; NULL with *error filled (scene.c, small_scene.c). */
struct wire_scene *wa_scene_read(const uint8_t *bytes, size_t size, struct wire_text_error *error);

/* Decodes an INPUT or a QUERY, to be finished; else false, with the refusal noted (decode.c). */
bool wa_decode(const uint8_t *bytes, size_t size, enum wire_client_kind kind,
    struct wire_client_message *message);

#endif
