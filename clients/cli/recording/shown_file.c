/* shown_file.c: reads a whole file of shown views. */
#include "clients/cli/recording/past.h"
#include "clients/cli/recording/shown_check.h"
#include "engine/base/assert.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int
compare_lines(const void *left, const void *right)
{
    const struct cli_shown_line *a = left, *b = right;
    int order = strcmp(a->world, b->world);
    return order != 0                  ? order
        : a->generation != b->generation ? (a->generation < b->generation ? -1 : 1)
        : a->tick != b->tick             ? (a->tick < b->tick ? -1 : 1)
        : a->number != b->number         ? (a->number < b->number ? -1 : 1)
                                         : 0;
}

static bool
add_line(struct cli_shown *shown, size_t *capacity, const struct cli_shown_line *line)
{
    if (shown->count == *capacity) {
        size_t more = 2 * *capacity + 64;
        struct cli_shown_line *lines = realloc(shown->lines, more * sizeof(*lines));
        if (lines == NULL) {
            return false;
        }
        shown->lines = lines;
        *capacity = more;
    }
    CN_ASSERT(shown->count < *capacity);
    shown->lines[shown->count++] = *line;
    return true;
}

/* Splits the text into lines; a NUL follows its last byte. */
static enum cli_exit
read_lines(struct cli_shown *shown, size_t size)
{
    char error[CLI_SHOWN_ERROR_SIZE];
    size_t capacity = 0;
    uint64_t number = 0;
    for (char *at = shown->text, *end = at + size; at < end;) {
        struct cli_shown_line line;
        char *stop = memchr(at, '\n', (size_t)(end - at));
        number++;
        if (stop == NULL) {
            cli_complain("%s:%" PRIu64 ": the last line has no end: it was cut, and is left out",
                shown->name, number);
            break;
        }
        *stop = '\0';
        char *text = at;
        at = stop + 1;
        if (strlen(text) != (size_t)(stop - text)) {
            cli_complain("%s:%" PRIu64 ": has a byte 0; text is accepted", shown->name, number);
            return CLI_BAD;
        }
        if (text[0] == '#' || text[strspn(text, " \t")] == '\0') {
            continue;
        }
        if (!cli_shown_parse(text, &line, error)) {
            cli_complain("%s:%" PRIu64 ": %s", shown->name, number, error);
            return CLI_BAD;
        }
        line.number = number;
        if (!add_line(shown, &capacity, &line)) {
            cli_complain("no memory for the lines of %s", shown->name);
            return CLI_COULD_NOT;
        }
    }
    return CLI_DONE;
}

enum cli_exit
cli_shown_open(struct cli_shown *shown, const char *path)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    *shown = (struct cli_shown){.name = path};
    enum cli_exit result = cli_read_file(path, &bytes, &size);
    shown->text = (char *)bytes;
    if (result == CLI_DONE) {
        result = read_lines(shown, size);
    }
    if (result == CLI_DONE && shown->count > 0) {
        qsort(shown->lines, shown->count, sizeof(shown->lines[0]), compare_lines);
    }
    return result;
}

void
cli_shown_finish(struct cli_shown *shown)
{
    free(shown->lines);
    free(shown->text);
}
