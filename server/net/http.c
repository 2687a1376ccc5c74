#include "server/net/http.h"

#include "engine/base/assert.h"
#include "proto/codec_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
sv_http_argument(const char **query, char name[SV_HEADER_SIZE], char value[SV_HEADER_SIZE])
{
    const char *at = *query;
    size_t size = strcspn(at, "&"), name_size = strcspn(at, "=&");
    size_t value_size = name_size < size ? size - name_size - 1 : 0;
    if (size == 0 || name_size >= SV_HEADER_SIZE || value_size >= SV_HEADER_SIZE) {
        return false;
    }
    memcpy(name, at, name_size);
    name[name_size] = '\0';
    memcpy(value, at + size - value_size, value_size);
    value[value_size] = '\0';
    *query = at + size + (at[size] == '&' ? 1 : 0);
    return true;
}

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
