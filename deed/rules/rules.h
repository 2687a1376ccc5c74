/*
 * rules.h: runs the rules of a scene right after a tick (proto/rules.h; docs/rules.md).
 *
 *     cn_world_step --> what happened --> spawners, then rules in order --> changes, commands
 *
 * Whoever steps a world with rules calls dd_rules_step instead of cn_world_step: the daemon, a
 * replay, a follower of deeds, WebAssembly, `cairn run`.  All of them have the same bits, because
 * rules read nothing but the scene, the engine and the events of the tick itself.
 *
 * What rules remember is in attributes whose names begin with '.', which image, hash and log hold:
 *
 *     .rules   of the world: DD_RULES_STATE_SIZE bytes: whether the round has ended u8, the tick of
 *              the reset u64 (0: none), and a bit for each rule with a counter: its condition held
 *     .by      of a body: the index of the spawner that made it
 *     .joined  of a session: true if it has joined since the last tick; .left: it has left.  Log
 *              entries set them (dd_rules_note).  After the tick .joined is false, and .left is
 *              removed.
 *
 * Limits: a tick does at most DD_RULES_ACTIONS_MAX effects on bodies and attributes; of these at
 * most DD_RULES_CHANGES_MAX make or remove bodies.  The others of this tick are left out, and an
 * event `ruleLimit` says how many.  A refused effect is an event `ruleRefused`; the next effects
 * of its rule are still done.
 *
 * Memory: if it is missing, the step returns CN_STEP_MEMORY, and a further call goes on at the same
 * effect.  Until then the tick is not done, and nothing else may act on the engine.
 *
 * Ownership: all zero is a world before its first tick; finish.
 * Threads: one at a time for an engine.
 */
#ifndef DEED_RULES_RULES_H
#define DEED_RULES_RULES_H

#include "deed/change.h"
#include "deed/entry.h"
#include "engine/cairn.h"
#include "proto/rules.h"

#define DD_RULES_ACTIONS_MAX 64
#define DD_RULES_CHANGES_MAX 16
#define DD_RULES_STATE_SIZE WIRE_RULES_STATE_SIZE

struct dd_rules_match;

/* A body in its slot, as long as the slot has the same generation. */
struct dd_rules_body {
    int32_t slot; /* -1: none */
    uint32_t generation;
};

struct dd_rules {
    bool is_pending, is_collected; /* the engine's tick is done, and its rules are not */
    bool is_lost;   /* bodies came or went, and there was no memory to show it */
    bool is_acting; /* rules[rule] acts on matches[match] */
    struct dd_rules_body it, other; /* of that rule */
    struct dd_rules_match *matches; /* heap: what happened in the tick */
    int match_count, match_capacity, match_dropped;
    int spawner, rule, match, effect, target; /* where the rules go on */
    int action_count, change_count, left_out_count;
    unsigned char state[DD_RULES_STATE_SIZE];
};

/* The world as whoever steps it keeps it. */
struct dd_rules_host {
    void *context;
    const struct wire_scene *scene; /* as it was loaded */

    /* The scene as it is now. */
    const struct wire_scene *(*shown)(void *context);

    /* Bodies have come and gone: the next shown() is the scene after it.  False: no memory. */
    bool (*show)(
        void *context, const struct wire_change *change, const struct dd_slots *slots);
};

/*
 * Steps like cn_world_step, and then runs the rules.  After MEMORY with `is_lost` the caller gives
 * the world up, because the names of its bodies are not known any more.
 */
enum cn_step_result dd_rules_step(struct dd_rules *rules, struct cn_world *engine,
    const struct dd_rules_host *host, int64_t work);
void dd_rules_finish(struct dd_rules *rules);

/*
 * The log entry that tells rules of a session which has joined or left.  False: the scene has no
 * rule for it.
 */
bool dd_rules_note(const struct wire_scene *scene, enum dd_entry_kind kind, uint64_t session,
    struct dd_entry *entry);

/* Whether rules have ended the round, and the world is to be reset now. */
bool dd_rules_want_reset(const struct wire_scene *scene, const struct cn_world *engine);

#endif
