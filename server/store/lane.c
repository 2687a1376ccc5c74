#include "server/store/lane_inside.h"

#include "engine/base/assert.h"
#include "server/store/lane.h"
#include "server/store/store_config.h"

#include <stdlib.h>
#include <string.h>

#define ENTRY_HEADER_SIZE 8

bool
sv_lane_init(
    struct sv_lane *lane, struct sv_lane_gate *gate, struct sv_step_mark *mark, size_t size)
{
    lane->gate = gate;
    lane->mark = mark;
    for (lane->capacity = 4096; lane->capacity < size;) {
        lane->capacity *= 2;
    }
    CN_ASSERT((lane->capacity & (lane->capacity - 1)) == 0); /* positions wrap by a mask */
    lane->bytes = malloc(lane->capacity);
    atomic_init(&lane->put, 0);
    atomic_init(&lane->taken, 0);
    atomic_init(&lane->durable, 0);
    atomic_init(&lane->checkpoints_busy, 0);
    return lane->bytes != NULL;
}

void
sv_article_destroy(enum sv_item_kind kind, struct sv_article *article)
{
    if (kind == SV_ITEM_CHECKPOINT) {
        sv_checkpoint_destroy(article->thing);
    } else {
        free(article->thing);
    }
    article->thing = NULL;
}

void
sv_lane_finish(struct sv_lane *lane)
{
    uint64_t end = atomic_load(&lane->put);
    for (uint64_t at = atomic_load(&lane->taken), next; at < end; at = next) {
        enum sv_item_kind kind;
        size_t size;
        struct sv_article article;
        next = sv_lane_item(lane, at, &kind, &size);
        CN_ASSERT(next <= end);
        if (kind != SV_ITEM_RECORD) {
            sv_lane_copy(lane, at, &article, sizeof(article));
            sv_article_destroy(kind, &article);
        }
    }
    free(lane->bytes);
    lane->bytes = NULL;
}

static void
put_bytes(struct sv_lane *lane, uint64_t at, const void *bytes, size_t size)
{
    CN_ASSERT(size <= lane->capacity); /* invariant 2 */
    size_t begin = (size_t)(at & (lane->capacity - 1));
    size_t first = lane->capacity - begin < size ? lane->capacity - begin : size;
    if (size > 0) {
        memcpy(lane->bytes + begin, bytes, first);
        memcpy(lane->bytes, (const unsigned char *)bytes + first, size - first);
    }
}

static void
get_bytes(const struct sv_lane *lane, uint64_t at, void *bytes, size_t size)
{
    CN_ASSERT(size <= lane->capacity);
    size_t begin = (size_t)(at & (lane->capacity - 1));
    size_t first = lane->capacity - begin < size ? lane->capacity - begin : size;
    memcpy(bytes, lane->bytes + begin, first);
    memcpy((unsigned char *)bytes + first, lane->bytes, size - first);
}

static uint64_t
position_behind(uint64_t at, size_t size)
{
    return at + ENTRY_HEADER_SIZE + ((size + 7) & ~(size_t)7);
}

uint64_t
sv_lane_item(const struct sv_lane *lane, uint64_t at, enum sv_item_kind *kind, size_t *size)
{
    CN_ASSERT(at % 8 == 0); /* invariant 1 */
    uint32_t header[2];
    get_bytes(lane, at, header, sizeof(header));
    *kind = (enum sv_item_kind)header[0];
    *size = header[1];
    CN_ASSERT(*size <= lane->capacity); /* as put_item wrote it */
    return position_behind(at, *size);
}

void
sv_lane_copy(const struct sv_lane *lane, uint64_t at, void *out, size_t size)
{
    get_bytes(lane, at + ENTRY_HEADER_SIZE, out, size);
}

static bool
fits_item(struct sv_lane *lane, uint64_t put, size_t size)
{
    uint64_t taken = atomic_load_explicit(&lane->taken, memory_order_acquire);
    CN_ASSERT(taken <= put); /* invariant 2 */
    return position_behind(put, size) - taken <= lane->capacity;
}

/*
 * Which items the store's state accepts.  On a full disk nothing that makes it grow.  A record of
 * something already done does not count as growth, because without it the world could not be shown
 * any more.
 */
static bool
is_open(struct sv_lane *lane, bool is_growth)
{
    int state = atomic_load_explicit(&lane->gate->state, memory_order_acquire);
    return state == SV_STORE_WRITING || (state == SV_STORE_READ_ONLY && !is_growth);
}

/* Puts two parts as one item, for which there is room. */
static uint64_t
put_item(struct sv_lane *lane, enum sv_item_kind kind, const void *first, size_t first_size,
    const void *second, size_t second_size)
{
    uint64_t put = atomic_load_explicit(&lane->put, memory_order_relaxed);
    uint32_t header[2] = {(uint32_t)kind, (uint32_t)(first_size + second_size)};
    put_bytes(lane, put, header, sizeof(header));
    put_bytes(lane, put + ENTRY_HEADER_SIZE, first, first_size);
    put_bytes(lane, put + ENTRY_HEADER_SIZE + first_size, second, second_size);
    uint64_t ticket = position_behind(put, first_size + second_size);
    CN_ASSERT(ticket % 8 == 0 && fits_item(lane, put, first_size + second_size)); /* 1, 2 */
    atomic_store_explicit(&lane->put, ticket, memory_order_release);
    return ticket;
}

uint64_t
sv_lane_append(struct sv_lane *lane, struct sv_trail *trail, uint64_t tick, uint64_t state_hash,
    uint32_t flags, const void *entries, size_t entries_size)
{
    unsigned char header[SV_RECORD_HEADER_SIZE];
    struct sv_record record = {.world = trail->world,
        .epoch = lane->gate->epoch,
        .number = trail->number + 1,
        .tick = tick,
        .state_hash = state_hash,
        .chain = trail->chain,
        .physics = trail->physics,
        .flags = flags,
        .entries = entries,
        .entries_size = entries_size};
    CN_ASSERT(trail->world != 0 && entries_size <= SV_RECORD_ENTRIES_SIZE_MAX);
    CN_ASSERT((flags & SV_RECORD_HASH) != 0 || state_hash == 0);
    CN_ASSERT((flags & SV_RECORD_FLAGS_STORE & ~(uint32_t)SV_RECORD_HASH) == 0);
    uint64_t put = atomic_load_explicit(&lane->put, memory_order_relaxed);
    if (!is_open(lane, entries_size == 0) || !fits_item(lane, put, sizeof(header) + entries_size)) {
        return 0;
    }
    record.crc = sv_record_write_header(header, &record);
    bool follows = sv_trail_follow(trail, &record);
    CN_ASSERT(follows);
    return put_item(lane, SV_ITEM_RECORD, header, sizeof(header), entries, entries_size);
}

static uint64_t
put_article(
    struct sv_lane *lane, enum sv_item_kind kind, const struct sv_article *article, bool is_growth)
{
    uint64_t put = atomic_load_explicit(&lane->put, memory_order_relaxed);
    if (!is_open(lane, is_growth) || !fits_item(lane, put, sizeof(*article))) {
        return 0;
    }
    return put_item(lane, kind, article, sizeof(*article), NULL, 0);
}

uint64_t
sv_lane_put_scene(struct sv_lane *lane, uint64_t world, uint64_t number,
    const unsigned char content[SV_CONTENT_SIZE], unsigned char *bytes_take, size_t size)
{
    struct sv_article article = {
        .world = world, .number = number, .thing = bytes_take, .size = size};
    memcpy(article.content, content, SV_CONTENT_SIZE);
    return put_article(lane, SV_ITEM_SCENE, &article, true);
}

uint64_t
sv_lane_put_charter(struct sv_lane *lane, uint64_t world, unsigned char *bytes_take, size_t size)
{
    const struct sv_article article = {.world = world, .thing = bytes_take, .size = size};
    CN_ASSERT(world != 0);
    return put_article(lane, SV_ITEM_CHARTER, &article, bytes_take != NULL);
}

uint64_t
sv_lane_put_notes(struct sv_lane *lane, const struct sv_note *notes, int count)
{
    struct sv_article article = {0};
    size_t size;
    bool is_growth = false;
    for (int i = 0; i < count; i++) {
        is_growth = is_growth || notes[i].bytes != NULL;
    }
    article.thing = sv_notes_pack(notes, count, &size);
    article.size = size;
    uint64_t ticket =
        article.thing != NULL ? put_article(lane, SV_ITEM_NOTES, &article, is_growth) : 0;
    if (ticket == 0) {
        free(article.thing);
    }
    return ticket;
}

uint64_t
sv_lane_checkpoint(struct sv_lane *lane, struct sv_checkpoint *checkpoint_take)
{
    const struct sv_article article = {.thing = checkpoint_take};
    atomic_fetch_add_explicit(&lane->checkpoints_busy, 1, memory_order_relaxed);
    uint64_t ticket = put_article(lane, SV_ITEM_CHECKPOINT, &article, false);
    if (ticket == 0) {
        atomic_fetch_sub_explicit(&lane->checkpoints_busy, 1, memory_order_relaxed);
    }
    return ticket;
}

unsigned
sv_lane_checkpoints_busy(struct sv_lane *lane)
{
    return atomic_load_explicit(&lane->checkpoints_busy, memory_order_relaxed);
}

uint64_t
sv_lane_durable(struct sv_lane *lane)
{
    return atomic_load_explicit(&lane->durable, memory_order_acquire);
}

size_t
sv_lane_room(struct sv_lane *lane)
{
    uint64_t put = atomic_load_explicit(&lane->put, memory_order_acquire);
    uint64_t taken = atomic_load_explicit(&lane->taken, memory_order_acquire);
    size_t room = lane->capacity - (size_t)(put - taken);
    size_t around = ENTRY_HEADER_SIZE + SV_RECORD_HEADER_SIZE + 7;
    return room > around ? room - around : 0;
}

void
sv_lane_flush(struct sv_lane *lane)
{
    lane->gate->flush(lane->gate->context);
}

void
sv_lane_stepping(struct sv_lane *lane, uint64_t world, uint64_t tick)
{
    atomic_store_explicit(&lane->mark->tick, tick, memory_order_relaxed);
    atomic_store_explicit(&lane->mark->world, world, memory_order_relaxed);
}
