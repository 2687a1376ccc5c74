/*
 * pace.h: how many ticks a second one client is sent.
 *
 * A client may ask for fewer than its world has.  Otherwise it is sent every tick, every second or
 * every third one (60, 30, 20 Hz), depending on how far its acknowledgements lag behind:
 *
 *   lag   = time from a tick's publication to the arrival of its Ack
 *   base  = the smallest lag seen, which slowly rises again: the round trip time
 *   queue = lag - base: the time that ticks wait somewhere on the way
 *
 * Queues above SV_PACE_LATE_NS for SV_PACE_LATE_DURATION_NS make the client slower; a short hiccup
 * does not.  Queues below SV_PACE_CALM_NS for a while, at first SV_PACE_PATIENCE_NS, make it faster
 * again.  If that was too early, the next try takes twice as long, up to SV_PACE_PATIENCE_MAX_NS.
 * A client that never acknowledges is never slowed down: it is sent every tick that its socket can
 * take.
 *
 * The ticks of a lower rate are the same for all clients: those where floor(tick * rate / tick
 * rate) grows.  So clients of one rate have the same baselines and share their messages.
 */
#ifndef SERVER_NET_PACE_H
#define SERVER_NET_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define SV_PACE_STEPS 3 /* every tick, every second, every third */

struct sv_pace {
    uint32_t wish_hz; /* as requested; 0: the world's rate */
    uint8_t step;     /* 0 .. SV_PACE_STEPS - 1 */
    bool has_sent;
    uint64_t sent_tick; /* the last one */
    uint64_t base_ns;
    uint64_t late_ns;   /* since when queues are long; 0: they are not */
    uint64_t calm_ns;   /* since when queues are short; 0: they are not */
    uint64_t faster_ns; /* when it was last made faster; 0: never */
    uint64_t patience_ns;
};

/* Starts again with this wish, after a Subscribe. */
void sv_pace_init(struct sv_pace *pace, uint32_t wish_hz);

/* Counts ticks from 0 again, after a Joined.  The measured lag stays. */
void sv_pace_restart(struct sv_pace *pace);

/* Whether the client is sent this tick. */
bool sv_pace_is_due(const struct sv_pace *pace, uint64_t tick, double tick_rate_hz);

void sv_pace_sent(struct sv_pace *pace, uint64_t tick);
void sv_pace_acked(struct sv_pace *pace, uint64_t lag_ns, uint64_t now_ns);

/* The smallest lag of Acks: the round trip time [us]; 0: not measured. */
uint32_t sv_pace_round_trip_us(const struct sv_pace *pace);

/* Ticks a second that are sent now. */
double sv_pace_rate_hz(const struct sv_pace *pace, double tick_rate_hz);

#endif
