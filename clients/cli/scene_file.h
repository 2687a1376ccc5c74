/*
 * scene_file.h: scenes from files, from standard input, and those that came with the program.
 *
 * A word is a file when there is one of that name, else a bundled scene's name.  Bundled scenes lie
 * in the folder that CAIRN_SCENES names, in the installed one, or beside the sources of a program
 * that is not installed.
 */
#ifndef CLIENTS_CLI_SCENE_FILE_H
#define CLIENTS_CLI_SCENE_FILE_H

#include "clients/cli/cli.h"
#include "proto/scene.h"

/* Reads and checks a scene.  NULL with a message on standard error and *result set. */
struct wire_scene *cli_scene_read(const char *word, enum cli_exit *result);

struct cli_scene_list {
    char **names; /* sorted */
    int count;
    char folder[1024];
};

/* Lists the bundled scenes; empty if no folder has any, or memory runs out. */
void cli_scene_list_init(struct cli_scene_list *list);
void cli_scene_list_finish(struct cli_scene_list *list);

#endif
