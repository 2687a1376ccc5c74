#include "clients/load/load_script.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US_PER_S UINT64_C(1000000)

#define PUSH_ACCELERATION 8.0 /* m/s^2 */
#define PUSH_TICKS 10
#define DRAG_INPUTS 60
#define DRAG_PERIOD_US (US_PER_S / 20)
#define DRAG_RADIUS 0.5         /* m */
#define DRAG_TURN 0.15          /* rad for each input: a turn in two seconds */
#define DRAG_STIFFNESS_KG 40.0  /* N/m for each kilogram: a period of a second */
#define DRAG_DAMPING_KG 6.0     /* N s/m for each kilogram: half of critical */
#define DRAG_HOLD_TICKS 60      /* the drag ends by itself if the bot becomes silent */
#define BURST_INPUTS 30
#define BURST_PERIOD_US (US_PER_S / 120)
#define REST_US (3 * US_PER_S)

static const char *const names[LOAD_MODEL_COUNT] = {
#define X(name, NAME, text) #name,
    LOAD_MODEL_TABLE(X)
#undef X
};

const char *
load_model_name(enum load_model model)
{
    CN_ASSERT((unsigned)model < LOAD_MODEL_COUNT);
    return names[model];
}

/* ---- shares ---- */

static int
find_model(const char *name, size_t size)
{
    for (int i = 0; i < LOAD_MODEL_COUNT; i++) {
        if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0) {
            return i;
        }
    }
    return -1;
}

bool
load_shares_parse(const char *text, struct load_shares *shares, char *error, size_t error_size)
{
    memset(shares, 0, sizeof(*shares));
    for (const char *at = text;; at++) {
        size_t size = strcspn(at, "=,");
        int model = find_model(at, size);
        unsigned long share = 1;
        const char *rest = at + size;
        if (model >= 0 && *rest == '=') {
            char *end;
            share = rest[1] >= '0' && rest[1] <= '9' ? strtoul(rest + 1, &end, 10)
                                                     : LOAD_SHARE_MAX + 1;
            rest = share <= LOAD_SHARE_MAX ? end : rest;
        }
        if (model < 0 || share > LOAD_SHARE_MAX || (*rest != ',' && *rest != '\0')) {
            snprintf(error, error_size,
                "--script is %s; models with shares are accepted, such as idle=60,push=30,drag=10; "
                "there are idle, push, drag and burst",
                cn_quote(text).text);
            return false;
        }
        shares->of[model] += (unsigned)share;
        shares->total += (unsigned)share;
        at = rest;
        if (*at == '\0') {
            break;
        }
    }
    if (shares->total == 0) {
        snprintf(error, error_size, "--script is %s; one share at least is above 0",
            cn_quote(text).text);
    }
    return shares->total > 0;
}

/* The shares divide [0, 1).  Bot i gets the model at i / golden ratio, modulo 1. */
enum load_model
load_shares_pick(const struct load_shares *shares, unsigned bot)
{
    CN_ASSERT(shares->total > 0);
    double turn = (bot + 0.5) * 0.6180339887498949;
    double place = (turn - floor(turn)) * shares->total;
    unsigned model = 0;
    while (model < LOAD_MODEL_COUNT - 1 && place >= shares->of[model]) {
        place -= shares->of[model++];
    }
    return (enum load_model)model;
}

/* ---- models ---- */

/* The first input comes at a random time in the first second, so that bots do not act together. */
void
load_script_begin(
    struct load_script *script, enum load_model model, uint64_t seed, uint64_t now_us)
{
    memset(script, 0, sizeof(*script));
    script->model = model;
    script->rng.state = seed;
    cn_rng_next(&script->rng);
    uint64_t delay_us = (uint64_t)cn_rng_uniform(&script->rng, 0.0, (double)US_PER_S);
    script->next_us = model == LOAD_IDLE ? UINT64_MAX : now_us + delay_us;
}

static const struct wire_heard_body *
pick_body(struct load_script *script, const struct wire_heard_joined *joined)
{
    CN_ASSERT(joined->body_count > 0);
    script->body = cn_rng_next(&script->rng) % joined->body_count;
    return &joined->bodies[script->body];
}

static void
push_body(
    struct load_script *script, const struct wire_heard_joined *joined, struct wire_input *input)
{
    const struct wire_heard_body *body = pick_body(script, joined);
    double most = PUSH_ACCELERATION * body->mass;
    cn_vec3 force = {cn_rng_uniform(&script->rng, -most, most),
        cn_rng_uniform(&script->rng, 0.0, most),
        joined->is_spatial ? cn_rng_uniform(&script->rng, -most, most) : 0.0};
    input->hold_ticks = PUSH_TICKS;
    input->command.kind = CN_COMMAND_HOLD_FORCE;
    input->command.hold_force = (struct cn_hold_force){
        .body = (int32_t)body->slot, .frame = CN_FRAME_WORLD, .force = force};
}

static void
drag_body(
    struct load_script *script, const struct wire_heard_joined *joined, struct wire_input *input)
{
    const struct wire_heard_body *body = &joined->bodies[script->body % joined->body_count];
    cn_vec3 target = body->position;
    script->angle += DRAG_TURN;
    target.x += DRAG_RADIUS * cos(script->angle);
    target.y += DRAG_RADIUS * sin(script->angle);
    input->hold_ticks = DRAG_HOLD_TICKS;
    input->command.kind = CN_COMMAND_HOLD_DRAG;
    input->command.hold_drag = (struct cn_hold_drag){.body = (int32_t)body->slot,
        .target = target,
        .stiffness = DRAG_STIFFNESS_KG * body->mass,
        .damping = DRAG_DAMPING_KG * body->mass};
}

bool
load_script_next(struct load_script *script, const struct wire_heard_joined *joined,
    uint64_t now_us, struct wire_input *input)
{
    if (now_us < script->next_us || joined->body_count == 0) {
        return false;
    }
    memset(input, 0, sizeof(*input));
    if (script->model == LOAD_PUSH) {
        push_body(script, joined, input);
        script->next_us +=
            (uint64_t)cn_rng_uniform(&script->rng, 0.5 * (double)US_PER_S, 1.5 * (double)US_PER_S);
    } else if (script->model == LOAD_DRAG) {
        if (script->left == 0) {
            script->left = DRAG_INPUTS;
            pick_body(script, joined);
        }
        drag_body(script, joined, input);
        if (script->left == 1) {
            input->command.kind = CN_COMMAND_RELEASE;
            input->command.release = (struct cn_release){.slot = 0};
        }
        script->next_us += --script->left > 0 ? DRAG_PERIOD_US : REST_US;
    } else {
        script->left = script->left == 0 ? BURST_INPUTS : script->left;
        push_body(script, joined, input);
        script->next_us += --script->left > 0 ? BURST_PERIOD_US : REST_US;
    }
    if (script->next_us + US_PER_S < now_us) {
        script->next_us = now_us; /* leaves out inputs that were due while the bot could not act */
    }
    return true;
}

/* ---- silence ---- */

uint64_t
load_quiet_us(uint64_t *quiet_us, uint32_t retry_ms, double chance)
{
    uint64_t next_us = *quiet_us == 0 ? LOAD_QUIET_US : 2 * *quiet_us;
    *quiet_us = next_us < LOAD_QUIET_US_MAX ? next_us : LOAD_QUIET_US_MAX;
    uint64_t least_us = (uint64_t)retry_ms * 1000;
    uint64_t span_us = (uint64_t)((double)*quiet_us * (1.0 - 0.25 * chance));
    return span_us > least_us ? span_us : least_us;
}
