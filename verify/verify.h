/*
 * verify.h: does this certificate prove what it says of this scene?
 *
 * Reads the scene and the certificate alone, in exact rational arithmetic, and shares no code with
 * what made the certificate (prove/, on the same floor, so that neither can include the other).
 * docs/certificates.md is the rule for both.  Checked are
 *
 *     the arrangement   every contact, in order, with its point, normal, friction
 *     the forces        they hold the weights, each within its cone, with the margin claimed
 *     the motion        no forces can do better
 *     the start         Newton's law, and complementarity: these accelerations and no others
 *     the words         verdict, margin as a double, claim: they follow from the above
 *
 * What is written otherwise than the rule says is refused, be it true or not.
 */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "engine/cairn.h"

#include <stdbool.h>
#include <stddef.h>

#define VF_TEXT_SIZE 256

struct vf_finding {
    bool good;
    char text[VF_TEXT_SIZE]; /* good: what is proved; else what is wrong, and where */
};

/* def has passed cn_world_def_check. Returns finding->good. */
bool vf_verify(const struct cn_world_def *def, const char *text, size_t size,
    struct vf_finding *finding);

#endif
