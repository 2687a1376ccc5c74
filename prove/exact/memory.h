/*
 * memory.h: memory for exact computations, which may run out.
 *
 * GMP cannot handle a failed allocation: it ends the process.  So a computation runs as an
 * attempt.  If an allocation fails, all blocks of the attempt are freed, GMP's numbers included,
 * and the attempt reports failure.  If the attempt succeeds, its blocks become ordinary ones.
 * Outside of an attempt, a failed allocation prints a message and ends the process.
 *
 * Two pointers precede every block; they link the blocks of an attempt.
 *
 * Threads: each thread has its own attempts.  Another thread may finish a computed result.
 */
#ifndef PROVE_EXACT_MEMORY_H
#define PROVE_EXACT_MEMORY_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs work(context).  False: memory ran out; every block that the work took is freed, but its
 * other writes stay.  An attempt within an attempt is part of the outer one.
 */
CN_MUST_USE bool pv_attempt(void (*work)(void *context), void *context);

void *pv_alloc(size_t count, size_t size); /* zeroed; never NULL */
void pv_free(void *memory);                /* accepts NULL */

#endif
