/*
 * fault.h: the table of storage faults.
 *
 * A function that can fail takes a fault and returns false when it has filled it in.  The name is
 * stable and appears in logs; the text says which file, world or number.
 */
#ifndef SERVER_STORE_FORMAT_FAULT_H
#define SERVER_STORE_FORMAT_FAULT_H

#include "server/base/disk.h"

#include <stdbool.h>

/* Enumerator, name, exit code of a daemon that meets it. */
#define SV_FAULT_TABLE(X)                                                                          \
    X(NONE, "E_NONE", 0)                                                                           \
    X(MEMORY, "E_MEMORY", 71)                                                                      \
    X(FILES, "E_FILES", 71)                /* too many are open: the process, or the system */     \
    X(FULL, "E_DISK_FULL", 73)             /* no room, or a quota; writing resumes with room */    \
    X(READ_ONLY, "E_DISK_READ_ONLY", 73)   /* it may not be written at all */                      \
    X(IO, "E_DISK", 74)                    /* the device failed: the daemon does not retry */      \
    X(BUSY, "E_JOURNAL_BUSY", 2)           /* another process has the journal open */              \
    X(MISSING, "E_MISSING", 3)             /* something that must exist does not */                \
    X(SCHEMA, "E_SCHEMA", 3)               /* written by another version, or by something else */  \
    X(WAL_DAMAGED, "E_WAL_DAMAGED", 3)     /* a frame is damaged before a later good commit */     \
    X(JOURNAL_SHORT, "E_JOURNAL_SHORT", 3) /* the watermark has recorded later commits */          \
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

/* Fills in a fault, name first; returns false, so that a caller can return the call's result. */
__attribute__((format(printf, 3, 4))) bool
sv_fault_set(struct sv_fault *fault, enum sv_fault_kind kind, const char *format, ...);

/* The same for a failed call of the disk at this path. */
bool sv_fault_set_disk(struct sv_fault *fault, enum sv_disk_result result, const char *path);

const char *sv_fault_name(enum sv_fault_kind kind);
int sv_fault_exit_code(enum sv_fault_kind kind);

#endif
