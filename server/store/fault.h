/*
 * fault.h: what can be wrong with storage, one table.
 *
 * A function that can fail takes a fault and returns false when it has filled it in.  The name is
 * stable and appears in logs; the text says which file, world or number.
 */
#ifndef SERVER_STORE_FAULT_H
#define SERVER_STORE_FAULT_H

#include "engine/base/status.h"

#include <stdbool.h>

/* Enumerator, name, what the daemon exits with when it meets it at start or at work. */
#define SV_FAULT_TABLE(X)                                                                          \
    X(NONE, "E_NONE", 0)                                                                           \
    X(MEMORY, "E_MEMORY", 71)                                                                      \
    X(FULL, "E_DISK_FULL", 73)             /* no room, or a quota; work may go on when there is */ \
    X(READ_ONLY, "E_DISK_READ_ONLY", 73)   /* may not be written at all */                         \
    X(IO, "E_DISK", 74)                    /* the device failed: never tried again */              \
    X(BUSY, "E_JOURNAL_BUSY", 2)           /* another process has the journal open */              \
    X(MISSING, "E_MISSING", 3)             /* what must be there is not */                         \
    X(SCHEMA, "E_SCHEMA", 3)               /* written by another version, or by something else */  \
    X(WAL_DAMAGED, "E_WAL_DAMAGED", 3)     /* a frame is damaged before a later good commit */     \
    X(JOURNAL_SHORT, "E_JOURNAL_SHORT", 3) /* commits are gone that the watermark has seen */      \
    X(CHAIN, "E_CHAIN", 3)                 /* commits or records do not follow each other */       \
    X(CRC, "E_CRC", 3)                     /* bytes are not those that were written */

#define X(NAME, name, exit_code) SV_FAULT_##NAME,
enum sv_fault_kind { SV_FAULT_TABLE(X) };
#undef X

#define SV_FAULT_TEXT_SIZE 512

struct sv_fault {
    enum sv_fault_kind kind;
    char text[SV_FAULT_TEXT_SIZE]; /* begins with the name */
};

/* Fills in a fault, name first; returns false, so that a caller can return the call. */
__attribute__((format(printf, 3, 4))) bool
sv_fault_set(struct sv_fault *fault, enum sv_fault_kind kind, const char *format, ...);

const char *sv_fault_name(enum sv_fault_kind kind);
int sv_fault_exit_code(enum sv_fault_kind kind);

#endif
