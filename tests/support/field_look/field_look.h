/*
 * field_look.h: looks up points in a field with field_float.h, once for every kind of lanes.
 *
 * A file chooses a kind, sets FIELD_LOOK to a name, and includes this to define the function of
 * that name.  field_looks.h lists these functions.
 */
#ifndef TESTS_SUPPORT_FIELD_LOOK_FIELD_LOOK_H
#define TESTS_SUPPORT_FIELD_LOOK_FIELD_LOOK_H

#include "engine/mesh/field_float.h"
#include "tests/support/field_look/field_looks.h"

static void
look(const struct cn_field *field, int count, const float *point, float *out)
{
    struct field_reader reader;
    field_reader_make(&reader, field);
    for (int i = 0; i < count; i += CN_WIDE_LANES) {
        cn_wide at[3], value[4];
        for (int k = 0; k < 3; k++) {
            at[k] = wide_load(point + k * count + i);
        }
        field_reader_look(&reader, at, &value[0], value + 1);
        for (int k = 0; k < 4; k++) {
            wide_store(out + k * count + i, value[k]);
        }
    }
}

const struct field_looker FIELD_LOOK = {CN_WIDE_LANES, look};

#endif
