/*
 * lane_inside.h: a lane as the store sees it.
 *
 * The queue holds items: a kind and a size, 4 bytes each, then the bytes, padded to a multiple of
 * 8. Positions are never reset; a ticket is the position behind an item.
 *
 * Invariants: 1. Positions are multiples of 8.  2. put - taken <= capacity, a power of two.
 */
#ifndef SERVER_STORE_LANE_INSIDE_H
#define SERVER_STORE_LANE_INSIDE_H

#include "server/store/format/checkpoint.h"

#include <stdatomic.h>

enum sv_item_kind {
    SV_ITEM_RECORD,
    SV_ITEM_SCENE,
    SV_ITEM_CHARTER,
    SV_ITEM_CHECKPOINT,
    SV_ITEM_NOTES,
};

/* The contents of an item that is not a record. */
struct sv_article {
    uint64_t world, number; /* a scene's use */
    unsigned char content[SV_CONTENT_SIZE];
    void *thing; /* owned: bytes, a checkpoint, or a block of notes */
    uint64_t size;
};

/* Lies in memory that outlives the process. */
struct sv_step_mark { /* within one sector, so that a power cut leaves it whole */
    _Atomic uint64_t world, tick, epoch, unused;
};

/* The data of the store that its lanes read, and the function by which they wake it. */
struct sv_lane_gate {
    atomic_int state; /* WRITING, READ_ONLY or FAILED, of enum sv_store_state */
    uint64_t epoch;   /* of records */
    void (*flush)(void *context); /* makes all appended items durable soon; from any thread */
    void *context;
};

struct sv_lane {
    struct sv_lane_gate *gate; /* the store's */
    struct sv_step_mark *mark;
    unsigned char *bytes;
    size_t capacity; /* a power of two */
    _Alignas(64) _Atomic uint64_t put;
    _Alignas(64) _Atomic uint64_t taken;
    _Alignas(64) _Atomic uint64_t durable;
    atomic_uint checkpoints_busy;
};

bool sv_lane_init(struct sv_lane *lane, struct sv_lane_gate *gate, struct sv_step_mark *mark,
    size_t size);

/* Destroys what is in it. */
void sv_lane_finish(struct sv_lane *lane);

/* The item at a position below `put`: its kind and size; returns the position behind it. */
uint64_t
sv_lane_item(const struct sv_lane *lane, uint64_t at, enum sv_item_kind *kind, size_t *size);

/* Copies the item's bytes. */
void sv_lane_copy(const struct sv_lane *lane, uint64_t at, void *out, size_t size);

/* Frees the memory that an article owns. */
void sv_article_destroy(enum sv_item_kind kind, struct sv_article *article);

#endif
