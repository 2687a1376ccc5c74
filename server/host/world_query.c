/*
 * world_query.c: what is where in a world, told to those who ask: a message for a session, JSON for
 * HTTP.
 */
#include "server/host/world.h"

#include "proto/codec_json.h"
#include "server/host/worker.h"
#include "server/snapshot/message.h"

#include <stdlib.h>

static size_t
encode(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_query_result(context, out, out_size);
}

/* Asks the engine, which knows ages by their ticks; *tick is that of the state that was asked. */
static enum cn_status
ask(const struct sv_world *world, const struct wire_query *query, struct cn_query_hit *hits,
    int *hit_count, uint64_t *tick, struct cn_defect *defect)
{
    struct cn_query asked = query->query;
    enum cn_status status = CN_OK;
    if (query->has_age) {
        status = cn_query_age(world->engine, &asked, query->age_ms,
            wire_scene_rewind_ms(world->scene->scene), defect);
    }
    *tick = asked.has_tick ? asked.tick : cn_world_tick(world->engine);
    return status == CN_OK ? cn_world_query(world->engine, &asked, hits, hit_count, defect)
                           : status;
}

void
sv_world_ask(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_query *query)
{
    struct cn_query_hit hits[CN_QUERY_HITS_MAX];
    struct cn_defect defect;
    int hit_count;
    uint64_t tick;
    sv_world_remember(world, sv_clock_now_ns(&world->worker->clock), true);
    if (ask(world, query, hits, &hit_count, &tick, &defect) != CN_OK) {
        struct wire_error error;
        if (asker->session != 0) {
            cn_defect_prefix(&defect, "query.");
        }
        wire_error_from_defect(&error, &defect);
        sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
        return;
    }
    struct wire_query_result result = {
        .request = asker->session != 0 ? asker->request : 0,
        .tick = tick,
        .generation = world->generation,
        .hits = hits,
        .hit_count = (size_t)hit_count,
    };
    struct sv_report report = {
        .kind = SV_REPORT_ANSWERED, .post = world->post, .asker = *asker};
    if (asker->session != 0) {
        report.message_take = sv_message_frame(encode, &result);
    } else {
        report.outcome_take = calloc(1, sizeof(*report.outcome_take));
        if (report.outcome_take != NULL) {
            report.outcome_take->text = wire_query_result_print(&result);
        }
    }
    sv_worker_report(world->worker, &report);
}
