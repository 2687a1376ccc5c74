/*
 * inside.h: what the files of the module share; see engine.c.
 */
#ifndef WASM_INSIDE_H
#define WASM_INSIDE_H

#include "deed/entry.h"
#include "deed/rules/rules.h"
#include "engine/cairn.h"
#include "proto/scene.h"
#include "proto/wire.h"

/* A function that JavaScript calls. */
#define EXPORT(name) __attribute__((export_name(#name), used))

#define WA_SHOWN_MAX 64

/* The scene from a tick on. */
struct wa_shown {
    uint64_t tick;
    struct wire_scene *scene;
};

struct cairn {
    struct wire_scene *scene; /* of which the world was made */
    struct dd_rules rules;
    struct wire_scene *first; /* the scene before shown[]; NULL: `scene` */
    uint64_t first_tick;      /* from which on it is that */
    struct wa_shown shown[WA_SHOWN_MAX]; /* ascending ticks */
    int shown_count;
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

/*
 * rules.c: steps.  After an image was read: finds its scene; false: it is no longer kept.  Sets the
 * scene at the image; false without memory.  Drops all scenes but the first.
 */
bool wa_step(struct cairn *cairn);
bool wa_go_back(struct cairn *cairn);
bool wa_show(struct cairn *cairn, const uint8_t *bytes, size_t size);
void wa_forget_scenes(struct cairn *cairn);

/* Decodes an INPUT or a QUERY, to be finished; else false, with the refusal noted (decode.c). */
bool wa_decode(const uint8_t *bytes, size_t size, enum wire_client_kind kind,
    struct wire_client_message *message);

#endif
