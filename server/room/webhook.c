#include "server/room/webhook.h"

#include "engine/base/assert.h"

#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define WAIT_MS 1000
#define HEADER_SIZE 128

void
sv_webhook_init(
    struct sv_webhook *webhook, const char *url, const char *secret, size_t secret_size)
{
    CN_ASSERT(strlen(url) < sizeof(webhook->url) && secret_size <= sizeof(webhook->secret));
    snprintf(webhook->url, sizeof(webhook->url), "%s", url);
    memcpy(webhook->secret, secret, secret_size);
    webhook->secret_size = secret_size;
}

void
sv_webhook_sign(const unsigned char *secret, size_t secret_size, int64_t timestamp_s,
    const char *body, size_t size, char signature[SV_SIGNATURE_SIZE])
{
    char prefix[32];
    unsigned char mac[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_state state;
    int length = snprintf(prefix, sizeof(prefix), "%" PRId64 ".", timestamp_s);
    CN_ASSERT(length > 0 && (size_t)length < sizeof(prefix));
    crypto_auth_hmacsha256_init(&state, secret, secret_size);
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)prefix, strlen(prefix));
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)body, size);
    crypto_auth_hmacsha256_final(&state, mac);
    memcpy(signature, "v1=", 3);
    sodium_bin2hex(signature + 3, SV_SIGNATURE_SIZE - 3, mac, sizeof(mac));
    sodium_memzero(&state, sizeof(state));
}

/* ---- the thread ---- */

static size_t
drop_bytes(char *bytes, size_t size, size_t count, void *context)
{
    (void)bytes;
    (void)context;
    return size * count;
}

static void
add_header(struct sv_webhook_slot *slot, const char *text, bool *is_good)
{
    struct curl_slist *longer = curl_slist_append(slot->headers, text);
    *is_good = *is_good && longer != NULL;
    slot->headers = longer != NULL ? longer : slot->headers;
}

static bool
set_headers(const struct sv_webhook *webhook, struct sv_webhook_slot *slot)
{
    char text[HEADER_SIZE], signature[SV_SIGNATURE_SIZE];
    int64_t now_s = (int64_t)time(NULL);
    bool is_good = true;
    sv_webhook_sign(webhook->secret, webhook->secret_size, now_s, slot->post.body,
        slot->post.size, signature);
    add_header(slot, "Content-Type: application/json", &is_good);
    add_header(slot, "Expect:", &is_good);
    snprintf(text, sizeof(text), "Cairn-Event-Id: %s", slot->post.id);
    add_header(slot, text, &is_good);
    snprintf(text, sizeof(text), "Cairn-Timestamp: %" PRId64, now_s);
    add_header(slot, text, &is_good);
    snprintf(text, sizeof(text), "Cairn-Signature: %s", signature);
    add_header(slot, text, &is_good);
    return is_good && curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER, slot->headers) == CURLE_OK;
}

static bool
set_options(const struct sv_webhook *webhook, struct sv_webhook_slot *slot)
{
    CURL *easy = slot->easy;
    bool is_good = curl_easy_setopt(easy, CURLOPT_URL, webhook->url) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, slot->post.body) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)slot->post.size) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)SV_HOOK_TIMEOUT_MS) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)SV_HOOK_CONNECT_MS) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop_bytes) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, slot->error) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_PRIVATE, slot) == CURLE_OK;
#if LIBCURL_VERSION_NUM >= 0x075500
    is_good = is_good &&
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
#else
    is_good = is_good &&
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS) == CURLE_OK;
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    /* A name that is being resolved does not delay the end of the daemon. */
    is_good = is_good && curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK;
#endif
    return is_good && set_headers(webhook, slot);
}

static void
free_slot(struct sv_webhook *webhook, struct sv_webhook_slot *slot)
{
    if (slot->easy != NULL) {
        curl_multi_remove_handle(webhook->multi, slot->easy);
        curl_easy_cleanup(slot->easy);
    }
    curl_slist_free_all(slot->headers);
    memset(slot, 0, sizeof(*slot));
}

static void
put_result(struct sv_webhook *webhook, const struct sv_post_result *result)
{
    pthread_mutex_lock(&webhook->mutex);
    CN_ASSERT(webhook->result_count < SV_HOOKS_AT_ONCE);
    webhook->results[webhook->result_count++] = *result;
    pthread_mutex_unlock(&webhook->mutex);
    webhook->news(webhook->news_context);
}

static void
begin_post(struct sv_webhook *webhook, const struct sv_post *post)
{
    struct sv_webhook_slot *slot = webhook->slots;
    while (slot->easy != NULL) {
        slot++;
    }
    CN_ASSERT(slot < webhook->slots + SV_HOOKS_AT_ONCE); /* busy_count bounds the posts */
    slot->post = *post;
    slot->easy = curl_easy_init();
    bool is_begun = slot->easy != NULL && set_options(webhook, slot) &&
        curl_multi_add_handle(webhook->multi, slot->easy) == CURLM_OK;
    if (!is_begun) {
        struct sv_post_result result = {.number = post->number};
        snprintf(result.text, sizeof(result.text), "no memory for a request");
        free_slot(webhook, slot);
        put_result(webhook, &result);
    }
}

static void
begin_posts(struct sv_webhook *webhook)
{
    struct sv_post posts[SV_HOOKS_AT_ONCE];
    pthread_mutex_lock(&webhook->mutex);
    int count = webhook->post_count;
    memcpy(posts, webhook->posts, sizeof(posts));
    webhook->post_count = 0;
    pthread_mutex_unlock(&webhook->mutex);
    for (int i = 0; i < count; i++) {
        begin_post(webhook, &posts[i]);
    }
}

static void
end_post(struct sv_webhook *webhook, struct sv_webhook_slot *slot, CURLcode code)
{
    long status = 0;
    struct sv_post_result result = {.number = slot->post.number};
    (void)curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
    result.is_delivered = code == CURLE_OK && status >= 200 && status < 300;
    if (code != CURLE_OK) {
        snprintf(result.text, sizeof(result.text), "%.90s",
            slot->error[0] != '\0' ? slot->error : curl_easy_strerror(code));
    } else {
        snprintf(result.text, sizeof(result.text), "status %ld", status);
    }
    free_slot(webhook, slot);
    put_result(webhook, &result);
}

static void
end_posts(struct sv_webhook *webhook)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(webhook->multi, &left)) != NULL) {
        struct sv_webhook_slot *slot = NULL;
        if (message->msg == CURLMSG_DONE &&
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot) == CURLE_OK) {
            end_post(webhook, slot, message->data.result);
        }
    }
}

static void *
run_webhook(void *context)
{
    struct sv_webhook *webhook = context;
    while (!atomic_load(&webhook->is_stopping)) {
        int running;
        begin_posts(webhook);
        (void)curl_multi_perform(webhook->multi, &running);
        end_posts(webhook);
        (void)curl_multi_poll(webhook->multi, NULL, 0, WAIT_MS, NULL);
    }
    return NULL;
}

/* ---- the poster ---- */

static bool
send_post(void *context, const struct sv_post *post)
{
    struct sv_webhook *webhook = context;
    pthread_mutex_lock(&webhook->mutex);
    bool has_room = webhook->is_running && webhook->busy_count < SV_HOOKS_AT_ONCE;
    if (has_room) {
        CN_ASSERT(webhook->post_count < SV_HOOKS_AT_ONCE);
        webhook->posts[webhook->post_count++] = *post;
        webhook->busy_count++;
    }
    pthread_mutex_unlock(&webhook->mutex);
    if (has_room) {
        (void)curl_multi_wakeup(webhook->multi);
    }
    return has_room;
}

static bool
take_result(void *context, struct sv_post_result *result)
{
    struct sv_webhook *webhook = context;
    pthread_mutex_lock(&webhook->mutex);
    bool is_any = webhook->result_count > 0;
    if (is_any) {
        CN_ASSERT(webhook->busy_count >= webhook->result_count);
        *result = webhook->results[0];
        webhook->result_count--;
        webhook->busy_count--;
        memmove(webhook->results, webhook->results + 1,
            (size_t)webhook->result_count * sizeof(webhook->results[0]));
    }
    pthread_mutex_unlock(&webhook->mutex);
    return is_any;
}

struct sv_poster
sv_webhook_poster(struct sv_webhook *webhook)
{
    return (struct sv_poster){.context = webhook, .send = send_post, .take = take_result};
}

/* ---- life ---- */

/* Signals are handled by the network thread. */
bool
sv_webhook_start(struct sv_webhook *webhook, void (*news)(void *context), void *news_context)
{
    sigset_t all, before;
    CN_ASSERT(!webhook->is_running && webhook->url[0] != '\0');
    webhook->news = news;
    webhook->news_context = news_context;
    atomic_init(&webhook->is_stopping, false);
    if (curl_global_init(CURL_GLOBAL_ALL) != CURLE_OK ||
        pthread_mutex_init(&webhook->mutex, NULL) != 0) {
        return false;
    }
    webhook->multi = curl_multi_init();
    if (webhook->multi == NULL) {
        pthread_mutex_destroy(&webhook->mutex);
        return false;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    webhook->is_running = pthread_create(&webhook->thread, NULL, run_webhook, webhook) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!webhook->is_running) {
        curl_multi_cleanup(webhook->multi);
        pthread_mutex_destroy(&webhook->mutex);
        return false;
    }
    (void)pthread_setname_np(webhook->thread, "webhook"); /* for ps and debuggers */
    return true;
}

void
sv_webhook_stop(struct sv_webhook *webhook)
{
    if (!webhook->is_running) {
        return;
    }
    atomic_store(&webhook->is_stopping, true);
    (void)curl_multi_wakeup(webhook->multi);
    pthread_join(webhook->thread, NULL);
    webhook->is_running = false;
    for (int i = 0; i < SV_HOOKS_AT_ONCE; i++) {
        free_slot(webhook, &webhook->slots[i]);
    }
    curl_multi_cleanup(webhook->multi);
    webhook->multi = NULL;
    sodium_memzero(webhook->secret, sizeof(webhook->secret));
}
