/*
 * sim.h: runs the whole daemon, its clients, network and disk on one thread, from one seed.
 *
 * Production code from the gateway down to SQLite runs on the simulated clock, transport and disk
 * (server/base, server/net).  SQLite uses the VFS of tests/support/server/disk_vfs.h.  The seed
 * determines the plan: the classes of faults, how often they occur, and how many worlds and clients
 * there are.  Each life of the daemon may have another number of workers, so that worlds change
 * theirs.  Everything is a function of the seed, including the trace.  The trace is a hash over all
 * data sent to clients and all events of the daemon.
 *
 * Threads become turns.  Every millisecond the network, the workers, the gateway and then the
 * store's two threads each have a turn.  While the store waits for the disk (disk.c), the others
 * continue.  Threads interleave at disk calls.  Power cuts and kills also happen there.
 *
 * Oracles check the daemon's guarantees; each has a name (SIM_ORACLE_TABLE).  The first violation
 * ends the seed.
 */
#ifndef TESTS_SIM_SIM_H
#define TESTS_SIM_SIM_H

#include "engine/base/assert.h"
#include "engine/base/hash.h"
#include "server/base/limits.h"
#include "server/host/recover.h"
#include "server/net/gateway.h"
#include "server/store/store.h"

#include <setjmp.h>
#include <stdio.h>

/* Enumerator, name, chance in percent that a seed has it, description. */
#define SIM_FAULT_TABLE(X)                                                                         \
    X(DELAY, "delay", 60, "messages take 0.2 ms to 2 s")                                           \
    X(CLOG, "clog", 30, "one direction of a connection stands still for a while")                  \
    X(PARTITION, "partition", 30, "both directions of some connections do")                        \
    X(CUT, "cut", 50, "a connection dies; what was under way is lost")                             \
    X(SLOW, "slow", 25, "a client reads slowly")                                                   \
    X(MALICE, "malice", 25, "a client sends damaged messages")                                     \
    X(RESEND, "resend", 50, "a client that is back sends again what had arrived")                  \
    X(EARLY, "early", 40, "inputs name the tick that they are for")                                \
    X(ORDERS, "orders", 40, "a world is paused, reset, given other settings")                      \
    X(LATENCY, "latency", 50, "the disk takes up to 10 s")                                         \
    X(EIO, "eio", 25, "a call of the disk fails; of a write, half is done")                        \
    X(FULL, "full", 25, "the disk is full for a while")                                            \
    X(POWER, "power", 60, "the power is cut: sectors tear, what is not flushed is lost")           \
    X(KILL, "kill", 50, "the process is killed")                                                   \
    X(INSIDE, "inside", 60, "and that within a call of the disk")                                  \
    X(RECOVERY, "recovery", 40, "and while it comes back")                                         \
    X(STEPPING, "stepping", 20, "and in the middle of a step, twice in a row at most")             \
    X(STOP, "stop", 30, "the process ends in order, and starts again")                             \
    X(ROT, "rot", 30, "a bit of the newest checkpoint changes")                                    \
    X(PROBE, "probe", 30, "a copy of the folder is damaged: it must be refused")                   \
    X(SKEW, "skew", 40, "the wall clock jumps by up to an hour")                                   \
    X(DRIFT, "drift", 40, "the daemon's clock runs 500 ppm wrong")                                 \
    X(TINY, "tiny", 40, "small lanes, small buffers, no history")                                  \
    X(CROWD, "crowd", 60, "each life has one to three workers, not one")                           \
    X(LAG, "lag", 30, "a worker gets no turn for up to 1 s")                                       \
    X(SECOND, "second", 30, "another daemon is started on the folder")                             \
    X(NO_LOCK, "no_lock", 30, "and the folder's lock does not stop it")

#define X(NAME, name, percent, text) SIM_##NAME,
enum sim_fault { SIM_FAULT_TABLE(X) SIM_FAULT_COUNT };
#undef X

/* Enumerator, name, claim. */
#define SIM_ORACLE_TABLE(X)                                                                        \
    X(NONE, "none", "")                                                                            \
    X(ACK_KEPT, "ack_kept",                                                                        \
        "an acknowledged input is in the journal once and in order, and the folder opens")         \
    X(REPLAY_EQUAL, "replay_equal",                                                                \
        "the journal alone, done again, gives the hash of the live world at every tick")           \
    X(OUTPUT_COMMIT, "output_commit",                                                              \
        "what a client was shown follows from what the journal has after any crash")               \
    X(SHOWN_KEPT, "shown_kept",                                                                    \
        "after any crash a world is not before the last tick that is promised")                    \
    X(TICK_ORDER, "tick_order", "ticks that are shown never go back within a life")                \
    X(FINITE, "finite", "every body is somewhere, at some speed")                                  \
    X(BOUNDS, "bounds", "queues, lanes, ticks ahead of the disk, memory")                          \
    X(LIVENESS, "liveness", "10 s after the last fault nothing waits")                             \
    X(ASSERTS, "asserts", "no assertion of the code fails")                                        \
    X(ONE_DAEMON, "one_daemon",                                                                    \
        "of two daemons on a folder the later is refused, or the earlier writes nothing more")

#define X(NAME, name, text) SIM_##NAME,
enum sim_oracle { SIM_ORACLE_TABLE(X) SIM_ORACLE_COUNT };
#undef X

const char *sim_fault_name(enum sim_fault fault);
const char *sim_oracle_name(enum sim_oracle oracle);

#define SIM_WORLDS_MAX 3
#define SIM_WORKERS_MAX 3
#define SIM_CLIENTS_MAX 5
#define SIM_CONNECTIONS_MAX 32
#define SIM_ROTTEN_MAX 64
#define SIM_CALM_NS (14 * SV_NS_PER_S) /* at the end of a seed: no faults */

/* Random numbers, one stream for each purpose, so that switching off one fault moves no other. */
struct sim_random {
    uint64_t state;
};
uint64_t sim_random_next(struct sim_random *random);
uint64_t sim_random_below(struct sim_random *random, uint64_t end);
bool sim_random_is(struct sim_random *random, double chance);

/* Between the least and the greatest value; each power of ten is equally likely. */
double sim_random_scale(struct sim_random *random, double least, double most);

struct sim_plan {
    uint64_t seed, duration_ns;
    bool has[SIM_FAULT_COUNT];
    int world_count, client_count, body_count[SIM_WORLDS_MAX];
    int rate_hz[SIM_WORLDS_MAX];
    enum wire_durability durability[SIM_WORLDS_MAX];
    const char *stepper[SIM_WORLDS_MAX];
    bool keep_running;
    uint64_t input_period_ns[SIM_CLIENTS_MAX], checkpoint_period_ns;
    double delay_ms, clog_rate, partition_rate, cut_rate, eio_chance, full_rate;
    double crash_rate; /* a second, of each kind */
    double latency_chance;
    size_t lane_size, buffer_size;
    uint64_t history_size;
    double drift; /* of one clock */
};
void sim_plan_draw(struct sim_plan *plan, uint64_t seed, uint64_t duration_ns);

/* ---- inputs and sessions ---- */

struct sim_input {
    double value; /* no other input has it */
    bool is_settled, is_applied, is_rejected, is_unsure;
};

/* A session of one life of the daemon: the client's view of it, and its inputs in the journal. */
struct sim_session {
    uint64_t epoch, id;
    uint64_t world; /* its number */
    struct sim_input *inputs; /* of sequence number i + 1 */
    uint64_t count, capacity;
    uint64_t shown_durable, shown_applied; /* from tick headers */
    uint64_t settled;                      /* the last in the journal */
    uint64_t checked;                      /* everything up to here has been checked */
    bool is_wild; /* its client sends random bytes */
};

struct sim_client {
    int index, world;
    bool is_malicious;
    struct sv_connection *connection; /* NULL: none */
    enum { SIM_AWAY, SIM_GREETING, SIM_JOINING, SIM_INSIDE_WORLD } state;
    uint64_t retry_ns, since_ns, next_ns, heard_ns, resume_ns;
    bool has_resume;
    uint8_t resume[WIRE_RESUME_SIZE];
    struct sim_session *session; /* or NULL */
    uint64_t resume_epoch;       /* the life in which the token was sent */
    uint64_t sent;               /* the last sequence number on this connection */
    uint32_t mode;
    uint64_t tick, tick_epoch;
    uint32_t generation;
    uint32_t request;
    struct sim_random random;
};

/* ---- worlds in the journal ---- */

/* A live world at a tick of a generation, before the log entries at that tick. */
struct sim_sample {
    uint64_t world, epoch, tick, state_hash;
    uint32_t generation, view_hash;
    bool is_used, has_hash, has_view, is_shown, is_changing;
};

#define SIM_SAMPLES_MAX 32768

struct sim_world {
    uint64_t number;
    int index; /* in the plan */
    enum wire_durability durability;
    uint64_t record;  /* the last one read */
    uint32_t chain;   /* its check */
    uint64_t epoch;   /* the chain value of that record */
    uint64_t mark_tick, mark_hash_count, unmarked;
    struct sv_world *shadow; /* replayed from the journal alone */
    struct sv_mailbox mailbox;
    struct sv_worker worker; /* the shadow's */
    uint64_t shown_epoch, shown_tick; /* the newest that a client was shown */
    uint32_t shown_generation;
    uint64_t kept_tick; /* no crash may undo this tick of ... */
    uint32_t kept_generation;
    uint64_t seen_tick; /* of the live world */
    uint32_t seen_generation;
    uint64_t step_count;
    struct {
        uint64_t ticket, step;
    } ahead[64];
    int ahead_count;
    uint64_t checkpoint_ns; /* the next */
};

struct sim_ledger {
    uint64_t commit;
    uint32_t chain;
    uint64_t claim_epoch;  /* of the last daemon that claimed the journal from another one ... */
    uint64_t claim_commit; /* ... after this commit */
    uint64_t epoch; /* of the last record */
    struct sim_world worlds[64];
    int world_count;
    struct sim_sample *samples;
};

/* ---- disk ---- */

struct sim;

struct sim_disk {
    struct sim *sim;
    struct sv_disk_sim state;
    struct sv_disk under;
    struct sim_random random;
    bool is_dead;  /* no message passes any more */
    bool is_quiet; /* no faults, no latency */
    bool is_slow_now; /* within a slow call: slow calls do not nest */
    uint64_t calls, die_at, failed_count;
    uint64_t full_until_ns, room;
    const char *died_in;
    struct {
        uint64_t world, number;
    } rotten[SIM_ROTTEN_MAX]; /* checkpoints in which a bit was flipped */
    int rotten_count;
};
void sim_disk_init(struct sim_disk *disk, struct sim *sim);
struct sv_disk sim_disk_calls(struct sim_disk *disk);
void sim_disk_rot(struct sim_disk *disk);
void sim_disk_finish(struct sim_disk *disk);

/* Damages copies of the folder; each must be refused or lose nothing. */
void sim_probe(struct sim *sim);

/* ---- network ---- */

struct sim_net {
    struct sim *sim;
    struct sv_connection *connections[SIM_CONNECTIONS_MAX];
    struct sim_random random;
    struct sv_transport_events events;
    uint64_t partition_until_ns;
};
struct sv_transport sim_net_transport(struct sim_net *net);

/* NULL when no daemon listens, or it refuses. */
struct sv_connection *sim_net_connect(struct sim_net *net, int client);
void sim_net_send(struct sv_connection *connection, const uint8_t *bytes, size_t size);
void sim_net_drop(struct sv_connection *connection); /* by the client */
uint64_t sim_net_epoch(const struct sv_connection *connection);
void sim_net_step(struct sim_net *net);
void sim_net_server_died(struct sim_net *net);
void sim_net_finish(struct sim_net *net);

void sim_client_step(struct sim *sim, struct sim_client *client);
void sim_client_take(struct sim *sim, int client, const uint8_t *bytes, size_t size);
void sim_client_lost(struct sim *sim, int client);

/* ---- the daemon ---- */

struct sim_server {
    bool is_up;
    struct sv_log log;
    struct sv_metrics metrics;
    struct sv_worker worker[SIM_WORKERS_MAX];
    struct sv_worker *workers[SIM_WORKERS_MAX];
    uint64_t lag_until_ns[SIM_WORKERS_MAX];
    int worker_count;
    struct sv_host host;
    struct sv_gateway gateway;
    struct sv_store *store;
    struct sv_recovered recovered;
    uint64_t random;
    uint64_t epoch;
    uint64_t start_ns; /* when its start is tried next */
    uint64_t create_ns;
};
bool sim_server_boot(struct sim *sim);
void sim_server_step(struct sim *sim);  /* worker and gateway */
void sim_server_pump(struct sim *sim);  /* the store's threads */
void sim_server_crash(struct sim *sim, bool is_power_cut);
void sim_server_stop(struct sim *sim);
struct sv_store_config sim_server_store_config(struct sim *sim);
void sim_server_drop(struct sim *sim); /* frees the server's memory */
void sim_server_sample(struct sim *sim, const struct sv_worker *worker);

/* Notes the daemon's promise to a client that no crash undoes this tick of its world. */
void sim_promise(struct sim_world *world, uint32_t generation, uint64_t tick);

/* Starts another daemon on the same folder, now and then. */
void sim_second_step(struct sim *sim);

#define SIM_STEPPING_WORLDS 16

struct sim {
    struct sim_plan plan;
    uint64_t now_ns, end_ns;
    int64_t skew_s;
    uint64_t epoch; /* of the last life */
    struct sim_random random; /* for the faults of the daemon */
    struct sim_random turns;  /* for the order of its workers */
    struct sim_random second; /* for the other daemon */
    struct sim_server server;
    struct sim_disk disk;
    struct sim_net net;
    struct sim_client clients[SIM_CLIENTS_MAX];
    struct sim_session **sessions;
    int session_count, session_capacity;
    struct sim_ledger ledger;
    uint64_t input_count;
    /* by world: the tick at which the process died last ... */
    uint64_t stepping_tick[SIM_STEPPING_WORLDS];
    int stepping_count[SIM_STEPPING_WORLDS];     /* ... and how many times in a row */
    struct cn_hash trace;
    enum sim_oracle failed;
    char failure[512];
    uint64_t failed_tick;
    jmp_buf way_out;
    size_t heap_before;
    struct {
        uint64_t ticks, crashes, acks, boots, commits, samples, probes, rots, inside;
        uint64_t refused, claims; /* of second daemons */
        uint64_t returned; /* sessions that were resumed after a restart */
    } count;
};

static inline bool
sim_is_calm(const struct sim *sim)
{
    return sim->now_ns + SIM_CALM_NS >= sim->end_ns;
}

/* Reports a violated claim: ends the seed, and does not return. */
__attribute__((format(printf, 3, 4))) _Noreturn void
sim_fail(struct sim *sim, enum sim_oracle oracle, const char *format, ...);

void sim_note(struct sim *sim, const char *what, uint64_t number);
void sim_tell(bool is_wanted); /* whether notes are printed */

/* Runs a millisecond of everything but the store. */
void sim_others(struct sim *sim);

/* Runs the seed of the plan; true when no oracle reported a violation. */
bool sim_run(struct sim *sim);
void sim_finish(struct sim *sim);

/* The scene of a world of the plan; static memory. */
const char *sim_scene_text(const struct sim_plan *plan, int world);
struct sv_scene *sim_scene(const struct sim_plan *plan, int world);

struct sim_session *sim_session_make(struct sim *sim, uint64_t epoch, uint64_t id);
struct sim_session *sim_session_find(struct sim *sim, uint64_t epoch, uint64_t id);

/* ---- oracles ---- */

struct sim_world *sim_world_find(struct sim *sim, uint64_t number);
struct sim_sample *sim_sample(
    struct sim *sim, uint64_t world, uint64_t epoch, uint32_t generation, uint64_t tick);
void sim_ledger_read(struct sim *sim, bool is_boot);
void sim_ledger_check(struct sim *sim);
void sim_ledger_finish(struct sim *sim);
void sim_shadow_record(struct sim *sim, struct sim_world *world, const struct sv_record *record);
void sim_shadow_extend(struct sim *sim, struct sim_world *world);
void sim_bounds_check(struct sim *sim);
void sim_liveness_check(struct sim *sim);

#endif
