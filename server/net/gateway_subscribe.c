/*
 * gateway_subscribe.c: a session's subscription, sent to the world that the session is in.
 */
#include "server/net/gateway.h"

#include <stdlib.h>

void
sv_seat_subscribe(struct sv_seat *seat)
{
    struct wire_error error;
    const struct sv_session *session = &seat->session;
    struct sv_message mail = {.kind = SV_MESSAGE_SUBSCRIBE,
        .asker = sv_seat_asker(seat, 0),
        .subscribe = {.contacts = session->contacts,
            .energy = session->energy,
            .actions = session->actions,
            .mode = session->mode,
            .rate_hz = session->rate_hz,
            .bytes_per_second = session->bytes_per_second,
            .epoch = seat->epoch}};
    if (seat->world == NULL) {
        return;
    }
    if (session->interest.is_part) {
        mail.subscribe.interest_take = malloc(sizeof(session->interest));
        if (mail.subscribe.interest_take == NULL) {
            wire_error_set(&error, "MEMORY", "subscribe.interest", "no memory");
            sv_seat_reject(seat, 0, 0, &error);
            return;
        }
        *mail.subscribe.interest_take = session->interest;
    }
    if (!sv_host_send(seat->gateway->host, seat->world, &mail, &error)) {
        sv_seat_reject(seat, 0, 0, &error);
    }
}

bool
sv_seat_has_subscribed(const struct sv_seat *seat)
{
    const struct sv_session *session = &seat->session;
    return session->contacts || session->energy || session->actions ||
        session->mode != WIRE_MODE_QUANTISED ||
        session->interest.is_part || session->bytes_per_second > 0;
}
