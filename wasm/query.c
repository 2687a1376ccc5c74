/*
 * query.c: the functions of a module that answers queries.
 */
#include "wasm/inside.h"

#include "proto/codec.h"
#include "proto/codec_query.h"

#include <stdlib.h>

#define ANSWER_SIZE_MAX ((size_t)64 << 10) /* more than CN_QUERY_HITS_MAX hits take */

static bool
keep_answer(struct cairn *cairn, const struct wire_query_result *result)
{
    if (cairn->answer == NULL) {
        cairn->answer = malloc(ANSWER_SIZE_MAX);
        if (cairn->answer == NULL) {
            return wa_note_memory();
        }
    }
    cairn->answer_size = wire_encode_query_result(result, cairn->answer, ANSWER_SIZE_MAX);
    return true;
}

static bool
ask(struct cairn *cairn, const struct wire_query *query)
{
    struct cn_query_hit hits[CN_QUERY_HITS_MAX];
    struct cn_query asked = query->query;
    struct cn_defect defect;
    int count = 0;
    if ((query->has_age &&
            cn_query_age(cairn->world, &asked, query->age_ms, wire_scene_rewind_ms(cairn->scene),
                &defect) != CN_OK) ||
        cn_world_query(cairn->world, &asked, hits, &count, &defect) != CN_OK) {
        return wa_note_defect(&defect);
    }
    struct wire_query_result result = {
        .request = query->request,
        .tick = asked.has_tick ? asked.tick : cn_world_tick(cairn->world),
        .hits = hits,
        .hit_count = (size_t)count,
    };
    return keep_answer(cairn, &result);
}

/* Answers a query; cairn_answer() and cairn_answer_size() then give a ServerMessage. */
EXPORT(cairn_query) bool
cairn_query(struct cairn *cairn, const uint8_t *bytes, size_t size)
{
    struct wire_client_message message;
    if (!wa_decode(bytes, size, WIRE_CLIENT_QUERY, &message)) {
        return false;
    }
    bool is_answered = ask(cairn, message.query.take);
    wire_client_message_finish(&message);
    return is_answered;
}

EXPORT(cairn_answer) const uint8_t *
cairn_answer(const struct cairn *cairn)
{
    return cairn->answer;
}

EXPORT(cairn_answer_size) size_t
cairn_answer_size(const struct cairn *cairn)
{
    return cairn->answer_size;
}
