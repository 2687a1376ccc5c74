/* field_look_neon.c: see field_look.h. */
#define CN_WIDE_NEON
#define FIELD_LOOK field_look_neon
#include "tests/support/field_look/field_look.h"
