/* world_query.c: answers queries about a world: as a message for a session, as JSON for HTTP. */
#include "server/world/act/world_query.h"

#include "engine/base/assert.h"
#include "proto/codec_json.h"
#include "server/snapshot/framing.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_say.h"

#include <stdlib.h>

static size_t
encode_result(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_query_result(context, out, out_size);
}

/* Asks the engine, which names past states by their ticks; *tick is the tick that was asked. */
static enum cn_status
ask_engine(const struct sv_world *world, const struct wire_query *query, struct cn_query_hit *hits,
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
sv_world_remember(struct sv_world *world, uint64_t now_ns, bool is_looked_at)
{
    if (is_looked_at || world->looked_ns == 0) {
        world->looked_ns = now_ns;
    }
    bool is_wanted = now_ns - world->looked_ns < SV_REMEMBER_NS;
    int ticks = is_wanted ? wire_scene_rewind_ticks(world->scene->scene) : 0;
    bool has_past = cn_world_past(world->engine).size > 0;
    if (has_past != (ticks > 0)) {
        struct cn_defect ignored; /* without memory there is no past, and queries say so */
        (void)!cn_world_remember(world->engine, ticks, &ignored);
    }
}

void
sv_world_ask(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_query *query)
{
    struct cn_query_hit hits[CN_QUERY_HITS_MAX];
    struct cn_defect defect;
    int hit_count;
    uint64_t tick;
    sv_world_remember(world, sv_clock_now_ns(&world->env->clock), true);
    if (ask_engine(world, query, hits, &hit_count, &tick, &defect) != CN_OK) {
        struct wire_error error;
        if (asker->session != 0) {
            cn_defect_prefix(&defect, "query.");
        }
        wire_error_from_defect(&error, &defect);
        sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
        return;
    }
    CN_ASSERT(hit_count >= 0 && hit_count <= CN_QUERY_HITS_MAX);
    struct wire_query_result result = {
        .request = asker->session != 0 ? asker->request : 0,
        .tick = tick,
        .generation = world->generation,
        .hits = hits,
        .hit_count = (size_t)hit_count,
    };
    struct sv_report report = {
        .kind = SV_REPORT_ANSWERED, .mailbox = world->mailbox, .asker = *asker};
    if (asker->session != 0) {
        report.message_take = sv_frame_message(encode_result, &result);
    } else {
        report.outcome_take = calloc(1, sizeof(*report.outcome_take));
        if (report.outcome_take != NULL) {
            report.outcome_take->text = wire_query_result_print(&result);
        }
    }
    sv_world_report(world, &report);
}
