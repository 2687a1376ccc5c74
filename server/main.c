/*
 * main.c: cairnd's command line.
 */
#include "engine/world/world.h"
#include "proto/codec_config.h"
#include "proto/text.h"
#include "server/base/disk.h"
#include "server/daemon.h"
#include "server/listeners.h"
#include "server/net/lws/lws_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define FILE_SIZE_MAX ((size_t)1024 * 1024)

struct reader {
    struct sv_config *config;
    char key[64]; /* of the refused value */
};

static bool
visit_option(void *context, const char *option, const char *value, struct wire_error *error)
{
    struct reader *reader = context;
    char text[SV_CONFIG_ERROR_SIZE];
    if (!sv_config_set(reader->config, option, value, text)) {
        sv_config_key(option, reader->key, sizeof(reader->key));
        wire_error_set(error, "RANGE", "", "%.200s", text);
        return false;
    }
    return true;
}

/* Reads a configuration file.  False, with a line on standard error. */
static bool
read_file(struct sv_config *config, const char *path)
{
    struct sv_disk_real state;
    struct sv_disk disk = sv_disk_real(&state);
    struct reader reader = {.config = config};
    struct wire_error error;
    char *text;
    size_t size;
    if (disk.read(disk.context, path, FILE_SIZE_MAX, &text, &size) != SV_DISK_OK) {
        fprintf(stderr, "cairnd: %s: %s\n", path, strerror(errno));
        return false;
    }
    bool is_good = wire_config_parse(text, size, visit_option, &reader, &error);
    if (!is_good) {
        unsigned line = error.line, column;
        if (reader.key[0] != '\0') {
            wire_text_locate(text, size, reader.key, &line, &column);
        }
        fprintf(stderr, "cairnd: %s:%u: %s%s%s\n", path, line, error.path,
            error.path[0] != '\0' ? " " : "", error.text);
    }
    free(text);
    return is_good;
}

/*
 * Returns the file that --config names; else cairnd.yaml in one of the folders in the environment's
 * CONFIGURATION_DIRECTORY, which systemd sets for a unit with ConfigurationDirectory=.  NULL: no
 * file.
 */
static const char *
find_file(int argc, char **argv, char room[PATH_SIZE])
{
    const char *named = sv_config_file(argc, argv);
    const char *folders = getenv("CONFIGURATION_DIRECTORY");
    while (named == NULL && folders != NULL && *folders != '\0') {
        size_t length = strcspn(folders, ":");
        int size = snprintf(room, PATH_SIZE, "%.*s/cairnd.yaml", (int)length, folders);
        if (length > 0 && size < PATH_SIZE && access(room, F_OK) == 0) {
            return room;
        }
        folders += length + (folders[length] == ':' ? 1 : 0);
    }
    return named;
}

/* Prints the requested output, such as --help.  False: none was requested, so start the daemon. */
static bool
print_what_is_asked(const struct sv_config *config)
{
    if (config->help) {
        sv_config_print_help(stdout);
    } else if (config->help_man) {
        sv_config_print_manual(stdout, PACKAGE_VERSION);
    } else if (config->print_config) {
        sv_config_print_example(stdout);
    } else if (config->version) {
        printf("cairnd %s\n%s\n", PACKAGE_VERSION, sv_lws_version());
    } else {
        return false;
    }
    return true;
}

int
main(int argc, char **argv)
{
    struct sv_config config;
    char error[SV_CONFIG_ERROR_SIZE], path[PATH_SIZE];
    int status = SV_EXIT_CONFIG;
    sv_config_init(&config);
    const char *file = find_file(argc, argv, path);
    bool is_file_good = file == NULL || read_file(&config, file);
    bool is_line_good = sv_config_parse(&config, argc, argv, error);
    if (is_file_good && is_line_good) {
        is_line_good =
            sv_config_check(&config, error) && sv_listeners_check_proxies(&config, error);
    }
    struct cn_defect defect = {.status = CN_OK};
    bool is_simd_good = cn_simd_check(config.simd, &defect) == CN_OK;
    bool is_good = is_file_good && is_line_good && is_simd_good;
    if (!is_simd_good) {
        fprintf(stderr, "cairnd: --simd %s\n", defect.text);
    }
    if (!is_line_good) {
        fprintf(stderr, "cairnd: %s\n", error);
    }
    if (is_good && print_what_is_asked(&config)) {
        status = 0;
    } else if (is_good && config.check_config) {
        is_good = sv_daemon_check(&config);
        if (is_good) {
            puts("the configuration is good");
            status = 0;
        }
    } else if (is_good) {
        status = sv_daemon_run(&config);
    }
    sv_config_finish(&config);
    return status;
}
