/*
 * logic_seen.h: the messages that a client of the daemon in memory has received, as counts and as
 * the last values.
 */
#ifndef TESTS_SUPPORT_SERVER_LOGIC_SEEN_H
#define TESTS_SUPPORT_SERVER_LOGIC_SEEN_H

#include "tests/support/server/logic_client.h"

#include <stdio.h>

/* Counts, and the last values. */
struct seen {
    uint64_t session;
    int joined, snapshots, said, done, ticks, events, members, messages, refused;
    int attributes, gone;
    char text[64], code[16], path[64], name[40], attribute[40];
    uint64_t said_session, said_tick, shown_tick, number, tick, answered;
    uint32_t late, dropped, generation, role, member_role;
    bool direct, left, has_hash;
    int first_count;
    uint64_t replied; /* the last number that run_answering has answered */
    size_t people;
    double gravity;
    uint32_t done_request, rejected_request;
};

static inline void
seen_said(struct seen *seen, const Cairn__V1__Said *said)
{
    seen->said++;
    seen->said_session = said->session;
    seen->said_tick = said->tick;
    seen->direct = said->direct;
    if (said->content_case == CAIRN__V1__SAID__CONTENT_TEXT) {
        snprintf(seen->text, sizeof(seen->text), "%s", said->text);
    }
}

static inline void
seen_tick(struct seen *seen, const Cairn__V1__LogicTick *tick)
{
    seen->ticks++;
    seen->number = tick->number;
    seen->tick = tick->tick;
    seen->answered = tick->answered;
    seen->late = tick->late_count;
    seen->dropped += tick->dropped;
    seen->generation = tick->generation;
    seen->has_hash = tick->hash[0] != '\0';
    seen->first_count += tick->first ? 1 : 0;
    seen->people = tick->first ? tick->n_people : seen->people;
    assert_true(tick->first || tick->n_people == 0);
    for (size_t i = 0; i < tick->n_events; i++) {
        assert_true(i == 0 || tick->events[i]->tick > tick->events[i - 1]->tick);
        seen->events += (int)tick->events[i]->n_events;
    }
    for (size_t i = 0; i < tick->n_members; i++) {
        seen->members++;
        seen->left = tick->members[i]->left;
        seen->member_role = tick->members[i]->role;
        snprintf(seen->name, sizeof(seen->name), "%s", tick->members[i]->name);
    }
    for (size_t i = 0; i < tick->n_messages; i++) {
        seen->messages++;
        seen->said_session = tick->messages[i]->session;
        snprintf(seen->text, sizeof(seen->text), "%s", tick->messages[i]->text);
    }
    for (size_t i = 0; i < tick->n_attributes; i++) {
        const Cairn__V1__Attribute *attribute = tick->attributes[i]->attribute;
        seen->attributes++;
        seen->gone += attribute->value_case == CAIRN__V1__ATTRIBUTE__VALUE__NOT_SET ? 1 : 0;
        snprintf(seen->attribute, sizeof(seen->attribute), "%s", attribute->name);
    }
    for (size_t i = 0; i < tick->n_refused; i++) {
        seen->refused++;
        snprintf(seen->path, sizeof(seen->path), "%u %s", tick->refused[i]->index,
            tick->refused[i]->error->path);
        snprintf(seen->code, sizeof(seen->code), "%s", tick->refused[i]->error->code);
    }
}

static inline void
look(void *user, const Cairn__V1__ServerMessage *message)
{
    struct seen *seen = user;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_WELCOME:
        seen->session = message->welcome->session;
        seen->role = message->welcome->role;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        seen->joined++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        seen->shown_tick = message->tick->tick;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        seen->snapshots++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SAID:
        seen_said(seen, message->said);
        assert_true(message->said->tick > seen->shown_tick); /* before the frames of its tick */
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_LOGIC_TICK:
        seen_tick(seen, message->logic_tick);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTROL_DONE:
        seen->done++;
        seen->done_request = message->control_done->request;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_STATUS:
        seen->gravity = message->status->settings->gravity->y;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        snprintf(seen->code, sizeof(seen->code), "%s", message->rejected->error->code);
        snprintf(seen->path, sizeof(seen->path), "%s", message->rejected->error->path);
        seen->rejected_request = message->rejected->request;
        break;
    default:
        break;
    }
}

static inline struct seen
see(struct server *server, int connection, struct seen seen)
{
    seen.code[0] = seen.path[0] = '\0';
    server_read(server, connection, look, &seen);
    return seen;
}

#endif
