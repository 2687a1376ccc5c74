/* token.c: `cairn token`. */
#include "clients/cli/cli.h"

#include "access/token.h"
#include "engine/base/name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define LIFETIME_S_DEFAULT 3600

/* ---- reading files and options ---- */

/* Reads a file, or standard input for "-".  Returns its size, or -1 with a message. */
static long
read_text(const char *path, char *text, size_t text_size)
{
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "r");
    if (file == NULL) {
        cli_complain("%s: %s", path, strerror(errno));
        return -1;
    }
    size_t size = fread(text, 1, text_size, file);
    bool is_read = ferror(file) == 0;
    if (!is_input) {
        fclose(file);
    }
    if (!is_read || size == text_size) {
        cli_complain("%s: %s", path, is_read ? "is too long" : strerror(errno));
        return -1;
    }
    text[size] = '\0';
    return (long)size;
}

/* Reads a private key; other users must not be able to read the file.  NULL with a message. */
static struct ac_private_key *
read_private_key(const char *path)
{
    char text[AC_KEY_FILE_SIZE_MAX], error[AC_ERROR_SIZE];
    struct stat about;
    long size = read_text(path, text, sizeof(text));
    struct ac_private_key *key = NULL;
    if (size >= 0) {
        key = ac_private_key_read(text, (size_t)size, error);
        if (key == NULL) {
            cli_complain("%s: %s", path, error);
        }
    }
    ac_wipe(text, sizeof(text));
    if (key != NULL && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
        (about.st_mode & 077) != 0) {
        cli_complain("%s: others may read this private key; chmod 600 it, and if they have, "
                     "make another",
            path);
        ac_private_key_destroy(key);
        return NULL;
    }
    return key;
}

/* Reads "90s", "30m", "8h", "1d" or seconds.  False with a message. */
static bool
read_duration(const char *text, int64_t *seconds)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    static const struct {
        const char *unit;
        int64_t seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (text[0] >= '0' && text[0] <= '9' && strcmp(end, units[i].unit) == 0 && number > 0 &&
            number <= AC_LIFETIME_S_MAX) {
            *seconds = (int64_t)number * units[i].seconds;
            if (*seconds <= AC_LIFETIME_S_MAX) {
                return true;
            }
        }
    }
    cli_complain("--expires is %s; accepted are 90s, 30m, 8h, at most 24h", cn_quote(text).text);
    return false;
}

static bool
read_cap(const char *name, const char *text, double max, double *cap)
{
    char *end;
    if (text == NULL) {
        return true;
    }
    *cap = strtod(text, &end);
    if (end == text || *end != '\0' || !(*cap > 0) || !(*cap <= max)) {
        cli_complain("--%s is %s; accepted is a number above 0 and up to %g", name,
            cn_quote(text).text, max);
        return false;
    }
    return true;
}

/* Copies a claim.  A claim that is too long becomes empty; a later check refuses it by its name. */
static void
copy_text(char *out, size_t out_size, const char *text)
{
    snprintf(out, out_size, "%s", strlen(text) < out_size ? text : "");
}

/* ---- making ---- */

/* Copies an optional text.  An empty or too long one is refused by its option's name. */
static bool
read_name(const char *option, const char *text, char *out, size_t out_size)
{
    if (text == NULL) {
        return true;
    }
    if (text[0] == '\0' || strlen(text) >= out_size) {
        cli_complain("--%s can not be used; accepted is 1 to %zu bytes of text", option,
            out_size - 1);
        return false;
    }
    snprintf(out, out_size, "%s", text);
    return true;
}

static bool
read_names(const struct cli_call *call, struct ac_claims *claims)
{
    char error[AC_QUOTA_ERROR_SIZE];
    if (!read_name("issuer", call->token_issuer, claims->issuer, sizeof(claims->issuer)) ||
        !read_name("audience", call->token_audience, claims->audience[0],
            sizeof(claims->audience[0])) ||
        !read_name("tenant", call->token_tenant, claims->tenant, sizeof(claims->tenant))) {
        return false;
    }
    claims->audience_count = call->token_audience != NULL ? 1 : 0;
    if (call->token_quota != NULL &&
        !ac_quota_parse(&claims->quota, call->token_quota, error)) {
        cli_complain("--quota %s", error);
        return false;
    }
    return true;
}

static bool
read_claims(const struct cli_call *call, int64_t now_s, struct ac_claims *claims)
{
    static const struct {
        const char *claim, *option, *accepted;
    } names[] = {
        {"sub", "for", "1 to 64 bytes of text"},
        {"world", "world", "a world's id, in which * stands for anything"},
        {"role", "role", "observer, player, instructor, operator or logic"},
        {"limits", "messages", "a number from 1 to 100000"},
        {"iss", "issuer", "1 to 128 bytes of text"},
        {"aud", "audience", "1 to 128 bytes of text"},
        {"tenant", "tenant", "1 to 64 bytes of text"},
        {"payload", "for", "text in UTF-8"},
    };
    int64_t lifetime_s = LIFETIME_S_DEFAULT;
    if (call->token_role == NULL || call->token_for == NULL) {
        cli_complain("give --%s; see cairn help token", call->token_role == NULL ? "role" : "for");
        return false;
    }
    if ((call->token_expires != NULL && !read_duration(call->token_expires, &lifetime_s)) ||
        !read_cap("force", call->token_force, AC_FORCE_MAX, &claims->limits.force) ||
        !read_cap("torque", call->token_torque, AC_TORQUE_MAX, &claims->limits.torque)) {
        return false;
    }
    if (!read_names(call, claims)) {
        return false;
    }
    copy_text(claims->subject, sizeof(claims->subject), call->token_for);
    copy_text(
        claims->world, sizeof(claims->world), call->token_world != NULL ? call->token_world : "*");
    claims->role = ac_role_find(call->token_role);
    claims->limits.messages =
        call->token_messages <= AC_MESSAGE_RATE_MAX ? (unsigned)call->token_messages : UINT32_MAX;
    claims->issued_s = now_s;
    claims->expires_s = now_s + lifetime_s;
    ac_id_make(claims->id);
    const char *bad = claims->role == AC_ROLE_NONE ? "role" : ac_claims_check(claims, now_s);
    for (size_t i = 0; bad != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i].claim, bad) == 0) {
            cli_complain("--%s can not be used; accepted is %s", names[i].option,
                names[i].accepted);
            return false;
        }
    }
    return bad == NULL;
}

static enum cli_exit
mint_token(const struct cli_call *call)
{
    struct ac_claims claims = {0};
    char text[AC_TOKEN_SIZE_MAX + 1];
    if (call->token_key == NULL) {
        cli_complain("give --key, a private key; cairn key makes one");
        return CLI_BAD;
    }
    if (!read_claims(call, (int64_t)time(NULL), &claims)) {
        return CLI_BAD;
    }
    struct ac_private_key *key = read_private_key(call->token_key);
    if (key == NULL) {
        return CLI_BAD;
    }
    bool is_made = ac_token_mint(key, &claims, text);
    ac_private_key_destroy(key);
    if (!is_made) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    printf("%s\n", text);
    return CLI_DONE;
}

/* ---- inspecting ---- */

static void
print_time(const char *name, int64_t at_s, int64_t now_s)
{
    char text[32];
    time_t at = (time_t)at_s;
    struct tm parts;
    if (at_s == 0) {
        return;
    }
    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&at, &parts));
    int64_t away_s = at_s > now_s ? at_s - now_s : now_s - at_s;
    printf("%-10s %s, %s%" PRId64 " h %" PRId64 " min %" PRId64 " s%s\n", name, text,
        at_s > now_s ? "in " : "", away_s / 3600, away_s / 60 % 60, away_s % 60,
        at_s > now_s ? "" : " ago");
}

static void
print_names(const struct ac_claims *claims)
{
    if (claims->issuer[0] != '\0') {
        printf("issuer     %s\n", claims->issuer);
    }
    for (int i = 0; i < claims->audience_count; i++) {
        printf("audience   %s\n", claims->audience[i]);
    }
    if (claims->tenant[0] != '\0') {
        printf("tenant     %s\n", claims->tenant);
    }
    for (int kind = 0; kind < AC_QUOTA_COUNT; kind++) {
        uint32_t most;
        if (ac_quota_has(&claims->quota, (enum ac_quota_kind)kind, &most)) {
            printf("%-10s at most %u: %s\n", ac_quota_name((enum ac_quota_kind)kind), most,
                ac_quota_unit((enum ac_quota_kind)kind));
        }
    }
}

static void
print_claims(const struct ac_claims *claims, const char *kid, int64_t now_s)
{
    const struct ac_limits *limits = &claims->limits;
    printf("for        %s\nrole       %s\nworld      %s\n", claims->subject,
        ac_role_name(claims->role), claims->world);
    print_time("made", claims->issued_s, now_s);
    print_time("good from", claims->not_before_s, now_s);
    print_time("expires", claims->expires_s, now_s);
    printf("id         %s\nkey        %s\n", claims->id, kid[0] != '\0' ? kid : "not named");
    if (limits->force > 0) {
        printf("force      at most %g N\n", limits->force);
    }
    if (limits->torque > 0) {
        printf("torque     at most %g N m\n", limits->torque);
    }
    if (limits->messages > 0) {
        printf("messages   at most %u a second\n", limits->messages);
    }
    print_names(claims);
}

/* Reads a file's key and makes a set of it.  NULL with a message. */
static struct ac_keys *
read_public_key(const char *path)
{
    char text[AC_KEY_FILE_SIZE_MAX], error[AC_ERROR_SIZE];
    long size = read_text(path, text, sizeof(text));
    struct ac_keys *keys = size >= 0 ? ac_keys_create() : NULL;
    struct ac_public_key key;
    bool is_good = keys != NULL && ac_public_key_read(&key, text, (size_t)size, true, error);
    ac_wipe(text, sizeof(text));
    if (keys != NULL && (!is_good || !ac_keys_add(keys, &key, error))) {
        cli_complain("%s: %s", path, error);
        ac_keys_destroy(keys);
        keys = NULL;
    }
    return keys;
}

static enum cli_exit
show_token(const struct cli_call *call)
{
    char text[AC_TOKEN_SIZE_MAX + 64], kid[AC_ID_SIZE];
    struct ac_claims claims;
    const char *claim;
    int64_t now_s = (int64_t)time(NULL);
    struct ac_keys *keys = NULL;
    if (call->token_key != NULL && (keys = read_public_key(call->token_key)) == NULL) {
        return CLI_BAD;
    }
    long read = read_text(call->token_show, text, sizeof(text));
    size_t size = read < 0 ? 0 : strcspn(text, "\r\n");
    enum ac_reason reason = ac_token_read(text, size, &claims, kid, &claim);
    if (read >= 0 && reason == AC_REASON_GOOD) {
        print_claims(&claims, kid, now_s);
    }
    if (read >= 0 && reason == AC_REASON_GOOD && keys != NULL) {
        reason = ac_token_verify(keys, text, size, now_s, &claims, &claim);
    }
    bool is_checked = keys != NULL || reason != AC_REASON_GOOD;
    ac_keys_destroy(keys);
    if (read < 0) {
        return CLI_COULD_NOT;
    }
    printf("%s%s%s%s\n", is_checked ? "the token " : "not verified; give --key, public or private",
        is_checked ? ac_reason_text(reason) : "", claim != NULL ? ": " : "",
        claim != NULL ? claim : "");
    return reason == AC_REASON_GOOD ? CLI_DONE : CLI_NO;
}

enum cli_exit
cli_token(const struct cli_call *call)
{
    if (!ac_init()) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    return call->token_show != NULL ? show_token(call) : mint_token(call);
}
