#include "server/net/pace.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <math.h>
#include <string.h>

#define FORGETTING 4096 /* Acks after which the base has followed two thirds of a lasting lag */

void
sv_pace_init(struct sv_pace *pace, uint32_t wish_hz)
{
    memset(pace, 0, sizeof(*pace));
    pace->wish_hz = wish_hz;
    pace->base_ns = SV_PACE_BASE_MAX_NS;
    pace->patience_ns = SV_PACE_PATIENCE_NS;
}

void
sv_pace_restart(struct sv_pace *pace)
{
    pace->has_sent = false;
}

double
sv_pace_rate_hz(const struct sv_pace *pace, double tick_rate_hz)
{
    CN_ASSERT(pace->step < SV_PACE_STEPS);
    bool is_less = pace->wish_hz > 0 && pace->wish_hz < tick_rate_hz;
    return (is_less ? pace->wish_hz : tick_rate_hz) / (pace->step + 1);
}

uint32_t
sv_pace_round_trip_us(const struct sv_pace *pace)
{
    bool is_known = pace->base_ns < SV_PACE_BASE_MAX_NS;
    return is_known ? (uint32_t)(pace->base_ns / SV_NS_PER_US) : 0;
}

bool
sv_pace_is_due(const struct sv_pace *pace, uint64_t tick, double tick_rate_hz)
{
    bool is_every = pace->step == 0 && (pace->wish_hz == 0 || pace->wish_hz >= tick_rate_hz);
    if (!pace->has_sent || is_every || tick < pace->sent_tick) {
        return true;
    }
    double part = sv_pace_rate_hz(pace, tick_rate_hz) / tick_rate_hz;
    return floor((double)tick * part) > floor((double)pace->sent_tick * part);
}

static void
slow_down(struct sv_pace *pace, uint64_t now_ns)
{
    if (pace->step + 1 == SV_PACE_STEPS) {
        return;
    }
    bool was_too_early = pace->faster_ns != 0 && now_ns - pace->faster_ns < pace->patience_ns;
    uint64_t longer_ns = pace->patience_ns * 2;
    pace->step++;
    CN_ASSERT(pace->step < SV_PACE_STEPS);
    pace->patience_ns = !was_too_early ? SV_PACE_PATIENCE_NS
        : longer_ns < SV_PACE_PATIENCE_MAX_NS ? longer_ns
                                              : SV_PACE_PATIENCE_MAX_NS;
}

static void
be_late(struct sv_pace *pace, uint64_t now_ns)
{
    pace->calm_ns = 0;
    if (pace->late_ns == 0) {
        pace->late_ns = now_ns;
    } else if (now_ns - pace->late_ns >= SV_PACE_LATE_DURATION_NS) {
        pace->late_ns = now_ns;
        slow_down(pace, now_ns);
    }
}

static void
be_calm(struct sv_pace *pace, uint64_t now_ns)
{
    if (pace->calm_ns == 0) {
        pace->calm_ns = now_ns;
    }
    if (pace->step > 0 && now_ns - pace->calm_ns >= pace->patience_ns) {
        pace->step--;
        pace->faster_ns = pace->calm_ns = now_ns;
    }
}

void
sv_pace_sent(struct sv_pace *pace, uint64_t tick)
{
    pace->sent_tick = tick;
    pace->has_sent = true;
}

void
sv_pace_acked(struct sv_pace *pace, uint64_t lag_ns, uint64_t now_ns)
{
    if (lag_ns < pace->base_ns) {
        pace->base_ns = lag_ns;
    } else {
        pace->base_ns += (lag_ns - pace->base_ns) / FORGETTING;
        pace->base_ns = pace->base_ns < SV_PACE_BASE_MAX_NS ? pace->base_ns : SV_PACE_BASE_MAX_NS;
    }
    uint64_t queue_ns = lag_ns > pace->base_ns ? lag_ns - pace->base_ns : 0;
    if (queue_ns > SV_PACE_LATE_NS) {
        be_late(pace, now_ns);
        return;
    }
    pace->late_ns = 0;
    if (queue_ns < SV_PACE_CALM_NS) {
        be_calm(pace, now_ns);
    } else {
        pace->calm_ns = 0;
    }
}
