/* gateway_logic.c: messages of members and of a logic, on their way to a world. */
#include "server/net/gateway.h"

#include "engine/base/assert.h"

void
sv_seat_pass_on(struct sv_seat *seat, struct wire_client_message *message)
{
    struct wire_error error;
    struct sv_message mail = {.asker = sv_seat_asker(seat, 0)};
    switch (message->kind) {
    case WIRE_CLIENT_SAY:
        mail.kind = SV_MESSAGE_SAY;
        mail.asker.request = message->say.request;
        mail.say_take = message->say.take;
        message->say.take = NULL;
        break;
    case WIRE_CLIENT_LOGIC:
        mail.kind = SV_MESSAGE_LOGIC;
        mail.asker.request = message->logic.request;
        mail.logic = message->logic;
        break;
    default:
        CN_ASSERT(message->kind == WIRE_CLIENT_LOGIC_DONE);
        mail.kind = SV_MESSAGE_LOGIC_DONE;
        mail.logic_done_take = message->logic_done_take;
        message->logic_done_take = NULL;
    }
    if (!sv_host_send(seat->gateway->host, seat->world, &mail, &error)) {
        sv_seat_reject(seat, mail.asker.request, 0, &error);
    }
}
