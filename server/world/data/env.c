#include "server/world/data/env.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/store/store.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

void
sv_env_finish(struct sv_env *env)
{
    cn_scratch_finish(&env->scratch);
    sv_view_tools_finish(&env->tools);
    sv_weigher_finish(&env->weigher);
}

void
sv_env_send(struct sv_env *env, struct sv_report *report)
{
    CN_ASSERT(env->ports.send != NULL); /* without ports nothing is reported */
    env->ports.send(env->ports.context, report);
}

bool
sv_env_has_room(const struct sv_env *env)
{
    return env->ports.has_room(env->ports.context, 0);
}

bool
sv_env_has_room_for(const struct sv_env *env, unsigned more)
{
    return env->ports.has_room(env->ports.context, more);
}

bool
sv_env_is_read_only(const struct sv_env *env)
{
    return env->store != NULL && sv_store_look(env->store, NULL) >= SV_STORE_READ_ONLY;
}

/* The C library keeps small blocks until it is asked to return whole pages. */
void
sv_env_give_back(struct sv_env *env)
{
    cn_scratch_shrink(&env->scratch, SV_SCRATCH_KEPT);
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}
