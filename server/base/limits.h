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
 * Sockets of one process, by default; one costs about 10 KiB.  At the wall: HTTP 503 CAPACITY, of
 * which so many may be on their way; beyond: closed at accept.
 */
#define SV_CLIENTS_MAX_DEFAULT 4096
#define SV_CLIENTS_MAX 50000
#define SV_CLIENTS_EXCESS 32

/* Who is turned away for want of room is told to come back after this, or up to thrice as late. */
#define SV_RETRY_MS 2000

/* Whose input or query finds a queue full is told to be silent for so long; then for twice that. */
#define SV_BUSY_RETRY_MS 100

/*
 * Files that the process keeps for itself (the loop's, threads', the data folder's): sockets are
 * refused before they are gone, so that accept never fails for want of them.
 */
#define SV_FILES_RESERVE 128

/*
 * Connections of one network (an IPv4 address, an IPv6 /64), and new ones [1/s] and in one burst.
 * A class of 40 behind one address, each with a WebSocket and the six connections over which a
 * browser fetches a page, comes with 280 at once.  At the wall: closed at accept.  Not of loopback.
 */
#define SV_ADDRESS_CONNECTIONS 512
#define SV_ADDRESS_RATE 32
#define SV_ADDRESS_BURST_S 16 /* so many seconds' worth of them: 512 */
#define SV_ADDRESS_MAX 50000  /* the most that a number of this kind can be told to be */

/*
 * Bad tokens of one network [1/min] and in one burst, which a class with a link that is cut short
 * fits into: beyond, new connections of it are closed at accept, for ten minutes at first, then
 * twice as long each time; a day without such is forgiven.  Expired tokens do not count.
 */
#define SV_ADDRESS_FAILURES 5
#define SV_ADDRESS_FAILURE_BURST_MIN 8 /* so many minutes' worth of them: 40 */
#define SV_ADDRESS_BLOCK_NS (600 * SV_NS_PER_S)
#define SV_ADDRESS_FORGIVEN_NS (86400 * SV_NS_PER_S)

/*
 * New connections of all networks [1/s] and in one burst; a TLS handshake costs about a
 * millisecond.  At the wall: they wait in the kernel's backlog.
 */
#define SV_ACCEPT_RATE 500
#define SV_ACCEPT_BURST_S 1

/* Networks that are counted; of 50,000 with connections 16 in a row are as good as never taken. */
#define SV_GUARD_ENTRIES (128 * 1024)
#define SV_GUARD_WINDOW 16

/*
 * Connections from elsewhere without an accepted Hello (HTTP among them), in hundredths of all that
 * there may be, and the least: beyond, the oldest that waits for nothing of ours is closed.
 */
#define SV_STRANGERS_PERCENT 10
#define SV_STRANGERS_MIN 16

/* From accept to a finished request or handshake, however slowly bytes dribble in: closed. */
#define SV_HANDSHAKE_DURATION_NS (10 * SV_NS_PER_S)

/* From the WebSocket's opening to Hello: close 1008. */
#define SV_HELLO_DURATION_NS (5 * SV_NS_PER_S)

/*
 * From the end of a token to the end of its session: time for a Hello with a new one, which until
 * then is all that is still done.  Afterwards: close 1008.
 */
#define SV_REAUTH_NS (30 * SV_NS_PER_S)

/*
 * Tokens that are verified [1/s] and in one burst, of the whole process: at about 0.1 ms each a
 * fifth of the network thread.  When all come back at once after a restart: CAPACITY, close 1013.
 */
#define SV_VERIFY_RATE 2000
#define SV_VERIFY_BURST 2000

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

/* What was sent and nobody acknowledges for so long, also for want of room there: dropped. */
#define SV_SOCKET_TIMEOUT_MS 20000

/* ---- messages from clients ---- */

/* One ClientMessage. It holds a scene of some hundred bodies. At the wall: close 1009. */
#define SV_MESSAGE_SIZE_MAX (64 * 1024)

/* Fragments of one message, so that empty ones can not go on for ever: close 1008. */
#define SV_MESSAGE_FRAGMENTS_MAX 64

/* From a message's first fragment to its last, which may be on its way for ever: close 1008. */
#define SV_MESSAGE_DURATION_NS (5 * SV_NS_PER_S)

/*
 * Bytes of messages of one connection [1/s] and in one burst: beyond, nothing is read of it for a
 * while, and the sender's own buffers fill.
 */
#define SV_RECEIVE_RATE (256 * 1024)
#define SV_RECEIVE_BURST (512 * 1024)

/*
 * Pings that a client is answered [1/s] and in one burst; those that come in one piece have one
 * answer.  Beyond: close 1008.
 */
#define SV_PING_RATE 1
#define SV_PING_BURST 10

/* Messages of one connection [1/s] and in one burst; beyond: Rejected RATE. */
#define SV_MESSAGE_RATE 240 /* a token may have fewer; a burst is twice that */
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
 * Messages to everybody in a world that wait for its next tick, to go out in the same write; one
 * more, and all of them go at once.
 */
#define SV_SAID_MAX 4

/*
 * Ticks a second below which a client that is always behind is of no use: so long twice in a row,
 * while there were at least twice as many to send, and it is closed with 1013.  Its place is kept
 * like that of one whose connection dies.
 */
#define SV_SLOW_RATE 2
#define SV_SLOW_WINDOW_NS (5 * SV_NS_PER_S)
#define SV_SLOW_WINDOWS 2

/*
 * A Joined up to this is one message; a larger one, of a scene with meshes or thousands of bodies,
 * goes in parts of SV_CHUNK_SIZE, so many bytes a second, that others find their way between; a
 * fifth of a second is made up for where nothing has called meanwhile.
 */
#define SV_MESSAGE_WHOLE_SIZE_MAX (64 * 1024)
#define SV_CHUNK_SIZE (16 * 1024)
#define SV_CHUNK_BYTES_PER_S (2 * 1024 * 1024)
#define SV_CHUNK_BURST_NS (200 * SV_NS_PER_MS)

/*
 * Ticks whose events are kept for clients that were not sent each of them, and their bytes beside
 * those of the newest: at 60 Hz a quarter of a second.  At the wall: the oldest are lost, and
 * clients told how many.
 */
#define SV_EVENT_FRAMES_MAX 16
#define SV_EVENT_FRAMES_SIZE_MAX ((size_t)64 * 1024)

/*
 * Deltas of one view and tick, by their baselines: clients at one rate share one, who has skipped
 * ticks has others.  At the wall: a keyframe, which all the others share.
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

/* A world that rests is shown again for the sake of a budget; no sooner than after this long. */
#define SV_BUDGET_AGAIN_NS (250 * SV_NS_PER_MS)

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

/* From a request's head to the end of its body, 4 MiB by 1.2 Mbit/s: closed. */
#define SV_UPLOAD_DURATION_NS (30 * SV_NS_PER_S)

/* A request's body: a scene of 10,000 bodies is about this. At the wall: 413. */
#define SV_BODY_SIZE_MAX (4 * 1024 * 1024)

/* A recording of a world that runs; larger ones are read from the data folder. At the wall: 413. */
#define SV_RECORDING_SIZE_MAX ((size_t)64 * 1024 * 1024)

/* Recordings that are written or done again at once; at the wall: 429. */
#define SV_RECORDINGS_MAX 2

/* Doing an imported one again; a thread of the pool is busy meanwhile. At the wall: 400. */
#define SV_IMPORT_DURATION_NS (30 * SV_NS_PER_S)

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
 * A world that runs remembers its last second for queries while somebody is joined, or somebody has
 * asked, and as long after that; the rest of the time it would cost a tick of moving bodies 6 %.
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

/* Mail that waits between two threads, each way; at the wall: Rejected BUSY, HTTP 429. */
#define SV_MAIL_MAX 2048

/* Room in the outgoing mail that a worker wants before it opens a letter. */
#define SV_MAIL_RESERVE 16

/* Work units (about 1 ns each) that a world may spend before its neighbours get their turn. */
#define SV_SLICE_WORK INT64_C(2000000)

/*
 * Worlds that a worker runs before it opens letters and tells its news: at most so many, or for
 * about so long.
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
 * A world that loses ticks to its clock again and again, with less than a second between, for so
 * long lets in nobody else below instructor, who can do something about it: Rejected CAPACITY.
 */
#define SV_OVERRUN_NS (5 * SV_NS_PER_S)
#define SV_OVERRUN_GAP_NS SV_NS_PER_S

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

/* Values of one repeatable option. At the wall: refused at start. */
#define SV_OPTION_VALUES_MAX 256

#endif
