#include "server/daemon.h"

#include "server/admin/admin.h"
#include "server/base/disk.h"
#include "server/credentials.h"
#include "server/host/worker_thread.h"
#include "server/listeners.h"
#include "server/net/gateway.h"
#include "server/net/lws/lws_server.h"
#include "server/files.h"
#include "server/room_service.h"
#include "server/scenes.h"
#include "server/storage.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_BAD_INPUT 2
#define EXIT_FAILED 3
#define SERVER_NAME "cairnd " PACKAGE_VERSION
#define SIGNAL_COUNT 3
#define STOP_MS 10000 /* connections get a second to end; this is for those that never end */

struct daemon {
    const struct sv_config *config;
    struct sv_clock clock;
    struct sv_log log;
    struct sv_metrics metrics;
    struct sv_disk_real disk_state;
    struct sv_disk disk;
    struct sv_credentials credentials;
    struct sv_audit audit;
    struct sv_quotas quotas;
    struct sv_room_service rooms;
    struct sv_storage storage;
    uv_loop_t loop;
    uv_async_t news; /* a worker has reports */
    uv_signal_t signals[SIGNAL_COUNT];
    size_t signal_count; /* signal handles in the loop */
    uv_timer_t stop_timer;
    bool has_loop, is_left; /* is_left: the last handles were abandoned */
    struct sv_worker_thread threads[SV_WORKERS_MAX];
    struct sv_worker *workers[SV_WORKERS_MAX];
    int worker_count, thread_count;
    struct sv_host host;
    struct sv_gateway gateway;
    struct sv_page page;
    struct sv_admin admin;
    struct sv_lws lws;
    bool is_stopping;
    int exit_status; /* 0: the run decides */
    int connections_max;
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
reply_http(void *context, uint32_t token, const struct sv_http_response *response_take)
{
    struct daemon *daemon = context;
    sv_lws_reply(&daemon->lws, token, response_take);
}

/* Handles a report.  A refusal without a request concerns the daemon itself, so it is logged. */
static void
have_report(void *context, struct sv_host_world *world, const struct sv_report *report)
{
    struct daemon *daemon = context;
    if (report->kind == SV_REPORT_REFUSED && report->asker.request == 0 && world != NULL) {
        sv_log(&daemon->log, SV_LOG_ERROR, "%s: %s", world->mailbox.id,
            report->outcome_take != NULL ? report->outcome_take->error.text : "no memory");
    }
    sv_admin_reported(&daemon->admin, world, report);
}

/* ---- stopping ---- */

/* Abandons connections that do not end.  Worlds are still stored, and the process ends cleanly. */
static void
give_up(uv_timer_t *handle)
{
    struct daemon *daemon = handle->data;
    sv_log(&daemon->log, SV_LOG_WARN, "a connection does not end and is abandoned");
    daemon->is_left = true;
    uv_stop(&daemon->loop);
}

static void
stop_daemon(struct daemon *daemon)
{
    daemon->is_stopping = true;
    daemon->admin.is_stopping = true;
    atomic_store(&daemon->host.is_stopping, true);
    if (daemon->lws.context == NULL) {
        return; /* not yet listening: the start-up stops by itself */
    }
    uv_timer_start(&daemon->stop_timer, give_up, STOP_MS, 0);
    uv_unref((uv_handle_t *)&daemon->stop_timer);
    sv_room_service_stop(&daemon->rooms);
    sv_gateway_stop(&daemon->gateway);
    sv_lws_stop(&daemon->lws);
    uv_close((uv_handle_t *)&daemon->news, NULL);
    for (size_t i = 0; i < daemon->signal_count; i++) {
        uv_unref((uv_handle_t *)&daemon->signals[i]);
    }
}

static void
tend_daemon(void *context)
{
    struct daemon *daemon = context;
    sv_gateway_tend(&daemon->gateway);
    sv_credentials_tend(&daemon->credentials);
    int status = sv_storage_tend(
        &daemon->storage, &daemon->host, sv_clock_now_ns(&daemon->clock));
    if (status != 0 && !daemon->is_stopping) {
        daemon->exit_status = status;
        stop_daemon(daemon);
    }
}

/* Reads keys, revoked tokens and certificate again; closes sessions that these refuse now. */
static void
reload_files(struct daemon *daemon)
{
    struct sv_credentials *credentials = &daemon->credentials;
    if (daemon->config->audit != NULL) {
        (void)sv_audit_open(&daemon->audit, daemon->config->audit);
    }
    struct ac_keys *old = NULL;
    struct ac_revoked *old_revoked = NULL;
    if (credentials->keys != NULL) {
        (void)sv_credentials_reload_keys(credentials, &old);
        (void)sv_credentials_reload_revoked(credentials, &old_revoked);
        const struct ac_policy policy = sv_credentials_policy(credentials);
        sv_gateway_rekey(&daemon->gateway, credentials->keys, &policy);
        ac_keys_destroy(old);
        ac_revoked_destroy(old_revoked);
    }
    if (credentials->tls.cert != NULL && daemon->lws.context != NULL) {
        bool is_new =
            sv_credentials_check_tls(credentials) && sv_lws_renew_tls(&daemon->lws);
        sv_log(&daemon->log, is_new ? SV_LOG_INFO : SV_LOG_ERROR, "the certificate %s",
            is_new ? "has been read again" : "in force stays as it is");
    }
}

/* Whether there are files that SIGHUP opens or reads again. */
static bool
has_files(const struct daemon *daemon)
{
    return daemon->config->audit != NULL || sv_credentials_are_used(&daemon->credentials);
}

static void
on_signal(uv_signal_t *handle, int number)
{
    struct daemon *daemon = handle->data;
    if (number == SIGHUP && has_files(daemon)) {
        if (!daemon->is_stopping) {
            reload_files(daemon);
        }
        return;
    }
    if (daemon->is_stopping) {
        sv_log(&daemon->log, SV_LOG_WARN, "stopped at once by a second signal");
        _Exit(128 + number);
    }
    const char *name = number == SIGTERM ? "SIGTERM" : number == SIGINT ? "SIGINT" : "SIGHUP";
    sv_log(&daemon->log, SV_LOG_INFO, "stopping on %s", name);
    stop_daemon(daemon);
}

/* ---- starting ---- */

static bool
lock_data(struct daemon *daemon)
{
    const char *folder = daemon->config->data != NULL ? daemon->config->data : "cairn-data";
    struct sv_fault fault;
    if (!sv_store_claim(&daemon->disk, folder, &fault)) {
        sv_log(&daemon->log, SV_LOG_ERROR, "%s", fault.text);
        return false;
    }
    return true;
}

static bool
load_page(struct daemon *daemon)
{
    const char *const folders[] = {daemon->config->page, SV_PAGE_DIR, SV_PAGE_SOURCE_DIR};
    const char *chosen = folders[0];
    for (size_t i = 1; chosen == NULL && i < sizeof(folders) / sizeof(folders[0]); i++) {
        chosen = sv_folder_exists(folders[i]) ? folders[i] : NULL;
    }
    enum sv_disk_result result =
        sv_page_load(&daemon->page, &daemon->disk, &daemon->log, chosen);
    if (result == SV_DISK_MEMORY || result == SV_DISK_FILES) {
        daemon->exit_status = SV_EXIT_OS; /* the system's fault, not the page's */
    }
    return result == SV_DISK_OK;
}

static bool
are_worlds_ready(const struct daemon *daemon)
{
    for (int i = 0; i < daemon->host.world_count; i++) {
        if (!daemon->host.worlds[i]->is_ready && !daemon->host.worlds[i]->is_failed) {
            return false;
        }
    }
    return true;
}

/* Makes a world for each scene, unless one with its name is stored; waits for the workers. */
static bool
create_worlds(struct daemon *daemon)
{
    struct sv_asker nobody = {0};
    struct wire_error error;
    for (int i = 0; i < daemon->host.bundled_count; i++) {
        if (sv_host_has(&daemon->host, wire_scene_name(daemon->host.bundled[i]->scene))) {
            continue;
        }
        struct sv_scene *scene = sv_scene_ref(daemon->host.bundled[i]);
        if (!sv_host_create_world(&daemon->host, "", scene, &nobody, &error)) {
            sv_log(&daemon->log, SV_LOG_ERROR, "%s: %s", wire_scene_name(scene->scene),
                error.text);
            return false;
        }
    }
    while (!are_worlds_ready(daemon)) {
        uv_run(&daemon->loop, UV_RUN_ONCE);
        daemon->exit_status = sv_storage_tend(
            &daemon->storage, &daemon->host, sv_clock_now_ns(&daemon->clock));
        if (daemon->is_stopping || daemon->exit_status != 0) {
            return false;
        }
    }
    for (int i = 0; i < daemon->host.bundled_count; i++) {
        if (!sv_host_has(&daemon->host, wire_scene_name(daemon->host.bundled[i]->scene))) {
            daemon->exit_status = EXIT_BAD_INPUT; /* a worker has refused it and logged why */
            return false;
        }
    }
    daemon->admin.is_ready = true;
    return true;
}

static bool
make_workers(struct daemon *daemon)
{
    for (unsigned i = 0; i < daemon->config->workers; i++) {
        struct sv_worker *worker = &daemon->threads[i].worker;
        bool is_made = sv_worker_init(worker, daemon->clock, &daemon->log, &daemon->metrics,
            daemon->config->keep_running);
        worker->env.simd = daemon->config->simd;
        sv_worker_bound(worker, &daemon->host.memory, daemon->config->world_memory);
        daemon->workers[i] = worker;
        daemon->host.worker_count = ++daemon->worker_count;
        if (!is_made) {
            sv_log(&daemon->log, SV_LOG_ERROR, "no memory for a worker");
            return false;
        }
    }
    return true;
}

static bool
start_workers(struct daemon *daemon)
{
    for (; daemon->thread_count < daemon->worker_count; daemon->thread_count++) {
        struct sv_worker_thread *thread = &daemon->threads[daemon->thread_count];
        if (!sv_worker_thread_start(thread, have_news, daemon)) {
            sv_log(&daemon->log, SV_LOG_ERROR, "a worker cannot start: %s",
                sv_disk_text(sv_disk_result_of(errno)));
            return false;
        }
    }
    return true;
}

/* Recovers stored worlds before the workers start; then the workers make the other worlds. */
static bool
start_worlds(struct daemon *daemon)
{
    const struct sv_store_config how = {.clock = daemon->clock,
        .disk = daemon->disk,
        .log = &daemon->log,
        .metrics = &daemon->metrics,
        .wake = have_news,
        .wake_context = daemon};
    enum wire_durability durability = sv_storage_durability(daemon->config);
    if (!make_workers(daemon)) {
        return false;
    }
    daemon->exit_status = sv_storage_open(&daemon->storage, daemon->config, &how);
    if (daemon->exit_status == 0) {
        daemon->exit_status = sv_storage_recover(
            &daemon->storage, &daemon->host, durability, daemon->config->history > 0);
    }
    if (daemon->exit_status == 0) {
        daemon->exit_status = sv_room_service_start(
            &daemon->rooms, daemon->storage.store, daemon->worker_count, have_news, daemon);
    }
    return daemon->exit_status == 0 && start_workers(daemon) && create_worlds(daemon);
}

/* SV_RECEIVE_RATE, and above SV_MESSAGE_RATE more in proportion: the bytes for a message stay. */
static unsigned
receive_rate_of(const struct sv_config *config)
{
    struct sv_role_rates rates = {0};
    unsigned message_rate = config->message_rate;
    for (int i = 0; i < config->role_rate.count; i++) {
        (void)sv_role_rates_add(&rates, config->role_rate.values[i]);
    }
    for (int i = 0; i < AC_ROLE_COUNT; i++) {
        message_rate = rates.messages[i] > message_rate ? rates.messages[i] : message_rate;
    }
    return message_rate <= SV_MESSAGE_RATE
        ? SV_RECEIVE_RATE
        : (unsigned)((uint64_t)SV_RECEIVE_RATE * message_rate / SV_MESSAGE_RATE);
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
        .connections_max = daemon->connections_max,
        .receive_rate = receive_rate_of(daemon->config),
        .guard = sv_guard_limits_make(daemon->config->address_connections,
            daemon->config->address_rate, daemon->config->accept_rate,
            daemon->config->address_failures, daemon->config->limit_loopback),
        .tend = tend_daemon,
        .tend_context = daemon,
    };
    if (!sv_lws_init(&daemon->lws, &options)) {
        return false;
    }
    daemon->gateway.transport = sv_lws_transport(&daemon->lws);
    return sv_listeners_open(&daemon->lws, daemon->config, &daemon->log);
}

/*
 * SIGHUP, sent when a terminal closes, stops the daemon in order; under nohup it stays ignored.  A
 * daemon with files to read again reads them instead.
 */
static bool
start_signals(struct daemon *daemon)
{
    static const int numbers[SIGNAL_COUNT] = {SIGTERM, SIGINT, SIGHUP};
    struct sigaction inherited;
    bool is_nohup = sigaction(SIGHUP, NULL, &inherited) == 0 &&
        inherited.sa_handler == SIG_IGN && !has_files(daemon);
    int wrong = 0;
    for (size_t i = 0; i < SIGNAL_COUNT && wrong == 0; i++) {
        wrong = uv_signal_init(&daemon->loop, &daemon->signals[i]);
        if (wrong != 0) {
            break;
        }
        daemon->signals[i].data = daemon;
        daemon->signal_count++;
        if (numbers[i] != SIGHUP || !is_nohup) {
            wrong = uv_signal_start(&daemon->signals[i], on_signal, numbers[i]);
        }
    }
    if (wrong != 0) {
        sv_log(&daemon->log, SV_LOG_ERROR, "signals cannot be handled: %s", uv_strerror(wrong));
    }
    return wrong == 0;
}

static bool
start_loop(struct daemon *daemon)
{
    int wrong = uv_loop_init(&daemon->loop);
    if (wrong == 0) {
        wrong = uv_async_init(&daemon->loop, &daemon->news, on_news);
        daemon->news.data = daemon;
        daemon->has_loop = wrong == 0;
        if (wrong == 0) {
            uv_timer_init(&daemon->loop, &daemon->stop_timer);
            daemon->stop_timer.data = daemon;
            (void)sv_pool_uv_begin(&daemon->loop);
        } else {
            uv_loop_close(&daemon->loop);
        }
    }
    if (wrong != 0) {
        errno = -wrong;
        sv_log(&daemon->log, SV_LOG_ERROR, "no event loop: %s",
            sv_disk_text(sv_disk_result_of(errno)));
    }
    return wrong == 0;
}

/* ---- the whole ---- */

/* Returns 0, or the exit status after logging the reason. */
static int
init_daemon(struct daemon *daemon, const struct sv_config *config)
{
    daemon->config = config;
    daemon->clock = sv_clock_real();
    sv_log_init(&daemon->log, config->log_level, daemon->clock);
    daemon->log.is_dated = sv_log_wants_date();
    daemon->connections_max = sv_files_reserve(config->clients_max, &daemon->log);
    daemon->disk = sv_disk_real(&daemon->disk_state);
    sv_host_init(&daemon->host, daemon->workers, 0, (int)config->worlds_max);
    daemon->host.wake = wake_worker;
    daemon->host.wake_context = daemon;
    daemon->host.pool = sv_pool_uv(&daemon->loop);
    daemon->host.random = sv_random_real();
    daemon->host.metrics = &daemon->metrics;
    daemon->host.memory.max = (size_t)config->memory << 20;
    daemon->host.load_max_permille = config->load_max < 100 ? config->load_max * 10 : 0;
    daemon->admin = (struct sv_admin){
        .host = &daemon->host,
        .page = &daemon->page,
        .metrics = &daemon->metrics,
        .access = &daemon->gateway.access,
        .reply = reply_http,
        .reply_context = daemon,
    };
    bool is_good = sv_gateway_init(&daemon->gateway, &daemon->host, daemon->clock, &daemon->log,
        &daemon->metrics, SERVER_NAME, (int)config->clients_max);
    sv_audit_init(&daemon->audit, &daemon->log, daemon->clock, &daemon->metrics);
    daemon->gateway.audit = daemon->admin.audit = &daemon->audit;
    daemon->gateway.quotas = daemon->admin.quotas = &daemon->quotas;
    is_good &= sv_quotas_init(&daemon->quotas, daemon->clock, &daemon->metrics);
    sv_room_service_init(
        &daemon->rooms, &daemon->gateway, &daemon->admin, config, &daemon->disk);
    sv_gateway_bound(&daemon->gateway, config);
    daemon->gateway.http_reported = have_report;
    daemon->gateway.http_context = daemon;
    if (!is_good) {
        sv_log(&daemon->log, SV_LOG_ERROR, "no memory for %u clients", config->clients_max);
        return EXIT_FAILED;
    }
    if (config->audit != NULL && !sv_audit_open(&daemon->audit, config->audit)) {
        return SV_EXIT_CONFIG;
    }
    if (!sv_credentials_init(
            &daemon->credentials, config, &daemon->disk, &daemon->log, daemon->clock)) {
        return SV_EXIT_CONFIG;
    }
    if (!sv_quotas_configure(&daemon->quotas, config, &daemon->log)) {
        return EXIT_FAILED;
    }
    daemon->gateway.access.keys = daemon->credentials.keys;
    daemon->gateway.access.policy = sv_credentials_policy(&daemon->credentials);
    is_good = sv_listeners_check(config, &daemon->log) && lock_data(daemon) && load_page(daemon) &&
        sv_scenes_load(&daemon->host, config, &daemon->disk, &daemon->log) &&
        sv_room_service_read(&daemon->rooms);
    return is_good ? 0 : EXIT_BAD_INPUT;
}

static void
finish_daemon(struct daemon *daemon)
{
    for (int i = 0; i < daemon->thread_count; i++) {
        sv_worker_thread_stop(&daemon->threads[i]);
    }
    if (!sv_storage_close(&daemon->storage, &daemon->host) && daemon->exit_status == 0) {
        daemon->exit_status = EXIT_FAILED;
    }
    for (int i = 0; i < daemon->worker_count; i++) {
        sv_worker_finish(&daemon->threads[i].worker);
    }
    sv_gateway_finish(&daemon->gateway);
    sv_room_service_finish(&daemon->rooms);
    sv_host_finish(&daemon->host);
    sv_page_finish(&daemon->page);
    sv_credentials_finish(&daemon->credentials);
    sv_audit_finish(&daemon->audit);
    sv_quotas_finish(&daemon->quotas);
    daemon->disk.unlock(daemon->disk.context);
}

static void
close_handles(struct daemon *daemon)
{
    uv_close((uv_handle_t *)&daemon->stop_timer, NULL);
    for (size_t i = 0; i < daemon->signal_count; i++) {
        uv_close((uv_handle_t *)&daemon->signals[i], NULL);
    }
    uv_run(&daemon->loop, UV_RUN_DEFAULT);
}

/* The workers run until the loop is empty, so that every message is answered. */
static int
run_daemon(struct daemon *daemon)
{
    int status = 0;
    if (!start_loop(daemon)) {
        return EXIT_FAILED;
    }
    bool is_good = start_signals(daemon) && start_worlds(daemon);
    if (!is_good || !start_network(daemon)) {
        status = is_good && !daemon->is_stopping ? EXIT_BAD_INPUT : EXIT_FAILED;
        daemon->is_stopping = true;
        if (daemon->lws.context != NULL) {
            stop_daemon(daemon);
        } else {
            uv_close((uv_handle_t *)&daemon->news, NULL);
            for (size_t i = 0; i < daemon->signal_count; i++) {
                uv_unref((uv_handle_t *)&daemon->signals[i]);
            }
        }
    }
    uv_run(&daemon->loop, UV_RUN_DEFAULT);
    if (daemon->is_left) {
        daemon->has_loop = false;
        return status;
    }
    sv_lws_finish(&daemon->lws);
    close_handles(daemon);
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
    return is_good && sv_room_service_check(config, &disk, &log);
}

int
sv_daemon_run(const struct sv_config *config)
{
    struct daemon *daemon = calloc(1, sizeof(*daemon));
    if (daemon == NULL) {
        fputs("cairnd: error: no memory\n", stderr);
        return EXIT_FAILED;
    }
    int status = init_daemon(daemon, config);
    if (status == 0) {
        status = run_daemon(daemon);
    }
    finish_daemon(daemon);
    status = daemon->exit_status != 0 ? daemon->exit_status : status;
    if (status == 0) {
        sv_log(&daemon->log, SV_LOG_INFO, "stopped");
    }
    if (daemon->has_loop) {
        uv_loop_close(&daemon->loop);
    }
    free(daemon);
    return status;
}
