/*
 * physics.c: the version of the physics, in its own file, so that tests can be linked with another
 * version.
 */
#include "engine/state/image.h"

/* Raised by every change that makes the same inputs give other bits. */
#define PHYSICS_VERSION 12

uint32_t
cn_physics_version(void)
{
    return PHYSICS_VERSION;
}
