/*
 * config.h: the daemon's options, one table.
 *
 * These are made from the table: the parser of the command line, --help, the manual page, the
 * annotated example file, and the reader of a configuration file.  That file is config.proto as
 * YAML; a key is the option's name in lowerCamelCase.  A value on the command line replaces the
 * file's; a repeatable option given there replaces the file's whole list.
 *
 * Ownership: a config owns its texts; sv_config_finish frees them.
 */
#ifndef SERVER_BASE_CONFIG_H
#define SERVER_BASE_CONFIG_H

#include "server/base/limits.h"
#include "server/base/log.h"

#include <stdbool.h>
#include <stdio.h>

/* Kind, member, name, argument, default in words, description. */
#define SV_OPTION_TABLE(X)                                                                         \
    X(LIST, listen, "listen", "ADDR:PORT", "127.0.0.1:7878, and [::1]:7878 where there is IPv6",   \
        "accept clients here, or a proxy at a socket's /PATH; may be repeated")                    \
    X(TEXT, data, "data", "DIR", "cairn-data", "keep the daemon's data in this folder")            \
    X(TEXT, durability, "durability", "WHEN", "tick",                                              \
        "changes of worlds are safe on disk at each tick, within a second, or (none) never")       \
    X(COUNT, history, "history", "SECONDS", "600",                                                 \
        "keep this much of each world's past for seeks and forks, 0 to 86400")                     \
    X(COUNT, history_bytes, "history-bytes", "BYTES", "67108864",                                  \
        "keep at most this much of one world's past, 1 to 2147483647")                             \
    X(COUNT, scrub, "scrub", "SECONDS", "86400",                                                   \
        "read and verify all stored data this often, 0 (never) to 31536000")                       \
    X(TEXT, file, "config", "FILE",                                                                \
        "cairnd.yaml in $CONFIGURATION_DIRECTORY, which a unit of systemd sets",                   \
        "read options from this YAML file first")                                                  \
    X(LIST, scene, "scene", "FILE", "the bundled scenes",                                          \
        "host a world of this scene; may be repeated, with another scene name each")               \
    X(LIST, rooms, "rooms", "FILE", "none: there are no rooms",                                    \
        "make rooms by the templates in this file; may be repeated")                               \
    X(TEXT, webhook, "webhook", "URL", "none",                                                     \
        "send the events of rooms to this http:// or https:// address")                            \
    X(TEXT, webhook_secret, "webhook-secret", "FILE", "none",                                      \
        "sign these events with the first line of this file; needed for webhook")                  \
    X(COUNT, workers, "workers", "N", "one fewer than there are processors",                       \
        "threads that step worlds, 1 to 64")                                                       \
    X(TEXT, simd, "simd", "I", "the best that this processor has",                                 \
        "instruction set of the solver impulse, e.g. plain, sse2, avx2; the bits are the same")    \
    X(TEXT, page, "page", "DIR", "the installed page", "serve the web page in this folder")        \
    X(TEXT, audit, "audit", "FILE", "lines of the log, at level info",                             \
        "write a line for each order to this file instead; SIGHUP reopens it")                     \
    X(LEVEL, log_level, "log-level", "LEVEL", "info", "print error, warn, info or debug")          \
    X(LIST, allow_origin, "allow-origin", "ORIGIN", "the listeners' own",                          \
        "accept pages of this origin, e.g. https://example.org; may be repeated")                  \
    X(LIST, allow_host, "allow-host", "HOST", "the listeners' own",                                \
        "accept this value of the Host header, e.g. example.org; may be repeated")                 \
    X(LIST, token_key, "token-key", "FILE", "none: every client is operator",                      \
        "require tokens that this public key verifies (cairn key); at most two")                   \
    X(TEXT, token_issuer, "token-issuer", "NAME", "none: tokens with an iss are refused",          \
        "accept only tokens of this issuer (iss)")                                                 \
    X(TEXT, token_audience, "token-audience", "NAME", "none: tokens with an aud are refused",      \
        "accept only tokens that are made for this name (aud)")                                    \
    X(TEXT, token_revoked, "token-revoked", "FILE", "none",                                        \
        "refuse the tokens that this file names (cairn revoke); SIGHUP reads it again")            \
    X(TEXT, tls_cert, "tls-cert", "FILE", "none", "speak TLS with this certificate chain (PEM)")   \
    X(TEXT, tls_key, "tls-key", "FILE", "none", "use this private key of the certificate (PEM)")   \
    X(TEXT, tls_min, "tls-min", "V", "1.3", "the oldest TLS version to accept: 1.3 or 1.2")        \
    X(FLAG, insecure_plain, "insecure-plain", NULL, "beyond loopback only TLS",                    \
        "listen beyond loopback without TLS: a proxy in front must speak it")                      \
    X(TEXT, admin_listen, "admin-listen", "ADDR", "the listeners, when all are loopback",          \
        "answer admin routes here, and only here: loopback ADDR:PORT, or a socket's /PATH")        \
    X(LIST, proxy, "proxy", "WHERE=HOW", "none: every connection is a client's own",               \
        "ADDR, ADDR/BITS or a socket's /PATH; "                                                    \
        "HOW: v2, forwarded, x-forwarded-for; may be repeated")                                    \
    X(COUNT, worlds_max, "worlds-max", "N", "256", "host at most this many worlds, 1 to 4096")     \
    X(COUNT, clients_max, "clients-max", "N", "4096",                                              \
        "hold at most this many sockets, 1 to 50000")                                              \
    X(COUNT, world_memory, "world-memory", "MIB", "512",                                           \
        "let one world take at most this much memory, 1 to 65536")                                 \
    X(COUNT, memory, "memory", "MIB", "60 % of the machine's, or of the control group's",          \
        "let all worlds together take at most this much memory, 1 to 16777216")                    \
    X(COUNT, load_max, "load-max", "PERCENT", "95",                                                \
        "refuse new worlds when every worker has been busier for 5 s, 1 to 100")                   \
    X(COUNT, address_connections, "address-connections", "N", "512",                               \
        "hold at most this many sockets of one IPv4 address or IPv6 /64, 1 to 50000")              \
    X(COUNT, address_rate, "address-rate", "N", "32",                                              \
        "accept this many new sockets of it a second, 16 times that at once, 1 to 50000")          \
    X(COUNT, address_failures, "address-failures", "N", "5",                                       \
        "block it after this many bad tokens a minute, 8 times that at once, 1 to 50000")          \
    X(COUNT, accept_rate, "accept-rate", "N", "500",                                               \
        "accept this many new sockets a second of all addresses together, 1 to 50000")             \
    X(COUNT, message_rate, "message-rate", "N", "240",                                             \
        "take this many messages a second of a session, twice that at once, 1 to 100000")          \
    X(COUNT, say_rate, "say-rate", "N", "20",                                                      \
        "let a session send this many messages to others a second, twice that at once, 1 to 2000") \
    X(LIST, role_rate, "role-rate", "ROLE=N", "message-rate and say-rate for all",                 \
        "take N messages a second of this role; N/M: and M to others; may be repeated")            \
    X(FLAG, observers_say, "observers-say", NULL, "observers only watch",                          \
        "let observers send messages to others, too")                                              \
    X(TEXT, quota_session, "quota-session", "QUOTA", "replays=8; none without token-key",          \
        "limit one session to this, e.g. worlds=4,forks=8,sent=100000; none: no limit")            \
    X(TEXT, quota_token, "quota-token", "QUOTA",                                                   \
        "forks=128,replays=32,rooms=64,seats=128,checks=1,requests=500; none without token-key",   \
        "limit all sessions of one token together, unless the token has its own quota")            \
    X(TEXT, quota_tenant, "quota-tenant", "QUOTA",                                                 \
        "forks=192,replays=48,rooms=96,seats=192,checks=2,requests=2000; none without token-key",  \
        "limit all tokens of one tenant, or sub; without tokens, one address")                     \
    X(FLAG, limit_loopback, "limit-loopback", NULL, "loopback is not limited",                     \
        "apply the limits of addresses to loopback, too")                                          \
    X(FLAG, keep_running, "keep-running", NULL, "worlds without members rest",                     \
        "step worlds without members, too")                                                        \
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
    SV_OPTION_ACTION, /* a flag that is valid on the command line only */
};

struct sv_option_values {
    char *values[SV_OPTION_VALUES_MAX];
    int count;
};

/* The stored form of each kind. */
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

/*
 * Sets one option by its name from a text.  False with *error filled.  `value` is NULL for flags.
 */
bool sv_config_set(struct sv_config *config, const char *name, const char *value,
    char error[SV_CONFIG_ERROR_SIZE]);

/*
 * Reads the command line; its values replace earlier ones.  False with *error filled.  --name VALUE
 * and --name=VALUE are the same.
 */
bool sv_config_parse(
    struct sv_config *config, int argc, char **argv, char error[SV_CONFIG_ERROR_SIZE]);

/* The value of --config on this command line, or NULL; that file is read first. */
const char *sv_config_file(int argc, char **argv);

/* "log-level" as a key of the file: "logLevel". */
void sv_config_key(const char *name, char *key, size_t size);

void sv_config_print_help(FILE *out);
void sv_config_print_manual(FILE *out, const char *version);
void sv_config_print_example(FILE *out);

/*
 * Whether the options fit together: false with *error filled.  A daemon that other machines can
 * reach needs keys and TLS.  The contents of files are checked later.
 */
bool sv_config_check(const struct sv_config *config, char error[SV_CONFIG_ERROR_SIZE]);

/* Whether a numeric address (or "localhost") is a loopback address. */
bool sv_config_is_loopback(const char *address);

/*
 * Whether other machines can reach the listener, directly or through a proxy: then it does not
 * serve the routes for admins.
 */
bool sv_config_is_wide(const struct sv_config *config);

/*
 * Splits "127.0.0.1:80", "[::1]:80" or "localhost:80" into address (without brackets) and port.
 * False if the text has another form.
 */
bool sv_config_split_address(const char *text, char *address, size_t address_size, int *port);

#endif
