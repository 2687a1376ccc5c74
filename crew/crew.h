/*
 * crew.h: threads for engine/base/task.h.
 *
 * The engine has none of its own; who wants a step spread over processors makes a crew and lends it
 * to a world (cn_world_use).  A crew serves one caller at a time.  Its threads wait for the next
 * piece of work for some microseconds with their eyes open, since a step hands out hundreds, and
 * then sleep: an idle crew costs nothing.
 *
 * Where worlds are many, one worker for each and no crew is quicker.
 *
 * Ownership: create and destroy, by the same thread; destroy joins the threads.
 */
#ifndef CREW_CREW_H
#define CREW_CREW_H

#include "engine/base/task.h"

/* Of 1 .. CN_WORKERS_MAX workers, the caller among them.  NULL: no memory, no thread. */
struct cn_crew *crew_create(int worker_count);
void crew_destroy(struct cn_crew *crew);

#endif
