/*
 * portable_made.h: reads bodies made after the scene, and touching pairs, from the portable form.
 */
#ifndef ENGINE_STATE_PORTABLE_MADE_H
#define ENGINE_STATE_PORTABLE_MADE_H

#include "engine/state/portable_reading.h"

/* The definitions of all shapes of these bodies, and their points. */
enum cn_status cn_reading_shapes(struct cn_reading *reading);

/* The bodies made after the scene, whose slots are known. */
enum cn_status cn_reading_made(struct cn_reading *reading);

/*
 * Makes a pipeline with only the pairs, each with one point without force.  So the support of a
 * sleeping body is known, and no contact is reported to begin twice.  Pairs that no longer exist
 * are left out; their contacts are found again when their bodies move.
 */
enum cn_status cn_reading_touching(struct cn_reading *reading);

#endif
