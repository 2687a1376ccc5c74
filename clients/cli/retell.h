/*
 * retell.h: replays a past and shows it tick by tick.
 */
#ifndef CLIENTS_CLI_RETELL_H
#define CLIENTS_CLI_RETELL_H

#include "clients/cli/past.h"
#include "clients/cli/sample.h"

struct cli_moment {
    const struct cn_world *world;
    const struct wire_scene *scene; /* as it is now */
    uint64_t step_count;            /* ticks made since the past's beginning: it never goes back */
    uint32_t generation;            /* grows when bodies are made or removed, and at resets */
    struct cli_events *events;      /* since the moment before; may be emptied */
};

struct cli_retelling {
    const char *path;     /* of a recording */
    uint64_t from, to;    /* ticks; it ends where `to` comes first */
    uint64_t every;       /* of these, every so manyth */
    bool (*show)(void *context, const struct cli_moment *moment); /* false ends it */
    void *context;
};

/* CLI_DONE; CLI_NO with a message where what comes is not what was; else as files go. */
enum cli_exit cli_retell(const struct cli_retelling *retelling);

#endif
