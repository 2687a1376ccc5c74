#include "server/store/format/content.h"

#include <sodium.h>

void
sv_content_hash(unsigned char content[SV_CONTENT_SIZE], const void *bytes, size_t size)
{
    crypto_generichash(content, SV_CONTENT_SIZE, bytes, size, NULL, 0);
}
