/* field_look_single.c: see field_look.h. */
#define CN_WIDE_SINGLE
#define FIELD_LOOK field_look_single
#include "tests/support/field_look/field_look.h"
