#include "server/room/poster.h"

#include "engine/base/assert.h"

#include <stdio.h>
#include <string.h>

static bool
send_post(void *context, const struct sv_post *post)
{
    struct sv_poster_sim *sim = context;
    if (sim->count + sim->result_count >= SV_POSTER_SIM_MAX) {
        return false;
    }
    sim->posts[sim->count++] = *post;
    return true;
}

static bool
take_result(void *context, struct sv_post_result *result)
{
    struct sv_poster_sim *sim = context;
    if (sim->result_count == 0) {
        return false;
    }
    *result = sim->results[0];
    sim->result_count--;
    memmove(sim->results, sim->results + 1,
        (size_t)sim->result_count * sizeof(sim->results[0]));
    return true;
}

struct sv_poster
sv_poster_sim(struct sv_poster_sim *sim)
{
    memset(sim, 0, sizeof(*sim));
    return (struct sv_poster){.context = sim, .send = send_post, .take = take_result};
}

void
sv_poster_sim_decide(struct sv_poster_sim *sim, int index, bool is_delivered)
{
    CN_ASSERT(index >= 0 && index < sim->count && sim->result_count < SV_POSTER_SIM_MAX);
    struct sv_post_result *result = &sim->results[sim->result_count++];
    *result = (struct sv_post_result){
        .number = sim->posts[index].number, .is_delivered = is_delivered};
    snprintf(result->text, sizeof(result->text), "%s", is_delivered ? "" : "status 500");
    sim->count--;
    memmove(sim->posts + index, sim->posts + index + 1,
        (size_t)(sim->count - index) * sizeof(sim->posts[0]));
}
