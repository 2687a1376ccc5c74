/* field_look_sse2.c: see field_look.h. */
#define CN_WIDE_SSE2
#define FIELD_LOOK field_look_sse2
#include "tests/support/field_look/field_look.h"
