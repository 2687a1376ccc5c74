/* field_look_plain.c: see field_look.h. */
#define CN_WIDE_PLAIN
#define FIELD_LOOK field_look_plain
#include "tests/support/field_look/field_look.h"
