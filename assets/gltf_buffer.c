#include "assets/folder.h"
#include "assets/gltf_inside.h"

#include <string.h>

#define DATA_URI "data:"
#define BASE64 ";base64,"

/* Every value except the first of a list or object follows a comma, and every name has a colon. */
static size_t
count_values(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += text[i] == ',' || text[i] == ':' || text[i] == '[' || text[i] == '{';
    }
    return count;
}

enum cn_status
gltf_parse(struct gltf *gltf)
{
    json_error_t error;
    char path[64];
    size_t values = count_values(gltf->text, gltf->text_size);
    if (values > AS_GLTF_VALUES_MAX) {
        return cn_defect_set(gltf->defect, CN_LIMIT, "text",
            "has about %zu names and values; at most %d are read", values, AS_GLTF_VALUES_MAX);
    }
    gltf->root = json_loadb(gltf->text, gltf->text_size, JSON_REJECT_DUPLICATES, &error);
    if (gltf->root == NULL) {
        snprintf(path, sizeof(path), "line %d, column %d", error.line, error.column);
        return cn_defect_set(gltf->defect, CN_SYNTAX, path, "%s", error.text);
    }
    if (!json_is_object(gltf->root)) {
        return cn_defect_set(gltf->defect, CN_SYNTAX, "line 1", "starts no object {...}");
    }
    return CN_OK;
}

void
gltf_finish(struct gltf *gltf)
{
    for (int i = 0; i < AS_GLTF_BUFFERS_MAX; i++) {
        free(gltf->buffer[i].memory);
    }
    free(gltf->visited);
    free(gltf->below);
    free(gltf->waiting);
    json_decref(gltf->root);
}

enum cn_status
gltf_no_memory(struct gltf *gltf)
{
    return cn_defect_set(gltf->defect, CN_MEMORY, "text", "is more than there is memory for");
}

int
gltf_index(const json_t *value)
{
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    return number >= 0 && number < AS_FILE_SIZE_MAX ? (int)number : -1;
}

bool
gltf_size(const json_t *object, const char *name, size_t absent, size_t *value)
{
    const json_t *number = json_object_get(object, name);
    *value = absent;
    if (number == NULL) {
        return true;
    }
    json_int_t read = json_is_integer(number) ? json_integer_value(number) : -1;
    *value = read >= 0 ? (size_t)read : 0;
    return read >= 0 && read <= AS_FILE_SIZE_MAX;
}

static int
base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Padding is optional; the decoded size is at most three quarters of the letters. */
static bool
decode_base64(const char *text, size_t length, char *out, size_t *size)
{
    uint32_t bits = 0;
    size_t count = 0;
    while (length > 0 && text[length - 1] == '=') {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        int digit = base64_digit(text[i]);
        if (digit < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) {
            out[count++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
        }
    }
    *size = count;
    return length % 4 != 1;
}

static enum cn_status
read_data(struct gltf *gltf, const char *uri, const char *path, struct gltf_buffer *buffer)
{
    const char *start = strstr(uri, BASE64);
    if (start == NULL) {
        return cn_defect_set(gltf->defect, CN_SYNTAX, path, "is data that is not base64");
    }
    start += strlen(BASE64);
    size_t length = strlen(start);
    buffer->memory = malloc(length + 1);
    if (buffer->memory == NULL) {
        return gltf_no_memory(gltf);
    }
    if (!decode_base64(start, length, buffer->memory, &buffer->size)) {
        return cn_defect_set(gltf->defect, CN_SYNTAX, path, "is data that is not base64");
    }
    return CN_OK;
}

static enum cn_status
read_buffer(struct gltf *gltf, const json_t *of, const char *path, bool first,
    struct gltf_buffer *buffer)
{
    const json_t *uri = json_object_get(of, "uri");
    const char *name = json_string_value(uri);
    if (uri == NULL && first && gltf->binary != NULL) {
        buffer->bytes = gltf->binary;
        buffer->size = gltf->binary_size;
        return CN_OK;
    }
    if (name == NULL) {
        return cn_defect_set(gltf->defect, CN_REFERENCE, path,
            "is missing, and the file has no binary chunk for this buffer");
    }
    if (strncmp(name, DATA_URI, strlen(DATA_URI)) == 0) {
        CN_CHECK(read_data(gltf, name, path, buffer));
    } else if (gltf->folder == NULL) {
        return cn_defect_set(gltf->defect, CN_REFERENCE, path,
            "is \"%.60s\"; files beside this one are not read here, only data: within it", name);
    } else {
        CN_CHECK(as_folder_read(gltf->folder, name, AS_FILE_SIZE_MAX, &buffer->memory,
            &buffer->size, gltf->defect));
    }
    buffer->bytes = (const uint8_t *)buffer->memory;
    return CN_OK;
}

enum cn_status
gltf_buffer(struct gltf *gltf, int i, const uint8_t **bytes, size_t *size)
{
    const json_t *list = json_object_get(gltf->root, "buffers");
    char path[48];
    if (i < 0 || (size_t)i >= json_array_size(list) || i >= AS_GLTF_BUFFERS_MAX) {
        return cn_defect_set(gltf->defect, CN_REFERENCE, "buffers",
            "are %zu, of which %d are read; one that is named is not there",
            json_array_size(list), AS_GLTF_BUFFERS_MAX);
    }
    struct gltf_buffer *buffer = &gltf->buffer[i];
    const json_t *of = json_array_get(list, (size_t)i);
    if (buffer->bytes == NULL) {
        size_t length;
        snprintf(path, sizeof(path), "buffers[%d].uri", i);
        CN_CHECK(read_buffer(gltf, of, path, i == 0, buffer));
        if (!gltf_size(of, "byteLength", 0, &length) || length > buffer->size) {
            snprintf(path, sizeof(path), "buffers[%d].byteLength", i);
            return cn_defect_set(gltf->defect, CN_RANGE, path,
                "is not a number up to %zu, the bytes that are there", buffer->size);
        }
        buffer->size = length;
    }
    *bytes = buffer->bytes;
    *size = buffer->size;
    return CN_OK;
}
