#include "clients/base/remote.h"

#include "engine/base/assert.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERRAND_DURATION_MS 30000

enum errand_kind { ERRAND_LIST, ERRAND_CREATE, ERRAND_REMOVE };

/* One connection that says Hello, then one control after the other. */
struct errand {
    uv_loop_t loop;
    uv_timer_t timer;
    struct cnc_client *client;
    struct cnc_connection *connection;
    const struct cli_remote *remote;
    enum errand_kind kind;
    const char *scene, *prefix;
    size_t done, wanted;
    struct wire_status *statuses;
    size_t status_count;
    bool is_done;
    char failure[512];
};

static enum cli_exit
read_token(struct cli_remote *remote, const char *file_name)
{
    remote->token = getenv("CAIRN_TOKEN");
    if (file_name == NULL) {
        return CLI_DONE;
    }
    FILE *file = fopen(file_name, "r");
    if (file == NULL || fgets(remote->token_room, sizeof(remote->token_room), file) == NULL) {
        cli_complain("--token-file %s: %s", file_name,
            file == NULL ? strerror(errno) : "there is no token in it");
    } else {
        remote->token = remote->token_room;
        remote->token_room[strcspn(remote->token_room, "\r\n")] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    return remote->token == remote->token_room ? CLI_DONE : CLI_BAD;
}

enum cli_exit
cli_remote_mode(const char *name, enum wire_mode *mode)
{
    static const char *const names[WIRE_MODE_COUNT] = {[WIRE_MODE_QUANTISED] = "quantised",
        [WIRE_MODE_DELTA] = "delta", [WIRE_MODE_RAW] = "raw", [WIRE_MODE_JSON] = "json",
        [WIRE_MODE_DEEDS] = "deeds"};
    for (int i = 0; i < WIRE_MODE_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            *mode = (enum wire_mode)i;
            return CLI_DONE;
        }
    }
    cli_complain("--mode is %.32s; quantised, delta, raw, json and deeds are accepted", name);
    return CLI_BAD;
}

/* Reads "X,Y,R" or "X,Y,Z,R"; without Z the area has no limit along that axis. */
static bool
read_area(const char *text, struct wire_interest *interest)
{
    double number[4];
    int count = 0;
    const char *at = text;
    for (; count < 4; count++) {
        char *end;
        number[count] = strtod(at, &end);
        if (end == at || !isfinite(number[count])) {
            return false;
        }
        at = end + (*end == ',' ? 1 : 0);
        if (*end != ',') {
            count++;
            break;
        }
    }
    double reach = count >= 3 ? number[count - 1] : 0.0;
    if (*at != '\0' || at[-1] == ',' || !(reach > 0.0)) {
        return false;
    }
    interest->around = WIRE_AROUND_POINT;
    interest->point = cn_vec3_make(number[0], number[1], count == 4 ? number[2] : 0.0);
    interest->reach = cn_vec3_make(reach, reach, count == 4 ? reach : 0.0);
    return true;
}

static bool
read_tags(const char *text, struct wire_interest *interest)
{
    while (true) {
        char tag[WIRE_TAG_SIZE] = "";
        size_t size = strcspn(text, ",");
        if (size == 0 || size > WIRE_TAG_SIZE_MAX) {
            return false;
        }
        memcpy(tag, text, size);
        if (!wire_interest_tag(interest, tag)) {
            return false;
        }
        if (text[size] == '\0') {
            return true;
        }
        text += size + 1;
    }
}

enum cli_exit
cli_remote_interest(const char *area, const char *tags, uint64_t budget,
    struct wire_client_message *subscribe)
{
    struct wire_interest *interest = &subscribe->subscribe.interest;
    interest->is_part = area != NULL || tags != NULL;
    if (area != NULL && !read_area(area, interest)) {
        cli_complain("--area is %.64s; X,Y,R or X,Y,Z,R in metres, R above 0", area);
        return CLI_BAD;
    }
    if (tags != NULL && !read_tags(tags, interest)) {
        cli_complain("--tag is %.64s; at most %d tags of 1 to %d bytes, with commas between them",
            tags, WIRE_INTEREST_TAGS_MAX, WIRE_TAG_SIZE_MAX);
        return CLI_BAD;
    }
    if (budget > UINT32_MAX || (budget > 0 && budget < WIRE_BUDGET_MIN)) {
        cli_complain("--budget is %" PRIu64 "; 0, or at least %d bytes a second", budget,
            WIRE_BUDGET_MIN);
        return CLI_BAD;
    }
    if (budget > 0) {
        subscribe->subscribe.mode = WIRE_MODE_DELTA;
        subscribe->subscribe.energy = false;
        subscribe->subscribe.contacts =
            subscribe->subscribe.contacts && subscribe->subscribe.contact_rate_hz > 0;
    }
    subscribe->subscribe.bytes_per_second = (uint32_t)budget;
    return CLI_DONE;
}

enum cli_exit
cli_remote_init(struct cli_remote *remote, const char *server, const char *ca_file,
    const char *token_file)
{
    char error[512];
    const char *environment = getenv("CAIRN_SERVER");
    const char *text = server != NULL ? server
        : environment != NULL         ? environment
                                      : "127.0.0.1:7878";
    memset(remote, 0, sizeof(*remote));
    remote->ca_file = ca_file;
    if (!cnc_address_parse(text, &remote->address, error, sizeof(error))) {
        cli_complain("%s", error);
        return CLI_BAD;
    }
    return read_token(remote, token_file);
}

void
cli_remote_world_name(char name[WIRE_NAME_SIZE], const char *prefix, size_t number)
{
    int size = snprintf(name, WIRE_NAME_SIZE, "%.40s-%zu", prefix, number);
    CN_ASSERT(size > 0 && size < WIRE_NAME_SIZE);
}

/* ---- errands ---- */

static void
say_next(struct errand *errand)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_CONTROL};
    struct wire_control *control = &message.control;
    CN_ASSERT(errand->done < errand->wanted);
    control->request = (uint32_t)errand->done + 1;
    if (errand->kind == ERRAND_LIST) {
        control->kind = WIRE_CONTROL_LIST;
    } else if (errand->kind == ERRAND_CREATE) {
        control->kind = WIRE_CONTROL_CREATE;
        control->source.kind = WIRE_SOURCE_NAME;
        snprintf(control->source.name, sizeof(control->source.name), "%s", errand->scene);
        cli_remote_world_name(control->source.id, errand->prefix, errand->done + 1);
    } else {
        control->kind = WIRE_CONTROL_REMOVE;
        cli_remote_world_name(control->world, errand->prefix, errand->done + 1);
    }
    cnc_say(errand->connection, &message);
}

static void
on_opened(void *user)
{
    struct errand *errand = user;
    cnc_say_hello(errand->connection, "", CLI_CLIENT_NAME, errand->remote->token);
}

static void
finish_errand(struct errand *errand)
{
    CN_ASSERT(!errand->is_done); /* later messages are not read */
    errand->is_done = true;
    cnc_close(errand->connection);
}

static void
on_answer(struct errand *errand, struct wire_server_message *message)
{
    switch (message->kind) {
    case WIRE_SERVER_WELCOME:
        say_next(errand);
        break;
    case WIRE_SERVER_WORLDS:
        free(errand->statuses);
        errand->statuses = message->worlds.statuses;
        errand->status_count = message->worlds.count;
        message->worlds.statuses = NULL;
        break;
    case WIRE_SERVER_DONE:
        if (++errand->done < errand->wanted) {
            say_next(errand);
        } else {
            finish_errand(errand);
        }
        break;
    case WIRE_SERVER_REJECTED:
        snprintf(errand->failure, sizeof(errand->failure), "the daemon refuses: %s%s%s (%s)",
            message->rejected.error.path, message->rejected.error.path[0] != '\0' ? " " : "",
            message->rejected.error.text, message->rejected.error.code);
        finish_errand(errand);
        break;
    default:
        break;
    }
}

static void
on_message(void *user, const uint8_t *bytes, size_t size)
{
    struct errand *errand = user;
    struct wire_server_message message;
    struct wire_error error;
    if (errand->is_done) {
        return;
    }
    if (!wire_server_decode(bytes, size, &message, &error)) {
        snprintf(errand->failure, sizeof(errand->failure),
            "what the daemon says is not understood: %s %s", error.path, error.text);
        finish_errand(errand);
        return;
    }
    on_answer(errand, &message);
    wire_server_message_finish(&message);
}

static void
on_ended(void *user, const struct cnc_end *end)
{
    struct errand *errand = user;
    errand->connection = NULL;
    if (end->kind != CNC_END_OWN) {
        snprintf(errand->failure, sizeof(errand->failure), "%s%s", end->reason,
            end->kind == CNC_END_CLOSED ? " (closed by the daemon)" : "");
    }
    uv_close((uv_handle_t *)&errand->timer, NULL);
    cnc_client_stop(errand->client);
}

static void
on_timer(uv_timer_t *timer)
{
    struct errand *errand = timer->data;
    snprintf(errand->failure, sizeof(errand->failure), "the daemon does not answer");
    cnc_close(errand->connection);
}

static enum cli_exit
run_errand(struct errand *errand, const struct cli_remote *remote)
{
    const struct cnc_events events = {
        .opened = on_opened, .message = on_message, .ended = on_ended};
    errand->remote = remote;
    uv_loop_init(&errand->loop);
    errand->client = cnc_client_create(&errand->loop, &remote->address, remote->ca_file, &events,
        errand->failure, sizeof(errand->failure));
    if (errand->client != NULL) {
        uv_timer_init(&errand->loop, &errand->timer);
        errand->timer.data = errand;
        uv_timer_start(&errand->timer, on_timer, ERRAND_DURATION_MS, 0);
        errand->connection = cnc_connect(errand->client, errand);
        if (errand->connection == NULL) {
            uv_close((uv_handle_t *)&errand->timer, NULL);
            cnc_client_stop(errand->client);
            snprintf(errand->failure, sizeof(errand->failure), "no memory");
        }
    }
    uv_run(&errand->loop, UV_RUN_DEFAULT);
    cnc_client_destroy(errand->client);
    uv_loop_close(&errand->loop);
    if (errand->failure[0] != '\0') {
        cli_complain("%s", errand->failure);
        free(errand->statuses);
        errand->statuses = NULL;
        return CLI_COULD_NOT;
    }
    return CLI_DONE;
}

enum cli_exit
cli_remote_worlds(const struct cli_remote *remote, struct wire_status **statuses, size_t *count)
{
    struct errand errand = {.kind = ERRAND_LIST, .wanted = 1};
    enum cli_exit result = run_errand(&errand, remote);
    *statuses = errand.statuses;
    *count = errand.status_count;
    return result;
}

enum cli_exit
cli_remote_create(
    const struct cli_remote *remote, const char *scene, const char *prefix, size_t count)
{
    struct errand errand = {
        .kind = ERRAND_CREATE, .scene = scene, .prefix = prefix, .wanted = count};
    return run_errand(&errand, remote);
}

enum cli_exit
cli_remote_remove(const struct cli_remote *remote, const char *prefix, size_t count)
{
    struct errand errand = {.kind = ERRAND_REMOVE, .prefix = prefix, .wanted = count};
    return run_errand(&errand, remote);
}
