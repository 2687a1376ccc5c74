/*
 * inside.h: what the files of deed/rules share.
 *
 * collect.c lists what happened, subject.c finds bodies and owners, effect.c acts, rules.c goes
 * through all of it.
 */
#ifndef DEED_RULES_INSIDE_H
#define DEED_RULES_INSIDE_H

#include "deed/rules/rules.h"

#define DD_RULES_MATCHES_MAX 4000 /* below CN_EVENTS_RULES - CN_EVENTS_KEPT_MAX, with a reserve */

enum dd_rules_happening {
    DD_RULES_SENSOR_BEGIN,
    DD_RULES_SENSOR_END,
    DD_RULES_CONTACT_BEGIN,
    DD_RULES_CONTACT_HIT,
    DD_RULES_CONTACT_FORCE,
    DD_RULES_JOINED,
    DD_RULES_LEFT,
    DD_RULES_TICK, /* what timers and counters wait for: once a tick */
};

/* An event that rules may wait for; a body that it does not have is -1. */
struct dd_rules_match {
    enum dd_rules_happening what;
    int32_t a, b;                        /* sensor and visitor; the two bodies of a contact */
    uint32_t a_generation, b_generation; /* of their slots */
    double value;                        /* CONTACT_HIT: m/s */
    uint64_t session;                    /* JOINED, LEFT */
};

/* One call of dd_rules_step. */
struct run {
    struct dd_rules *rules;
    struct cn_world *engine;
    const struct dd_rules_host *host;
    const struct wire_rules *table;
    uint64_t tick;
    int rule;                       /* which acts: its index; below 0: spawner -1 - rule */
    struct dd_rules_body it, other; /* of the rule that acts */
    uint64_t session;
};

/* collect.c: fills the list of matches.  False without memory, and then nothing has changed. */
bool dd_rules_collect(struct run *run);

/* subject.c */
const struct wire_scene *dd_rules_shown(const struct run *run);
bool dd_rules_body_is(const struct run *run, struct dd_rules_body body);
bool dd_rules_body_fits(
    const struct run *run, struct dd_rules_body body, const struct wire_subject *subject);

/* The first body of the subject in slot `from` or later; -1: none. */
int dd_rules_next_body(const struct run *run, const struct wire_subject *subject, int from);

/* The owner of a subject that is no tag.  False: it is not there. */
bool dd_rules_owner(
    const struct run *run, const struct wire_subject *subject, struct cn_owner *owner);

/* 0 where the attribute is missing or is no number. */
double dd_rules_number(const struct run *run, struct cn_owner owner, const char *name);
bool dd_rules_holds(const struct run *run, const struct wire_condition *condition);

/* effect.c */
enum dd_rules_done {
    DD_RULES_DONE,
    DD_RULES_REFUSED,
    DD_RULES_MEMORY, /* nothing has been done */
    DD_RULES_LOST,   /* it is done, but there was no memory to show it */
};

/* Does the effect to one target: a body's slot, or -1 where the effect is on none. */
enum dd_rules_done dd_rules_act(struct run *run, const struct wire_rule_effect *effect, int target);
enum dd_rules_done dd_rules_spawn(struct run *run, const char *prefab, const char *name,
    const struct wire_put *put, int spawner);

/* Adds an event. */
void dd_rules_tell(struct run *run, enum cn_event_kind kind, double value);

#endif
