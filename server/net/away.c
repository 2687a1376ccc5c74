#include "server/net/away.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/net/lobby.h"
#include "server/net/seating.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE_POLICY 1008

_Static_assert(DD_KEPT_SUBJECT_SIZE == AC_SUBJECT_SIZE, "a token's sub");
_Static_assert(sizeof(((struct sv_session *)0)->name) == WIRE_PERSON_SIZE, "a person's name");

static void
say_away(struct sv_seat *seat)
{
    struct wire_error ignored; /* then other members see it as present until it is back or has
                                  left */
    struct sv_message mail = {.kind = SV_MESSAGE_AWAY, .asker = sv_seat_asker(seat, 0)};
    (void)!sv_host_send(seat->gateway->host, seat->world, &mail, &ignored);
}

bool
sv_away_keep(struct sv_seat *seat)
{
    struct sv_gateway *gateway = seat->gateway;
    bool is_ended = seat->is_closing && !seat->is_slow;
    if (!seat->session.keep || seat->world == NULL || is_ended || gateway->is_stopping) {
        return false;
    }
    CN_ASSERT(seat->connection != NULL && !seat->is_away && !seat->is_new);
    seat->connection = NULL;
    seat->is_closing = seat->is_slow = false;
    seat->is_joined = false;
    seat->is_behind = false;
    sv_seat_drop_queue(seat);
    sv_seat_forget_shown(seat);
    sv_seat_await_return(seat);
    say_away(seat);
    return true;
}

bool
sv_away_end_one(struct sv_gateway *gateway)
{
    struct sv_seat *seat = gateway->away_first;
    if (seat == NULL) {
        return false;
    }
    CN_ASSERT(seat->is_away && seat->connection == NULL);
    sv_seat_leave(seat);
    sv_seat_destroy(seat);
    return true;
}

void
sv_away_end_overdue(struct sv_gateway *gateway, uint64_t now_ns)
{
    while (gateway->away_first != NULL &&
        now_ns - gateway->away_first->away_ns > SV_GRACE_NS) {
        sv_away_end_one(gateway);
    }
}

/* ---- coming back ---- */

/* Finds a session from before the daemon's restart, in which it had another seat. */
static struct sv_seat *
find_restored(const struct sv_gateway *gateway, uint64_t session)
{
    struct sv_seat *seat = gateway->away_first;
    while (seat != NULL && !(seat->session.is_restored && seat->session.id == session)) {
        seat = seat->new_next;
    }
    return seat;
}

/*
 * Only the last token sent to the client is valid.  For a session from before a restart the last
 * one is not known: the log has one serial that was sent, and later ones may have been sent too.
 */
static bool
is_token_good(struct sv_session *session, const struct sv_resume *resume)
{
    uint8_t secret[SV_RESUME_SECRET_SIZE];
    uint32_t first = session->resume_serial;
    uint32_t count = session->is_restored ? SV_RESUME_SERIALS : 1;
    for (uint32_t serial = first; serial < first + count; serial++) {
        if (sv_resume_secret(session->resume_key, session->id, serial, secret) &&
            sv_resume_fits(secret, resume->secret)) {
            session->resume_serial = serial;
            return true;
        }
    }
    return false;
}

/* The seat of the token's session; NULL: the token is wrong or has expired. */
static struct sv_seat *
find_away(const struct sv_gateway *gateway, const struct wire_hello *hello)
{
    struct sv_resume resume;
    if (!hello->has_resume) {
        return NULL;
    }
    sv_resume_read(hello->resume, &resume);
    struct sv_seat *seat = resume.seat < (uint32_t)gateway->seat_count
        ? gateway->seats[resume.seat]
        : NULL;
    if (seat == NULL || seat->session.id != resume.session) {
        seat = find_restored(gateway, resume.session);
    }
    bool is_it = seat != NULL && seat->session.keep && seat->world != NULL &&
        !seat->is_closing && is_token_good(&seat->session, &resume);
    return is_it ? seat : NULL;
}

/*
 * Whether a new connection may resume the old session: its token must have the same bearer and
 * role, and be valid for the world.  Else the client gets a new session, so a stolen resume token
 * is worthless.
 */
static bool
may_take_up(const struct sv_seat *old, const struct sv_seat *seat)
{
    const struct sv_grant *grant = seat->session.grant;
    if (!sv_grant_is_same_bearer(old->session.grant, grant)) {
        sv_log(seat->gateway->log, SV_LOG_WARN,
            "session %" PRIu64 ": token %s is another bearer's than session %" PRIu64
            ", whose resume token came with it",
            seat->session.id, grant->id, old->session.id);
        return false;
    }
    return old->session.grant->role == grant->role && sv_grant_covers_world(grant, old->world);
}

/* Moves the session to the new seat; the old seat is then free. */
static void
take_over(struct sv_seat *seat, struct sv_seat *old)
{
    struct sv_host_world *world = old->world;
    CN_ASSERT(old != seat && seat->world == NULL && world != NULL);
    const struct sv_session fresh = seat->session; /* its grant holds from now on */
    free(fresh.interest);
    seat->session = old->session;
    old->session.interest = NULL;
    seat->session.grant = fresh.grant;
    seat->session.owns_grant = fresh.owns_grant;
    seat->session.state = SV_SESSION_JOINING;
    seat->given = old->given;
    sv_seat_set_rate(seat, seat->session.rate_hz);
    sv_seat_enter(old, NULL);
    sv_seat_enter(seat, world);
    memset(old->session.resume_key, 0, sizeof(old->session.resume_key));
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
    struct sv_seat *old = find_away(gateway, hello);
    if (old == NULL || old == seat || !may_take_up(old, seat)) {
        return false;
    }
    CN_ASSERT(old->session.id != seat->session.id);
    struct wire_error ignored;
    struct sv_message mail = {.kind = SV_MESSAGE_RESUME,
        .asker = {.session = old->session.id, .seat = seat->index},
        .resume = {.seat = old->index, .kept_take = sv_away_pack(&old->session)}};
    if (mail.resume.kept_take != NULL) {
        mail.resume.kept_take->serial++; /* the serial of the token in Welcome */
    }
    if (old->world->is_removing) {
        sv_message_finish(&mail);
        return false;
    }
    if (!sv_host_send(gateway->host, old->world, &mail, &ignored)) {
        return false;
    }
    take_over(seat, old);
    sv_lobby_joined(seat);
    SV_COUNT(gateway->metrics, resumed, 1);
    sv_log(gateway->log, SV_LOG_INFO, "session %" PRIu64 ": is back", seat->session.id);
    return true;
}

bool
sv_away_token(struct sv_seat *seat, uint8_t token[WIRE_RESUME_SIZE])
{
    struct sv_session *session = &seat->session;
    struct sv_resume resume = {.seat = seat->index, .session = session->id};
    bool has_key = session->resume_serial > 0;
    if (!session->keep ||
        (!has_key &&
            !sv_random_fill(
                &seat->gateway->random, session->resume_key, sizeof(session->resume_key)))) {
        return false;
    }
    session->resume_serial++;
    if (!sv_resume_secret(
            session->resume_key, session->id, session->resume_serial, resume.secret)) {
        return false;
    }
    sv_resume_write(&resume, token);
    return true;
}

/* ---- over a restart of the daemon ---- */

struct dd_kept *
sv_away_pack(const struct sv_session *session)
{
    struct dd_kept *kept =
        session->keep && session->resume_serial > 0 ? calloc(1, sizeof(*kept)) : NULL;
    if (kept != NULL) {
        kept->session = session->id;
        kept->serial = session->resume_serial;
        kept->role = (uint32_t)session->grant->role;
        memcpy(kept->key, session->resume_key, sizeof(kept->key));
        memcpy(kept->name, session->name, sizeof(kept->name));
        memcpy(kept->subject, session->grant->subject, sizeof(kept->subject));
    }
    return kept;
}

bool
sv_away_restore(struct sv_gateway *gateway, struct sv_host_world *world,
    const struct dd_kept *kept, uint64_t applied_seq, uint32_t *index)
{
    struct sv_seat *seat = sv_seat_create(gateway, kept->session);
    if (seat == NULL) {
        return false;
    }
    struct sv_session *session = &seat->session;
    session->keep = session->is_restored = true;
    session->state = SV_SESSION_JOINED;
    session->next_seq = applied_seq + 1;
    session->resume_serial = kept->serial;
    struct sv_grant grant = {.role = (enum ac_role)kept->role};
    memcpy(session->resume_key, kept->key, sizeof(session->resume_key));
    memcpy(session->name, kept->name, sizeof(session->name));
    memcpy(grant.subject, kept->subject, sizeof(grant.subject));
    if (!sv_session_set_grant(session, &grant)) {
        sv_seat_destroy(seat);
        return false;
    }
    sv_seat_enter(seat, world);
    sv_seat_await_return(seat);
    *index = seat->index;
    return true;
}
