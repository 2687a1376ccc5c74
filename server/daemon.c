#include "server/daemon.h"

#include "server/admin/admin.h"
#include "server/base/disk.h"
#include "server/credentials.h"
#include "server/host/worker_thread.h"
#include "server/listeners.h"
#include "server/net/gateway.h"
#include "server/net/lws_server.h"
#include "server/scenes.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_BAD_INPUT 2
#define EXIT_FAILED 3
#define SERVER_NAME "cairnd " PACKAGE_VERSION
#define SIGNAL_COUNT 3

struct daemon {
    const struct sv_config *config;
    struct sv_clock clock;
    struct sv_log log;
    struct sv_metrics metrics;
    struct sv_disk_real disk_state;
    struct sv_disk disk;
    struct sv_credentials credentials;
    uv_loop_t loop;
    uv_async_t news; /* a worker has something */
    uv_signal_t signals[SIGNAL_COUNT];
    struct sv_worker_thread threads[SV_WORKERS_MAX];
    struct sv_worker *workers[SV_WORKERS_MAX];
    int worker_count;
    struct sv_host host;
    struct sv_gateway gateway;
    struct sv_page page;
    struct sv_admin admin;
    struct sv_lws lws;
    bool is_stopping;
    int exit_status;
};

/* ---- between the threads ---- */

static void
wake_worker(void *context, int worker)
{
    struct daemon *daemon = context;
    sv_worker_thread_wake(&daemon->threads[worker]);
}

static void
have_news(void *context)
{
    struct daemon *daemon = context;
    uv_async_send(&daemon->news);
}

static void
on_news(uv_async_t *handle)
{
    struct daemon *daemon = handle->data;
    sv_gateway_poll(&daemon->gateway);
}

static void
tend(void *context)
{
    struct daemon *daemon = context;
    sv_gateway_tend(&daemon->gateway);
    sv_credentials_tend(&daemon->credentials);
}

static void
reply(void *context, uint32_t token, const struct sv_http_response *response_take)
{
    struct daemon *daemon = context;
    sv_lws_reply(&daemon->lws, token, response_take);
}

/* ---- stopping ---- */

static void
stop(struct daemon *daemon)
{
    daemon->is_stopping = true;
    daemon->admin.is_stopping = true;
    atomic_store(&daemon->host.is_stopping, true);
    if (daemon->lws.context == NULL) {
        return; /* not yet listening: run gives up by itself */
    }
    sv_gateway_stop(&daemon->gateway);
    sv_lws_stop(&daemon->lws);
    uv_close((uv_handle_t *)&daemon->news, NULL);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        uv_unref((uv_handle_t *)&daemon->signals[i]);
    }
}

/* Keys and certificate again; who is let in by keys that went is shown out. */
static void
reload(struct daemon *daemon)
{
    struct sv_credentials *credentials = &daemon->credentials;
    struct ac_keys *old = NULL;
    if (credentials->keys != NULL && sv_credentials_reload_keys(credentials, &old)) {
        sv_gateway_rekey(&daemon->gateway, credentials->keys);
        ac_keys_destroy(old);
    }
    if (credentials->tls.cert != NULL && daemon->lws.context != NULL) {
        bool is_new =
            sv_credentials_check_tls(credentials) && sv_lws_renew_tls(&daemon->lws);
        sv_log(&daemon->log, is_new ? SV_LOG_INFO : SV_LOG_ERROR, "the certificate %s",
            is_new ? "has been read again" : "in force stays as it is");
    }
}

static void
on_signal(uv_signal_t *handle, int number)
{
    struct daemon *daemon = handle->data;
    if (number == SIGHUP && sv_credentials_are_used(&daemon->credentials)) {
        if (!daemon->is_stopping) {
            reload(daemon);
        }
        return;
    }
    if (daemon->is_stopping) {
        sv_log(&daemon->log, SV_LOG_WARN, "stopped at once by a second signal");
        _Exit(128 + number);
    }
    const char *name = number == SIGTERM ? "SIGTERM" : number == SIGINT ? "SIGINT" : "SIGHUP";
    sv_log(&daemon->log, SV_LOG_INFO, "stopping on %s", name);
    stop(daemon);
}

/* ---- starting ---- */

static bool
lock_data(struct daemon *daemon)
{
    const char *folder = daemon->config->data != NULL ? daemon->config->data : "cairn-data";
    long holder = 0;
    switch (daemon->disk.lock(daemon->disk.context, folder, &holder)) {
    case SV_DISK_OK:
        return true;
    case SV_DISK_BUSY:
        sv_log(&daemon->log, SV_LOG_ERROR,
            "%s is in use by the daemon with process id %ld; give this one another --data",
            folder, holder);
        return false;
    default:
        sv_log(&daemon->log, SV_LOG_ERROR, "%s can not be used: %s", folder, strerror(errno));
        return false;
    }
}

static bool
load_page(struct daemon *daemon)
{
    const char *const folders[] = {daemon->config->page, SV_PAGE_DIR, SV_PAGE_SOURCE_DIR};
    const char *chosen = folders[0];
    for (size_t i = 1; chosen == NULL && i < sizeof(folders) / sizeof(folders[0]); i++) {
        chosen = sv_folder_exists(folders[i]) ? folders[i] : NULL;
    }
    return sv_page_load(&daemon->page, &daemon->disk, &daemon->log, chosen);
}

static bool
are_worlds_ready(const struct daemon *daemon)
{
    for (int i = 0; i < daemon->host.world_count; i++) {
        if (!daemon->host.worlds[i]->is_ready) {
            return false;
        }
    }
    return true;
}

/* One world a scene, under its name; waits for the workers to have made them. */
static bool
create_worlds(struct daemon *daemon)
{
    struct sv_asker nobody = {0};
    struct wire_error error;
    for (int i = 0; i < daemon->host.bundled_count; i++) {
        struct sv_scene *scene = sv_scene_ref(daemon->host.bundled[i]);
        if (!sv_host_create_world(&daemon->host, "", scene, &nobody, &error)) {
            sv_log(&daemon->log, SV_LOG_ERROR, "%s: %s", wire_scene_name(scene->scene),
                error.text);
            return false;
        }
    }
    while (!are_worlds_ready(daemon)) {
        uv_run(&daemon->loop, UV_RUN_ONCE);
        if (daemon->is_stopping) {
            return false;
        }
    }
    daemon->admin.is_ready = true;
    return true;
}

static bool
start_workers(struct daemon *daemon)
{
    for (unsigned i = 0; i < daemon->config->workers; i++) {
        struct sv_worker_thread *thread = &daemon->threads[i];
        bool is_made = sv_worker_init(&thread->worker, daemon->clock, &daemon->log,
            &daemon->metrics, daemon->config->keep_running);
        thread->worker.simd = daemon->config->simd;
        if (!is_made || !sv_worker_thread_start(thread, have_news, daemon)) {
            sv_worker_finish(&thread->worker);
            sv_log(&daemon->log, SV_LOG_ERROR, "a worker can not start: %s", strerror(errno));
            return false;
        }
        daemon->workers[i] = &thread->worker;
        daemon->worker_count++;
    }
    daemon->host.worker_count = daemon->worker_count;
    return true;
}

static bool
start_network(struct daemon *daemon)
{
    struct sv_lws_options options = {
        .loop = &daemon->loop,
        .clock = daemon->clock,
        .log = &daemon->log,
        .metrics = &daemon->metrics,
        .events = sv_gateway_events(&daemon->gateway),
        .handler = {.context = &daemon->admin, .handle = sv_admin_handle},
        .tls = daemon->credentials.tls.cert != NULL ? &daemon->credentials.tls : NULL,
        .connections_max = (int)daemon->config->clients_max,
        .tend = tend,
        .tend_context = daemon,
    };
    if (!sv_lws_init(&daemon->lws, &options)) {
        return false;
    }
    daemon->gateway.transport = sv_lws_transport(&daemon->lws);
    return sv_listeners_open(&daemon->lws, daemon->config, &daemon->log);
}

/*
 * A terminal that goes takes the daemon along, with a goodbye; under nohup SIGHUP stays ignored.  A
 * daemon that has keys or a certificate reads them again instead.
 */
static void
start_signals(struct daemon *daemon)
{
    static const int numbers[SIGNAL_COUNT] = {SIGTERM, SIGINT, SIGHUP};
    struct sigaction inherited;
    bool is_nohup = sigaction(SIGHUP, NULL, &inherited) == 0 &&
        inherited.sa_handler == SIG_IGN && !sv_credentials_are_used(&daemon->credentials);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        uv_signal_init(&daemon->loop, &daemon->signals[i]);
        daemon->signals[i].data = daemon;
        if (numbers[i] != SIGHUP || !is_nohup) {
            uv_signal_start(&daemon->signals[i], on_signal, numbers[i]);
        }
    }
}

/* ---- the whole ---- */

static bool
init(struct daemon *daemon, const struct sv_config *config)
{
    daemon->config = config;
    daemon->clock = sv_clock_real();
    sv_log_init(&daemon->log, config->log_level, daemon->clock);
    daemon->disk = sv_disk_real(&daemon->disk_state);
    sv_host_init(&daemon->host, daemon->workers, 0, (int)config->worlds_max);
    daemon->host.wake = wake_worker;
    daemon->host.wake_context = daemon;
    daemon->host.pool = sv_pool_uv(&daemon->loop);
    daemon->admin = (struct sv_admin){
        .host = &daemon->host,
        .page = &daemon->page,
        .metrics = &daemon->metrics,
        .access = &daemon->gateway.access,
        .reply = reply,
        .reply_context = daemon,
    };
    bool is_good = sv_gateway_init(&daemon->gateway, &daemon->host, daemon->clock, &daemon->log,
        &daemon->metrics, SERVER_NAME, (int)config->clients_max);
    daemon->gateway.http_reported = sv_admin_reported;
    daemon->gateway.http_context = &daemon->admin;
    is_good = is_good &&
        sv_credentials_init(
            &daemon->credentials, config, &daemon->disk, &daemon->log, daemon->clock);
    daemon->gateway.access.keys = daemon->credentials.keys;
    return is_good && lock_data(daemon) && load_page(daemon) &&
        sv_scenes_load(&daemon->host, config, &daemon->disk, &daemon->log);
}

static void
finish(struct daemon *daemon)
{
    for (int i = 0; i < daemon->worker_count; i++) {
        sv_worker_thread_stop(&daemon->threads[i]);
    }
    for (int i = 0; i < daemon->worker_count; i++) {
        sv_worker_finish(&daemon->threads[i].worker);
    }
    sv_gateway_finish(&daemon->gateway);
    sv_host_finish(&daemon->host);
    sv_page_finish(&daemon->page);
    sv_credentials_finish(&daemon->credentials);
    daemon->disk.unlock(daemon->disk.context);
}

static void
close_signals(struct daemon *daemon)
{
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        uv_close((uv_handle_t *)&daemon->signals[i], NULL);
    }
    uv_run(&daemon->loop, UV_RUN_DEFAULT);
}

/* The workers go on until the loop is dry, so that no letter's answer is lost on the way. */
static int
run(struct daemon *daemon)
{
    int status = 0;
    uv_loop_init(&daemon->loop);
    uv_async_init(&daemon->loop, &daemon->news, on_news);
    daemon->news.data = daemon;
    start_signals(daemon);
    bool is_good = start_workers(daemon) && create_worlds(daemon);
    if (!is_good || !start_network(daemon)) {
        status = is_good && !daemon->is_stopping ? EXIT_BAD_INPUT : EXIT_FAILED;
        daemon->is_stopping = true;
        if (daemon->lws.context != NULL) {
            stop(daemon);
        } else {
            uv_close((uv_handle_t *)&daemon->news, NULL);
            for (size_t i = 0; i < SIGNAL_COUNT; i++) {
                uv_unref((uv_handle_t *)&daemon->signals[i]);
            }
        }
    }
    uv_run(&daemon->loop, UV_RUN_DEFAULT);
    sv_lws_finish(&daemon->lws);
    close_signals(daemon);
    return status;
}

bool
sv_daemon_check(const struct sv_config *config)
{
    struct sv_credentials credentials;
    struct sv_disk_real state;
    struct sv_disk disk = sv_disk_real(&state);
    struct sv_log log;
    sv_log_init(&log, SV_LOG_WARN, sv_clock_real());
    bool is_good = sv_credentials_init(&credentials, config, &disk, &log, sv_clock_real());
    sv_credentials_finish(&credentials);
    return is_good;
}

int
sv_daemon_run(const struct sv_config *config)
{
    struct daemon *daemon = calloc(1, sizeof(*daemon));
    if (daemon == NULL) {
        return EXIT_FAILED;
    }
    int status = EXIT_BAD_INPUT;
    bool is_good = init(daemon, config);
    if (is_good) {
        status = run(daemon);
    }
    finish(daemon);
    if (status == 0) {
        sv_log(&daemon->log, SV_LOG_INFO, "stopped");
    }
    if (is_good) {
        uv_loop_close(&daemon->loop);
    }
    free(daemon);
    return status;
}
