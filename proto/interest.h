/*
 * interest.h: the bodies that a client wants to see (WIRE.md, "Views"), as a plain value.
 */
#ifndef PROTO_INTEREST_H
#define PROTO_INTEREST_H

#include "engine/cairn.h"
#include "proto/limits.h"

#include <stdbool.h>
#include <stdint.h>

#define WIRE_TAG_SIZE (WIRE_TAG_SIZE_MAX + 1)

enum wire_around { WIRE_AROUND_NOTHING, WIRE_AROUND_POINT, WIRE_AROUND_BODY };

/* All zeros: the whole world. */
struct wire_interest {
    bool is_part; /* else the whole world, and the members below are not used */
    enum wire_around around;
    cn_vec3 point; /* m */
    uint32_t body;
    cn_vec3 reach; /* m, half extents; 0: no limit along that axis */
    int tag_count;
    char tags[WIRE_INTEREST_TAGS_MAX][WIRE_TAG_SIZE]; /* ascending, no two equal */
};

/* Inserts a tag of at most WIRE_TAG_SIZE_MAX bytes in order.  False if there is no room. */
bool wire_interest_tag(struct wire_interest *interest, const char *tag);

/*
 * Normalises the interest, so that equal interests have equal bytes.  Unused members become zero,
 * for example z in a planar world, and the point along an axis without a limit.  is_part stays set
 * even if the area covers the whole world.
 */
void wire_interest_settle(struct wire_interest *interest, bool is_spatial);

bool wire_interest_is_equal(const struct wire_interest *a, const struct wire_interest *b);

#endif
