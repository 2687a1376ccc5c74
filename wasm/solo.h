/*
 * solo.h: a world without a daemon: it answers one client in the protocol cairn.v1.
 *
 *     JavaScript: create --> hear(message)* --> run(now) --> next()* --> hear, run, ...
 *
 * It does for one client what a daemon does for many (proto/WIRE.md): a session, one world, inputs,
 * controls, queries, and the frames of each tick.  Nothing is stored, so there is no past: Fork,
 * Seek, and Create are refused.  Mode DEEDS is refused, too: the client's engine is this one.
 *
 * Time: the caller passes a clock in microseconds that only grows.  A tick that is due late is done
 * late; more than SOLO_CATCH_UP of them are lost, as in a daemon that has too much load.
 *
 * Ownership: create and destroy.
 * Threads: one.
 */
#ifndef WASM_SOLO_H
#define WASM_SOLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOLO_CATCH_UP 4

struct solo;

/* A world from the bytes of a Scene; NULL if it is refused: cairn_error_path() has the reason. */
struct solo *cairn_solo_create(const uint8_t *scene, size_t size);
void cairn_solo_destroy(struct solo *solo);

/* A ClientMessage of the client.  Answers wait for cairn_solo_next(). */
void cairn_solo_hear(struct solo *solo, const uint8_t *bytes, size_t size, double now_us);

/* Does the ticks that are due; returns when the next one is due, in microseconds of the clock. */
double cairn_solo_run(struct solo *solo, double now_us);

/* The last cairn_solo_run() took this long: the status says what a tick costs. */
void cairn_solo_spent(struct solo *solo, double spent_us);

/* The next ServerMessage, until the next call; NULL: none waits. */
const uint8_t *cairn_solo_next(struct solo *solo);
size_t cairn_solo_next_size(const struct solo *solo);

#endif
