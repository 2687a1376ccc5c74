/*
 * env.h: data that the worlds of one worker share: clock, memory, tools, store, report ports.
 *
 * A world calls nothing above its own floor.  Its reports to the network thread go through the
 * ports, which the owner of the worlds fills.  A thread that replays a world for itself leaves
 * them empty: nothing is reported then.
 *
 * Threads: one at a time, that of the worlds.
 */
#ifndef SERVER_WORLD_DATA_ENV_H
#define SERVER_WORLD_DATA_ENV_H

#include "engine/cairn.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/mail/message.h"
#include "server/snapshot/budget.h"
#include "server/snapshot/view.h"

struct sv_store;
struct sv_lane;
struct as_library;

struct sv_ports {
    void *context;
    /* Takes a report and what it owns; there is room for it. */
    void (*send)(void *context, struct sv_report *report);
    /*
     * Whether one more message may be acted on: there is room for every report it can cause, and
     * for `more` others.
     */
    bool (*has_room)(void *context, unsigned more);
};

struct sv_env {
    struct sv_ports ports;
    struct sv_clock clock;
    struct sv_log *log;
    struct sv_metrics *metrics;
    bool keep_running; /* step worlds also while they have no members */
    const char *simd;  /* instruction set of the solver, checked; NULL: the best.  Borrowed */
    struct sv_view_tools tools; /* the worlds' messages are made with them */
    struct sv_weigher weigher; /* for members with a byte budget */
    struct cn_scratch scratch; /* shared by all worlds, which are stepped one after another */
    size_t world_memory;       /* bytes that one world may take */
    /* of all worlds of the host.  Borrowed; NULL: memory is not counted */
    struct cn_account *memory;
    struct sv_store *store;    /* borrowed; NULL: worlds end with the process */
    struct sv_lane *lane;      /* the lane through which worlds write to the store */
    struct as_library *meshes; /* for scenes that are read from the store; borrowed */
    enum wire_durability durability; /* of worlds whose scene does not set one */
    bool has_past; /* the store keeps more checkpoints than recovery needs */
    unsigned outbox_count; /* reports that wait in worlds for the disk */
    bool has_news;     /* reports or publications since the network thread was last woken */
    bool is_flush_due; /* a publication or report waits for a record in the lane */
};

/* Frees the scratch memory and the tools. */
void sv_env_finish(struct sv_env *env);

/* The ports. */
void sv_env_send(struct sv_env *env, struct sv_report *report);
bool sv_env_has_room(const struct sv_env *env);
bool sv_env_has_room_for(const struct sv_env *env, unsigned more);

/* Whether the store refuses records because the disk is full. */
bool sv_env_is_read_only(const struct sv_env *env);

/* Gives the memory of destroyed worlds back to the system. */
void sv_env_give_back(struct sv_env *env);

#endif
