/* readiness.c: whether the daemon can take work now, and why not. */
#include "engine/base/assert.h"
#include "server/admin/admin.h"
#include "server/host/slow_disk.h"
#include "server/host/worker.h"
#include "server/store/store.h"

#include <stdio.h>

/*
 * Whether worlds can be made and changed now.  The text has only the name of a fault, because every
 * client may ask.
 */
bool
sv_readiness(const struct sv_admin *admin, char *text, size_t size)
{
    CN_ASSERT(size > 0);
    struct sv_store *store =
        admin->host->worker_count > 0 ? admin->host->workers[0]->env.store : NULL;
    enum sv_store_state state = store != NULL ? sv_store_look(store, NULL) : SV_STORE_WRITING;
    if (admin->is_stopping) {
        snprintf(text, size, "not ready: the daemon is stopping\n");
    } else if (!admin->is_ready) {
        snprintf(text, size, "not ready: worlds are being made\n");
    } else if (state == SV_STORE_READ_ONLY) {
        snprintf(text, size, "not ready: %s: worlds can be watched, but not changed\n",
            sv_fault_name(sv_store_fault(store)->kind));
    } else if (state == SV_STORE_FAILED) {
        snprintf(text, size, "not ready: %s: the daemon is stopping\n",
            sv_fault_name(sv_store_fault(store)->kind));
    } else if (state == SV_STORE_STALLED && sv_store_stall_ns(store) >= SV_SLOW_TOLD_NS) {
        snprintf(text, size, "not ready: the disk is slow: a commit takes %.1f s so far\n",
            1e-9 * (double)sv_store_stall_ns(store));
    } else {
        uint64_t damaged = store != NULL ? sv_store_figures(store).scrub_damaged : 0;
        if (damaged == 0) {
            snprintf(text, size, "ready\n");
        } else {
            snprintf(text, size, "ready, but %llu stored things are damaged: see the log\n",
                (unsigned long long)damaged);
        }
        return true;
    }
    return false;
}
