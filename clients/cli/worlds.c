/* worlds.c: `cairn worlds`: the worlds of a daemon. */
#include "clients/base/remote.h"
#include "clients/cli/cli.h"

#include "proto/codec_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *
state_of(const struct wire_status *status)
{
    switch (status->state) {
    case WIRE_WORLD_PAUSED:
        return "paused";
    case WIRE_WORLD_FAILED:
        return "failed";
    case WIRE_WORLD_REPLAY:
        return "replays";
    default:
        return status->stalled_ms > 0 ? "waits" : status->idle ? "rests" : "runs";
    }
}

/* The durability of a world's changes, in words. */
static const char *
safe_of(const struct wire_status *status)
{
    static const char *const words[] = {"tick", "second", "never"};
    return words[status->durability];
}

static int
width_of(const struct wire_status *statuses, size_t count)
{
    size_t width = strlen("world");
    for (size_t i = 0; i < count; i++) {
        width = strlen(statuses[i].id) > width ? strlen(statuses[i].id) : width;
    }
    return (int)width;
}

static void
print_table(const struct wire_status *statuses, size_t count)
{
    int width = width_of(statuses, count);
    printf("%-*s  %-6s %9s %7s %8s %7s %9s  %-6s  %s\n", width, "world", "state", "tick",
        "bodies", "contacts", "clients", "step ms", "safe", "method");
    for (size_t i = 0; i < count; i++) {
        const struct wire_status *s = &statuses[i];
        printf("%-*s  %-6s %9" PRIu64 " %7u %8u %7u %9.3f  %-6s  %s %s\n", width, s->id,
            state_of(s), s->tick, s->body_count, s->contact_count, s->client_count,
            s->tick_duration_us * 1e-3, safe_of(s), s->settings.stepper, s->settings.solver);
        if (s->state == WIRE_WORLD_FAILED) {
            printf("%-*s  %s\n", width, "", s->failure);
        }
    }
}

static enum cli_exit
print_json(const struct wire_status *statuses, size_t count)
{
    const struct wire_status **list = calloc(count + 1, sizeof(const struct wire_status *));
    for (size_t i = 0; list != NULL && i < count; i++) {
        list[i] = &statuses[i];
    }
    char *text = list != NULL ? wire_worlds_print(list, count, "") : NULL;
    free(list);
    if (text == NULL) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    puts(text);
    free(text);
    return CLI_DONE;
}

enum cli_exit
cli_worlds(const struct cli_call *call)
{
    struct cli_remote remote;
    struct wire_status *statuses;
    size_t count;
    enum cli_exit result = cli_remote_init(
        &remote, call->worlds_server, call->worlds_ca, call->worlds_token);
    if (result == CLI_DONE) {
        result = cli_remote_worlds(&remote, &statuses, &count);
    }
    if (result != CLI_DONE) {
        return result;
    }
    if (call->worlds_json) {
        result = print_json(statuses, count);
    } else {
        print_table(statuses, count);
    }
    free(statuses);
    return result;
}
