/*
 * scenes.h: which scenes the daemon starts with.
 */
#ifndef SERVER_SCENES_H
#define SERVER_SCENES_H

#include "server/base/config.h"
#include "server/base/disk.h"
#include "server/host/host.h"

/*
 * Reads the scenes of the options, or else the bundled ones, and bundles them with the host.  A
 * scene of an option that is not good is an error, and false is returned; of the bundled ones it
 * is a warning.  What is wrong is logged with file, line and path.
 */
bool sv_scenes_load(struct sv_host *host, const struct sv_config *config,
    const struct sv_disk *disk, struct sv_log *log);

/* Whether there is a folder at that path; NULL is none. */
bool sv_folder_exists(const char *path);

#endif
