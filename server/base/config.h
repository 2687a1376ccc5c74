/*
 * config.h: what the daemon can be told, one table.
 *
 * The table makes the parser of the command line, --help, the manual page, the annotated example
 * file and the reading of a configuration file (config.proto as YAML; a key is the option's name
 * in lowerCamelCase).  A value on the command line replaces the file's; a repeatable option given
 * there replaces the file's whole list.
 *
 * Ownership: a config owns its texts; sv_config_finish frees them.
 */
#ifndef SERVER_BASE_CONFIG_H
#define SERVER_BASE_CONFIG_H

#include "server/base/limits.h"
#include "server/base/log.h"

#include <stdbool.h>
#include <stdio.h>

/* Kind, member, name, argument, default as people read it, what it does. */
#define SV_OPTION_TABLE(X)                                                                         \
    X(LIST, listen, "listen", "ADDR:PORT", "127.0.0.1:7878, and [::1]:7878 where there is IPv6",   \
        "accept clients here; may be repeated")                                                    \
    X(TEXT, data, "data", "DIR", "cairn-data", "keep the daemon's data in this folder")            \
    X(TEXT, durability, "durability", "WHEN", "tick",                                              \
        "what is done to worlds is safe at the tick, within a second, or never: none")             \
    X(COUNT, history, "history", "SECONDS", "600",                                                 \
        "keep so much of each world's past within reach, 0 to 86400")                              \
    X(COUNT, history_bytes, "history-bytes", "BYTES", "67108864",                                  \
        "keep at most so much of one world's past, 1 to 2147483647")                               \
    X(TEXT, file, "config", "FILE", "none", "read options from this YAML file first")              \
    X(LIST, scene, "scene", "FILE", "the bundled scenes",                                          \
        "host a world of this scene; may be repeated, and names no world twice")                   \
    X(COUNT, workers, "workers", "N", "one for each processor but one",                            \
        "threads that step worlds, 1 to 64")                                                       \
    X(TEXT, simd, "simd", "I", "the best that runs",                                               \
        "instruction set of the solver impulse, e.g. plain, sse2, avx2; the bits are the same")    \
    X(TEXT, page, "page", "DIR", "the installed page", "serve the web page in this folder")        \
    X(LEVEL, log_level, "log-level", "LEVEL", "info", "print error, warn, info or debug")          \
    X(LIST, allow_origin, "allow-origin", "ORIGIN", "the listeners' own",                          \
        "let pages of this origin in, e.g. https://example.org; may be repeated")                  \
    X(LIST, allow_host, "allow-host", "HOST", "the listeners' own",                                \
        "answer to this value of the Host header, e.g. example.org; may be repeated")              \
    X(LIST, token_key, "token-key", "FILE", "none: everybody is operator",                         \
        "let in who has a token of this public key (cairn key); at most two")                      \
    X(TEXT, tls_cert, "tls-cert", "FILE", "none", "speak TLS with this certificate chain (PEM)")   \
    X(TEXT, tls_key, "tls-key", "FILE", "none", "and this private key (PEM)")                      \
    X(TEXT, tls_min, "tls-min", "V", "1.3", "speak no older TLS than this: 1.3 or 1.2")            \
    X(FLAG, insecure_plain, "insecure-plain", NULL, "wider than loopback only TLS",                \
        "listen wider without TLS: a proxy in front has to speak it")                              \
    X(TEXT, admin_listen, "admin-listen", "ADDR", "the listeners, when all are loopback",          \
        "answer admin routes here, and only here: loopback ADDR:PORT, or a socket's /PATH")        \
    X(COUNT, worlds_max, "worlds-max", "N", "256", "host at most so many worlds, 1 to 4096")       \
    X(COUNT, clients_max, "clients-max", "N", "4096", "hold at most so many sockets, 1 to 50000")  \
    X(COUNT, load_max, "load-max", "PERCENT", "95",                                                \
        "make no worlds when all workers are busier, for 5 s, 1 to 100")                           \
    X(COUNT, address_connections, "address-connections", "N", "512",                               \
        "hold at most so many sockets of one IPv4 address or IPv6 /64, 1 to 50000")                \
    X(COUNT, address_rate, "address-rate", "N", "32",                                              \
        "accept so many new ones of it a second after a burst of 16 times that, 1 to 50000")       \
    X(COUNT, address_failures, "address-failures", "N", "5",                                       \
        "block it after so many bad tokens a minute, 8 times that at once, 1 to 50000")            \
    X(COUNT, accept_rate, "accept-rate", "N", "500",                                               \
        "accept so many new sockets a second of all of them, 1 to 50000")                          \
    X(FLAG, limit_loopback, "limit-loopback", NULL, "loopback is let in without counting",         \
        "hold loopback to these four, too")                                                        \
    X(FLAG, keep_running, "keep-running", NULL, "worlds rest while nobody is joined",              \
        "step worlds also while nobody is joined")                                                 \
    X(ACTION, print_config, "print-config", NULL, NULL, "print an annotated configuration file")   \
    X(ACTION, check_config, "check-config", NULL, NULL, "say whether the configuration is good")   \
    X(ACTION, help, "help", NULL, NULL, "print this help")                                         \
    X(ACTION, help_man, "help-man", NULL, NULL, "print the manual page")                           \
    X(ACTION, version, "version", NULL, NULL, "print the version")

enum sv_option_kind {
    SV_OPTION_TEXT,
    SV_OPTION_LIST,
    SV_OPTION_COUNT,
    SV_OPTION_LEVEL,
    SV_OPTION_FLAG,
    SV_OPTION_ACTION, /* a flag that stands on the command line only */
};

struct sv_option_values {
    char *values[SV_OPTION_VALUES_MAX];
    int count;
};

/* What each kind keeps. */
typedef char *sv_option_TEXT;
typedef struct sv_option_values sv_option_LIST;
typedef unsigned sv_option_COUNT;
typedef enum sv_log_level sv_option_LEVEL;
typedef bool sv_option_FLAG;
typedef bool sv_option_ACTION;

struct sv_config {
#define X(KIND, member, name, argument, standard, text) sv_option_##KIND member;
    SV_OPTION_TABLE(X)
#undef X
};

struct sv_option {
    enum sv_option_kind kind;
    const char *name, *argument, *standard, *text;
    size_t offset; /* of the member in struct sv_config */
};
extern const struct sv_option sv_options[];
extern const int sv_option_count;

#define SV_CONFIG_ERROR_SIZE 512

void sv_config_init(struct sv_config *config); /* the defaults */
void sv_config_finish(struct sv_config *config);

/* Sets one option by its name from text; false with *error filled. `value` is NULL for flags. */
bool sv_config_set(struct sv_config *config, const char *name, const char *value,
    char error[SV_CONFIG_ERROR_SIZE]);

/*
 * Reads the command line on top of what is there.  False with *error filled.
 * --name VALUE and --name=VALUE are the same.
 */
bool sv_config_parse(
    struct sv_config *config, int argc, char **argv, char error[SV_CONFIG_ERROR_SIZE]);

/* The value of --config on this command line, or NULL: the file is read before the rest. */
const char *sv_config_file(int argc, char **argv);

/* "log-level" as a key of the file: "logLevel". */
void sv_config_key(const char *name, char *key, size_t size);

void sv_config_print_help(FILE *out);
void sv_config_print_manual(FILE *out, const char *version);
void sv_config_print_example(FILE *out);

/*
 * Whether the options fit together: false with *error filled.  A daemon that can be reached from
 * other machines wants keys and TLS; what files say is looked at later.
 */
bool sv_config_check(const struct sv_config *config, char error[SV_CONFIG_ERROR_SIZE]);

/* Whether a numeric address (or "localhost") is this machine's own and no other's. */
bool sv_config_is_loopback(const char *address);

/* Whether a listener is reached from other machines: the routes for admins are not for it. */
bool sv_config_is_wide(const struct sv_config *config);

/*
 * Splits "127.0.0.1:80", "[::1]:80" or "localhost:80" into address (without brackets) and port;
 * false when it is neither.
 */
bool sv_config_split_address(const char *text, char *address, size_t address_size, int *port);

#endif
