/*
 * verify.h: checks that a certificate proves its claim about a scene.
 *
 * The verifier reads only the scene and the certificate, in exact rational arithmetic.  It shares
 * no code with prove/, which made the certificate; both are on the same floor, so neither can
 * include the other.  docs/certificates.md is the rule for both.  The verifier checks
 *
 *     the arrangement   every contact, in order, with its point, normal, friction
 *     the forces        they hold the weights, each within its cone, with the margin claimed
 *     the motion        no forces can do better
 *     the start         Newton's law, and complementarity: these accelerations and no others
 *     the words         verdict, margin as a double, claim: they follow from the above
 *
 * A text that departs from these rules is refused, even if it is true.
 */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "engine/cairn.h"
#include "verify/watch.h"

#include <stdbool.h>
#include <stddef.h>

#define VF_TEXT_SIZE 256

struct vf_finding {
    bool good;
    char text[VF_TEXT_SIZE]; /* good: the proved statement; else the error, and its place */
};

/* def has passed cn_world_def_check. Returns finding->good. */
bool vf_verify(const struct cn_world_def *def, const char *text, size_t size,
    struct vf_finding *finding);

/* The same, with a watch. */
bool vf_verify_watched(const struct cn_world_def *def, const char *text, size_t size,
    const struct vf_watch *watch, struct vf_finding *finding);

#endif
