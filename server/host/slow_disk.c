#include "server/host/slow_disk.h"
#include "engine/base/assert.h"

#include <stdio.h>
#include <string.h>

#define TEXT_SIZE 512

/* Adds a world to those that have waited longest, if it is one of them. */
static void
note_world(struct sv_slow_disk *slow, const char *id, uint32_t waited_ms)
{
    int place = slow->name_count;
    while (place > 0 && slow->names[place - 1].waited_ms < waited_ms) {
        place--;
    }
    slow->world_count++;
    if (place == SV_SLOW_NAMES_MAX) {
        return;
    }
    slow->name_count += slow->name_count < SV_SLOW_NAMES_MAX ? 1 : 0;
    for (int i = slow->name_count - 1; i > place; i--) {
        slow->names[i] = slow->names[i - 1];
    }
    CN_ASSERT(place < slow->name_count && slow->name_count <= SV_SLOW_NAMES_MAX);
    memset(&slow->names[place], 0, sizeof(slow->names[place]));
    snprintf(slow->names[place].id, sizeof(slow->names[place].id), "%s", id);
    slow->names[place].waited_ms = waited_ms;
}

/* Notes the worlds that wait now.  When none waits any more, the last ones stay noted. */
static void
note_worlds(struct sv_slow_disk *slow, const struct sv_host *host)
{
    bool is_first = true;
    for (int i = 0; i < host->world_count; i++) {
        const struct sv_host_world *world = host->worlds[i];
        if (world->status.stalled_ms == 0) {
            continue;
        }
        if (is_first) {
            slow->world_count = slow->name_count = 0;
            is_first = false;
        }
        note_world(slow, world->mailbox.id, world->status.stalled_ms);
    }
}

/* "2 worlds wait: pile (1.1 s), wall (0.9 s)" */
static const char *
print_worlds(const struct sv_slow_disk *slow, bool is_over, char text[TEXT_SIZE])
{
    if (slow->world_count == 0) {
        return is_over ? "no world waited" : "no world waits";
    }
    size_t used = (size_t)snprintf(text, TEXT_SIZE, "%d world%s %s: ", slow->world_count,
        slow->world_count == 1 ? "" : "s",
        is_over                      ? "waited"
            : slow->world_count == 1 ? "waits"
                                     : "wait");
    for (int i = 0; i < slow->name_count; i++) {
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "%s%s (%.1f s)",
            i > 0 ? ", " : "", slow->names[i].id, 1e-3 * slow->names[i].waited_ms);
        CN_ASSERT(used < TEXT_SIZE);
    }
    if (slow->world_count > slow->name_count) {
        snprintf(text + used, TEXT_SIZE - used, " and %d more",
            slow->world_count - slow->name_count);
    }
    return text;
}

void
sv_slow_disk_look(struct sv_slow_disk *slow, const struct sv_host *host, struct sv_log *log,
    uint64_t since_ns, uint64_t now_ns)
{
    char text[TEXT_SIZE];
    if (slow->since_ns != since_ns) {
        sv_slow_disk_end(slow, log, now_ns);
        slow->since_ns = since_ns;
    }
    note_worlds(slow, host);
    if (!slow->is_told && now_ns - since_ns >= SV_SLOW_TOLD_NS) {
        slow->is_told = true;
        sv_log(log, SV_LOG_WARN, "the disk is slow: a commit takes %.1f s so far; %s",
            1e-9 * (double)(now_ns - since_ns), print_worlds(slow, false, text));
    }
}

void
sv_slow_disk_end(struct sv_slow_disk *slow, struct sv_log *log, uint64_t now_ns)
{
    char text[TEXT_SIZE];
    if (slow->since_ns != 0) {
        sv_log(log, SV_LOG_WARN, "the disk was slow: a commit took %.1f s; %s",
            1e-9 * (double)(now_ns - slow->since_ns), print_worlds(slow, true, text));
    }
    *slow = (struct sv_slow_disk){0};
}
