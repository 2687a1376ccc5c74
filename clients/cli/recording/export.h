/*
 * export.h: exports the contents of a recording for other programs: CSV tables, or MCAP.
 */
#ifndef CLIENTS_CLI_RECORDING_EXPORT_H
#define CLIENTS_CLI_RECORDING_EXPORT_H

#include "clients/cli/recording/retell.h"

/* Kinetic energy of a body about its centre of mass [J]; 0 without mass. */
double cli_kinetic_energy(const struct cn_body_view *view, bool planar);

struct cli_export;

/* NULL, with a message, if OUT cannot be opened. */
struct cli_export *cli_export_csv_open(const char *out);
bool cli_export_csv_show(void *context, const struct cli_moment *moment);
bool cli_export_csv_close(struct cli_export *export);

struct cli_mcap_export;
struct cli_mcap_export *cli_export_mcap_open(const char *out);
bool cli_export_mcap_show(void *context, const struct cli_moment *moment);
bool cli_export_mcap_close(struct cli_mcap_export *export);

#endif
