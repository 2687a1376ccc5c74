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

/* Writes a text, in quotes if CSV requires them. */
void cli_csv_text(FILE *out, const char *text);

/* Writes numbers, each after a comma. */
void cli_csv_numbers(FILE *out, const double *values, int count);

/* Writes tick and time [s], the begin of every line. */
void cli_csv_moment(FILE *out, const struct cn_world *world);

/* Write the names of a body's columns, and its values, without a line break. */
void cli_csv_body_header(FILE *out, const struct cn_world *world);
void cli_csv_body(FILE *out, const struct wire_scene *scene, const struct cn_world *world,
    const struct cn_body_view *view, int body);

/* Write a sample: the header of its table, and a line for each existing body. */
void cli_csv_sample_header(FILE *out, const struct cn_world *world);
void cli_csv_sample(FILE *out, const struct wire_scene *scene, const struct cn_world *world);

/* Write the joints of a sample: the header, and a line for each joint. */
void cli_csv_joint_header(FILE *out, const struct cn_world *world);
void cli_csv_joints(FILE *out, const struct wire_scene *scene, const struct cn_world *world);

#endif
