#include "server/room_service.h"

#include "proto/text.h"
#include "server/base/limits.h"
#include "server/scenes.h"
#include "server/store/format/fault.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_FAILED 3

void
sv_room_service_init(struct sv_room_service *service, struct sv_gateway *gateway,
    struct sv_admin *admin, const struct sv_config *config, const struct sv_disk *disk)
{
    service->config = config;
    service->disk = disk;
    service->log = gateway->log;
    sv_rooms_init(&service->rooms, gateway->host, gateway->clock, sv_random_real(), gateway->log,
        gateway->metrics);
    service->rooms.answer = sv_admin_room_answered;
    service->rooms.answer_context = admin;
    gateway->rooms = admin->rooms = &service->rooms;
    gateway->access.rooms = &service->rooms;
}

/* ---- files ---- */

static bool
load_templates(struct sv_rooms *rooms, const struct sv_disk *disk, struct sv_log *log,
    const char *path)
{
    char *text;
    size_t size;
    struct wire_error error;
    enum sv_disk_result result =
        disk->read(disk->context, path, SV_ROOMS_FILE_SIZE_MAX, &text, &size);
    if (result != SV_DISK_OK) {
        sv_log(log, SV_LOG_ERROR, "--rooms %s: %s", path,
            result == SV_DISK_SIZE ? "is larger than 1 MiB" : strerror(errno));
        return false;
    }
    bool is_good = sv_rooms_add_templates(rooms, text, size, &error);
    if (!is_good) {
        unsigned line = error.line, column = 0;
        if (line == 0 && error.path[0] != '\0') {
            (void)wire_text_locate(text, size, error.path, &line, &column);
        }
        sv_log(log, SV_LOG_ERROR, "%s:%u: %s%s%s", path, line, error.path,
            error.path[0] != '\0' ? ": " : "", error.text);
    }
    free(text);
    return is_good;
}

static bool
load_all_templates(struct sv_rooms *rooms, const struct sv_config *config,
    const struct sv_disk *disk, struct sv_log *log)
{
    for (int i = 0; i < config->rooms.count; i++) {
        if (!load_templates(rooms, disk, log, config->rooms.values[i])) {
            return false;
        }
    }
    return true;
}

/* Reads the first line of the secret's file. */
static bool
read_secret(struct sv_webhook *webhook, const struct sv_config *config,
    const struct sv_disk *disk, struct sv_log *log)
{
    char *text;
    size_t size;
    const char *path = config->webhook_secret;
    if (path == NULL) {
        return true;
    }
    enum sv_disk_result result =
        disk->read(disk->context, path, SV_WEBHOOK_SECRET_SIZE + 1, &text, &size);
    if (result != SV_DISK_OK && result != SV_DISK_SIZE) {
        sv_log(log, SV_LOG_ERROR, "--webhook-secret %s: %s", path, strerror(errno));
        return false;
    }
    size_t length = result == SV_DISK_OK ? strcspn(text, "\r\n") : SV_WEBHOOK_SECRET_SIZE;
    bool is_good = length >= SV_WEBHOOK_SECRET_MIN && length < SV_WEBHOOK_SECRET_SIZE;
    if (is_good) {
        sv_webhook_init(webhook, config->webhook, text, length);
    } else {
        sv_log(log, SV_LOG_ERROR,
            "--webhook-secret %s: its first line has %zu bytes; accepted are %d to %d", path,
            length, SV_WEBHOOK_SECRET_MIN, SV_WEBHOOK_SECRET_SIZE - 1);
    }
    if (result == SV_DISK_OK) {
        sodium_memzero(text, size);
        free(text);
    }
    return is_good;
}

bool
sv_room_service_read(struct sv_room_service *service)
{
    return load_all_templates(&service->rooms, service->config, service->disk, service->log) &&
        read_secret(&service->webhook, service->config, service->disk, service->log);
}

bool
sv_room_service_check(
    const struct sv_config *config, const struct sv_disk *disk, struct sv_log *log)
{
    struct sv_host *host = calloc(1, sizeof(*host));
    struct sv_rooms *rooms = calloc(1, sizeof(*rooms));
    struct sv_webhook *webhook = calloc(1, sizeof(*webhook));
    struct sv_metrics *metrics = calloc(1, sizeof(*metrics));
    bool is_good = host != NULL && rooms != NULL && webhook != NULL && metrics != NULL;
    if (is_good && config->rooms.count > 0) {
        sv_host_init(host, NULL, 0, 1);
        sv_rooms_init(rooms, host, sv_clock_real(), sv_random_real(), log, metrics);
        is_good = sv_scenes_load(host, config, disk, log) &&
            load_all_templates(rooms, config, disk, log) &&
            read_secret(webhook, config, disk, log);
        sv_rooms_finish(rooms);
        sv_host_finish(host);
    }
    free(host);
    free(rooms);
    free(webhook);
    free(metrics);
    return is_good;
}

/* ---- life ---- */

int
sv_room_service_start(struct sv_room_service *service, struct sv_store *store, int lane,
    void (*news)(void *context), void *news_context)
{
    struct sv_fault fault;
    if (service->config->webhook != NULL) {
        if (!sv_webhook_start(&service->webhook, news, news_context)) {
            sv_log(service->log, SV_LOG_ERROR, "the thread of the webhook cannot start");
            return EXIT_FAILED;
        }
        service->rooms.hooks.poster = sv_webhook_poster(&service->webhook);
    }
    if (!sv_rooms_load(&service->rooms, store, lane, &fault)) {
        sv_log(service->log, SV_LOG_ERROR, "rooms can not come back: %s", fault.text);
        return sv_fault_exit_code(fault.kind);
    }
    return 0;
}

void
sv_room_service_stop(struct sv_room_service *service)
{
    sv_webhook_stop(&service->webhook);
}

void
sv_room_service_finish(struct sv_room_service *service)
{
    sv_webhook_stop(&service->webhook);
    sv_rooms_finish(&service->rooms);
}
