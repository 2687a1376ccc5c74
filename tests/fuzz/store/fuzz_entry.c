/*
 * fuzz_entry.c: any bytes as log entries.  An entry that can be read is written as the same bytes.
 */
#include "engine/base/assert.h"
#include "server/world/data/entry.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sv_entries again = {0};
    struct sv_entry entry;
    size_t at = 0;
    while (at < size && sv_entry_read(data, size, &at, &entry)) {
        CN_ASSERT(sv_entries_add(&again, &entry));
    }
    CN_ASSERT(again.size == at);
    CN_ASSERT(at == 0 || memcmp(again.bytes, data, at) == 0);
    sv_entries_finish(&again);
    return 0;
}
