/* field_look_avx512.c: see field_look.h. */
#define CN_WIDE_AVX512
#define FIELD_LOOK field_look_avx512
#include "tests/support/field_look/field_look.h"
