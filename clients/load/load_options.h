/*
 * load_options.h: the options of `cairn-load`.
 */
#ifndef CLIENTS_LOAD_LOAD_OPTIONS_H
#define CLIENTS_LOAD_LOAD_OPTIONS_H

#include "clients/base/options.h"

/* Kind, member, name, argument, default in words, description. */
#define LOAD_OPTION_TABLE(X)                                                                       \
    X(TEXT, server, "server", "ADDR", "CAIRN_SERVER, or 127.0.0.1:7878",                           \
        "the daemon: HOST:PORT, ws:// or wss://")                                                  \
    X(TEXT, ca, "ca", "FILE", "the system's", "trust these certificates")                          \
    X(TEXT, token, "token-file", "FILE", "CAIRN_TOKEN, or none", "show this token")                \
    X(COUNT, bots, "bots", "N", "100", "put N bots on it")                                         \
    X(NUMBER, duration, "duration", "S", "10", "measure for S seconds")                            \
    X(NUMBER, ramp, "ramp", "S", "5 ms a bot", "add the bots over S seconds")                      \
    X(TEXT, script, "script", "LIST", "idle=40,push=30,drag=25,burst=5",                           \
        "models of the bots, and their shares")                                                    \
    X(NUMBER, latency, "latency-ms", "MS", "0",                                                    \
        "delay messages by this much, each way")                                                   \
    X(NUMBER, jitter, "jitter-ms", "MS", "0",                                                      \
        "delay them by up to this much more, at random")                                           \
    X(NUMBER, loss, "loss-percent", "P", "0",                                                      \
        "lose this share of the messages, each way")                                               \
    X(NUMBER, ping, "ping-ms", "MS", "1000",                                                       \
        "measure a round trip this often, each bot")                                               \
    X(NUMBER, late, "late-ms", "MS", "250", "an input that takes longer is late")                  \
    X(NUMBER, verify, "verify-percent", "P", "1",                                                  \
        "share of bots that check every snapshot's hash; the first bot of a world always does")    \
    X(TEXT, shown, "shown", "FILE", "no",                                                          \
        "append what bots are shown to FILE, for cairn verify --shown; not in mode raw or json") \
    X(TEXT, mode, "mode", "M", "quantised",                                                        \
        "receive bodies as quantised, delta, raw or json; or deeds, for an engine of one's own")   \
    X(COUNT, rate, "rate", "HZ", "0, all", "ask for this many ticks a second")                     \
    X(TEXT, area, "area", "X,Y[,Z],R", "all of the world",                                         \
        "receive bodies within R metres along each axis")                                          \
    X(TEXT, tag, "tag", "TAG,...", "all of the world",                                             \
        "receive bodies with these tags")                                                          \
    X(COUNT, budget, "budget", "BYTES", "0, no limit",                                             \
        "bytes of ticks per second and bot; in mode delta")                                        \
    X(COUNT, ack, "ack-every", "N", "6", "acknowledge every Nth tick; 0: none")                    \
    X(FLAG, contacts, "contacts", "", "no", "subscribe to contacts")                               \
    X(COUNT, contact_rate, "contact-rate", "HZ", "0, a frame with every tick",                     \
        "ask for this many contacts a second, as deltas; with --contacts")                         \
    X(FLAG, energy, "energy", "", "no", "subscribe to energy")                                     \
    X(COUNT, create, "create", "N", "0", "create N worlds first, and remove them at the end")      \
    X(TEXT, scene, "scene", "NAME", "must be given with --create",                                 \
        "make those worlds of this bundled scene")                                                 \
    X(COUNT, seed, "seed", "N", "1", "the same seed has the same inputs")                          \
    X(COUNT, memory, "watch-memory", "PID", "no",                                                  \
        "the daemon's process on this machine, whose memory is watched")                           \
    X(NUMBER, settle, "settle", "S", "300", "measure growth of memory from second S on")           \
    X(TEXT, format, "format", "F", "table", "write table or json")                                 \
    X(NUMBER, fail_p99, "fail-p99-ms", "MS", "none",                                               \
        "fail if the p99 of round trips is larger")                                                \
    X(NUMBER, fail_snapshot, "fail-snapshot-p99-ms", "MS", "none",                                 \
        "fail if the p99 of snapshots is larger")                                                  \
    X(NUMBER, fail_errors, "fail-errors", "N", "none",                                             \
        "fail if there are more errors; BUSY is not one")                                          \
    X(NUMBER, fail_growth, "fail-growth-percent", "P", "none",                                     \
        "fail if memory has grown by more since --settle")

struct load_options {
    struct cli_operands worlds; /* by name; none: all worlds */
#define X(KIND, member, name, argument, standard, text) cli_option_##KIND member;
    LOAD_OPTION_TABLE(X)
#undef X
};

#endif
