/*
 * csv.h: writes fields and lines of CSV (RFC 4180, but lines end with LF).
 *
 * Numbers are the shortest that read back as the same double.
 */
#ifndef CLIENTS_CLI_CSV_H
#define CLIENTS_CLI_CSV_H

#include "engine/cairn.h"
#include "proto/scene.h"

#include <stdio.h>

/* A text, in quotes where CSV needs them. */
void cli_csv_text(FILE *out, const char *text);

/* Numbers, each after a comma. */
void cli_csv_numbers(FILE *out, const double *values, int count);

/* The tick and the time [s], with which every line begins. */
void cli_csv_moment(FILE *out, const struct cn_world *world);

/* The names of a body's columns, and its values; no line end. */
void cli_csv_body_header(FILE *out, const struct cn_world *world);
void cli_csv_body(FILE *out, const struct wire_scene *scene, const struct cn_world *world,
    const struct cn_body_view *view, int body);

/* A sample: the header of its table, and a line for each existing body. */
void cli_csv_sample_header(FILE *out, const struct cn_world *world);
void cli_csv_sample(FILE *out, const struct wire_scene *scene, const struct cn_world *world);

/* The joints of a sample, a line each. */
void cli_csv_joint_header(FILE *out, const struct cn_world *world);
void cli_csv_joints(FILE *out, const struct wire_scene *scene, const struct cn_world *world);

#endif
