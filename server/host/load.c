#include "server/host/load.h"

/*
 * A worker with nothing to do sleeps and adds nothing: then the load that it has shown is outdated.
 */
#define STALE_NS (3 * SV_LOAD_WINDOW_NS)

static uint32_t
least_share(const struct sv_load *load)
{
    uint32_t permille = UINT32_MAX;
    for (int i = 0; i < SV_LOAD_WINDOWS; i++) {
        permille = load->permille[i] < permille ? load->permille[i] : permille;
    }
    return permille;
}

void
sv_load_add(struct sv_load *load, uint64_t start_ns, uint64_t end_ns)
{
    if (load->window_ns == 0) {
        load->window_ns = start_ns;
    }
    load->busy_ns += end_ns - start_ns;
    uint64_t elapsed_ns = end_ns - load->window_ns;
    if (elapsed_ns < SV_LOAD_WINDOW_NS) {
        return;
    }
    uint32_t permille = (uint32_t)(load->busy_ns * 1000 / elapsed_ns);
    uint64_t windows = elapsed_ns / SV_LOAD_WINDOW_NS; /* it may have slept over several windows */
    for (uint64_t i = 0; i < windows && i < SV_LOAD_WINDOWS; i++) {
        load->permille[load->count++ % SV_LOAD_WINDOWS] = permille;
    }
    load->window_ns = end_ns;
    load->busy_ns = 0;
    atomic_store_explicit(&load->shown_permille, least_share(load), memory_order_relaxed);
    atomic_store_explicit(&load->shown_ns, end_ns, memory_order_relaxed);
}

uint32_t
sv_load_permille(const struct sv_load *load, uint64_t now_ns)
{
    uint64_t shown_ns = atomic_load_explicit(&load->shown_ns, memory_order_relaxed);
    bool is_heard = shown_ns != 0 && (now_ns < shown_ns || now_ns - shown_ns <= STALE_NS);
    return is_heard ? atomic_load_explicit(&load->shown_permille, memory_order_relaxed) : 0;
}
