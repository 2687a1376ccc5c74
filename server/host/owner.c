#include "server/host/owner.h"

#include "server/host/bake.h"
#include "server/host/fork.h"

int
sv_host_made_count(const struct sv_host *host, enum sv_made made, const struct sv_asker *asker,
    enum sv_principal principal)
{
    int count = made == SV_MADE_WORLD ? sv_bake_count(host, asker, principal)
                                      : sv_fork_count(host, made, asker, principal);
    for (int i = 0; i < host->world_count; i++) {
        const struct sv_host_world *world = host->worlds[i];
        bool is_it = world->made == made && sv_asker_is(&world->maker, asker, principal);
        count += is_it ? 1 : 0;
    }
    return count;
}
