/*
 * value.h: one log entry as a value, and the kinds of entries (entry.h).
 *
 * Threads: values.
 */
#ifndef DEED_VALUE_H
#define DEED_VALUE_H

#include "deed/kept.h"
#include "deed/lease.h"
#include "proto/codec.h"

#include <stddef.h>

#define DD_ENTRY_TABLE(X)                                                                          \
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
    X(KEPT, "kept")                                                                                \
    X(ATTRIBUTE, "attribute")                                                                      \
    X(SAID, "said")                                                                                \
    X(LOGIC, "logic")

#define X(NAME, name) DD_ENTRY_##NAME,
enum dd_entry_kind { DD_ENTRY_TABLE(X) DD_ENTRY_KIND_COUNT };
#undef X

#define DD_ENTRY_CONTENT_SIZE 32

/* What a LOGIC entry says. */
enum dd_logic_step {
    DD_LOGIC_START,  /* the world has a logic from now on, or it wants other things */
    DD_LOGIC_ANSWER, /* it has answered `number`, and all news below `until` */
    DD_LOGIC_STOP,   /* the world has none any more */
    DD_LOGIC_STEP_COUNT,
};

struct dd_entry {
    enum dd_entry_kind kind;
    union {
        struct cn_command command; /* creation commands come as a CHANGE instead, SET_ATTRIBUTE as
                                      an ATTRIBUTE */
        struct {
            uint64_t session, seq; /* LEFT and JOINED use the session alone */
        } settled;
        enum wire_world_state state;
        uint64_t reach_tick;
        struct {
            uint32_t physics, lost_count;
        } upgrade;
        struct dd_lease_change lease;
        struct wire_capped cap;
        struct dd_kept kept;
        struct cn_attribute attribute; /* a value of kind NONE removes it */
        struct {
            uint64_t session;
            bool is_text;
            char channel[WIRE_CHANNEL_SIZE];
            const unsigned char *bytes; /* borrowed */
            size_t size;
        } said;
        struct {
            enum dd_logic_step step;
            bool events; /* START: its news have the events of ticks */
            uint64_t number, until;
        } logic;
        struct wire_settings settings;
        struct {
            bool is_done; /* true: the change was made; false: it was refused */
            unsigned char content[DD_ENTRY_CONTENT_SIZE]; /* CHANGE_OF, LOAD and SEED */
            const unsigned char *bytes;                  /* CHANGE; borrowed */
            size_t size;
        } matter;
    };
};

#endif
