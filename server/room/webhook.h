/*
 * webhook.h: the poster that sends events over HTTP, on a thread of its own.
 *
 * Each post is a POST of JSON with these headers:
 *
 *     Cairn-Event-Id    the event's id, the same in every attempt
 *     Cairn-Timestamp   Unix seconds of this attempt
 *     Cairn-Signature   v1=HEX: HMAC-SHA256 with the secret over "TIMESTAMP.BODY"
 *
 * Redirects are not followed, proxies of the environment are not used, and an https:// address
 * needs a certificate of an authority that the system trusts.  The answer's body is dropped.
 *
 * Memory: SV_HOOKS_AT_ONCE posts at most.
 * Threads: init, start, stop and the poster belong to the network thread.
 */
#ifndef SERVER_ROOM_WEBHOOK_H
#define SERVER_ROOM_WEBHOOK_H

#include "server/base/limits.h"
#include "server/room/poster.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

/* A post that is on its way; the thread's. */
struct sv_webhook_slot {
    CURL *easy; /* NULL: free */
    struct curl_slist *headers;
    struct sv_post post;
    char error[CURL_ERROR_SIZE];
};

struct sv_webhook {
    char url[SV_WEBHOOK_SIZE];
    unsigned char secret[SV_WEBHOOK_SECRET_SIZE];
    size_t secret_size;
    CURLM *multi;
    pthread_t thread;
    bool is_running;
    atomic_bool is_stopping;
    void (*news)(void *context); /* called on the thread when there is a result */
    void *news_context;
    struct sv_webhook_slot slots[SV_HOOKS_AT_ONCE];

    pthread_mutex_t mutex; /* for the members below */
    struct sv_post posts[SV_HOOKS_AT_ONCE]; /* not yet begun */
    struct sv_post_result results[SV_HOOKS_AT_ONCE];
    int post_count, result_count;
    int busy_count; /* posts whose results were not taken */
};

void sv_webhook_init(
    struct sv_webhook *webhook, const char *url, const char *secret, size_t secret_size);

bool sv_webhook_start(
    struct sv_webhook *webhook, void (*news)(void *context), void *news_context);

/* Ends the thread, and with it every attempt.  Does nothing where it does not run. */
void sv_webhook_stop(struct sv_webhook *webhook);

struct sv_poster sv_webhook_poster(struct sv_webhook *webhook);

/* The value of Cairn-Signature. */
#define SV_SIGNATURE_SIZE 68
void sv_webhook_sign(const unsigned char *secret, size_t secret_size, int64_t timestamp_s,
    const char *body, size_t size, char signature[SV_SIGNATURE_SIZE]);

#endif
