/*
 * load_script.h: the scripts of bots, one table of models.
 *
 * A script gives the time of its next input, and the input.  The same seed gives the same inputs.
 * Bodies are those of the joined scene that forces can move.
 */
#ifndef CLIENTS_LOAD_LOAD_SCRIPT_H
#define CLIENTS_LOAD_LOAD_SCRIPT_H

#include "engine/base/rng.h"
#include "proto/peer.h"

/* Name, constant, description. */
#define LOAD_MODEL_TABLE(X)                                                                        \
    X(idle, IDLE, "watches")                                                                       \
    X(push, PUSH, "pushes a body, another one each time, for a sixth of a second, every second")   \
    X(drag, DRAG, "drags a body in circles for three seconds, twenty inputs a second, and rests")  \
    X(burst, BURST, "rests for three seconds, then sends thirty inputs within a quarter second")

enum load_model {
#define X(name, NAME, text) LOAD_##NAME,
    LOAD_MODEL_TABLE(X)
#undef X
    LOAD_MODEL_COUNT
};

const char *load_model_name(enum load_model model);

struct load_shares {
    unsigned of[LOAD_MODEL_COUNT];
    unsigned total;
};

#define LOAD_SHARE_MAX 1000000

/* Parses "idle=60,push=40" or "drag"; false with *error filled. */
bool load_shares_parse(
    const char *text, struct load_shares *shares, char *error, size_t error_size);

/*
 * The model of the bot with this number.  Among any hundred successive bots, the models have their
 * shares.
 */
enum load_model load_shares_pick(const struct load_shares *shares, unsigned bot);

struct load_script {
    enum load_model model;
    struct cn_rng rng;
    uint64_t next_us; /* when the next input is due; UINT64_MAX: never */
    unsigned left;    /* inputs until the next pause */
    size_t body;
    double angle; /* rad, of the circle */
};

/* The silence of a bot after its first BUSY, and the longest silence. */
#define LOAD_QUIET_US UINT64_C(100000)
#define LOAD_QUIET_US_MAX UINT64_C(3200000)

/*
 * The silence of a bot after a BUSY.  *quiet_us is the silence after the BUSY before (0: none), and
 * becomes the value that the next call doubles.  `chance` is a random number in [0, 1).
 */
uint64_t load_quiet_us(uint64_t *quiet_us, uint32_t retry_ms, double chance);

void load_script_begin(
    struct load_script *script, enum load_model model, uint64_t seed, uint64_t now_us);

/* Fills the due input, without its number and tick, and sets next_us.  False: no input is due. */
bool load_script_next(struct load_script *script, const struct wire_heard_joined *joined,
    uint64_t now_us, struct wire_input *input);

#endif
