/*
 * logic.h: the logic of a world: news that it has not answered yet, and the exchange with it.
 *
 * A logic is a client that decides about a world (proto/WIRE.md, "Logic").  A world has one from
 * the first LogicStart until a STOP, also while no client is connected as its logic.  From then on
 * the world keeps *news* for it: messages to it, members that come and go, events of ticks.
 *
 *     news:   first ... | answered in order ... | cursor: sent with the last LogicTick | new
 *
 * 1. News come only from log entries and from ticks.  A recovery repeats these, so it has the same
 *    news with the same numbers.
 * 2. News are removed only by a log entry (DD_LOGIC_ANSWER), in the record that has the effects of
 *    the answer.  So each message has its effect once, whatever is killed in between.
 * 3. A message that finds no room is refused before it becomes an entry.  An acknowledged one is
 *    never dropped.  Events and members beyond the bounds are dropped and counted.
 *
 * Numbers of news are absolute: news[0] has the number `first`.
 *
 * Bounds: SV_LOGIC_SAID_MAX messages of SV_LOGIC_SAID_SIZE_MAX bytes, SV_LOGIC_NEWS_MAX others.
 * Ownership: create and destroy.
 * Threads: its world's.
 */
#ifndef SERVER_WORLD_DATA_LOGIC_H
#define SERVER_WORLD_DATA_LOGIC_H

#include "deed/entry.h"
#include "engine/model/event.h"
#include "server/base/limits.h"
#include "server/mail/message.h"
#include "server/snapshot/attributes.h"

enum sv_news_kind {
    SV_NEWS_EVENT,
    SV_NEWS_JOINED,
    SV_NEWS_LEFT,
    SV_NEWS_SAID,
    SV_NEWS_KIND_COUNT,
};

/* A message to the logic; a zero follows the content. */
struct sv_heard {
    uint64_t session;
    bool is_text;
    char channel[WIRE_CHANNEL_SIZE];
    uint32_t size;
    uint8_t content[];
};

struct sv_news {
    enum sv_news_kind kind;
    uint64_t tick;
    union {
        struct cn_event event;
        uint64_t session;       /* JOINED, LEFT */
        struct sv_heard *heard; /* SAID; owned */
    };
};

/* A LogicTick that was sent and is not answered. */
struct sv_asked {
    uint64_t number, until, asked_ns; /* it had the news below `until` */
};

/* An answer that waits for its tick. */
struct sv_early_answer {
    uint64_t at_tick;
    struct wire_logic_done *done;
};

struct sv_logic {
    /* changed by log entries and ticks only, and in checkpoints */
    bool events;       /* news have the events of ticks */
    uint64_t answered; /* the number of the last answer that had an entry */
    uint64_t first;
    uint32_t dropped;  /* events and members for which there was no room */
    struct sv_news *news;
    int count, capacity, said_count;
    size_t said_size;

    /* the client that is the logic now */
    bool is_on;
    struct sv_asker asker;
    struct wire_logic_start how;
    bool is_first;    /* its first LogicTick is to be sent */
    bool is_ask_due;  /* a LogicTick found no room in the ring of reports */
    bool is_awaited;  /* BARRIER: the next tick waits for the answer to the last LogicTick */
    uint64_t number;  /* of the last LogicTick */
    uint64_t acted;   /* the number of the last answer that has acted */
    uint64_t cursor;  /* news below it were sent */
    uint32_t late_count, told_dropped;
    struct sv_attributes *attributes; /* those that it was sent; NULL: none yet */
    uint64_t attribute_version; /* the world's, of the last LogicTick that had all changes */
    struct sv_asked asked[SV_LOGIC_ASKED_MAX]; /* the oldest first */
    int asked_count;
    struct sv_early_answer early[SV_LOGIC_ASKED_MAX]; /* in the order of their numbers */
    int early_count;
    struct wire_logic_refused *refused; /* heap, SV_LOGIC_REFUSED_MAX of them; NULL: none yet */
    int refused_count;
};

/* NULL without memory. */
struct sv_logic *sv_logic_create(void);
void sv_logic_destroy(struct sv_logic *logic);

/* Adds news of a tick; what finds no room or memory is counted as dropped. */
void sv_logic_add_event(struct sv_logic *logic, uint64_t tick, const struct cn_event *event);
void sv_logic_add_member(struct sv_logic *logic, uint64_t tick, uint64_t session, bool has_left);

/* Whether one more message has room; adds it.  False without memory. */
bool sv_logic_has_room(const struct sv_logic *logic, size_t size);
bool sv_logic_add_said(struct sv_logic *logic, uint64_t tick, const struct dd_entry *entry);

/* The logic has answered this number, and all news below `until`. */
void sv_logic_answer(struct sv_logic *logic, uint64_t number, uint64_t until);

/* No client is the logic, or one starts: all that was not answered is to be sent. */
void sv_logic_restart(struct sv_logic *logic);

/* Forgets the LogicTicks that were sent: their news are sent again. */
void sv_logic_rewind(struct sv_logic *logic);

/*
 * Its section of a checkpoint, little-endian:
 *
 *     version u32, 1     events u8     answered u64     first u64     dropped u32
 *     news u32, each: kind u8, tick u64, then
 *         EVENT          name 16 bytes, body A u32, body B u32, value f64
 *         JOINED, LEFT   session u64
 *         SAID           a log entry (deed/entry.h)
 */
bool sv_logic_write(const struct sv_logic *logic, struct dd_entries *out);

/* NULL if the bytes are no such section, or without memory. */
struct sv_logic *sv_logic_read(const unsigned char *bytes, size_t size);

#endif
