/*
 * field_look.h: points in a field through field_float.h, once for every kind of lanes.
 *
 * A file that says which kind it wants and includes this with FIELD_LOOK set to a name has that
 * function; field_looks.h lists them.
 */
#ifndef TESTS_SUPPORT_FIELD_LOOK_H
#define TESTS_SUPPORT_FIELD_LOOK_H

#include "engine/mesh/field_float.h"
#include "tests/support/field_looks.h"

static void
look(const struct cn_field *field, int count, const float (*point)[3], float (*out)[4])
{
    struct field_reader reader;
    field_reader_make(&reader, field);
    for (int first = 0; first < count; first += CN_WIDE_LANES) {
        _Alignas(sizeof(cn_wide)) float in[3][CN_WIDE_LANES] = {{0.0f}}, got[4][CN_WIDE_LANES];
        int lanes = count - first < CN_WIDE_LANES ? count - first : CN_WIDE_LANES;
        for (int i = 0; i < 3 * lanes; i++) {
            in[i % 3][i / 3] = point[first + i / 3][i % 3];
        }
        cn_wide at[3] = {wide_load(in[0]), wide_load(in[1]), wide_load(in[2])}, value[4];
        field_reader_look(&reader, at, &value[0], value + 1);
        for (int k = 0; k < 4; k++) {
            wide_store(got[k], value[k]);
        }
        for (int i = 0; i < 4 * lanes; i++) {
            out[first + i / 4][i % 4] = got[i % 4][i / 4];
        }
    }
}

const struct field_looker FIELD_LOOK = {CN_WIDE_LANES, look};

#endif
