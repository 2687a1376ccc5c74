#include "assets/obj.h"

#include "engine/base/assert.h"
#include "assets/polygon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_SIZE 64 /* bytes of a word; numbers are shorter */

struct reader {
    const char *at, *end; /* of the present line, without its break */
    int line;
    struct as_surface *surface;
    struct cn_defect *defect;
};

static const char *
path_of(const struct reader *reader, char path[32])
{
    snprintf(path, 32, "line %d", reader->line);
    return path;
}

static enum cn_status
refuse(const struct reader *reader, enum cn_status status, const char *word, const char *what)
{
    char path[32];
    return cn_defect_set(
        reader->defect, status, path_of(reader, path), "has \"%.40s\"; %s", word, what);
}

/* Reads the next word of the line, cut to WORD_SIZE.  False: the line has no more words. */
static bool
next_word(struct reader *reader, char word[WORD_SIZE])
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t')) {
        reader->at++;
    }
    size_t length = 0;
    for (; reader->at < reader->end && *reader->at != ' ' && *reader->at != '\t'; reader->at++) {
        if (length + 1 < WORD_SIZE) {
            word[length++] = *reader->at;
        }
    }
    CN_ASSERT(length < WORD_SIZE);
    word[length] = '\0';
    return length > 0;
}

/*
 * Reads digits with sign, point and exponent: strtod alone would also accept names and
 * hexadecimals.
 */
static bool
read_number(const char *word, double *value)
{
    if (strspn(word, "+-.0123456789eE") != strlen(word) || strlen(word) + 1 >= WORD_SIZE) {
        return false;
    }
    char *end;
    *value = strtod(word, &end);
    return end != word && *end == '\0' && isfinite(*value);
}

static enum cn_status
read_vertex(struct reader *reader)
{
    char word[WORD_SIZE], path[32];
    double number[7];
    int count = 0;
    while (next_word(reader, word)) {
        if (count == 7 || !read_number(word, &number[count])) {
            return refuse(reader, CN_SYNTAX, word,
                "a vertex is v x y z, with a weight or a colour at most, all finite numbers");
        }
        count++;
    }
    if (count < 3) {
        return refuse(reader, CN_SYNTAX, "v", "a vertex is v x y z");
    }
    cn_vec3 at = {number[0], number[1], number[2]};
    return as_surface_vertex(reader->surface, at, path_of(reader, path), reader->defect);
}

/* Reads an index, counted from 1 or back from the end; false: it is not valid, or has no vertex. */
static bool
read_corner(const struct reader *reader, const char *word, int32_t *corner)
{
    char *end;
    if (strspn(word, "+-/0123456789") != strlen(word) || strlen(word) + 1 >= WORD_SIZE) {
        return false;
    }
    long index = strtol(word, &end, 10);
    if (end == word || (*end != '\0' && *end != '/')) {
        return false;
    }
    long count = reader->surface->vertex_count;
    index = index < 0 ? count + index : index - 1;
    if (index < 0 || index >= count) {
        return false;
    }
    *corner = (int32_t)index;
    return true;
}

static enum cn_status
read_face(struct reader *reader)
{
    char word[WORD_SIZE], path[32];
    int32_t corner[AS_POLYGON_MAX], triangle[AS_POLYGON_MAX][3];
    int count = 0;
    while (next_word(reader, word)) {
        if (count == AS_POLYGON_MAX) {
            return cn_defect_set(reader->defect, CN_LIMIT, path_of(reader, path),
                "is a face of more than %d corners", AS_POLYGON_MAX);
        }
        if (!read_corner(reader, word, &corner[count])) {
            return cn_defect_set(reader->defect, CN_REFERENCE, path_of(reader, path),
                "has \"%.40s\"; a corner is of one of the %d vertices before, as 1/2/3, 1//3 or -1",
                word, reader->surface->vertex_count);
        }
        count++;
    }
    if (count < 3) {
        return refuse(reader, CN_SYNTAX, "f", "a face has three corners or more");
    }
    CN_ASSERT(count <= AS_POLYGON_MAX && reader->surface->vertex_count > 0);
    as_polygon_part(reader->surface->vertex, corner, count, triangle);
    for (int i = 0; i < count - 2; i++) {
        CN_CHECK(as_surface_triangle(reader->surface, corner[triangle[i][0]],
            corner[triangle[i][1]], corner[triangle[i][2]], path_of(reader, path),
            reader->defect));
    }
    return CN_OK;
}

static enum cn_status
read_line(struct reader *reader)
{
    static const char *const passed_over[] = {
        "vn", "vt", "o", "g", "s", "usemtl", "mtllib", "usemap", "maplib"};
    char word[WORD_SIZE];
    if (!next_word(reader, word) || word[0] == '#') {
        return CN_OK;
    }
    if (strcmp(word, "v") == 0) {
        return read_vertex(reader);
    }
    if (strcmp(word, "f") == 0) {
        return read_face(reader);
    }
    for (size_t i = 0; i < sizeof(passed_over) / sizeof(passed_over[0]); i++) {
        if (strcmp(word, passed_over[i]) == 0) {
            return CN_OK;
        }
    }
    return refuse(
        reader, CN_SYNTAX, word, "lines are v and f, and vn, vt, o, g, s, usemtl, mtllib");
}

enum cn_status
as_obj_read(
    const char *text, size_t size, struct as_surface *surface, struct cn_defect *defect)
{
    struct reader reader = {.surface = surface, .defect = defect};
    const char *all_end = text + size;
    as_surface_init(surface);
    if (size > AS_FILE_SIZE_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "line 1", "starts %zu bytes; at most %d are read",
            size, AS_FILE_SIZE_MAX);
    }
    for (const char *at = text; at < all_end;) {
        const char *stop = memchr(at, '\n', (size_t)(all_end - at));
        const char *line_end = stop != NULL ? stop : all_end;
        reader.line++;
        reader.at = at;
        reader.end = line_end;
        if (reader.end > reader.at && reader.end[-1] == '\r') {
            reader.end--;
        }
        CN_CHECK(read_line(&reader));
        at = stop != NULL ? stop + 1 : all_end;
    }
    if (surface->triangle_count == 0) {
        return cn_defect_set(defect, CN_SYNTAX, "faces", "are none; a mesh has lines v and f");
    }
    return CN_OK;
}
