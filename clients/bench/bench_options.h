/*
 * bench_options.h: the options of `cairn-bench`.
 */
#ifndef CLIENTS_BENCH_BENCH_OPTIONS_H
#define CLIENTS_BENCH_BENCH_OPTIONS_H

#include "clients/base/options.h"

/* Kind, member, name, argument, default in words, description. */
#define BENCH_OPTION_TABLE(X)                                                                      \
    X(COUNT, steps, "steps", "N", "the scene's", "run N steps")                                    \
    X(COUNT, minutes, "minutes", "N", "the scene's", "run N simulated minutes")                    \
    X(FLAG, sleep, "sleep", "", "the scene's", "let bodies sleep")                                 \
    X(COUNT, runs, "runs", "N", "1", "run each scene N times")                                     \
    X(TEXT, stepper, "stepper", "S", "time", "step with S (see cairn list steppers)")              \
    X(TEXT, solver, "solver", "S", "impulse", "solve with S (see cairn list solvers)")             \
    X(COUNT, workers, "workers", "N", "1", "spread a step over N threads")                         \
    X(TEXT, simd, "simd", "I", "the best", "use instruction set I")                                \
    X(COUNT, substeps, "substeps", "N", "the scene's", "cut a step into N substeps")               \
    X(COUNT, count, "count", "N", "1000", "scene rings: drop N rings")                             \
    X(COUNT, triangles, "triangles", "N", "320", "scene rings: make them of N triangles each")     \
    X(FLAG, literal, "literal", "", "no",                                                          \
        "stepper propagation: as the paper says, without guards")                                  \
    X(TEXT, format, "format", "F", "table", "write a table, json or csv")                          \
    X(FLAG, list, "list", "", "no", "list the scenes, and run none")

struct bench_options {
    struct cli_operands scenes; /* none: all scenes */
#define X(KIND, member, name, argument, standard, text) cli_option_##KIND member;
    BENCH_OPTION_TABLE(X)
#undef X
};

/* Runs the scenes and prints what was measured. */
enum cli_exit bench_run(const struct bench_options *options);

#endif
