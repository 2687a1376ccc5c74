#include "server/net/away.h"

#include "server/base/limits.h"
#include "server/base/mutant.h"
#include "server/net/fanout.h"

#include <inttypes.h>
#include <string.h>

#define CLOSE_POLICY 1008

static void
say_away(struct sv_seat *seat)
{
    struct wire_error ignored; /* then others see it as present until it is back or gone */
    struct sv_letter letter = {.kind = SV_LETTER_AWAY, .asker = sv_seat_asker(seat, 0)};
    (void)!sv_host_send(seat->gateway->host, seat->world, &letter, &ignored);
}

bool
sv_away_keep(struct sv_seat *seat)
{
    struct sv_gateway *gateway = seat->gateway;
    bool is_ended = seat->is_closing && !seat->is_slow;
    if (!seat->session.keep || seat->world == NULL || is_ended || gateway->is_stopping) {
        return false;
    }
    seat->connection = NULL;
    seat->is_closing = seat->is_slow = false;
    seat->is_joined = false;
    seat->is_behind = false;
    seat->is_away = true;
    seat->away_ns = sv_clock_now_ns(&gateway->clock);
    sv_seat_drop_queue(seat);
    sv_fanout_restart(seat);
    seat->new_next = NULL;
    seat->new_previous = gateway->away_last;
    if (gateway->away_last != NULL) {
        gateway->away_last->new_next = seat;
    } else {
        gateway->away_first = seat;
    }
    gateway->away_last = seat;
    SV_COUNT(gateway->metrics, clients_away, 1);
    say_away(seat);
    return true;
}

void
sv_away_forget(struct sv_seat *seat)
{
    struct sv_gateway *gateway = seat->gateway;
    if (!seat->is_away) {
        return;
    }
    seat->is_away = false;
    SV_UNCOUNT(gateway->metrics, clients_away, 1);
    if (seat->new_previous != NULL) {
        seat->new_previous->new_next = seat->new_next;
    } else {
        gateway->away_first = seat->new_next;
    }
    if (seat->new_next != NULL) {
        seat->new_next->new_previous = seat->new_previous;
    } else {
        gateway->away_last = seat->new_previous;
    }
    seat->new_previous = seat->new_next = NULL;
}

bool
sv_away_end_one(struct sv_gateway *gateway)
{
    struct sv_seat *seat = gateway->away_first;
    if (seat == NULL) {
        return false;
    }
    sv_seat_leave(seat);
    sv_seat_destroy(seat);
    return true;
}

void
sv_away_end_overdue(struct sv_gateway *gateway, uint64_t now_ns)
{
    while (gateway->away_first != NULL && !CN_MUTANT(AWAY_FOREVER) &&
        now_ns - gateway->away_first->away_ns > SV_GRACE_NS) {
        sv_away_end_one(gateway);
    }
}

/* ---- coming back ---- */

/* The seat whose session the token is of; NULL: it is wrong, or its time is over. */
static struct sv_seat *
find(const struct sv_gateway *gateway, const struct wire_hello *hello)
{
    struct sv_resume resume;
    if (!hello->has_resume) {
        return NULL;
    }
    sv_resume_read(hello->resume, &resume);
    struct sv_seat *seat = resume.seat < (uint32_t)gateway->seat_count
        ? gateway->seats[resume.seat]
        : NULL;
    bool is_it = seat != NULL && seat->session.id == resume.session && seat->session.keep &&
        seat->world != NULL && !seat->is_closing &&
        sv_resume_fits(seat->session.secret, resume.secret);
    return is_it ? seat : NULL;
}

/* Who comes back may do what it could; else it is somebody new. */
static bool
is_same_grant(const struct sv_seat *old, const struct sv_seat *seat)
{
    return old->session.grant.role == seat->session.grant.role &&
        ac_pattern_fits(seat->session.grant.world, old->world->post.id);
}

/* The session moves; what is left in the old seat is nobody's. */
static void
take_over(struct sv_seat *seat, struct sv_seat *old)
{
    struct sv_host_world *world = old->world;
    struct sv_grant grant = seat->session.grant;
    seat->session = old->session;
    seat->session.grant = grant;
    seat->session.state = SV_SESSION_JOINING;
    seat->given = old->given;
    sv_fanout_set_rate(seat, seat->session.rate_hz);
    sv_seat_enter(old, NULL);
    sv_seat_enter(seat, world);
    memset(&old->session.secret, 0, sizeof(old->session.secret));
    old->session.id = 0;
    old->session.keep = false;
    if (old->connection != NULL) {
        sv_seat_close(old, CLOSE_POLICY, "taken up on another connection");
    } else {
        sv_seat_destroy(old);
    }
}

bool
sv_away_resume(struct sv_seat *seat, const struct wire_hello *hello)
{
    struct sv_gateway *gateway = seat->gateway;
    struct sv_seat *old = find(gateway, hello);
    if (old == NULL || old == seat || !is_same_grant(old, seat)) {
        return false;
    }
    struct wire_error ignored;
    struct sv_letter letter = {.kind = SV_LETTER_RESUME,
        .asker = {.session = old->session.id, .seat = seat->index},
        .resume_seat = old->index};
    if (old->world->is_removing ||
        !sv_host_send(gateway->host, old->world, &letter, &ignored)) {
        return false;
    }
    take_over(seat, old);
    SV_COUNT(gateway->metrics, resumed, 1);
    sv_log(gateway->log, SV_LOG_INFO, "session %" PRIu64 ": is back", seat->session.id);
    return true;
}

bool
sv_away_token(struct sv_seat *seat, uint8_t token[WIRE_RESUME_SIZE])
{
    struct sv_resume resume = {.seat = seat->index, .session = seat->session.id};
    if (!seat->session.keep ||
        !sv_random_fill(&seat->gateway->random, resume.secret, sizeof(resume.secret))) {
        return false;
    }
    memcpy(seat->session.secret, resume.secret, sizeof(resume.secret));
    sv_resume_write(&resume, token);
    return true;
}
