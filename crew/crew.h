/*
 * crew.h: threads for engine/base/task.h.
 *
 * The engine has no threads of its own.  A caller that wants to spread a step over processors
 * makes a crew and lends it to a world (cn_world_use).  A crew serves one caller at a time.  A
 * step hands out up to a hundred jobs, so a thread polls for the next one for some hundreds of
 * microseconds, and then sleeps.  An idle crew costs nothing.
 *
 * For many worlds, one worker for each and no crew is faster.
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
