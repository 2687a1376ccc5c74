#include "access/claims.h"

#include "engine/base/assert.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* ---- roles ---- */

enum ac_role
ac_role_find(const char *name)
{
#define X(NAME, number, known, text)                                                               \
    if (strcmp(name, known) == 0) {                                                                \
        return AC_ROLE_##NAME;                                                                     \
    }
    AC_ROLE_TABLE(X)
#undef X
    return AC_ROLE_NONE;
}

const char *
ac_role_name(enum ac_role role)
{
    static const char *const names[AC_ROLE_COUNT] = {
#define X(NAME, number, name, text) [number] = name,
        AC_ROLE_TABLE(X)
#undef X
    };
    return (int)role >= 0 && role < AC_ROLE_COUNT ? names[role] : NULL;
}

/* ---- header ---- */

/* Reads one object with nothing after it, in which every name occurs once. */
static json_t *
load(const char *text, size_t size)
{
    json_error_t ignored;
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &ignored);
    if (object != NULL && !json_is_object(object)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

bool
ac_header_read(const char *text, size_t size, char kid[AC_ID_SIZE])
{
    json_t *object = load(text, size);
    const char *alg = json_string_value(json_object_get(object, "alg"));
    const char *typ = json_string_value(json_object_get(object, "typ"));
    const json_t *named = json_object_get(object, "kid");
    const char *name = json_string_value(named);
    bool is_good = alg != NULL && strcmp(alg, "EdDSA") == 0 && typ != NULL &&
        strcmp(typ, "JWT") == 0 && json_object_size(object) == (named != NULL ? 3U : 2U) &&
        (named == NULL || (name != NULL && ac_is_id(name)));
    kid[0] = '\0';
    if (is_good && name != NULL) {
        CN_ASSERT(strlen(name) < AC_ID_SIZE); /* as ac_is_id has checked */
        memcpy(kid, name, strlen(name) + 1);
    }
    json_decref(object);
    return is_good;
}

char *
ac_header_print(const char *kid)
{
    json_t *object =
        json_pack("{s:s, s:s, s:s}", "alg", "EdDSA", "typ", "JWT", "kid", kid);
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

/* ---- claims ---- */

/* jansson has checked that it is UTF-8; control characters, C1 included, must be refused here. */
static bool
is_clean(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_c1 = c == 0xc2 && (unsigned char)text[i + 1] < 0xa0;
        if (c < 0x20 || c == 0x7f || is_c1) {
            return false;
        }
    }
    return true;
}

static bool
take_text(const json_t *value, char *out, size_t out_size)
{
    size_t size = json_string_length(value);
    if (!json_is_string(value) || size == 0 || size >= out_size ||
        !is_clean(json_string_value(value), size)) {
        return false;
    }
    memcpy(out, json_string_value(value), size + 1);
    return true;
}

static bool
take_subject(const json_t *value, struct ac_claims *claims)
{
    return take_text(value, claims->subject, sizeof(claims->subject));
}

static bool
take_tenant(const json_t *value, struct ac_claims *claims)
{
    return take_text(value, claims->tenant, sizeof(claims->tenant));
}

static bool
take_issuer(const json_t *value, struct ac_claims *claims)
{
    return take_text(value, claims->issuer, sizeof(claims->issuer));
}

/* Reads one text, or a list of texts. */
static bool
take_audience(const json_t *value, struct ac_claims *claims)
{
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    bool is_good = count > 0 && count <= AC_AUDIENCES_MAX;
    for (size_t i = 0; i < count && is_good; i++) {
        const json_t *one = json_is_array(value) ? json_array_get(value, i) : value;
        is_good = take_text(one, claims->audience[i], sizeof(claims->audience[i]));
    }
    claims->audience_count = is_good ? (int)count : 0;
    return is_good;
}

static bool
take_quota(const json_t *value, struct ac_claims *claims)
{
    const char *name;
    json_t *number;
    if (!json_is_object(value)) {
        return false;
    }
    json_object_foreach ((json_t *)(uintptr_t)value, name, number) {
        if (!json_is_integer(number) ||
            !ac_quota_set(&claims->quota, name, json_integer_value(number))) {
            return false;
        }
    }
    return true;
}

static bool
is_pattern(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.*";
    size_t length = strlen(text);
    return length > 0 && length < AC_PATTERN_SIZE && strspn(text, letters) == length;
}

static bool
take_world(const json_t *value, struct ac_claims *claims)
{
    const char *text = json_string_value(value);
    if (text == NULL || !is_pattern(text)) {
        return false;
    }
    memcpy(claims->world, text, strlen(text) + 1);
    return true;
}

static bool
take_role(const json_t *value, struct ac_claims *claims)
{
    const char *text = json_string_value(value);
    claims->role = text != NULL ? ac_role_find(text) : AC_ROLE_NONE;
    return claims->role != AC_ROLE_NONE;
}

static bool
take_id(const json_t *value, struct ac_claims *claims)
{
    const char *text = json_string_value(value);
    if (text == NULL || !ac_is_id(text)) {
        return false;
    }
    memcpy(claims->id, text, strlen(text) + 1);
    return true;
}

/* Reads whole seconds from 1 to the year 10,000. */
static bool
take_time(const json_t *value, int64_t *out)
{
    *out = json_integer_value(value);
    return json_is_integer(value) && *out > 0 && *out < INT64_C(253402300800);
}

static bool
take_expires(const json_t *value, struct ac_claims *claims)
{
    return take_time(value, &claims->expires_s);
}

static bool
take_not_before(const json_t *value, struct ac_claims *claims)
{
    return take_time(value, &claims->not_before_s);
}

static bool
take_issued(const json_t *value, struct ac_claims *claims)
{
    return take_time(value, &claims->issued_s);
}

static bool
take_cap(const json_t *value, double max, double *out)
{
    *out = json_number_value(value);
    return json_is_number(value) && isfinite(*out) && *out > 0 && *out <= max;
}

static bool
take_limits(const json_t *value, struct ac_claims *claims)
{
    const json_t *force = json_object_get(value, "force");
    const json_t *torque = json_object_get(value, "torque");
    const json_t *messages = json_object_get(value, "messages");
    size_t known = (force != NULL ? 1U : 0U) + (torque != NULL ? 1U : 0U) +
        (messages != NULL ? 1U : 0U);
    json_int_t rate = messages != NULL ? json_integer_value(messages) : 1;
    bool is_good = json_is_object(value) && json_object_size(value) == known &&
        (messages == NULL || json_is_integer(messages)) && rate > 0 &&
        rate <= AC_MESSAGE_RATE_MAX &&
        (force == NULL || take_cap(force, AC_FORCE_MAX, &claims->limits.force)) &&
        (torque == NULL || take_cap(torque, AC_TORQUE_MAX, &claims->limits.torque));
    claims->limits.messages = messages != NULL && is_good ? (unsigned)rate : 0;
    return is_good;
}

static const struct {
    const char *name;
    bool is_required;
    bool (*take)(const json_t *value, struct ac_claims *claims);
} rows[] = {
    {"sub", true, take_subject},
    {"world", true, take_world},
    {"role", true, take_role},
    {"exp", true, take_expires},
    {"jti", true, take_id},
    {"nbf", false, take_not_before},
    {"iat", false, take_issued},
    {"limits", false, take_limits},
    {"iss", false, take_issuer},
    {"aud", false, take_audience},
    {"tenant", false, take_tenant},
    {"quota", false, take_quota},
};
#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

const char *
ac_claims_read(const char *text, size_t size, struct ac_claims *claims)
{
    memset(claims, 0, sizeof(*claims));
    json_t *object = load(text, size);
    const char *bad = object == NULL ? "payload" : NULL;
    size_t taken = 0;
    for (size_t i = 0; i < ROW_COUNT && bad == NULL; i++) {
        const json_t *value = json_object_get(object, rows[i].name);
        if (value == NULL ? rows[i].is_required : !rows[i].take(value, claims)) {
            bad = rows[i].name;
        }
        taken += value != NULL ? 1 : 0;
    }
    if (bad == NULL && taken != json_object_size(object)) {
        bad = "unknown";
    }
    CN_ASSERT(bad != NULL || (claims->role != AC_ROLE_NONE && claims->expires_s > 0));
    json_decref(object);
    return bad;
}

/* Writes a number in the fewest digits with the same value; a whole number without a point. */
static int
set_number(json_t *object, const char *name, double value)
{
    bool is_whole = value < 1e15 && (double)(json_int_t)value == value;
    return json_object_set_new(
        object, name, is_whole ? json_integer((json_int_t)value) : json_real(value));
}

static int
print_names(json_t *object, const struct ac_claims *claims)
{
    int failed = 0;
    CN_ASSERT(0 <= claims->audience_count && claims->audience_count <= AC_AUDIENCES_MAX);
    if (claims->issuer[0] != '\0') {
        failed |= json_object_set_new(object, "iss", json_string(claims->issuer));
    }
    if (claims->tenant[0] != '\0') {
        failed |= json_object_set_new(object, "tenant", json_string(claims->tenant));
    }
    if (claims->audience_count == 1) {
        failed |= json_object_set_new(object, "aud", json_string(claims->audience[0]));
    } else if (claims->audience_count > 1) {
        json_t *names = json_array();
        for (int i = 0; i < claims->audience_count; i++) {
            failed |= json_array_append_new(names, json_string(claims->audience[i]));
        }
        failed |= json_object_set_new(object, "aud", names);
    }
    return failed;
}

static int
print_quota(json_t *object, const struct ac_quota *quota)
{
    json_t *numbers = json_object();
    int failed = numbers == NULL;
    for (int kind = 0; kind < AC_QUOTA_COUNT; kind++) {
        uint32_t most;
        if (ac_quota_has(quota, (enum ac_quota_kind)kind, &most)) {
            failed |= json_object_set_new(
                numbers, ac_quota_name((enum ac_quota_kind)kind), json_integer(most));
        }
    }
    if (json_object_size(numbers) > 0) {
        failed |= json_object_set(object, "quota", numbers);
    }
    json_decref(numbers);
    return failed;
}

char *
ac_claims_print(const struct ac_claims *claims)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:s}", "sub", claims->subject, "world",
        claims->world, "role", ac_role_name(claims->role), "exp", (json_int_t)claims->expires_s,
        "jti", claims->id);
    json_t *limits = json_object();
    int failed = object == NULL || limits == NULL;
    failed |= print_names(object, claims) | print_quota(object, &claims->quota);
    if (claims->not_before_s != 0) {
        failed |= json_object_set_new(object, "nbf", json_integer(claims->not_before_s));
    }
    if (claims->issued_s != 0) {
        failed |= json_object_set_new(object, "iat", json_integer(claims->issued_s));
    }
    if (claims->limits.force > 0) {
        failed |= set_number(limits, "force", claims->limits.force);
    }
    if (claims->limits.torque > 0) {
        failed |= set_number(limits, "torque", claims->limits.torque);
    }
    if (claims->limits.messages > 0) {
        failed |= set_number(limits, "messages", (double)claims->limits.messages);
    }
    if (json_object_size(limits) > 0) {
        failed |= json_object_set(object, "limits", limits);
    }
    json_decref(limits);
    char *text = failed ? NULL : json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

const char *
ac_claims_check(const struct ac_claims *claims, int64_t now_s)
{
    struct ac_claims again;
    char *text = ac_claims_print(claims);
    const char *bad = text != NULL ? ac_claims_read(text, strlen(text), &again) : "payload";
    free(text);
    if (bad == NULL &&
        (claims->expires_s <= now_s || claims->expires_s - now_s > AC_LIFETIME_S_MAX)) {
        bad = "exp";
    }
    return bad;
}
