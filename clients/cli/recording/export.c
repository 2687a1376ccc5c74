/* export.c: `cairn export`. */
#include "clients/cli/recording/export.h"

#include "engine/math/quat.h"

double
cli_kinetic_energy(const struct cn_body_view *view, bool planar)
{
    if (view->type != CN_DYNAMIC) {
        return 0.0;
    }
    double linear = 0.5 * view->mass * cn_vec3_dot(view->velocity, view->velocity);
    if (planar) {
        double w = view->angular_velocity.z;
        return linear + 0.5 * view->inertia * w * w;
    }
    cn_mat33 axes = cn_quat_to_mat33(view->orientation);
    cn_vec3 w = cn_mat33_apply_back(&axes, view->angular_velocity);
    return linear + 0.5 * cn_vec3_dot(w, cn_mat33_apply(&view->inertia_tensor, w));
}

static enum cli_exit
export_csv(struct cli_retelling *how, const char *out)
{
    struct cli_export *export = cli_export_csv_open(out);
    if (export == NULL) {
        return CLI_COULD_NOT;
    }
    how->show = cli_export_csv_show;
    how->context = export;
    enum cli_exit result = cli_retell(how);
    bool is_closed = cli_export_csv_close(export);
    return result == CLI_DONE && !is_closed ? CLI_COULD_NOT : result;
}

static enum cli_exit
export_mcap(struct cli_retelling *how, const char *out)
{
    struct cli_mcap_export *export = cli_export_mcap_open(out);
    if (export == NULL) {
        return CLI_COULD_NOT;
    }
    how->show = cli_export_mcap_show;
    how->context = export;
    enum cli_exit result = cli_retell(how);
    bool is_closed = cli_export_mcap_close(export);
    return result == CLI_DONE && !is_closed ? CLI_COULD_NOT : result;
}

enum cli_exit
cli_export(const struct cli_call *call)
{
    struct cli_retelling how = {.path = call->operands[0],
        .from = call->export_from,
        .to = call->export_to,
        .every = call->export_every};
    if (call->export_every == 0) {
        cli_complain("--sample-every is 0; 1 or more is accepted");
        return CLI_BAD;
    }
    if ((call->export_csv != NULL) == (call->export_mcap != NULL)) {
        cli_complain("--csv or --mcap says what to write, and where to: one of them");
        return CLI_BAD;
    }
    return call->export_csv != NULL ? export_csv(&how, call->export_csv)
                                    : export_mcap(&how, call->export_mcap);
}
