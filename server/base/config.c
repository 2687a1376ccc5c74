#include "server/base/config.h"

#include "engine/base/assert.h"
#include "server/base/physical.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct sv_option sv_options[] = {
#define X(KIND, member, name, argument, standard, text)                                            \
    {SV_OPTION_##KIND, name, argument, standard, text, offsetof(struct sv_config, member)},
    SV_OPTION_TABLE(X)
#undef X
};
const int sv_option_count = (int)(sizeof(sv_options) / sizeof(sv_options[0]));

/* The ranges of numeric options. */
static const struct {
    const char *name;
    unsigned max, min;
} count_bounds[] = {
    {"workers", SV_WORKERS_MAX, 1},
    {"worlds-max", SV_WORLDS_MAX, 1},
    {"clients-max", SV_CLIENTS_MAX, 1},
    {"load-max", 100, 1},
    {"world-memory", SV_WORLD_MEMORY_MAX, 1},
    {"memory", SV_MEMORY_MAX, 1},
    {"address-connections", SV_ADDRESS_MAX, 1},
    {"address-rate", SV_ADDRESS_MAX, 1},
    {"address-failures", SV_ADDRESS_MAX, 1},
    {"accept-rate", SV_ADDRESS_MAX, 1},
    {"message-rate", SV_MESSAGE_RATE_MAX, 1},
    {"say-rate", SV_SAY_RATE_MAX, 1},
    {"history", SV_HISTORY_S_MAX, 0},
    {"scrub", SV_SCRUB_S_MAX, 0},
    {"history-bytes", SV_HISTORY_SIZE_MAX, 1},
};

static const struct sv_option *
find_option(const char *name, size_t length)
{
    for (int i = 0; i < sv_option_count; i++) {
        if (strlen(sv_options[i].name) == length &&
            strncmp(sv_options[i].name, name, length) == 0) {
            return &sv_options[i];
        }
    }
    return NULL;
}

/*
 * The default memory of all worlds [MiB].  If the machine's memory is unknown, that of one world.
 */
static unsigned
standard_memory(void)
{
    uint64_t mib = sv_physical_memory() / 100 * SV_MEMORY_PERCENT >> 20;
    mib = mib < SV_MEMORY_MAX ? mib : SV_MEMORY_MAX;
    return mib > 0 ? (unsigned)mib : SV_WORLD_MEMORY_DEFAULT;
}

void
sv_config_init(struct sv_config *config)
{
    memset(config, 0, sizeof(*config));
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    config->workers = processors > 2 ? (unsigned)processors - 1 : 1;
    if (config->workers > SV_WORKERS_MAX) {
        config->workers = SV_WORKERS_MAX;
    }
    config->log_level = SV_LOG_INFO;
    config->worlds_max = SV_WORLDS_MAX_DEFAULT;
    config->clients_max = SV_CLIENTS_MAX_DEFAULT;
    config->load_max = SV_LOAD_MAX_PERCENT;
    config->world_memory = SV_WORLD_MEMORY_DEFAULT;
    config->memory = standard_memory();
    config->address_connections = SV_ADDRESS_CONNECTIONS;
    config->address_rate = SV_ADDRESS_RATE;
    config->address_failures = SV_ADDRESS_FAILURES;
    config->accept_rate = SV_ACCEPT_RATE;
    config->message_rate = SV_MESSAGE_RATE;
    config->say_rate = SV_SAY_RATE;
    config->history = SV_HISTORY_S;
    config->scrub = SV_SCRUB_S;
    config->history_bytes = SV_HISTORY_SIZE;
}

static void
clear_list(struct sv_option_values *list)
{
    CN_ASSERT(list->count >= 0 && list->count <= SV_OPTION_VALUES_MAX);
    for (int i = 0; i < list->count; i++) {
        free(list->values[i]);
    }
    list->count = 0;
}

void
sv_config_finish(struct sv_config *config)
{
    for (int i = 0; i < sv_option_count; i++) {
        void *member = (char *)config + sv_options[i].offset;
        if (sv_options[i].kind == SV_OPTION_LIST) {
            clear_list(member);
        } else if (sv_options[i].kind == SV_OPTION_TEXT) {
            char **text = member;
            free(*text);
            *text = NULL;
        }
    }
}

static bool
set_count(unsigned *member, const struct sv_option *option, const char *value, char *error)
{
    unsigned max = 0, min = 0;
    for (size_t i = 0; i < sizeof(count_bounds) / sizeof(count_bounds[0]); i++) {
        if (strcmp(count_bounds[i].name, option->name) == 0) {
            max = count_bounds[i].max;
            min = count_bounds[i].min;
        }
    }
    CN_ASSERT(max > 0); /* every count has its bounds in the table */
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || number < min || number > max) {
        snprintf(error, SV_CONFIG_ERROR_SIZE, "%s is \"%.64s\"; accepted is a number from %u to %u",
            option->name, value, min, max);
        return false;
    }
    *member = (unsigned)number;
    return true;
}

static bool
set_list(struct sv_option_values *list, const struct sv_option *option, const char *value,
    char *error)
{
    if (list->count == SV_OPTION_VALUES_MAX) {
        snprintf(error, SV_CONFIG_ERROR_SIZE, "%s is given more than %d times", option->name,
            SV_OPTION_VALUES_MAX);
        return false;
    }
    char address[64];
    int port;
    if (strcmp(option->name, "listen") == 0 && value[0] != '/' &&
        !sv_config_split_address(value, address, sizeof(address), &port)) {
        snprintf(error, SV_CONFIG_ERROR_SIZE,
            "listen is \"%.64s\"; accepted is ADDR:PORT, e.g. 127.0.0.1:7878 or [::1]:7878, and "
            "the /PATH of a socket for a proxy",
            value);
        return false;
    }
    CN_ASSERT(list->count < SV_OPTION_VALUES_MAX);
    list->values[list->count] = strdup(value);
    if (list->values[list->count] == NULL) {
        snprintf(error, SV_CONFIG_ERROR_SIZE, "no memory");
        return false;
    }
    list->count++;
    return true;
}

static bool
set_text(char **member, const char *value, char *error)
{
    char *copy = strdup(value);
    if (copy == NULL) {
        snprintf(error, SV_CONFIG_ERROR_SIZE, "no memory");
        return false;
    }
    free(*member);
    *member = copy;
    return true;
}

static bool
set_option(struct sv_config *config, const struct sv_option *option, const char *value, char *error)
{
    void *member = (char *)config + option->offset;
    switch (option->kind) {
    case SV_OPTION_TEXT:
        return set_text(member, value, error);
    case SV_OPTION_LIST:
        return set_list(member, option, value, error);
    case SV_OPTION_COUNT:
        return set_count(member, option, value, error);
    case SV_OPTION_LEVEL:
        if (!sv_log_level_find(value, member)) {
            snprintf(error, SV_CONFIG_ERROR_SIZE,
                "%s is \"%.64s\"; accepted are error, warn, info, debug", option->name, value);
            return false;
        }
        return true;
    case SV_OPTION_FLAG:
    case SV_OPTION_ACTION:
        *(bool *)member = value == NULL || strcmp(value, "true") == 0;
        return true;
    }
    CN_ASSERT(!"every kind of option is listed");
    return false;
}

bool
sv_config_set(struct sv_config *config, const char *name, const char *value,
    char error[SV_CONFIG_ERROR_SIZE])
{
    const struct sv_option *option = find_option(name, strlen(name));
    CN_ASSERT(option != NULL);
    return set_option(config, option, value, error);
}

/* Finds the option of "--name" or "--name=value".  *value: the text after "=", or NULL. */
static const struct sv_option *
read_argument(const char *argument, const char **value)
{
    if (strncmp(argument, "--", 2) != 0) {
        return NULL;
    }
    const char *name = argument + 2;
    size_t length = strcspn(name, "=");
    *value = name[length] == '=' ? name + length + 1 : NULL;
    return find_option(name, length);
}

bool
sv_config_parse(
    struct sv_config *config, int argc, char **argv, char error[SV_CONFIG_ERROR_SIZE])
{
    bool is_seen[sizeof(sv_options) / sizeof(sv_options[0])] = {false};
    for (int i = 1; i < argc; i++) {
        const char *value;
        const struct sv_option *option = read_argument(argv[i], &value);
        if (option == NULL) {
            snprintf(error, SV_CONFIG_ERROR_SIZE, "unknown option \"%.64s\"; see --help", argv[i]);
            return false;
        }
        bool takes_value = option->argument != NULL;
        if (takes_value && value == NULL && i + 1 < argc) {
            value = argv[++i];
        }
        if (takes_value != (value != NULL)) {
            snprintf(error, SV_CONFIG_ERROR_SIZE,
                takes_value ? "--%s wants a value" : "--%s takes no value", option->name);
            return false;
        }
        if (option->kind == SV_OPTION_LIST && !is_seen[option - sv_options]) {
            clear_list((void *)((char *)config + option->offset));
        }
        CN_ASSERT(option - sv_options < sv_option_count);
        is_seen[option - sv_options] = true;
        if (!set_option(config, option, value, error)) {
            return false;
        }
    }
    return true;
}

const char *
sv_config_file(int argc, char **argv)
{
    const char *file = NULL;
    for (int i = 1; i < argc; i++) {
        const char *value;
        const struct sv_option *option = read_argument(argv[i], &value);
        if (option == NULL || option->argument == NULL) {
            continue;
        }
        if (value == NULL && i + 1 < argc) {
            value = argv[++i];
        }
        if (strcmp(option->name, "config") == 0) {
            file = value;
        }
    }
    return file;
}

void
sv_config_key(const char *name, char *key, size_t size)
{
    size_t used = 0;
    bool is_upper = false;
    for (; *name != '\0' && used + 1 < size; name++) {
        if (*name == '-') {
            is_upper = true;
            continue;
        }
        key[used++] = is_upper ? (char)(*name - 'a' + 'A') : *name;
        is_upper = false;
    }
    CN_ASSERT(used < size);
    key[used] = '\0';
}

bool
sv_config_split_address(const char *text, char *address, size_t address_size, int *port)
{
    const char *start = text, *end;
    if (text[0] == '[') {
        start++;
        end = strchr(start, ']');
        if (end == NULL || end[1] != ':') {
            return false;
        }
    } else {
        end = strchr(text, ':');
        if (end == NULL || strchr(end + 1, ':') != NULL) {
            return false;
        }
    }
    size_t length = (size_t)(end - start);
    if (length == 0 || length >= address_size) {
        return false;
    }
    memcpy(address, start, length);
    CN_ASSERT(length < address_size);
    address[length] = '\0';
    const char *digits = end + (text[0] == '[' ? 2 : 1);
    char *rest;
    unsigned long number = strtoul(digits, &rest, 10);
    if (digits[0] < '0' || digits[0] > '9' || *rest != '\0' || number > 65535) {
        return false;
    }
    *port = (int)number;
    return true;
}
