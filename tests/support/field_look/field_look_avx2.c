/* field_look_avx2.c: see field_look.h. */
#define CN_WIDE_AVX2
#define FIELD_LOOK field_look_avx2
#include "tests/support/field_look/field_look.h"
