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

/*
 * Sockets of one process, by default; one costs about 10 KiB.  At the wall: HTTP 503 CAPACITY; at
 * most this many such answers are in progress, and further connections are closed at accept.
 */
#define SV_CLIENTS_MAX_DEFAULT 4096
#define SV_CLIENTS_MAX 50000
#define SV_CLIENTS_EXCESS 32

/*
 * A client that is refused for want of room is told to come back after this, or up to three times
 * as late.
 */
#define SV_RETRY_MS 2000

/*
 * A client whose input or query finds a queue full is told to be silent for this long; then for
 * twice as long.
 */
#define SV_BUSY_RETRY_MS 100

/*
 * Files that the process reserves for itself (the loop's, threads', the data folder's): sockets are
 * refused before these run out, so that accept never fails for want of a file.
 */
#define SV_FILES_RESERVE 128

/*
 * Connections of one network (an IPv4 address, an IPv6 /64), and new ones [1/s] and in one burst.
 * A class of 40 behind one address, each with a WebSocket and the six connections over which a
 * browser fetches a page, comes with 280 at once.  At the wall: closed at accept.  Not of loopback.
 */
#define SV_ADDRESS_CONNECTIONS 512
#define SV_ADDRESS_RATE 32
#define SV_ADDRESS_BURST_S 16 /* this many seconds' worth of them: 512 */
#define SV_ADDRESS_MAX 50000  /* the largest value that such a number can have */

/*
 * Bad tokens of one network [1/min] and in one burst, which is enough for a class that uses a
 * truncated link.  At the wall: its new connections are closed at accept, for ten minutes at first,
 * then twice as long each time, until a day passes without bad tokens.  Expired tokens do not
 * count.
 */
#define SV_ADDRESS_FAILURES 5
#define SV_ADDRESS_FAILURE_BURST_MIN 8 /* this many minutes' worth of them: 40 */
#define SV_ADDRESS_BLOCK_NS (600 * SV_NS_PER_S)
#define SV_ADDRESS_FORGIVEN_NS (86400 * SV_NS_PER_S)

/*
 * New connections of all networks [1/s] and in one burst; a TLS handshake costs about a
 * millisecond.  At the wall: they wait in the kernel's backlog.
 */
#define SV_ACCEPT_RATE 500
#define SV_ACCEPT_BURST_S 1

/*
 * Entries for networks; with 50,000 connected networks, 16 successive entries are practically never
 * all taken.
 */
#define SV_GUARD_ENTRIES (128 * 1024)
#define SV_GUARD_WINDOW 16

/*
 * Connections from other machines without an accepted Hello (HTTP included), in hundredths of all
 * that there may be, and the least number: beyond, the oldest that waits for nothing of the daemon
 * is closed.
 */
#define SV_STRANGERS_PERCENT 10
#define SV_STRANGERS_MIN 16

/*
 * The head of one request [bytes], its first line, and its lines with the arguments of its query,
 * which libwebsockets has a table for: HTTP 431, 414, 431.
 */
#define SV_HEAD_SIZE_MAX 8192
#define SV_REQUEST_LINE_SIZE_MAX 4096
#define SV_HEAD_FIELDS_MAX 64

/* How long the daemon still reads from a refused peer, so that the peer can read why: closed. */
#define SV_REFUSAL_DURATION_NS (2 * SV_NS_PER_S)

/*
 * Proxies that may be named, hops that a list of a proxy may have (HTTP 400), and the bytes of one
 * hop's name.
 */
#define SV_PROXIES_MAX 64
#define SV_FORWARDED_HOPS_MAX 32
#define SV_FORWARDED_NAME_SIZE 64

/*
 * A header of the PROXY protocol with its extensions [bytes], and the time for it; a proxy sends it
 * at once: closed.
 */
#define SV_PROXY_HEADER_SIZE_MAX 4096
#define SV_PROXY_DURATION_NS (5 * SV_NS_PER_S)

/* From accept to a finished request or handshake, however slowly bytes arrive: closed. */
#define SV_HANDSHAKE_DURATION_NS (10 * SV_NS_PER_S)

/* From the WebSocket's opening to Hello: close 1008. */
#define SV_HELLO_DURATION_NS (5 * SV_NS_PER_S)

/*
 * From the end of a token to the end of its session: time for a Hello with a new token.  Until then
 * the session may do nothing else.  Afterwards: close 1008.
 */
#define SV_REAUTH_NS (30 * SV_NS_PER_S)

/*
 * Tokens that are verified [1/s] and in one burst, of the whole process: at about 0.1 ms each a
 * fifth of the network thread.  When all come back at once after a restart: CAPACITY, close 1013.
 */
#define SV_VERIFY_RATE 2000
#define SV_VERIFY_BURST 2000

/* How long a session whose connection has died keeps its place: then it leaves. */
#define SV_GRACE_NS (30 * SV_NS_PER_S)

/*
 * Resume tokens that a session may have been sent since its last log entry, one with each Welcome:
 * after a restart a later one is not known.
 */
#define SV_RESUME_SERIALS 64

/* A WebSocket that is silent this long is pinged; no pong as long again: closed. */
#define SV_PING_PERIOD_S 20
#define SV_PING_WAIT_S 40

/*
 * Kernel send buffer (the kernel counts its own overhead in and doubles the number), and how much
 * of it may wait to be sent at all: beyond, a tick is skipped and the newest goes out later.
 */
#define SV_SOCKET_SEND_SIZE (128 * 1024)
#define SV_SOCKET_UNSENT_SIZE (64 * 1024)

/* Bytes that were sent and not acknowledged for so long, even for want of room there: dropped. */
#define SV_SOCKET_TIMEOUT_MS 20000

/* ---- messages from clients ---- */

/* One ClientMessage. It holds a scene of some hundred bodies. At the wall: close 1009. */
#define SV_MESSAGE_SIZE_MAX (64 * 1024)

/* Fragments of one message, so that empty ones cannot go on without end: close 1008. */
#define SV_MESSAGE_FRAGMENTS_MAX 64

/* From a message's first fragment to its last, which may be on its way for ever: close 1008. */
#define SV_MESSAGE_DURATION_NS (5 * SV_NS_PER_S)

/*
 * Bytes of messages of one connection [1/s], twice that in one burst: beyond, the daemon does not
 * read from it for a while, and the sender's own buffers fill.
 */
#define SV_RECEIVE_RATE (256 * 1024)

/*
 * Pings that a client is answered [1/s] and in one burst; those that come in one piece have one
 * answer.  Beyond: close 1008.
 */
#define SV_PING_RATE 1
#define SV_PING_BURST 10

/*
 * Messages of one session [1/s], by default (four a tick at 60 Hz) and at most, and in one burst;
 * beyond: Rejected RATE.  A token may have fewer.  Where the rate is higher SV_RECEIVE_RATE grows
 * with it, so that as many bytes of a message are left.
 */
#define SV_MESSAGE_RATE 240
#define SV_MESSAGE_RATE_MAX 100000
#define SV_MESSAGE_BURST (2 * SV_MESSAGE_RATE)

/*
 * A second in which something was refused by RATE is a strike.  The third within ten seconds closes
 * the session, and so many refusals within ten seconds do: 1008.
 */
#define SV_RATE_STRIKES_MAX 3
#define SV_RATE_STRIKE_NS SV_NS_PER_S
#define SV_RATE_STRIKES_NS (10 * SV_NS_PER_S)
#define SV_RATE_REFUSALS_MAX 240

/* Undecodable messages that a session survives: the next closes it, 1007. */
#define SV_DECODE_STRIKES_MAX 3

/* ---- messages to clients ---- */

/*
 * Queued for one client, the newest tick's frames not counted; a first message may be larger.  With
 * the kernel's buffer and one tick that was cut a stalled reader costs less than 1 MiB: close 1013.
 */
#define SV_QUEUE_SIZE_MAX (512 * 1024)

/*
 * Messages to all members of a world that wait for its next tick, to go out in the same write; with
 * one more, all of them are sent at once.
 */
#define SV_SAID_MAX 4

/*
 * Ticks a second below which a client that is always behind is useless: after two such spans in a
 * row, with at least twice as many ticks due, it is closed with 1013.  Its place is kept like that
 * of a session whose connection dies.
 */
#define SV_SLOW_RATE 2
#define SV_SLOW_WINDOW_NS (5 * SV_NS_PER_S)
#define SV_SLOW_WINDOWS 2

/*
 * The largest Joined that is one message.  A larger one, of a scene with meshes or thousands of
 * bodies, goes in parts of SV_CHUNK_SIZE, at so many bytes a second, so that other messages get
 * through. Up to a fifth of a second is caught up after a pause.
 */
#define SV_MESSAGE_WHOLE_SIZE_MAX (64 * 1024)
#define SV_CHUNK_SIZE (16 * 1024)
#define SV_CHUNK_BYTES_PER_S (2 * 1024 * 1024)
#define SV_CHUNK_BURST_NS (200 * SV_NS_PER_MS)

/*
 * Ticks whose events are kept for clients that are not sent every tick, and their bytes beside
 * those of the newest: at 60 Hz a quarter of a second.  At the wall: the oldest are lost, and
 * clients are told how many.
 */
#define SV_EVENT_FRAMES_MAX 16
#define SV_EVENT_FRAMES_SIZE_MAX ((size_t)64 * 1024)

/*
 * Deltas of one view and tick, by their baselines: clients at one rate share one; a client that has
 * skipped ticks needs another.  At the wall: a keyframe, which all further clients share.
 */
#define SV_DELTAS_MAX 24

/*
 * Views of one world: each is filtered and encoded every tick, some microseconds a hundred bodies,
 * and a class of a thousand may each follow a body of its own.  Beyond: Rejected LIMIT.
 */
#define SV_VIEWS_MAX 1024

/*
 * Clients with a budget: what part of a second's bytes is kept at most, so that a burst is no
 * longer than a client's own buffer; what a message is worth making for, of which header and hash
 * are some 60 bytes; and how many whose fate is unknown may be on their way to the network thread,
 * beyond which no other is made.
 */
#define SV_BUDGET_PARTS 4
#define SV_BUDGET_MESSAGE_MIN 256
#define SV_BUDGET_PENDING_MAX 4

/* An idle world is published again for a client's budget; no sooner than after this long. */
#define SV_BUDGET_AGAIN_NS (250 * SV_NS_PER_MS)

/* Ticks back to the second baseline; an older one predicts too badly to be worth a delta. */
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

/* From a request's head to the end of its body, 4 MiB by 1.2 Mbit/s: closed. */
#define SV_UPLOAD_DURATION_NS (30 * SV_NS_PER_S)

/* A request's body: a scene of 10,000 bodies is about this. At the wall: 413. */
#define SV_BODY_SIZE_MAX (4 * 1024 * 1024)

/* A recording of a running world; larger ones are read from the data folder.  At the wall: 413. */
#define SV_RECORDING_SIZE_MAX ((size_t)64 * 1024 * 1024)

/* Recordings that are written or replayed at once; at the wall: 429. */
#define SV_RECORDINGS_MAX 2

/* Replaying an imported recording; a thread of the pool is busy meanwhile.  At the wall: 400. */
#define SV_IMPORT_DURATION_NS (30 * SV_NS_PER_S)

/* Requests that wait for a worker, of the whole process: 429. */
#define SV_REQUESTS_MAX 64

/* Scenes that are checked at once; one may take seconds of a core. At the wall: 429. */
#define SV_CHECKS_MAX 2

/* Bodies of a scene that is checked, so that exact numbers stay small; at the wall: 400. */
#define SV_CHECK_BODIES_MAX 256

/*
 * Bodies of a scene whose first accelerations are computed, which takes longer: at the wall they
 * are not.
 */
#define SV_CHECK_START_BODIES_MAX 32

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
 * A running world remembers its last second for queries while it has members, or after a query, and
 * as long after that.  At other times remembering would cost a tick of moving bodies 6 %.
 */
#define SV_REMEMBER_NS (10 * SV_NS_PER_S)
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

/*
 * Messages, or reports, that wait between two threads, each way; at the wall: Rejected BUSY, HTTP
 * 429.
 */
#define SV_MAIL_MAX 2048

/* Free places in the ring of reports that a worker needs before it opens a message. */
#define SV_MAIL_RESERVE 16

/* Work units (about 1 ns each) that a world may spend before its neighbours get their turn. */
#define SV_SLICE_WORK INT64_C(2000000)

/*
 * How long a stopping worker waits for the end of one world's tick; then the tick is done again
 * later.
 */
#define SV_SETTLE_NS (2 * SV_NS_PER_S)

/* Bytes of scratch that a worker keeps when a world is removed, or gets another method. */
#define SV_SCRATCH_KEPT ((size_t)16 << 20)

/*
 * Memory of one world, and of all of them [MiB]: what needs more is refused, with LIMIT and what is
 * allowed; a tick that needs more waits, and the log says so.  All of them together have by default
 * so much of what the machine, or the daemon's control group, has: the rest is for what else the
 * daemon keeps, for its files and for others.
 */
#define SV_WORLD_MEMORY_DEFAULT 512
#define SV_WORLD_MEMORY_MAX 65536
#define SV_MEMORY_MAX 16777216
#define SV_MEMORY_PERCENT 60

/*
 * Worlds that a worker runs before it opens messages and sends its reports: at most this many, or
 * for about this long.
 */
#define SV_BATCH_WORLDS 64
#define SV_BATCH_NS (2 * SV_NS_PER_MS)

/*
 * Parts of its period in which a world's ticks may be due; worlds are spread over them.  A worker
 * wakes so often a period, and the last world of a part waits for all others of it.
 */
#define SV_PHASES 4

/*
 * Part of its time [%] that a worker works, in each of the last seconds, beyond which no further
 * world is made on it; where that is so of all: Rejected CAPACITY, HTTP 503.
 */
#define SV_LOAD_MAX_PERCENT 95
#define SV_LOAD_WINDOW_NS SV_NS_PER_S
#define SV_LOAD_WINDOWS 5

/*
 * A world that keeps losing ticks, with less than a second between losses, for this long, accepts
 * no new members below instructor, who can do something about it: Rejected CAPACITY.
 */
#define SV_OVERRUN_NS (5 * SV_NS_PER_S)
#define SV_OVERRUN_GAP_NS SV_NS_PER_S

/* Ticks that are caught up after a stall; older ones are lost to the world's clock. */
#define SV_CATCH_UP_TICKS_MAX 5

/* Persons that a Presence names, and how often it is sent [ns]: further ones are only counted. */
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

/* ---- what is stored ---- */

/*
 * After how long all that is stored is read again and compared with its checks, by default and at
 * most [s]; 0 is never.  It reads 4 MiB a second (server/store/store_inside.h).
 */
#define SV_SCRUB_S 86400
#define SV_SCRUB_S_MAX 31536000

/* ---- the past ---- */

/*
 * How much of each world's past is kept, by default [s, bytes], and the most that can be asked for;
 * at the wall the oldest goes.  100 bodies whom 32 inputs a tick push take 64 MiB in seven minutes.
 */
#define SV_HISTORY_S 600
#define SV_HISTORY_S_MAX 86400
#define SV_HISTORY_SIZE (64 * 1024 * 1024)
#define SV_HISTORY_SIZE_MAX 2147483647

/*
 * Ticks of pasts that are being made again at the same time, each on a thread of the pool with a
 * world of its own, and those that one session waits for: beyond, BUSY.
 */
#define SV_DIGS_MAX 16
#define SV_DIGS_SESSION_MAX 2

/* Replays of one daemon, each a world that costs steps while it is watched: beyond, FULL. */
#define SV_REPLAYS_MAX 64
#define SV_REPLAY_IDLE_NS (60 * SV_NS_PER_S) /* nobody has been in it: it goes */

/* Worlds that one Fork makes, one for each in a world: a class. */
#define SV_FORK_EACH_MAX 64

/* ---- the rest ---- */

/* Lines of the log [1/s] and in one burst; beyond: dropped and counted. */
#define SV_LOG_RATE 200
#define SV_LOG_BURST 2000

/*
 * Lines of the audit [1/s], in the log and in a file of its own, and seconds' worth of them at
 * once; beyond: left out and counted, and the next line says how many.  Bytes of an order's
 * arguments that a line shows.  Orders that wait for their answer: beyond, the oldest is written
 * without one.
 */
#define SV_AUDIT_LOG_RATE 50
#define SV_AUDIT_FILE_RATE 1000
#define SV_AUDIT_BURST_S 10
#define SV_AUDIT_ARGUMENTS_SIZE 96
#define SV_AUDIT_PENDING_MAX 4096

/*
 * How much one session, one token and one tenant may use where there are tokens, unless an option
 * says otherwise: a class of 30 with one token has a replay each, its instructor forks a world for
 * each of 64, and no session takes all 64 replays.  Making worlds is the operators' alone, who own
 * the daemon.  At the wall: Rejected LIMIT, HTTP 409, of a rate 429.  Requests have a burst.
 */
#define SV_QUOTA_SESSION "replays=8"
#define SV_QUOTA_TOKEN "forks=128,replays=32,checks=1,requests=500"
#define SV_QUOTA_TENANT "forks=192,replays=48,checks=2,requests=2000"
#define SV_QUOTA_BURST_NS (5 * SV_NS_PER_S)

/* Accounts whose rates are counted, and how far an account may be from its place. */
#define SV_ACCOUNTS_MAX 8192
#define SV_ACCOUNTS_WINDOW 16

/* Values of one repeatable option. At the wall: refused at start. */
#define SV_OPTION_VALUES_MAX 256

#endif
