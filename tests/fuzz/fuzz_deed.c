/*
 * fuzz_deed.c: any bytes as deeds.  What can be read is written as the same bytes again.
 */
#include "engine/base/assert.h"
#include "server/host/deed.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sv_deeds again = {0};
    struct sv_deed deed;
    size_t at = 0;
    while (at < size && sv_deed_read(data, size, &at, &deed)) {
        CN_ASSERT(sv_deeds_add(&again, &deed));
    }
    CN_ASSERT(again.size == at);
    CN_ASSERT(at == 0 || memcmp(again.bytes, data, at) == 0);
    sv_deeds_finish(&again);
    return 0;
}
