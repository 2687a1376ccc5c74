/*
 * deed.h: what is done to one world between two of its ticks, as bytes that can be done again.
 *
 * A deed is what is left of a letter once it has been admitted: no leases, rates or members are
 * needed to do it again, so that the same deeds at the same ticks give the same bits.  They are
 * written field by field, little-endian, without padding, by tables (deed.c); a reader refuses what
 * a writer does not write, so that bytes that are read give the same bytes again.
 *
 *     kind u8, then
 *     COMMAND    the command's kind u8, its fields in the order of its struct
 *     SETTLED    session u64, number u64      an input of the session has been applied or refused
 *     LEFT       session u64                  it holds nothing any more, and has settled nothing
 *     STATE      u8                           enum wire_world_state, RUNNING or PAUSED
 *     SETTINGS   every member of struct wire_settings
 *     RESET      -
 *     CHANGE     is_done u8, size u32, a packed Change
 *     CHANGE_OF  is_done u8, the content of such bytes
 *     LOAD       the content of the scene's bytes
 *     SEED       the content of a checkpoint's bytes, at which the world begins
 *     JOINED     session u64                  it has come; nothing of the world is changed by it
 *
 * What is large is stored once under its content (server/store/lane.h), before the deed.  A change
 * that was refused halfway is one too: slots that it took and gave back have another generation.
 *
 * Threads: values.
 */
#ifndef SERVER_HOST_DEED_H
#define SERVER_HOST_DEED_H

#include "proto/wire.h"

#include <stddef.h>

#define SV_DEED_TABLE(X)                                                                           \
    X(COMMAND, "command")                                                                          \
    X(SETTLED, "settled")                                                                          \
    X(LEFT, "left")                                                                                \
    X(STATE, "state")                                                                              \
    X(SETTINGS, "settings")                                                                        \
    X(RESET, "reset")                                                                              \
    X(CHANGE, "change")                                                                            \
    X(CHANGE_OF, "change of")                                                                      \
    X(LOAD, "load")                                                                                \
    X(SEED, "seed")                                                                                \
    X(JOINED, "joined")

#define X(NAME, name) SV_DEED_##NAME,
enum sv_deed_kind { SV_DEED_TABLE(X) SV_DEED_KIND_COUNT };
#undef X

#define SV_DEED_CONTENT_SIZE 32

/* A change's bytes that travel within the deed; what is larger is stored by its content. */
#define SV_DEED_INLINE_SIZE_MAX ((size_t)64 * 1024)

/* The most bytes of a deed. */
#define SV_DEED_NUMBERS_SIZE ((size_t)512) /* more than any deed takes but for such bytes */
#define SV_DEED_SIZE_MAX (SV_DEED_INLINE_SIZE_MAX + 16)

struct sv_deed {
    enum sv_deed_kind kind;
    union {
        struct cn_command command; /* none that makes something: those come in changes */
        struct {
            uint64_t session, seq; /* LEFT and JOINED: the session alone */
        } settled;
        enum wire_world_state state;
        struct wire_settings settings;
        struct {
            bool is_done;                                /* it was; else it was refused */
            unsigned char content[SV_DEED_CONTENT_SIZE]; /* CHANGE_OF, LOAD and SEED */
            const unsigned char *bytes;                  /* CHANGE; borrowed */
            size_t size;
        } matter;
    };
};

/* Deeds one behind the other. All zero is none. */
struct sv_deeds {
    unsigned char *bytes; /* heap */
    size_t size, capacity;
};

/* Sees to it that deeds of so many bytes can be added. False without memory. */
bool sv_deeds_reserve(struct sv_deeds *deeds, size_t size);

/* Adds a deed at the end. False without memory, and nothing was added. */
bool sv_deeds_add(struct sv_deeds *deeds, const struct sv_deed *deed);
bool sv_deeds_add_bytes(struct sv_deeds *deeds, const unsigned char *bytes, size_t size);
void sv_deeds_finish(struct sv_deeds *deeds);

/* Takes them all out.  Memory of more than `kept` bytes is given back, unless a part was used. */
void sv_deeds_clear(struct sv_deeds *deeds, size_t kept);

/*
 * Reads the deed at *at and moves *at behind it; what it points to lies in the bytes.  False when
 * that is no deed that sv_deeds_add writes, and *at has not moved.
 */
bool sv_deed_read(const unsigned char *bytes, size_t size, size_t *at, struct sv_deed *deed);

/* Settings alone, as a deed has them. */
bool sv_settings_add(struct sv_deeds *deeds, const struct wire_settings *settings);
bool sv_settings_read(
    const unsigned char *bytes, size_t size, size_t *at, struct wire_settings *settings);

/* For logs. */
const char *sv_deed_name(enum sv_deed_kind kind);

#endif
