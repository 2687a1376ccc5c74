#include "proto/codec_query.h"

#include "engine/base/assert.h"
#include "proto/codec.h"
#include "proto/codec/check.h"
#include "proto/codec/world.h"
#include "proto/codec_json.h"
#include "proto/scene/inside.h"
#include "proto/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)CAIRN__V1__QUERY__KIND__RAY == (int)CN_QUERY_RAY, "same order");
_Static_assert((int)CAIRN__V1__QUERY__KIND__CAST == (int)CN_QUERY_CAST, "same order");
_Static_assert((int)CAIRN__V1__QUERY__KIND__OVERLAP == (int)CN_QUERY_OVERLAP, "same order");

/* ---- decoding ---- */

/* Decodes the shape; the query owns its vertices. */
static enum cn_status
read_shape(
    const Cairn__V1__Shape *message, struct wire_query *out, struct cn_defect *defect)
{
    size_t vertex_count = 0;
    enum cn_status status = scene_shape_count(message, &vertex_count, defect);
    if (status == CN_OK) {
        cn_vec3 *vertices = out->vertices;
        CN_ASSERT(vertex_count <= sizeof(out->vertices) / sizeof(out->vertices[0]));
        status = scene_shape_fill(message, &vertices, &out->shape, defect);
        CN_ASSERT(vertices <= out->vertices + vertex_count);
    }
    if (status != CN_OK) {
        cn_defect_prefix(defect, defect->path[0] != '\0' ? "shape." : "shape");
        return status;
    }
    out->query.shape = &out->shape;
    return CN_OK;
}

static enum cn_status
read_query(const Cairn__V1__Query *in, struct wire_query *out, struct cn_defect *defect)
{
    out->request = in->request;
    out->query = cn_query_make((enum cn_query_kind)in->kind);
    out->query.position = codec_vec3(in->position);
    out->query.along = codec_vec3(in->along);
    out->query.angle = in->angle;
    out->query.filter = scene_filter_of(in->filter);
    if (in->hit_max > CN_QUERY_HITS_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "hitMax", "is %" PRIu32 "; 1 to %d hits are given",
            in->hit_max, CN_QUERY_HITS_MAX);
    }
    out->query.hit_max = in->hit_max > 0 ? (int32_t)in->hit_max : 1;
    out->query.sensors = in->sensors;
    out->query.skip_inside = in->skip_inside;
    if (in->orientation != NULL) {
        const Cairn__V1__Quat *q = in->orientation;
        out->query.orientation = (cn_quat){q->w, q->x, q->y, q->z};
    }
    if (in->ignored_set_case == CAIRN__V1__QUERY__IGNORED_SET_IGNORED_BODY) {
        out->query.ignored_body =
            in->ignored_body > INT32_MAX ? INT32_MAX : (int32_t)in->ignored_body;
    }
    if (in->at_set_case == CAIRN__V1__QUERY__AT_SET_TICK) {
        out->query.has_tick = true;
        out->query.tick = in->tick;
    } else if (in->at_set_case == CAIRN__V1__QUERY__AT_SET_AGE_MS) {
        out->has_age = true;
        out->age_ms = in->age_ms;
    }
    return in->shape != NULL ? read_shape(in->shape, out, defect) : CN_OK;
}

struct wire_query *
codec_query_read(const Cairn__V1__Query *message, const char *prefix, struct wire_error *error)
{
    struct wire_query *query = calloc(1, sizeof(*query));
    struct cn_defect defect = {0};
    if (query == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return NULL;
    }
    if (read_query(message, query, &defect) != CN_OK) {
        cn_defect_prefix(&defect, "%s", prefix);
        wire_error_from_defect(error, &defect);
        free(query);
        return NULL;
    }
    return query;
}

struct wire_query *
wire_query_parse(const char *text, size_t size, struct wire_error *error)
{
    ProtobufCMessage *message =
        codec_json_parse(&cairn__v1__query__descriptor, text, size, error);
    if (message == NULL) {
        return NULL;
    }
    struct wire_query *query = codec_query_read((const Cairn__V1__Query *)message, "", error);
    wire_text_free(message);
    return query;
}

/* ---- encoding ---- */

/* A QueryResult with its parts; finish with free(parts). */
struct parts {
    Cairn__V1__QueryResult__Hit hit;
    Cairn__V1__Vec3 point, normal;
};

struct result_message {
    Cairn__V1__QueryResult message;
    struct parts *parts;
    Cairn__V1__QueryResult__Hit **pointers;
};

static void
fill_vector(Cairn__V1__Vec3 *out, cn_vec3 v)
{
    cairn__v1__vec3__init(out);
    out->x = v.x;
    out->y = v.y;
    out->z = v.z;
}

static void
fill_hit(struct parts *out, const struct cn_query_hit *hit)
{
    CN_ASSERT(hit->body >= 0 && hit->shape_index >= 0);
    cairn__v1__query_result__hit__init(&out->hit);
    out->hit.body = (uint32_t)hit->body;
    out->hit.shape = (uint32_t)hit->shape_index;
    out->hit.fraction = hit->fraction;
    out->hit.inside = hit->is_inside;
    fill_vector(&out->point, hit->point);
    fill_vector(&out->normal, hit->normal);
    out->hit.point = &out->point;
    out->hit.normal = &out->normal;
}

/* If memory runs out, the hits are left out. */
static void
build_result(struct result_message *out, const struct wire_query_result *result)
{
    size_t n = result->hit_count;
    CN_ASSERT(n <= CN_QUERY_HITS_MAX);
    cairn__v1__query_result__init(&out->message);
    out->message.request = result->request;
    out->message.tick = result->tick;
    out->message.generation = result->generation;
    out->parts = calloc(n + 1, sizeof(*out->parts));
    out->pointers = calloc(n + 1, sizeof(*out->pointers));
    if (out->parts == NULL || out->pointers == NULL) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        fill_hit(&out->parts[i], &result->hits[i]);
        out->pointers[i] = &out->parts[i].hit;
    }
    out->message.n_hits = n;
    out->message.hits = out->pointers;
}

static void
finish_result(struct result_message *message)
{
    free(message->parts);
    free(message->pointers);
}

size_t
wire_encode_query_result(
    const struct wire_query_result *result, uint8_t *out, size_t out_size)
{
    struct result_message body;
    build_result(&body, result);
    Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
    message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_QUERY_RESULT;
    message.query_result = &body.message;
    size_t size = cairn__v1__server_message__get_packed_size(&message);
    if (size <= out_size) {
        size_t written = cairn__v1__server_message__pack(&message, out);
        CN_ASSERT(written == size); /* as it was measured */
    }
    finish_result(&body);
    return size;
}

char *
wire_query_result_print(const struct wire_query_result *result)
{
    struct result_message body;
    build_result(&body, result);
    char *text = wire_text_print(&body.message.base, true, true);
    finish_result(&body);
    return text;
}
