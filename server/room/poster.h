/*
 * poster.h: sends the body of an event to the webhook, and says whether it arrived.
 *
 * The real poster has a thread of its own (poster_curl.h); the simulated one holds the posts until
 * a test decides about each.
 *
 * Threads: send and take belong to the network thread.
 */
#ifndef SERVER_ROOM_POSTER_H
#define SERVER_ROOM_POSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SV_EVENT_ID_SIZE 33 /* 32 hex digits */

struct sv_post {
    uint64_t number;           /* echoed in the result */
    char id[SV_EVENT_ID_SIZE]; /* of the event */
    const char *body;          /* borrowed until the result is taken */
    size_t size;
};

struct sv_post_result {
    uint64_t number;
    bool is_delivered; /* the answer had a status of 200 to 299 */
    char text[96];     /* else the reason */
};

struct sv_poster {
    void *context;

    /* False: too many are on their way, so try again later. */
    bool (*send)(void *context, const struct sv_post *post);

    /* Takes the next result; false: no post has one. */
    bool (*take)(void *context, struct sv_post_result *result);
};

#define SV_POSTER_SIM_MAX 16

struct sv_poster_sim {
    struct sv_post posts[SV_POSTER_SIM_MAX]; /* sent and undecided, oldest first */
    int count;
    struct sv_post_result results[SV_POSTER_SIM_MAX];
    int result_count;
};

struct sv_poster sv_poster_sim(struct sv_poster_sim *sim);

/* Decides about posts[index]. */
void sv_poster_sim_decide(struct sv_poster_sim *sim, int index, bool is_delivered);

#endif
