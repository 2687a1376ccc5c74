/*
 * entry_value.h: one log entry as a value, and the kinds of entries (entry.h).
 *
 * Threads: values.
 */
#ifndef SERVER_WORLD_DATA_ENTRY_VALUE_H
#define SERVER_WORLD_DATA_ENTRY_VALUE_H

#include "proto/codec.h"
#include "server/mail/kept.h"
#include "server/world/data/lease.h"

#include <stddef.h>

#define SV_ENTRY_TABLE(X)                                                                          \
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
    X(JOINED, "joined")                                                                            \
    X(REACH, "reach")                                                                              \
    X(UPGRADE, "upgrade")                                                                          \
    X(LEASE, "lease")                                                                              \
    X(CAP, "cap")                                                                                  \
    X(KEPT, "kept")

#define X(NAME, name) SV_ENTRY_##NAME,
enum sv_entry_kind { SV_ENTRY_TABLE(X) SV_ENTRY_KIND_COUNT };
#undef X

#define SV_ENTRY_CONTENT_SIZE 32

struct sv_entry {
    enum sv_entry_kind kind;
    union {
        struct cn_command command; /* creation commands come as a CHANGE instead */
        struct {
            uint64_t session, seq; /* LEFT and JOINED use the session alone */
        } settled;
        enum wire_world_state state;
        uint64_t reach_tick;
        struct {
            uint32_t physics, lost_count;
        } upgrade;
        struct sv_lease_change lease;
        struct wire_capped cap;
        struct sv_kept kept;
        struct wire_settings settings;
        struct {
            bool is_done; /* true: the change was made; false: it was refused */
            unsigned char content[SV_ENTRY_CONTENT_SIZE]; /* CHANGE_OF, LOAD and SEED */
            const unsigned char *bytes;                  /* CHANGE; borrowed */
            size_t size;
        } matter;
    };
};

#endif
