/*
 * event.h: what happened in a tick, for people, tests and the wire.
 *
 * Whenever a limit cuts something short, an event reports it.
 */
#ifndef ENGINE_MODEL_EVENT_H
#define ENGINE_MODEL_EVENT_H

#include <stdint.h>

/*
 * Enumerator, name, meaning.  The bodies and value of IMPACT_LIMIT show which limit was met.  With
 * two bodies: there were too many rounds of impacts at one instant, and one plastic round ended
 * them.  Without bodies: the tick had too many impacts or too many pieces.  After too many impacts
 * the rest of the tick is done in steps of first order; after too many pieces it is done without a
 * search for impacts.
 */
#define CN_EVENT_TABLE(X)                                                                          \
    X(IMPACT, "impact", "two bodies collided; value: impulse [N s]")                               \
    X(ZENO, "zeno", "too many impacts: the tick's rest has no restitution; value: count")          \
    X(IMPACT_LIMIT, "impactLimit", "a bound on impacts, rounds or pieces was met; value: count")   \
    X(SQUEEZED, "squeezed", "no force parts closing walls; value: scaled residual")                \
    X(JAM, "jam", "friction left no forces: velocities jumped; value: impulse [N s]")              \
    X(OVERLAP, "overlap", "bodies overlap deeper than tolerance; value: depth [m]")                \
    X(STEP_MIN, "stepMin", "the smallest step missed the error bound; value: error ratio")         \
    X(CONTACT_LIMIT, "contactLimit", "more contacts than there is room for; value: left out")      \
    X(QUARANTINE, "quarantine", "a body ran away beyond all numbers; it is held; value: 0")        \
    X(EXPIRED, "expired", "a held input reached its tick; value: slot")                            \
    X(CONTACT_BEGIN, "contactBegin", "two shapes began to touch; value: 0")                        \
    X(CONTACT_END, "contactEnd", "two shapes ceased to touch; value: 0")                           \
    X(CONTACT_HIT, "contactHit", "two shapes met at speed; value: that speed [m/s]")               \
    X(SENSOR_BEGIN, "sensorBegin", "body B came into a sensor; value: which of A's shapes")        \
    X(SENSOR_END, "sensorEnd", "body B left a sensor; value: which of body A's shapes")            \
    X(BODY_SLEEP, "bodySleep", "a body fell asleep; value: its island")                            \
    X(BODY_WAKE, "bodyWake", "a body woke up; value: the island that it slept in")                 \
    X(JOINT_BROKEN, "jointBroken", "more than a joint bears broke it; value: the joint")           \
    X(BODY_MADE, "bodyMade", "a body was made; value: its slot's generation")                      \
    X(BODY_REMOVED, "bodyRemoved", "a body was removed; value: its slot's generation")             \
    X(UNSOLVED, "unsolved", "forces miss the tolerance; value: the worst scaled residual")         \
    X(STAND_IN, "standIn", "another solver answered for an island; value: its rows")               \
    X(CONTACT_STAY, "contactStay", "two shapes that touched go on touching; value: 0")             \
    X(CONTACT_FORCE, "contactForce", "two shapes press on each other; value: that force [N]")\
    X(RULE_MESSAGE, "ruleMessage", "a rule's message; value: 16 times its index, plus the effect") \
    X(RULE_REFUSED, "ruleRefused", "a rule's effect was refused; value: its index")                \
    X(RULE_LIMIT, "ruleLimit", "too many effects of rules in a tick; value: left out")

#define X(NAME, name, text) CN_EVENT_##NAME,
enum cn_event_kind { CN_EVENT_TABLE(X) CN_EVENT_KIND_COUNT };
#undef X

struct cn_event {
    enum cn_event_kind kind;
    int32_t body_a, body_b; /* -1: no body */
    double time;            /* simulated time [s] */
    double value;           /* see the table */
};

/* The table's name and text. */
const char *cn_event_name(enum cn_event_kind kind);
const char *cn_event_text(enum cn_event_kind kind);

#endif
