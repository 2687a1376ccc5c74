/*
 * solo_inside.h: what the files of the world without a daemon share; see solo.h.
 */
#ifndef WASM_SOLO_INSIDE_H
#define WASM_SOLO_INSIDE_H

#include "engine/cairn.h"
#include "proto/codec.h"
#include "proto/scene.h"
#include "proto/scene_live.h"
#include "proto/state.h"
#include "wasm/inside.h"
#include "wasm/solo.h"

#define SESSION 1 /* of the only client */
#define SERVER_NAME "cairn, in this page"
#define WORLD_ID "here"
#define MESSAGE_SIZE_MAX (16u << 20) /* a scene that the client loads may be large */
#define MESSAGE_RATE 100000
#define STEPS_MAX 10000 /* of a Step */
#define ROLE_OPERATOR 4

struct message {
    uint8_t *bytes;
    size_t size;
};

struct solo {
    struct wire_scene *scene; /* as it was loaded */
    struct wire_scene *shown; /* as it is now; may be `scene` */
    struct cn_world *engine;
    struct dd_rules rules;
    struct wire_settings changed; /* since it was loaded */
    struct wire_state *state;     /* the last one that was sent */
    uint32_t generation;
    enum wire_world_state run_state;
    bool is_joined, is_dirty, is_status_due;
    bool contacts, energy, actions, attributes;
    bool is_attribute_due;      /* no AttributeFrame was sent since it subscribed */
    uint64_t attribute_version; /* of the last one */
    uint64_t applied_seq, next_seq;
    uint64_t step_until_tick;
    uint32_t step_request; /* the last Step that has not been answered; 0: none */
    double next_tick_us, status_us, now_us; /* next_tick_us 0: the clock does not run */
    double window_us, window_ticks, real_time_factor, tick_us;
    int run_ticks; /* of the last run */
    struct message *messages; /* oldest first; the first `taken` have been handed out */
    int message_count, message_capacity, taken;
};

/* ---- solo_rules.c: shows a change; tells the rules of the session; makes a tick ---- */

bool solo_show(struct solo *solo, const struct wire_change *change, const struct dd_slots *slots,
    struct wire_error *error);
void solo_note_session(struct solo *solo, enum dd_entry_kind kind);
bool solo_step(struct solo *solo); /* false without memory */

/* ---- solo_say.c: messages to the client ---- */

void solo_refuse(
    struct solo *solo, uint32_t request, uint64_t seq, const struct wire_error *error);
void solo_say_welcome(struct solo *solo);
void solo_say_joined(struct solo *solo);
void solo_say_changed(struct solo *solo, const struct wire_changed *changed);
void solo_say_presence(struct solo *solo);
void solo_say_status(struct solo *solo);
void solo_say_worlds(struct solo *solo);
void solo_say_pong(struct solo *solo, uint64_t client_time_us);
void solo_say_done(struct solo *solo, uint32_t request);
void solo_say_result(struct solo *solo, const struct wire_query_result *result);

/* The frames of the present tick. */
void solo_say_frames(struct solo *solo);

/* The next state that is sent has no predecessor: its slots hold other bodies. */
void solo_forget_state(struct solo *solo);

/* ---- solo_run.c: the world ---- */

/* The scene of packed bytes, and an engine of a scene; NULL with *error filled. */
struct wire_scene *solo_read_scene(const uint8_t *bytes, size_t size, struct wire_error *error);
struct cn_world *solo_make_engine(const struct wire_scene *scene, struct wire_error *error);

/* Puts the world back to its scene; the settings stay. */
bool solo_reset(struct solo *solo, struct wire_error *error);

/* The world begins again with this engine, and with this scene in place of the one before. */
void solo_begin_world(
    struct solo *solo, struct wire_scene *scene_take, struct cn_world *engine_take);

#endif
