#include "access/revoked.h"

#include "engine/base/assert.h"
#include "access/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char kind; /* 'j' or 's' */
    char text[AC_SUBJECT_SIZE > AC_ID_SIZE ? AC_SUBJECT_SIZE : AC_ID_SIZE];
    int64_t until_s; /* INT64_MAX: without end */
};

/* Ordered by kind and text, each entry once. */
struct ac_revoked {
    int count, capacity;
    struct entry *entries;
};

static int
compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : strcmp(a->text, b->text);
}

/* ---- reading ---- */

/* Reads and removes " until SECONDS" at the end of an id's line.  False: it is not valid. */
static bool
take_until(char *text, int64_t *until_s)
{
    static const char word[] = " until ";
    char *at = strstr(text, word);
    *until_s = INT64_MAX;
    if (at == NULL) {
        return true;
    }
    const char *digits = at + sizeof(word) - 1;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 12 || digits[count] != '\0') {
        return false;
    }
    *until_s = strtoll(digits, NULL, 10);
    *at = '\0';
    return true;
}

static bool
has_control(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            return true;
        }
    }
    return false;
}

/* Reads one line without its break; false: it is not an entry. */
static bool
read_entry(char *line, struct entry *entry)
{
    bool is_id = strncmp(line, "jti ", 4) == 0;
    char *text = line + 4;
    if (!is_id && strncmp(line, "sub ", 4) != 0) {
        return false;
    }
    entry->kind = is_id ? 'j' : 's';
    entry->until_s = INT64_MAX;
    if (is_id && !take_until(text, &entry->until_s)) {
        return false;
    }
    size_t length = strlen(text);
    if (length == 0 || length >= sizeof(entry->text) || has_control(text) ||
        (is_id && !ac_is_id(text))) {
        return false;
    }
    memcpy(entry->text, text, length + 1);
    return true;
}

static bool
add(struct ac_revoked *revoked, const struct entry *entry)
{
    if (revoked->count == revoked->capacity) {
        int capacity = revoked->capacity * 2 + 16;
        struct entry *entries =
            realloc(revoked->entries, (size_t)capacity * sizeof(revoked->entries[0]));
        if (entries == NULL) {
            return false;
        }
        revoked->entries = entries;
        revoked->capacity = capacity;
    }
    CN_ASSERT(revoked->count < revoked->capacity);
    revoked->entries[revoked->count++] = *entry;
    return true;
}

/* Sorts the entries.  Of several entries for one token it keeps the one that lasts longest. */
static void
sort(struct ac_revoked *revoked)
{
    int kept = 0;
    if (revoked->count > 0) {
        qsort(revoked->entries, (size_t)revoked->count, sizeof(revoked->entries[0]), compare);
    }
    for (int i = 0; i < revoked->count; i++) {
        struct entry *last = kept > 0 ? &revoked->entries[kept - 1] : NULL;
        const struct entry *next = &revoked->entries[i];
        if (last != NULL && compare(last, next) == 0) {
            last->until_s = next->until_s > last->until_s ? next->until_s : last->until_s;
        } else {
            revoked->entries[kept++] = *next;
        }
    }
    CN_ASSERT(kept <= revoked->count && (kept > 0 || revoked->count == 0));
    revoked->count = kept;
}

/* Reads all lines; false with *error filled. */
static bool
read_lines(
    struct ac_revoked *revoked, const char *text, size_t size, char error[AC_REVOKED_ERROR_SIZE])
{
    const char *end = text + size;
    for (int number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop != NULL ? stop : end) - text);
        char line[AC_REVOKED_LINE_SIZE];
        struct entry entry;
        bool is_short = length < sizeof(line) && memchr(text, '\0', length) == NULL;
        size_t copied = is_short ? length : 0;
        memcpy(line, text, copied);
        copied -= copied > 0 && line[copied - 1] == '\r' ? 1 : 0;
        line[copied] = '\0';
        bool is_comment = is_short ? copied == 0 || line[0] == '#' : text[0] == '#';
        if (!is_comment && (!is_short || !read_entry(line, &entry))) {
            snprintf(error, AC_REVOKED_ERROR_SIZE,
                "line %d is not \"jti ID\", \"jti ID until SECONDS\" or \"sub NAME\"", number);
            return false;
        }
        if (!is_comment && revoked->count == AC_REVOKED_MAX) {
            snprintf(error, AC_REVOKED_ERROR_SIZE,
                "line %d is one entry too many; accepted are %d, and those that are over can go",
                number, AC_REVOKED_MAX);
            return false;
        }
        if (!is_comment && !add(revoked, &entry)) {
            snprintf(error, AC_REVOKED_ERROR_SIZE, "no memory");
            return false;
        }
        text += length + 1;
    }
    return true;
}

struct ac_revoked *
ac_revoked_read(const char *text, size_t size, char error[AC_REVOKED_ERROR_SIZE])
{
    struct ac_revoked *revoked = calloc(1, sizeof(*revoked));
    if (revoked == NULL) {
        snprintf(error, AC_REVOKED_ERROR_SIZE, "no memory");
        return NULL;
    }
    if (!read_lines(revoked, text, size, error)) {
        ac_revoked_destroy(revoked);
        return NULL;
    }
    sort(revoked);
    CN_ASSERT(revoked->count <= AC_REVOKED_MAX);
    return revoked;
}

void
ac_revoked_destroy(struct ac_revoked *revoked)
{
    if (revoked != NULL) {
        free(revoked->entries);
        free(revoked);
    }
}

/* ---- asking ---- */

int
ac_revoked_count(const struct ac_revoked *revoked)
{
    return revoked->count;
}

static bool
has_entry(const struct ac_revoked *revoked, char kind, const char *text, int64_t now_s)
{
    struct entry wanted = {.kind = kind};
    size_t length = strlen(text);
    if (length >= sizeof(wanted.text) || revoked->count == 0) {
        return false;
    }
    memcpy(wanted.text, text, length);
    const struct entry *found = bsearch(
        &wanted, revoked->entries, (size_t)revoked->count, sizeof(wanted), compare);
    return found != NULL && now_s < found->until_s;
}

bool
ac_revoked_has(
    const struct ac_revoked *revoked, const char *id, const char *subject, int64_t now_s)
{
    return revoked != NULL &&
        (has_entry(revoked, 'j', id, now_s) || has_entry(revoked, 's', subject, now_s));
}
