/*
 * write.h: an answer as JSON, with its certificate; docs/certificates.md says what stands where.
 */
#ifndef PROVE_WRITE_H
#define PROVE_WRITE_H

#include "proto/json.h"
#include "prove/prove.h"

/* {stable, margin, verdict, claim, certificate}. The verdict is not PV_UNKNOWN.
 * Without memory json->failed is set. */
void pv_write(struct wire_json *json, const struct pv_answer *answer);

/* "stands", "falls", "a holding force exists", "no holding force exists". */
const char *pv_claim(const struct pv_answer *answer);

#endif
