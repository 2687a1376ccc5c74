/*
 * interest.h: which bodies a client wants to see (WIRE.md, "Views"), as a plain value.
 */
#ifndef PROTO_INTEREST_H
#define PROTO_INTEREST_H

#include "engine/cairn.h"
#include "proto/limits.h"

#include <stdbool.h>
#include <stdint.h>

#define WIRE_TAG_SIZE (WIRE_TAG_SIZE_MAX + 1)

enum wire_around { WIRE_AROUND_NOTHING, WIRE_AROUND_POINT, WIRE_AROUND_BODY };

/* Zeros are all of the world. */
struct wire_interest {
    bool is_part; /* else all of the world, and nothing below counts */
    enum wire_around around;
    cn_vec3 point; /* m */
    uint32_t body;
    cn_vec3 reach; /* m, half extents; 0: without end along that axis */
    int tag_count;
    char tags[WIRE_INTEREST_TAGS_MAX][WIRE_TAG_SIZE]; /* ascending, no two alike */
};

/* Puts a tag of at most WIRE_TAG_SIZE_MAX bytes in its place. False when there is no room. */
bool wire_interest_tag(struct wire_interest *interest, const char *tag);

/*
 * The one way to say it: what does not count is zeros, as z is in the plane, and where the area is
 * along an axis on which it has no end.  All of a world that is asked for as a part stays one.
 */
void wire_interest_settle(struct wire_interest *interest, bool is_spatial);

bool wire_interest_is_equal(const struct wire_interest *a, const struct wire_interest *b);

#endif
