/* propagation_contact_avx2.c: the same text for another instruction set, with the same bits. */
#define CN_PROPAGATION_AVX2
#include "engine/step/propagation/propagation_contact.c"
