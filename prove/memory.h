/*
 * memory.h: memory for exact computations, which may run out.
 *
 * GMP can not be told that there is no memory: it knows only to end the process.  So a computation
 * is an attempt: when a block can not be had, everything that the attempt has taken, GMP's numbers
 * too, is given back, and it has not taken place.  Blocks of an attempt that succeeds are ordinary
 * ones from then on.  Outside of an attempt the process ends, with a word why.
 *
 * Every block has two pointers before it, by which an attempt knows its own.
 *
 * Threads: each has its own attempts; what one of them has computed may be finished by another.
 */
#ifndef PROVE_MEMORY_H
#define PROVE_MEMORY_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Does the work; false: there was no memory for it, and all that it took from here is free again.
 * What it wrote elsewhere stays.  An attempt within an attempt is a part of that.
 */
CN_MUST_USE bool pv_attempt(void (*work)(void *context), void *context);

void *pv_alloc(size_t count, size_t size); /* zeroed; never NULL */
void pv_free(void *memory);                /* NULL: nothing */

#endif
