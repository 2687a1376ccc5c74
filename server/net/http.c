#include "server/net/http.h"

#include "engine/base/assert.h"
#include "proto/codec_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
sv_http_respond(
    struct sv_http_response *response, int status, const char *type, char *text_take)
{
    CN_ASSERT(status >= 100 && status < 600);
    memset(response, 0, sizeof(*response));
    response->status = status;
    response->type = type;
    if (text_take != NULL) {
        size_t size = strlen(text_take);
        response->body = sv_buffer_create(size);
        if (response->body != NULL) {
            memcpy(response->body->bytes, text_take, size);
        }
    }
    if (response->body == NULL) {
        response->status = 500;
    }
    free(text_take);
}

void
sv_http_refuse(struct sv_http_response *response, const struct wire_error *error)
{
    sv_http_respond(response, wire_code_http_status(error->code),
        "application/json; charset=utf-8", wire_error_print(error));
    snprintf(response->code, sizeof(response->code), "%s", error->code);
    response->is_expired = strcmp(error->code, "EXPIRED") == 0;
    response->retry_s = (error->retry_ms + 999) / 1000;
}
