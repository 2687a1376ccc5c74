/*
 * block_count.h: counts the executed basic blocks of sources that are compiled with
 * -fsanitize-coverage=trace-pc.  This measure of work does not depend on the code's own counters.
 */
#ifndef TESTS_SUPPORT_BLOCK_COUNT_H
#define TESTS_SUPPORT_BLOCK_COUNT_H

#include <stdint.h>

extern int64_t block_count;

#endif
