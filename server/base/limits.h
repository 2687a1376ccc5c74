/*
 * limits.h: every bound of the daemon, in one place.
 *
 * A limit has three parts: the number, why it is that number, and what happens at the wall.  The
 * engine's own bounds stand in engine/base/limits.h.
 */
#ifndef SERVER_BASE_LIMITS_H
#define SERVER_BASE_LIMITS_H

#define SV_NS_PER_S UINT64_C(1000000000)
#define SV_NS_PER_MS UINT64_C(1000000)
#define SV_NS_PER_US UINT64_C(1000)

/* ---- connections ---- */

/* Sockets of one process, by default; one costs about 10 KiB. At the wall: closed at accept. */
#define SV_CLIENTS_MAX_DEFAULT 4096
#define SV_CLIENTS_MAX 50000

/* From accept to a finished request or handshake, however slowly bytes dribble in: closed. */
#define SV_HANDSHAKE_DURATION_NS (10 * SV_NS_PER_S)

/* From the WebSocket's opening to Hello: close 1008. */
#define SV_HELLO_DURATION_NS (5 * SV_NS_PER_S)

/* How long the place of a session is kept whose connection has died: then it leaves. */
#define SV_GRACE_NS (30 * SV_NS_PER_S)

/* A WebSocket that is silent this long is pinged; no pong as long again: closed. */
#define SV_PING_PERIOD_S 20
#define SV_PING_WAIT_S 40

/*
 * Kernel send buffer (the kernel counts its own overhead in and doubles the number), and how much
 * of it may wait to be sent at all: beyond, a tick is skipped and the newest goes out later.
 */
#define SV_SOCKET_SEND_SIZE (128 * 1024)
#define SV_SOCKET_UNSENT_SIZE (64 * 1024)

/* ---- messages from clients ---- */

/* One ClientMessage. It holds a scene of some hundred bodies. At the wall: close 1009. */
#define SV_MESSAGE_SIZE_MAX (64 * 1024)

/* Fragments of one message, so that empty ones can not go on for ever: close 1008. */
#define SV_MESSAGE_FRAGMENTS_MAX 64

/* Messages of one connection [1/s] and in one burst; beyond: Rejected RATE. */
#define SV_MESSAGE_RATE 240 /* a token may have fewer; a burst is twice that */
#define SV_MESSAGE_BURST (2 * SV_MESSAGE_RATE)

/* Refusals by RATE within ten seconds that close the session: 1008. */
#define SV_RATE_STRIKES_MAX 240

/* Undecodable messages that a session survives: the next closes it, 1007. */
#define SV_DECODE_STRIKES_MAX 3

/* ---- messages to clients ---- */

/*
 * Queued for one client, the newest tick's frames not counted; a first message may be larger.  With
 * the kernel's buffer and one tick that was cut a stalled reader costs less than 1 MiB: close 1013.
 */
#define SV_QUEUE_SIZE_MAX (512 * 1024)

/*
 * Deltas of one view and tick, by their baselines: clients at one rate share one, who has skipped
 * ticks has others.  At the wall: a keyframe, which all the others share.
 */
#define SV_DELTAS_MAX 24

/* Ticks back to the second baseline; one that is older foretells too badly to be worth a delta. */
#define SV_SECOND_BASELINE_AGE_MAX 8

/*
 * Lags of acknowledgements, see server/net/pace.h: a queue that is felt and for how long it is
 * borne, one that is not felt, the longest way there and back that is taken for one, and how long
 * calm lasts before a faster pace is tried.
 */
#define SV_PACE_LATE_NS (150 * SV_NS_PER_MS)
#define SV_PACE_LATE_DURATION_NS (300 * SV_NS_PER_MS)
#define SV_PACE_CALM_NS (50 * SV_NS_PER_MS)
#define SV_PACE_BASE_MAX_NS (400 * SV_NS_PER_MS)
#define SV_PACE_PATIENCE_NS (3 * SV_NS_PER_S)
#define SV_PACE_PATIENCE_MAX_NS (60 * SV_NS_PER_S)

/* ---- HTTP ---- */

/* A request's body: a scene of 10,000 bodies is about this. At the wall: 413. */
#define SV_BODY_SIZE_MAX (4 * 1024 * 1024)

/* Requests that wait for a worker, of the whole process: 429. */
#define SV_REQUESTS_MAX 64

/* Scenes that are checked at once; one may take seconds of a core. At the wall: 429. */
#define SV_CHECKS_MAX 2

/* Bodies of a scene that is checked, so that exact numbers stay small; at the wall: 400. */
#define SV_CHECK_BODIES_MAX 256

/* Files and bytes of the page that are held in memory: at the wall the daemon does not start. */
#define SV_PAGE_FILES_MAX 512
#define SV_PAGE_SIZE_MAX (64 * 1024 * 1024)

/* ---- worlds ---- */

/*
 * A scene of this many bytes, without meshes, is read on the network thread in less than about a
 * millisecond; a larger one, or one with meshes, is read on libuv's pool.
 */
#define SV_SCENE_AT_ONCE_SIZE (32 * 1024)

/*
 * Scenes that wait for the pool or are read there: of one session, so that its loads keep their
 * order and it leaves room for others; and of all, a class at once: four of them run, the others
 * hold at most 4 MiB each.  At the wall: Rejected BUSY, HTTP 429.
 */
#define SV_BAKES_SESSION_MAX 1
#define SV_BAKES_MAX 32

#define SV_WORLDS_MAX_DEFAULT 256 /* an idle world costs its memory only. At the wall: 429 */
#define SV_WORLDS_MAX 4096
#define SV_UNWATCHED_NS SV_NS_PER_S /* a world without members is published this often */
/*
 * A watched world that runs is published with its exact hash at ticks that this divides: the hash
 * reads every number of the world, which takes longer than to quantise and encode it.
 */
#define SV_HASH_TICKS 64
#define SV_WORKERS_MAX 64

/* Inputs that wait for one world's next tick, of all sessions: beyond, Rejected BUSY. */
#define SV_INPUTS_MAX 4096

/*
 * Inputs that wait for the tick that they name, of one world and of one session: beyond, Rejected
 * BUSY.  How far away that tick may be: beyond, Rejected TICK.
 */
#define SV_EARLY_INPUTS_MAX 1024
#define SV_EARLY_SESSION_MAX 64
#define SV_EARLY_TICKS_MAX 120
#define SV_LATE_TICKS_MAX 120

/*
 * Queries of one connection [1/s] and in one burst: beyond, Rejected RATE; and that wait for one
 * world between two ticks: beyond, Rejected BUSY or HTTP 429.  Each is some microseconds.
 */
#define SV_QUERY_RATE 60
#define SV_QUERY_BURST 120
#define SV_QUERIES_MAX 256

/* Mail that waits between two threads, each way; at the wall: Rejected BUSY, HTTP 429. */
#define SV_MAIL_MAX 2048

/* Room in the outgoing mail that a worker wants before it opens a letter. */
#define SV_MAIL_RESERVE 16

/* Work units (about 1 ns each) that a world may spend before its neighbours get their turn. */
#define SV_SLICE_WORK INT64_C(2000000)

/* Ticks that are made up for after a stall; what is older is lost to the world's clock. */
#define SV_CATCH_UP_TICKS_MAX 5

/* People that a Presence names, and how often it is said [ns]: who is beyond is only counted. */
#define SV_PRESENCE_MAX 64
#define SV_PRESENCE_PERIOD_NS (200 * SV_NS_PER_MS)

/*
 * Leases of one world, those who wait included, of one session in it, and how many may wait for one
 * target: beyond, Rejected LIMIT.  A class of 30 with a robot of ten actuators each fits.
 */
#define SV_LEASES_MAX 1024
#define SV_LEASES_SESSION_MAX 32
#define SV_LEASE_QUEUE_MAX 8

/* How often who holds what is said to everybody [ns]. */
#define SV_LEASES_PERIOD_NS (50 * SV_NS_PER_MS)

/* Ticks of one single-step request: a minute at 60 Hz. At the wall: refused. */
#define SV_STEP_TICKS_MAX 3600

/* ---- the rest ---- */

/* Lines of the log [1/s] and in one burst; beyond: dropped and counted. */
#define SV_LOG_RATE 200
#define SV_LOG_BURST 2000

/* Values of one repeatable option. At the wall: refused at start. */
#define SV_OPTION_VALUES_MAX 256

#endif
