#include "tests/support/block_count.h"

int64_t block_count;

void __sanitizer_cov_trace_pc(void);

/* The compiler's call at every block; this file itself is compiled without. */
void
__sanitizer_cov_trace_pc(void)
{
    block_count++;
}
