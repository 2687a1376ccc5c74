/*
 * lane_inside.h: a lane as the store sees it.
 *
 * The queue holds entries: a kind and a size, 4 bytes each, then the bytes, filled up to a multiple
 * of 8.  Positions count for ever; a ticket is the position behind an entry.
 */
#ifndef SERVER_STORE_LANE_INSIDE_H
#define SERVER_STORE_LANE_INSIDE_H

#include "server/store/lane.h"

enum sv_entry_kind { SV_ENTRY_RECORD, SV_ENTRY_SCENE, SV_ENTRY_CHARTER, SV_ENTRY_CHECKPOINT };

/* What an entry that is no record holds. */
struct sv_article {
    uint64_t world, number; /* a scene's use */
    unsigned char content[SV_CONTENT_SIZE];
    void *thing; /* owned: bytes, or a checkpoint */
    uint64_t size;
};

/* In memory that outlives the process. */
struct sv_step_mark { /* within one sector, so that a power cut leaves it whole */
    _Atomic uint64_t world, tick, epoch, unused;
};

struct sv_lane {
    struct sv_store *store;
    struct sv_step_mark *mark;
    unsigned char *bytes;
    size_t capacity; /* a power of two */
    _Alignas(64) _Atomic uint64_t put;
    _Alignas(64) _Atomic uint64_t taken;
    _Alignas(64) _Atomic uint64_t durable;
    atomic_uint checkpoints_busy;
};

bool
sv_lane_init(struct sv_lane *lane, struct sv_store *store, struct sv_step_mark *mark, size_t size);

/* Destroys what is in it. */
void sv_lane_finish(struct sv_lane *lane);

/* The entry at a position that is below put: its kind, size and the position behind it. */
uint64_t
sv_lane_entry(const struct sv_lane *lane, uint64_t at, enum sv_entry_kind *kind, size_t *size);

/* Copies the entry's bytes. */
void sv_lane_copy(const struct sv_lane *lane, uint64_t at, void *out, size_t size);

/* Frees what an article owns. */
void sv_article_destroy(enum sv_entry_kind kind, struct sv_article *article);

#endif
