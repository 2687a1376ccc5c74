#include "engine/model/attribute.h"

#include "engine/base/name.h"

#include <math.h>
#include <string.h>

/* The length of the text; `most` if it has no terminator within that. */
static size_t
text_length(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && text[length] != '\0') {
        length++;
    }
    return length;
}

/* ---- values ---- */

struct cn_value
cn_value_flag(bool flag)
{
    return (struct cn_value){.kind = CN_VALUE_FLAG, .flag = flag};
}

struct cn_value
cn_value_integer(int64_t integer)
{
    return (struct cn_value){.kind = CN_VALUE_INTEGER, .integer = integer};
}

struct cn_value
cn_value_number(double number)
{
    return (struct cn_value){.kind = CN_VALUE_NUMBER, .number = number};
}

struct cn_value
cn_value_text(const char *text)
{
    struct cn_value value = {.kind = CN_VALUE_TEXT};
    value.size = (uint16_t)text_length(text, CN_ATTRIBUTE_VALUE_MAX);
    memcpy(value.bytes, text, value.size);
    return value;
}

bool
cn_value_is_same(const struct cn_value *a, const struct cn_value *b)
{
    return a->kind == b->kind && a->size == b->size && a->flag == b->flag &&
           a->integer == b->integer && memcmp(&a->number, &b->number, sizeof(a->number)) == 0 &&
           memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* ---- checks ---- */

static bool
is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

bool
cn_attribute_name_is_good(const char name[CN_ATTRIBUTE_NAME_SIZE])
{
    size_t length = text_length(name, CN_ATTRIBUTE_NAME_SIZE);
    bool good = length > 0 && length < CN_ATTRIBUTE_NAME_SIZE;
    for (size_t i = 0; i < length && good; i++) {
        good = is_name_byte(name[i]);
    }
    for (size_t i = length; i < CN_ATTRIBUTE_NAME_SIZE && good; i++) {
        good = name[i] == '\0';
    }
    return good;
}

/* The bytes of the UTF-8 sequence at the start of the text; 0: its first bytes are not valid. */
static size_t
sequence_length(const unsigned char *text, size_t size)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char c = text[0];
    size_t length = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : 4;
    if (length == 4 && (c < 0xf0 || c > 0xf4)) {
        return 0;
    }
    uint32_t point = length == 1 ? c : c & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if (i >= size || (text[i] & 0xc0) != 0x80) {
            return 0;
        }
        point = point << 6 | (text[i] & 0x3fU);
    }
    bool is_character = point >= least[length] && point <= 0x10ffff &&
                        !(point >= 0xd800 && point < 0xe000);
    return is_character ? length : 0;
}

/* Whether it is UTF-8 without control characters. */
static bool
is_text(const unsigned char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = sequence_length(text + at, size - at);
        bool is_control = text[at] < 0x20 || text[at] == 0x7f;
        if (length == 0 || is_control) {
            return false;
        }
        at += length;
    }
    return true;
}

/* Whether all members but the kind's own are zero. */
static bool
is_tidy(const struct cn_value *value)
{
    bool sized = value->kind == CN_VALUE_TEXT || value->kind == CN_VALUE_BYTES;
    bool good = (sized || value->size == 0) && (value->kind == CN_VALUE_FLAG || !value->flag) &&
                (value->kind == CN_VALUE_INTEGER || value->integer == 0);
    uint64_t bits;
    memcpy(&bits, &value->number, sizeof(bits));
    good = good && (value->kind == CN_VALUE_NUMBER || bits == 0);
    for (size_t i = value->size; i < CN_ATTRIBUTE_VALUE_MAX && good; i++) {
        good = value->bytes[i] == 0;
    }
    return good;
}

enum cn_status
cn_attribute_check(const struct cn_attribute *attribute, struct cn_defect *defect)
{
    const struct cn_value *value = &attribute->value;
    if (!cn_attribute_name_is_good(attribute->name)) {
        char name[CN_ATTRIBUTE_NAME_SIZE + 1] = {0};
        memcpy(name, attribute->name, CN_ATTRIBUTE_NAME_SIZE);
        return cn_defect_set(defect, CN_UNKNOWN, "name",
            "is %s; a name has 1 to %d letters, digits, '.', '_' and '-'", cn_quote(name).text,
            CN_ATTRIBUTE_NAME_SIZE - 1);
    }
    if (value->kind > CN_VALUE_BYTES) {
        return cn_defect_set(
            defect, CN_UNKNOWN, "value", "is of kind %d, which does not exist", (int)value->kind);
    }
    if (value->kind == CN_VALUE_NUMBER && !isfinite(value->number)) {
        return cn_defect_set(defect, CN_FINITE, "value", "is not a finite number");
    }
    if (value->size > CN_ATTRIBUTE_VALUE_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "value", "has %d bytes; at most %d are accepted",
            value->size, CN_ATTRIBUTE_VALUE_MAX);
    }
    if (value->kind == CN_VALUE_TEXT && !is_text(value->bytes, value->size)) {
        return cn_defect_set(
            defect, CN_SYNTAX, "value", "is a text that is not UTF-8, or has control characters");
    }
    if (!is_tidy(value)) {
        return cn_defect_set(defect, CN_SYNTAX, "value", "has bytes behind its end");
    }
    return CN_OK;
}

/* ---- order ---- */

int
cn_owner_compare(struct cn_owner a, struct cn_owner b)
{
    if (a.kind != b.kind) {
        return a.kind < b.kind ? -1 : 1;
    }
    return (a.id > b.id) - (a.id < b.id);
}

int
cn_attribute_compare(const struct cn_attribute *a, const struct cn_attribute *b)
{
    int order = cn_owner_compare(a->owner, b->owner);
    return order != 0 ? order : memcmp(a->name, b->name, CN_ATTRIBUTE_NAME_SIZE);
}
