/*
 * scenes.h: which scenes the daemon starts with.
 */
#ifndef SERVER_SCENES_H
#define SERVER_SCENES_H

#include "server/base/config.h"
#include "server/base/disk.h"
#include "server/host/host.h"

/*
 * Reads the scenes of the options, or else the bundled ones, and adds them to the host.  A bad
 * scene of an option is an error: the result is false.  A bad bundled scene gives a warning.  The
 * log has file, line and path of the defect.
 */
bool sv_scenes_load(struct sv_host *host, const struct sv_config *config,
    const struct sv_disk *disk, struct sv_log *log);

/* Whether the path is a folder; false for NULL. */
bool sv_folder_exists(const char *path);

#endif
