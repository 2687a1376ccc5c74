/*
 * retell.h: replays a past and shows it tick by tick.
 */
#ifndef CLIENTS_CLI_RECORDING_RETELL_H
#define CLIENTS_CLI_RECORDING_RETELL_H

#include "clients/cli/recording/past.h"
#include "clients/cli/sample.h"

struct cli_moment {
    const struct cn_world *world;
    const struct wire_scene *scene; /* the present scene */
    uint64_t step_count;            /* steps since the past's beginning; it never decreases */
    uint32_t generation;            /* grows when bodies are made or removed, and at resets */
    struct cli_events *events;      /* events since the last moment; may be emptied */
};

struct cli_retelling {
    const char *path;     /* of a recording */
    uint64_t from, to;    /* ticks; it ends when `to` is first reached */
    uint64_t every;       /* shows every `every`-th of these ticks */
    bool (*show)(void *context, const struct cli_moment *moment); /* false ends the call */
    void *context;
};

/* CLI_DONE; CLI_NO with a message if the replay differs from the recording; else a file error. */
enum cli_exit cli_retell(const struct cli_retelling *retelling);

#endif
