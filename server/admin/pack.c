#include "server/admin/pack.h"

#include "engine/base/assert.h"
#include "server/admin/page.h"
#include "server/base/limits.h"

#include <string.h>
#include <zlib.h>

#define GZIP_WINDOW_BITS (15 + 16) /* 16 makes it gzip */
#define MEMORY_LEVEL 8

static bool
may_pack(const struct sv_http_request *request, const struct sv_http_response *response)
{
    static const char json[] = "application/json";
    bool is_read = request->method == SV_HTTP_GET || request->method == SV_HTTP_HEAD;
    return is_read && response->status == 200 && response->body != NULL &&
        !response->is_packed && strncmp(response->type, json, sizeof(json) - 1) == 0 &&
        response->body->size >= SV_PACKED_SIZE_MIN &&
        response->body->size <= SV_PACKED_SIZE_MAX &&
        sv_page_takes_packed(request->accept_encoding);
}

/* False without memory, or if the packed bytes need as much room as the others. */
static bool
deflate_into(struct sv_buffer *in, struct sv_buffer *out)
{
    z_stream stream = {.next_in = in->bytes,
        .avail_in = (uInt)in->size,
        .next_out = out->bytes,
        .avail_out = (uInt)out->size};
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY_LEVEL,
            Z_DEFAULT_STRATEGY) != Z_OK) {
        return false;
    }
    bool is_done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    CN_ASSERT(stream.total_out <= out->size);
    out->size = is_done ? stream.total_out : out->size;
    deflateEnd(&stream);
    return is_done;
}

void
sv_pack_response(const struct sv_http_request *request, struct sv_http_response *response)
{
    if (!may_pack(request, response)) {
        return;
    }
    struct sv_buffer *packed = sv_buffer_create(response->body->size - 1);
    if (packed != NULL && deflate_into(response->body, packed)) {
        sv_buffer_unref(response->body);
        response->body = packed;
        response->is_packed = true;
    } else {
        sv_buffer_unref(packed);
    }
}
