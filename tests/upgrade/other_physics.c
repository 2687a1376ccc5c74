/*
 * other_physics.c: changes the physics version of a program for tests of upgrades.  The program is
 * linked with --wrap=cn_physics_version, and its version is OTHER_PHYSICS larger.
 */
#include "engine/state/image.h"

uint32_t __real_cn_physics_version(void);
uint32_t __wrap_cn_physics_version(void);

uint32_t
__wrap_cn_physics_version(void)
{
    return (uint32_t)((int)__real_cn_physics_version() + (OTHER_PHYSICS));
}
