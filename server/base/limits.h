/*
 * limits.h: all limits of the daemon.
 *
 * A limit has three parts: the number, the reason for it, and the behaviour when it is reached.
 * The engine's own limits are in engine/base/limits.h.
 *
 * More than 600 lines: it is one table, and each row needs its reason.
 */
#ifndef SERVER_BASE_LIMITS_H
#define SERVER_BASE_LIMITS_H

#define SV_NS_PER_S UINT64_C(1000000000)
#define SV_NS_PER_MS UINT64_C(1000000)
#define SV_NS_PER_US UINT64_C(1000)

/* ---- connections ---- */

/*
 * Sockets of one process, by default; one costs about 10 KiB.  At the limit: HTTP 503 CAPACITY; at
 * most this many such answers are in progress, and further connections are closed at accept.
 */
#define SV_CLIENTS_MAX_DEFAULT 4096
#define SV_CLIENTS_MAX 50000
#define SV_CLIENTS_EXCESS 32

/*
 * The least time after which a client retries that was refused because the daemon is full.  The
 * longest time is three times that.
 */
#define SV_RETRY_MS 2000

/*
 * If an input or a query finds a full queue, its client must send nothing for this time; the next
 * time for twice as long.
 */
#define SV_BUSY_RETRY_MS 100

/*
 * Files that the process reserves for itself (for the loop, threads and the data folder).  Sockets
 * are refused before these run out, so that accept never fails because no file is free.
 */
#define SV_FILES_RESERVE 128

/*
 * Connections of one network (an IPv4 address, an IPv6 /64), and new ones [1/s] and in one burst.
 * A class of 40 behind one address, each with a WebSocket and the six connections over which a
 * browser fetches a page, opens 280 at once.  At the limit: closed at accept.  Loopback is exempt.
 */
#define SV_ADDRESS_CONNECTIONS 512
#define SV_ADDRESS_RATE 32
#define SV_ADDRESS_BURST_S 16 /* the burst has the connections of this many seconds: 512 */
#define SV_ADDRESS_MAX 50000  /* the largest value that such a number can have */

/*
 * Bad tokens of one network [1/min] and in one burst, which is enough for a class that uses a
 * truncated link.  At the limit: its new connections are closed at accept, for ten minutes at
 * first, then twice as long each time, until a day passes without bad tokens.  Expired tokens do
 * not count.
 */
#define SV_ADDRESS_FAILURES 5
#define SV_ADDRESS_FAILURE_BURST_MIN 8 /* the burst has the tokens of this many minutes: 40 */
#define SV_ADDRESS_BLOCK_NS (600 * SV_NS_PER_S)
#define SV_ADDRESS_FORGIVEN_NS (86400 * SV_NS_PER_S)

/*
 * New connections of all networks [1/s] and in one burst; a TLS handshake costs about a
 * millisecond.  At the limit: they wait in the kernel's backlog.
 */
#define SV_ACCEPT_RATE 500
#define SV_ACCEPT_BURST_S 1

/*
 * Entries for networks, and how many successive ones are searched.  With 50,000 connected networks,
 * 16 successive entries are practically never all in use.
 */
#define SV_GUARD_ENTRIES (128 * 1024)
#define SV_GUARD_WINDOW 16

/*
 * Connections from other machines without an accepted Hello (HTTP included): percent of all allowed
 * connections, and the least number.  Above it, the oldest one to which the daemon owes no answer
 * is closed.
 */
#define SV_STRANGERS_PERCENT 10
#define SV_STRANGERS_MIN 16

/*
 * The head of one request [bytes], its first line [bytes], and its header lines plus arguments of
 * the query, for which libwebsockets has a table.  At the limits: HTTP 431, 414, 431.
 */
#define SV_HEAD_SIZE_MAX 8192
#define SV_REQUEST_LINE_SIZE_MAX 4096
#define SV_HEAD_FIELDS_MAX 64

/*
 * How long the daemon still reads from a refused peer, so that the peer gets the reason; then
 * closed.
 */
#define SV_REFUSAL_DURATION_NS (2 * SV_NS_PER_S)

/*
 * Proxies in the configuration; hops in the list of a proxy (HTTP 400 above it); bytes of a hop's
 * name.
 */
#define SV_PROXIES_MAX 64
#define SV_FORWARDED_HOPS_MAX 32
#define SV_FORWARDED_NAME_SIZE 64

/*
 * A header of the PROXY protocol with its extensions [bytes], and the time for it, as a proxy sends
 * it at once.  At the limit: closed.
 */
#define SV_PROXY_HEADER_SIZE_MAX 4096
#define SV_PROXY_DURATION_NS (5 * SV_NS_PER_S)

/* From accept to a complete request or handshake, however slowly bytes arrive.  Then closed. */
#define SV_HANDSHAKE_DURATION_NS (10 * SV_NS_PER_S)

/* From the opening of the WebSocket to Hello.  Then close 1008. */
#define SV_HELLO_DURATION_NS (5 * SV_NS_PER_S)

/*
 * From the expiry of a token to the end of its session: time for a Hello with a new token.  The
 * session may do nothing else in this time.  Then close 1008.
 */
#define SV_REAUTH_NS (30 * SV_NS_PER_S)

/*
 * Tokens that the process verifies [1/s] and in one burst.  At about 0.1 ms each they take a fifth
 * of the network thread.  At the limit, as when all reconnect after a restart: CAPACITY, close
 * 1013.
 */
#define SV_VERIFY_RATE 2000
#define SV_VERIFY_BURST 2000

/* How long a session without a connection keeps its place.  Then it leaves the world. */
#define SV_GRACE_NS (30 * SV_NS_PER_S)

/*
 * Resume tokens that a session may get after its last log entry, one with each Welcome.  After a
 * restart the daemon does not know later ones.
 */
#define SV_RESUME_SERIALS 64

/*
 * A WebSocket that is silent for the period is pinged.  It is closed if no pong comes in the wait.
 */
#define SV_PING_PERIOD_S 20
#define SV_PING_WAIT_S 40

/*
 * Kernel send buffer (the kernel includes its own overhead and doubles the number), and the bytes
 * in it that may be unsent.  Above that a tick is skipped, and the newest tick is sent later.
 */
#define SV_SOCKET_SEND_SIZE (128 * 1024)
#define SV_SOCKET_UNSENT_SIZE (64 * 1024)

/*
 * A connection is dropped if sent bytes stay unacknowledged for this time, also if the peer is
 * full.
 */
#define SV_SOCKET_TIMEOUT_MS 20000

/* ---- messages from clients ---- */

/* One ClientMessage; a scene of some hundred bodies fits.  At the limit: close 1009. */
#define SV_MESSAGE_SIZE_MAX (64 * 1024)

/* Fragments of one message, because empty ones could continue for ever.  Above it: close 1008. */
#define SV_MESSAGE_FRAGMENTS_MAX 64

/* From a message's first fragment to its last, which may never come.  Then close 1008. */
#define SV_MESSAGE_DURATION_NS (5 * SV_NS_PER_S)

/*
 * Bytes of messages of one connection [1/s]; a burst may have twice as many.  Above it the daemon
 * does not read from the connection for a while, so the buffers of the sender fill.
 */
#define SV_RECEIVE_RATE (256 * 1024)

/*
 * Pings of a client that are answered [1/s] and in one burst.  Pings that arrive in one piece get
 * one answer.  Above it: close 1008.
 */
#define SV_PING_RATE 1
#define SV_PING_BURST 10

/*
 * Messages of one session [1/s], by default (four a tick at 60 Hz) and at most, and in one burst.
 * Above it: Rejected RATE.  A token may allow fewer.  With a higher rate SV_RECEIVE_RATE grows in
 * proportion, so that the bytes for each message stay the same.
 */
#define SV_MESSAGE_RATE 240
#define SV_MESSAGE_RATE_MAX 100000
#define SV_MESSAGE_BURST (2 * SV_MESSAGE_RATE)

/*
 * A second with at least one refusal by RATE is a strike.  The third strike within ten seconds
 * closes the session with 1008.  So do SV_RATE_REFUSALS_MAX refusals within ten seconds.
 */
#define SV_RATE_STRIKES_MAX 3
#define SV_RATE_STRIKE_NS SV_NS_PER_S
#define SV_RATE_STRIKES_NS (10 * SV_NS_PER_S)
#define SV_RATE_REFUSALS_MAX 240

/* Undecodable messages that are tolerated.  The next one closes the session with 1007. */
#define SV_DECODE_STRIKES_MAX 3

/* ---- messages to clients ---- */

/*
 * Bytes in the queue of one client, without the frames of the newest tick; a first message may be
 * larger.  With the kernel's buffer and one partly sent tick a stalled reader costs less than 1
 * MiB.  At the limit: close 1013.
 */
#define SV_QUEUE_SIZE_MAX (512 * 1024)

/*
 * Messages to all members of a world that wait for its next tick, to be sent in the same write.  If
 * one more comes, all are sent immediately.
 */
#define SV_SAID_MAX 4

/*
 * A client that receives fewer ticks a second than this, while at least twice as many are due, for
 * two windows in a row, is closed with 1013.  It keeps its place like a session whose connection
 * dies.
 */
#define SV_SLOW_RATE 2
#define SV_SLOW_WINDOW_NS (5 * SV_NS_PER_S)
#define SV_SLOW_WINDOWS 2

/*
 * The largest Joined that is one message.  A scene with meshes or thousands of bodies has a larger
 * one.  It is sent in parts of SV_CHUNK_SIZE at a limited rate, with other messages in between.
 * After a pause up to a fifth of a second is caught up.
 */
#define SV_MESSAGE_WHOLE_SIZE_MAX (64 * 1024)
#define SV_CHUNK_SIZE (16 * 1024)
#define SV_CHUNK_BYTES_PER_S (2 * 1024 * 1024)
#define SV_CHUNK_BURST_NS (200 * SV_NS_PER_MS)

/*
 * Ticks whose events are stored for clients that do not get every tick (a quarter of a second at
 * 60 Hz), and the bytes of all except the newest.  At the limit: the oldest events are lost, and
 * clients get their number.
 */
#define SV_EVENT_FRAMES_MAX 16
#define SV_EVENT_FRAMES_SIZE_MAX ((size_t)64 * 1024)

/*
 * Deltas of one view and tick.  Clients at one rate have the same baselines and share one.  A
 * client that skipped ticks needs another one.  At the limit: a keyframe, which all further clients
 * share.
 */
#define SV_DELTAS_MAX 24

/*
 * Views of one world.  Each is filtered and encoded in every tick, in some microseconds for a
 * hundred bodies.  A thousand clients may each follow their own body.  Above it: Rejected LIMIT.
 */
#define SV_VIEWS_MAX 1024

/*
 * Clients with a budget.  PARTS: at most the bytes of 1/PARTS of a second are saved, so that a
 * burst fits the client's own buffer.  MESSAGE_MIN: no smaller message is made, as header and hash
 * take some 60 bytes.  PENDING: messages on their way to the network thread, not yet known to be
 * sent or dropped; at the limit no other is made.
 */
#define SV_BUDGET_PARTS 4
#define SV_BUDGET_CONTACT_PARTS 3 /* contacts get at most one of so many parts of a message */
#define SV_BUDGET_MESSAGE_MIN 256
#define SV_BUDGET_PENDING_MAX 4

/* The least time after which an idle world is published again for a client with a budget. */
#define SV_BUDGET_AGAIN_NS (250 * SV_NS_PER_MS)

/* The largest age of the second baseline in ticks; an older one makes bad predictions. */
#define SV_SECOND_BASELINE_AGE_MAX 8

/*
 * Lags of acknowledgements, see server/net/pace.h.  LATE: a lag that shows a queue, and how long it
 * is tolerated.  CALM: a lag without a queue.  BASE_MAX: the longest round trip without a queue.
 * PATIENCE: how long the lag must be small before a faster pace is tried.
 */
#define SV_PACE_LATE_NS (150 * SV_NS_PER_MS)
#define SV_PACE_LATE_DURATION_NS (300 * SV_NS_PER_MS)
#define SV_PACE_CALM_NS (50 * SV_NS_PER_MS)
#define SV_PACE_BASE_MAX_NS (400 * SV_NS_PER_MS)
#define SV_PACE_PATIENCE_NS (3 * SV_NS_PER_S)
#define SV_PACE_PATIENCE_MAX_NS (60 * SV_NS_PER_S)

/* ---- HTTP ---- */

/* From a request's head to the end of its body: 4 MiB at 1.2 Mbit/s.  Then closed. */
#define SV_UPLOAD_DURATION_NS (30 * SV_NS_PER_S)

/* Bytes of a request's body; a scene of 10,000 bodies has about as many.  At the limit: 413. */
#define SV_BODY_SIZE_MAX (4 * 1024 * 1024)

/*
 * Bytes of a recording of a running world; read larger ones from the data folder.  Above it: 413.
 */
#define SV_RECORDING_SIZE_MAX ((size_t)64 * 1024 * 1024)

/* Recordings that are written or replayed at the same time.  At the limit: 429. */
#define SV_RECORDINGS_MAX 2

/* Time to replay an imported recording, which takes a thread of the pool.  At the limit: 400. */
#define SV_IMPORT_DURATION_NS (30 * SV_NS_PER_S)

/* Requests of the whole process that wait for a worker.  At the limit: 429. */
#define SV_REQUESTS_MAX 64

/* Scenes that are checked at the same time; one may take seconds of a core.  At the limit: 429. */
#define SV_CHECKS_MAX 2

/* Bodies of a checked scene, so that exact numbers stay short.  At the limit: 400. */
#define SV_CHECK_BODIES_MAX 256

/*
 * Bodies of a scene whose first accelerations are computed, which takes longer.  For a larger scene
 * they are left out.
 */
#define SV_CHECK_START_BODIES_MAX 32

/* Worlds of a page of GET /v1/worlds; without `limit` all worlds are one page.  Beyond it: 400. */
#define SV_WORLD_PAGE_MAX 500

/*
 * Bytes of JSON that is packed by gzip for clients that accept it.  Less fits into one packet
 * anyway.  More would take the network thread longer than a tick; it is sent as it is.
 */
#define SV_PACKED_SIZE_MIN 1024
#define SV_PACKED_SIZE_MAX ((size_t)1024 * 1024)

/* Files and bytes of the page, which are kept in memory.  Above it the daemon does not start. */
#define SV_PAGE_FILES_MAX 512
#define SV_PAGE_SIZE_MAX (64 * 1024 * 1024)

/* ---- worlds ---- */

/*
 * A scene of at most this many bytes without meshes is read on the network thread; it takes less
 * than about a millisecond.  Other scenes are read on libuv's pool.
 */
#define SV_SCENE_AT_ONCE_SIZE (32 * 1024)

/*
 * Scenes that wait for the pool or are read there.  Of one session: one, so that its loads keep
 * their order and other sessions get a share.  Of all: a class at once; four are read, and each of
 * the others takes at most 4 MiB.  At the limit: Rejected BUSY, HTTP 429.
 */
#define SV_BAKES_SESSION_MAX 1
#define SV_BAKES_MAX 32

#define SV_WORLDS_MAX_DEFAULT 256 /* an idle world costs only its memory; at the limit: 429 */
#define SV_WORLDS_MAX 4096
#define SV_UNWATCHED_NS SV_NS_PER_S /* a world without members is published this often */
/*
 * A running world stores its last second for queries while it has members, or after a query, and
 * this long afterwards.  It costs 6 % of a tick of moving bodies, so it is not done at other times.
 */
#define SV_REMEMBER_NS (10 * SV_NS_PER_S)
/*
 * A running world with members is published with its exact hash at multiples of this tick.  The
 * hash reads every number of the world, which takes longer than quantising and encoding it.
 */
#define SV_HASH_TICKS 64

/*
 * Clients in mode DEEDS get a message at each tick that is a multiple of the first number, and one
 * with the hash at multiples of the second.  Each gets at most one image in this time.
 */
#define SV_DEEDS_TICKS 8
#define SV_DEEDS_HASH_TICKS 30
#define SV_IMAGE_NS SV_NS_PER_S
#define SV_WORKERS_MAX 64

/* Inputs of all sessions that wait for the next tick of one world.  At the limit: Rejected BUSY. */
#define SV_INPUTS_MAX 4096

/*
 * Inputs that wait for the tick that they name, in one world and of one session.  At the limit:
 * Rejected BUSY.  How many ticks ahead that tick may be.  Above it: Rejected TICK.
 */
#define SV_EARLY_INPUTS_MAX 1024
#define SV_EARLY_SESSION_MAX 64
#define SV_EARLY_TICKS_MAX 120
#define SV_LATE_TICKS_MAX 120

/*
 * Queries of one connection [1/s] and in one burst.  Above it: Rejected RATE.  Queries that wait
 * for one world between two ticks; each takes some microseconds.  At the limit: Rejected BUSY, HTTP
 * 429.
 */
#define SV_QUERY_RATE 60
#define SV_QUERY_BURST 120
#define SV_QUERIES_MAX 256

/*
 * Messages that wait from one thread to another, and reports that wait on the way back.  At the
 * limit: Rejected BUSY, HTTP 429.
 */
#define SV_MAIL_MAX 2048

/* Free places in the ring of reports that a worker needs before it opens a message. */
#define SV_MAIL_RESERVE 16

/* Work units (about 1 ns each) of a world before the other worlds of its worker get a turn. */
#define SV_SLICE_WORK INT64_C(2000000)

/*
 * How long a stopping worker waits for the end of a world's tick.  Then the tick is left, and done
 * again after the next start.
 */
#define SV_SETTLE_NS (2 * SV_NS_PER_S)

/* Bytes of scratch that a worker keeps when a world is removed, or gets another method. */
#define SV_SCRATCH_KEPT ((size_t)16 << 20)

/*
 * Memory of one world, and of all worlds [MiB].  A request that needs more is refused with LIMIT
 * and the allowed value.  A tick that needs more waits, and the log reports it.  By default all
 * worlds together get this share of the memory of the machine or of the daemon's control group.
 * The rest is for other data of the daemon, for its files and for other programs.
 */
#define SV_WORLD_MEMORY_DEFAULT 512
#define SV_WORLD_MEMORY_MAX 65536
#define SV_MEMORY_MAX 16777216
#define SV_MEMORY_PERCENT 60

/*
 * Worlds that a worker runs before it reads messages and sends reports: at most this many, or those
 * of about this time.
 */
#define SV_BATCH_WORLDS 64
#define SV_BATCH_NS (2 * SV_NS_PER_MS)

/*
 * A period is divided into this many parts, and worlds are spread over them.  A worker wakes once
 * in each part.  The last world of a part waits for all others of that part.
 */
#define SV_PHASES 4

/*
 * Load of a worker [%] in each of the last seconds above which no other world is made on it.  If
 * all workers are above it: Rejected CAPACITY, HTTP 503.
 */
#define SV_LOAD_MAX_PERCENT 95
#define SV_LOAD_WINDOW_NS SV_NS_PER_S
#define SV_LOAD_WINDOWS 5

/*
 * If a world loses ticks for this long, with less than a second between losses, it accepts no new
 * members: Rejected CAPACITY.  Instructors are accepted, because they can change the world.
 */
#define SV_OVERRUN_NS (5 * SV_NS_PER_S)
#define SV_OVERRUN_GAP_NS SV_NS_PER_S

/*
 * Messages to the logic of a world that it has not answered, and their bytes.  At a limit: Rejected
 * BUSY.  Events and members that it has not answered; more are dropped and counted.
 */
#define SV_LOGIC_SAID_MAX 1024
#define SV_LOGIC_SAID_SIZE_MAX ((size_t)256 * 1024)
#define SV_LOGIC_NEWS_MAX 4096

/*
 * LogicTicks that a logic has not answered.  At the limit it is sent no further one, and no tick
 * waits for it.  Messages of one LogicTick, and their bytes; the others come with the next.  So 8
 * effects for each of them fit into a LogicDone.  Attributes of one LogicTick: 160 KiB; the others
 * come with the next.  Refused effects that a LogicTick lists.
 */
#define SV_LOGIC_ASKED_MAX 64
#define SV_LOGIC_TICK_MESSAGES_MAX 16
#define SV_LOGIC_TICK_ATTRIBUTES_MAX 512
#define SV_LOGIC_TICK_SIZE_MAX ((size_t)128 * 1024)
#define SV_LOGIC_REFUSED_MAX 16

/* Messages (Say) of a session [1/s]; twice that in one burst.  Above it: Rejected RATE. */
#define SV_SAY_RATE 20
#define SV_SAY_RATE_MAX 2000

/* Messages a second of a logic, which answers every tick of its world. */
#define SV_LOGIC_MESSAGE_RATE 2000

/* Ticks that are caught up after a stall.  Older ones are lost: the world's clock skips them. */
#define SV_CATCH_UP_TICKS_MAX 5

/* Persons that a Presence names (the others are only counted), and how often it is sent [ns]. */
#define SV_PRESENCE_MAX 64
#define SV_PRESENCE_PERIOD_NS (200 * SV_NS_PER_MS)

/*
 * Leases of one world (waiting requests included), of one session in it, and requests that wait for
 * one target.  At the limit: Rejected LIMIT.  A class of 30 fits, with ten actuators for each.
 */
#define SV_LEASES_MAX 1024
#define SV_LEASES_SESSION_MAX 32
#define SV_LEASE_QUEUE_MAX 8

/* How often LeaseState is sent to all members [ns]. */
#define SV_LEASES_PERIOD_NS (50 * SV_NS_PER_MS)

/* Ticks of one step request: a minute at 60 Hz.  Above it: refused. */
#define SV_STEP_TICKS_MAX 3600

/* ---- stored data ---- */

/*
 * The period in which all stored data is read and compared with its checksums, by default and at
 * most [s]; 0: never.  It reads 4 MiB a second (server/store/store_inside.h).
 */
#define SV_SCRUB_S 86400
#define SV_SCRUB_S_MAX 31536000

/* ---- the past ---- */

/*
 * The stored past of a world, by default and at most [s, bytes].  At the limit the oldest part is
 * deleted.  100 bodies that 32 inputs push in every tick take 64 MiB in seven minutes.
 */
#define SV_HISTORY_S 600
#define SV_HISTORY_S_MAX 86400
#define SV_HISTORY_SIZE (64 * 1024 * 1024)
#define SV_HISTORY_SIZE_MAX 2147483647

/*
 * Past ticks that are rebuilt at the same time, each on a thread of the pool with its own world;
 * and those for which one session waits.  At the limit: BUSY.
 */
#define SV_DIGS_MAX 16
#define SV_DIGS_SESSION_MAX 2

/* Replays of one daemon; each is a world that steps while it has members.  At the limit: FULL. */
#define SV_REPLAYS_MAX 64
#define SV_REPLAY_IDLE_NS (60 * SV_NS_PER_S) /* a replay without members for this long is removed */

/* Worlds that one Fork makes, one for each member of a world: a class. */
#define SV_FORK_EACH_MAX 64

/* ---- rooms ---- */

/*
 * Bytes of a file of templates.  Above it the daemon does not start.
 */
#define SV_ROOMS_FILE_SIZE_MAX (1024 * 1024)

/*
 * Requests with a password that fits no room, of all clients [1/s] and in one burst.  Above it:
 * HTTP 429, also for a right password.
 */
#define SV_ROOM_GUESS_RATE 5
#define SV_ROOM_GUESS_BURST 50

/* How often changes of rooms are sent to lobbies [ns], and rooms in one message. */
#define SV_LOBBY_PERIOD_NS (250 * SV_NS_PER_MS)
#define SV_LOBBY_ROOMS_MAX 100

/*
 * Events of rooms that the webhook has not confirmed, and their bytes; they are kept in memory and
 * stored.  At the limit no room is made and no seat given: HTTP 503.  Events of the seats and rooms
 * that exist still come.
 */
#define SV_HOOKS_MAX 65536
#define SV_HOOKS_SIZE_MAX ((size_t)64 * 1024 * 1024)

/* Events that are sent at the same time, each of another room. */
#define SV_HOOKS_AT_ONCE 8

/* The time until an event is sent again, at first and at most, and the time for one attempt. */
#define SV_HOOK_RETRY_NS SV_NS_PER_S
#define SV_HOOK_RETRY_MAX_NS (300 * SV_NS_PER_S)
#define SV_HOOK_TIMEOUT_MS 10000
#define SV_HOOK_CONNECT_MS 5000

/* Bytes of the webhook's address and of its secret, with the terminator; least of the secret. */
#define SV_WEBHOOK_SIZE 1024
#define SV_WEBHOOK_SECRET_SIZE 257
#define SV_WEBHOOK_SECRET_MIN 16

/* ---- the rest ---- */

/* Lines of the log [1/s] and in one burst.  Above it lines are dropped and counted. */
#define SV_LOG_RATE 200
#define SV_LOG_BURST 2000

/*
 * Lines of the audit [1/s], in the log and in its own file, and the seconds of lines in one burst.
 * Above it lines are left out, and the next line gives their number.  Bytes of an order's arguments
 * in a line.  Orders that wait for their answer; at the limit the oldest is written without one.
 */
#define SV_AUDIT_LOG_RATE 50
#define SV_AUDIT_FILE_RATE 1000
#define SV_AUDIT_BURST_S 10
#define SV_AUDIT_ARGUMENTS_SIZE 96
#define SV_AUDIT_PENDING_MAX 4096

/*
 * Default quotas of one session, one token and one tenant, if the daemon requires tokens.  A class
 * of 30 with one token can have one replay each.  Its instructor can fork a world for each of 64
 * members.  No session can take all 64 replays.  Only operators, who own the daemon, make worlds.
 * At the limit: Rejected LIMIT, HTTP 409; for a rate 429.  Requests have a burst.
 */
#define SV_QUOTA_SESSION "replays=8"
#define SV_QUOTA_TOKEN "forks=128,replays=32,rooms=64,seats=128,checks=1,requests=500"
#define SV_QUOTA_TENANT "forks=192,replays=48,rooms=96,seats=192,checks=2,requests=2000"
#define SV_QUOTA_BURST_NS (5 * SV_NS_PER_S)

/* Accounts whose rates are counted, and how many successive entries are searched for one. */
#define SV_ACCOUNTS_MAX 8192
#define SV_ACCOUNTS_WINDOW 16

/* Values of one repeatable option.  Above it the daemon does not start. */
#define SV_OPTION_VALUES_MAX 256

#endif
