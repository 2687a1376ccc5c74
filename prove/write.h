/*
 * write.h: writes an answer as JSON, with its certificate, as docs/certificates.md describes.
 */
#ifndef PROVE_WRITE_H
#define PROVE_WRITE_H

#include "proto/json.h"
#include "prove/prove.h"

/*
 * Writes {stable, margin, verdict, claim, certificate}.  PV_UNKNOWN is only accepted with
 * PV_BOUNDS.  If memory runs out, json->failed is set.
 */
void pv_write(struct wire_json *json, const struct pv_answer *answer);

/* "stands", "falls", "a holding force exists", "no holding force exists", "nothing is proved". */
const char *pv_claim(const struct pv_answer *answer);

#endif
