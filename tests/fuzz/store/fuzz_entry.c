/*
 * fuzz_entry.c: any bytes as log entries.  An entry that can be read is written as the same bytes.
 */
#include "engine/base/assert.h"
#include "deed/entry.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dd_entries again = {0};
    struct dd_entry entry;
    size_t at = 0;
    while (at < size && dd_entry_read(data, size, &at, &entry)) {
        CN_ASSERT(dd_entries_add(&again, &entry));
    }
    CN_ASSERT(again.size == at);
    CN_ASSERT(at == 0 || memcmp(again.bytes, data, at) == 0);
    dd_entries_finish(&again);
    return 0;
}
