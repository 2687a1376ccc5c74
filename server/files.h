/*
 * files.h: makes room for the files that the process opens; each socket is one.
 */
#ifndef SERVER_FILES_H
#define SERVER_FILES_H

#include "server/base/log.h"

/*
 * Raises the limit of open files.  Returns how many connections there is room for, at most
 * clients_max: if the limit stays too low, fewer are allowed, so that other clients still get a
 * refusal.
 */
int sv_files_reserve(unsigned clients_max, struct sv_log *log);

#endif
