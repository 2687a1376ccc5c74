/* shown.c: lines of a file of shown views, as text. */
#include "clients/base/shown.h"

#include "engine/base/name.h"
#include "proto/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 5
#define HASH_DIGITS 8
#define COMPONENTS "wxyz"

/* ---- words ---- */

/* Splits a text at blanks.  Returns the number of words, `most` + 1 if it has more than `most`. */
static int
split_words(char *text, char **words, int most)
{
    int count = 0;
    for (;;) {
        text += strspn(text, " \t");
        if (*text == '\0') {
            return count;
        }
        if (count == most) {
            return count + 1;
        }
        words[count++] = text;
        text += strcspn(text, " \t");
        if (*text != '\0') {
            *text++ = '\0';
        }
    }
}

static bool
read_number(const char *word, uint64_t most, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(word, &end, 10);
    return word[0] >= '0' && word[0] <= '9' && *end == '\0' && errno == 0 && *number <= most;
}

static bool
read_hash(const char *word, uint32_t *hash)
{
    if (strlen(word) != HASH_DIGITS || strspn(word, "0123456789abcdefABCDEF") != HASH_DIGITS) {
        return false;
    }
    *hash = (uint32_t)strtoul(word, NULL, 16);
    return true;
}

/* Reads the next run of TURNS: a component and a number of bodies.  False at the end. */
static bool
read_run(const char **turns, uint32_t *largest, uint64_t *count)
{
    const char *letter = **turns != '\0' ? strchr(COMPONENTS, **turns) : NULL;
    char digits[12];
    if (letter == NULL) {
        return false;
    }
    size_t size = strspn(*turns + 1, "0123456789");
    if (size >= sizeof(digits)) {
        return false;
    }
    memcpy(digits, *turns + 1, size);
    digits[size] = '\0';
    *largest = (uint32_t)(letter - COMPONENTS);
    *turns += 1 + size;
    return read_number(digits, UINT32_MAX, count) && *count > 0;
}

static bool
is_turns(const char *turns)
{
    uint32_t largest;
    uint64_t count;
    bool is_good = true;
    while (is_good && *turns != '\0') {
        is_good = read_run(&turns, &largest, &count);
    }
    return is_good;
}

bool
cli_shown_read_turns(const char *turns, uint32_t *largest, size_t count)
{
    size_t at = 0;
    while (*turns != '\0') {
        uint32_t component;
        uint64_t run;
        if (!read_run(&turns, &component, &run) || run > count - at) {
            return false;
        }
        for (uint64_t i = 0; i < run; i++) {
            largest[at++] = component;
        }
    }
    return at == count;
}

/* ---- lines ---- */

#define REFUSE(...) (snprintf(error, CLI_SHOWN_ERROR_SIZE, __VA_ARGS__), false)

bool
cli_shown_parse(char *text, struct cli_shown_line *line, char error[CLI_SHOWN_ERROR_SIZE])
{
    char *words[WORDS_MAX];
    uint64_t generation;
    int count = split_words(text, words, WORDS_MAX);
    *line = (struct cli_shown_line){0};
    if (count < 4 || count > WORDS_MAX) {
        return REFUSE("has %s words; WORLD GENERATION TICK VIEWHASH is accepted, and TURNS behind "
                      "them for a world in space",
            count < 4 ? "too few" : "too many");
    }
    if (!wire_name_is_id(words[0])) {
        return REFUSE("the world is %s; 1 to 63 letters, digits, '-', '_' and '.' are accepted, "
                      "not '.' first",
            cn_quote(words[0]).text);
    }
    if (!read_number(words[1], UINT32_MAX, &generation) || generation == 0) {
        return REFUSE("the generation is %s; a whole number from 1 to 4294967295 is accepted",
            cn_quote(words[1]).text);
    }
    if (!read_number(words[2], INT64_MAX, &line->tick)) {
        return REFUSE("the tick is %s; a whole number from 0 to 9223372036854775807 is accepted",
            cn_quote(words[2]).text);
    }
    if (!read_hash(words[3], &line->view_hash)) {
        return REFUSE(
            "the view's hash is %s; 8 hex digits are accepted", cn_quote(words[3]).text);
    }
    if (count == WORDS_MAX && !is_turns(words[4])) {
        return REFUSE("the turns are %s; runs such as w40x2 are accepted: one of w, x, y and z, "
                      "and how many bodies, from 1",
            cn_quote(words[4]).text);
    }
    line->world = words[0];
    line->generation = (uint32_t)generation;
    line->turns = count == WORDS_MAX ? words[4] : NULL;
    return true;
}

static void
print_turns(FILE *out, const uint32_t *largest, size_t count)
{
    size_t run = 0;
    fputc(' ', out);
    for (size_t i = 0; i < count; i++) {
        run++;
        if (i + 1 == count || largest[i + 1] != largest[i]) {
            fprintf(out, "%c%zu", COMPONENTS[largest[i] & 3], run);
            run = 0;
        }
    }
}

char *
cli_shown_print(const char *world, uint32_t generation, uint64_t tick, uint32_t view_hash,
    const uint32_t *largest, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    fprintf(out, "%s %" PRIu32 " %" PRIu64 " %08" PRIx32, world, generation, tick, view_hash);
    if (largest != NULL && count > 0) {
        print_turns(out, largest, count);
    }
    fputc('\n', out);
    bool is_good = ferror(out) == 0;
    if (fclose(out) != 0 || !is_good) {
        free(text);
        return NULL;
    }
    return text;
}
