#include "proto/interest.h"
#include "engine/base/assert.h"

#include <string.h>

bool
wire_interest_tag(struct wire_interest *interest, const char *tag)
{
    CN_ASSERT(interest->tag_count >= 0 && interest->tag_count <= WIRE_INTEREST_TAGS_MAX);
    int place = 0;
    while (place < interest->tag_count && strcmp(interest->tags[place], tag) < 0) {
        place++;
    }
    if (place < interest->tag_count && strcmp(interest->tags[place], tag) == 0) {
        return true;
    }
    if (interest->tag_count == WIRE_INTEREST_TAGS_MAX) {
        return false;
    }
    CN_ASSERT(place <= interest->tag_count);
    memmove(interest->tags[place + 1], interest->tags[place],
        (size_t)(interest->tag_count - place) * WIRE_TAG_SIZE);
    memset(interest->tags[place], 0, WIRE_TAG_SIZE);
    for (int i = 0; i < WIRE_TAG_SIZE_MAX && tag[i] != '\0'; i++) {
        interest->tags[place][i] = tag[i];
    }
    interest->tag_count++;
    return true;
}

void
wire_interest_settle(struct wire_interest *interest, bool is_spatial)
{
    cn_vec3 *reach = &interest->reach, *point = &interest->point;
    if (!interest->is_part) {
        *interest = (struct wire_interest){0};
        return;
    }
    if (interest->around == WIRE_AROUND_NOTHING) {
        *reach = cn_vec3_make(0.0, 0.0, 0.0);
    }
    if (!is_spatial) {
        reach->z = 0.0;
    }
    bool is_point = interest->around == WIRE_AROUND_POINT;
    point->x = is_point && reach->x > 0.0 ? point->x : 0.0;
    point->y = is_point && reach->y > 0.0 ? point->y : 0.0;
    point->z = is_point && reach->z > 0.0 ? point->z : 0.0;
    if (interest->around != WIRE_AROUND_BODY) {
        interest->body = 0;
    }
}

static bool
is_same_place(cn_vec3 a, cn_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool
is_same_area(const struct wire_interest *a, const struct wire_interest *b)
{
    if (a->around != b->around || a->around == WIRE_AROUND_NOTHING) {
        return a->around == b->around;
    }
    bool is_same_centre = a->around == WIRE_AROUND_BODY ? a->body == b->body
                                                        : is_same_place(a->point, b->point);
    return is_same_centre && is_same_place(a->reach, b->reach);
}

bool
wire_interest_is_equal(const struct wire_interest *a, const struct wire_interest *b)
{
    if (!a->is_part || !b->is_part) {
        return a->is_part == b->is_part;
    }
    if (a->tag_count != b->tag_count || !is_same_area(a, b)) {
        return false;
    }
    for (int i = 0; i < a->tag_count; i++) {
        if (strcmp(a->tags[i], b->tags[i]) != 0) {
            return false;
        }
    }
    return true;
}
