/* check.c: `cairn check`. */
#include "clients/base/progress.h"
#include "clients/cli/scene_file.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "proto/json.h"
#include "prove/write.h"
#include "verify/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CERTIFICATE_SIZE_MAX (64u << 20)
#define LINES_MAX 12 /* entries of a list in the text */

struct check {
    const struct cli_call *call;
    const struct wire_scene *scene;
    struct pv_choice choice;
    bool as_text;
    struct cli_progress progress;
};

static const char *
name_of(const struct check *check, int body)
{
    return wire_scene_body_name(check->scene, body);
}

/* Prints a number for people: as a fraction if that is short. */
static void
print_number(FILE *out, const mpq_t x)
{
    bool is_short = mpz_cmpabs_ui(mpq_numref(x), 100000) < 0 &&
                    mpz_cmp_ui(mpq_denref(x), 100000) < 0 && mpz_cmp_ui(mpq_denref(x), 1) > 0;
    fprintf(out, "%.9g", pv_double(x));
    if (is_short) {
        gmp_fprintf(out, " (%Qd)", x);
    }
}

/* Prints the two numbers between which the margin lies; one may be missing. */
static void
print_bounds(FILE *out, const struct pv_answer *answer)
{
    double low = pv_double(answer->margin), high = pv_double(answer->bound);
    if (answer->has_margin && answer->has_bound) {
        fprintf(out, "margin between %.9g N and %.9g N (%.3g N apart)", low, high, high - low);
    } else if (answer->has_margin) {
        fprintf(out, "margin at least %.9g N", low);
    } else {
        fprintf(out, "margin at most %.9g N", high);
    }
    fprintf(out, ", of a weight of %.9g N\n", pv_double(answer->arrangement.weight));
}

static void
print_margin(FILE *out, const struct pv_answer *answer)
{
    if (answer->kind == PV_NO_FORCE) {
        fputs("no forces balance the weights, not even if contacts could pull\n", out);
        return;
    }
    if (answer->kind == PV_ANY_FORCE) {
        fputs("contacts can press on each other with any force: the margin has no limit\n", out);
        return;
    }
    if (answer->kind == PV_BOUNDS) {
        print_bounds(out, answer);
    } else {
        fputs("margin ", out);
        print_number(out, answer->margin);
        fprintf(out, " N, of a weight of %.9g N\n", pv_double(answer->arrangement.weight));
    }
    if (answer->verdict == PV_STABLE) {
        fputs("(all contacts that bear can press with the margin or more at once)\n", out);
    } else if (answer->verdict == PV_UNSTABLE) {
        fputs("(below 0: some contact that bears would have to pull, as if glued)\n", out);
    }
}

static void
print_openings(FILE *out, const struct check *check, const struct pv_answer *answer)
{
    int count = 0;
    for (int c = 0; c < answer->arrangement.contact_count; c++) {
        count += mpq_sgn(answer->start.opening[c]) > 0;
    }
    fprintf(out, "%d of %d contact points open, at first with\n", count,
        answer->arrangement.contact_count);
    int shown = 0;
    for (int c = 0; c < answer->arrangement.contact_count; c++) {
        const struct pv_contact *contact = &answer->arrangement.contact[c];
        if (mpq_sgn(answer->start.opening[c]) <= 0) {
            continue;
        }
        if (shown++ == LINES_MAX) {
            fprintf(out, "  and %d more\n", count - LINES_MAX);
            return;
        }
        fprintf(out, "  %s - %s at (%.6g, %.6g", name_of(check, contact->a),
            name_of(check, contact->b), pv_double(contact->point.c[0]),
            pv_double(contact->point.c[1]));
        if (answer->arrangement.dimension == 3) {
            fprintf(out, ", %.6g", pv_double(contact->point.c[2]));
        }
        fputs("): ", out);
        print_number(out, answer->start.opening[c]);
        fputs(" m/s^2\n", out);
    }
}

static void
print_accelerations(FILE *out, const struct check *check, const struct pv_answer *answer)
{
    static const char *const planar[3] = {"x", "y", "turns"};
    static const char *const spatial[6] = {"x", "y", "z", "turns x", "turns y", "turns z"};
    int dof = pv_dof(&answer->arrangement), linear = answer->arrangement.dimension;
    CN_ASSERT(answer->has_start && answer->start.dof == dof);
    fputs("centres of mass and turns of bodies start with\n", out);
    for (int i = 0; i < answer->arrangement.body_count; i++) {
        mpq_t *a = &answer->start.acceleration[dof * i];
        bool moves = false;
        for (int k = 0; k < dof; k++) {
            if (mpq_sgn(a[k]) != 0) {
                if (!moves) {
                    fprintf(out, "  %s:", name_of(check, i));
                }
                fprintf(out, " %s ", (dof == 3 ? planar : spatial)[k]);
                print_number(out, a[k]);
                fputs(k < linear ? " m/s^2" : " rad/s^2", out);
                moves = true;
            }
        }
        if (moves) {
            fputc('\n', out);
        }
    }
}

/* Explains the verdict to a first-time reader. */
static const char *
meaning_of(const struct pv_answer *answer)
{
    switch (answer->verdict) {
    case PV_STABLE:
        return answer->with_friction ? "forces within the limits of friction can hold every weight"
                                     : "the contacts hold every weight, and nothing moves";
    case PV_CRITICAL:
        return "the weights are just held: the least push may be too much";
    case PV_UNSTABLE: return "no forces that only push can hold the weights: something moves";
    case PV_UNKNOWN: break;
    }
    return answer->has_margin && answer->has_bound
               ? "the margin is so near to 0 that the proved numbers do not tell its sign"
               : "the proof was given up: too many digits; only a bound is proved";
}

static bool
body_moves(const struct pv_answer *answer, int body)
{
    int dof = pv_dof(&answer->arrangement);
    for (int k = 0; k < dof; k++) {
        if (mpq_sgn(answer->motion[dof * body + k]) != 0) {
            return true;
        }
    }
    return false;
}

/* Prints the bodies that move in the proof's motion: there the arrangement is weakest. */
static void
print_weakest(FILE *out, const struct check *check, const struct pv_answer *answer)
{
    int count = 0;
    for (int i = 0; i < answer->arrangement.body_count; i++) {
        count += body_moves(answer, i);
    }
    if (count == 0) {
        return;
    }
    fprintf(out, "the motion that %s moves %d %s:",
        answer->verdict == PV_UNSTABLE ? "proves it" : "is hardest to resist", count,
        count == 1 ? "body" : "bodies");
    int shown = 0;
    for (int i = 0; i < answer->arrangement.body_count && shown <= LINES_MAX; i++) {
        if (body_moves(answer, i)) {
            fprintf(out, "%s %s", shown == 0 ? "" : ",",
                shown == LINES_MAX ? "..." : name_of(check, i));
            shown++;
        }
    }
    fputc('\n', out);
}

static void
print_text(FILE *out, const struct check *check, const struct pv_answer *answer)
{
    fprintf(out, "%s: %s\n", pv_verdict_name(answer->verdict), pv_claim(answer));
    fprintf(out, "%s\n", meaning_of(answer));
    print_margin(out, answer);
    print_weakest(out, check, answer);
    fprintf(out, "%d bodies touch at %d points\n", answer->arrangement.body_count,
        answer->arrangement.contact_count);
    fflush(out);
}

static void
print_start(FILE *out, const struct check *check, const struct pv_answer *answer)
{
    if (answer->has_start) {
        print_openings(out, check, answer);
        print_accelerations(out, check, answer);
    } else {
        fprintf(out, "no first accelerations: %s\n",
            answer->verdict == PV_UNKNOWN      ? "it is not known whether something moves"
            : answer->verdict != PV_UNSTABLE ? "nothing has to move"
            : answer->with_friction          ? "with friction they are not determined"
                                             : "they need more work than is allowed");
    }
}

struct printing {
    const struct check *check;
    const struct pv_answer *answer;
};

static void
print_answer(void *context)
{
    const struct printing *printing = context;
    print_text(stdout, printing->check, printing->answer);
}

static void
print_accelerated(void *context)
{
    const struct printing *printing = context;
    print_start(stdout, printing->check, printing->answer);
}

static bool
print_after(const struct check *check, const struct pv_answer *answer, void (*work)(void *context))
{
    struct printing printing = {check, answer};
    bool good = !check->as_text || pv_attempt(work, &printing);
    if (!good) {
        cli_complain("no memory to print the answer");
    }
    return good;
}

static bool
put_json(FILE *out, const struct wire_json *json)
{
    return fwrite(json->data, 1, json->size, out) == json->size && fputc('\n', out) != EOF;
}

static bool
write_file(const char *path, const struct wire_json *json)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        cli_complain("can not open %s: %s", cn_quote(path).text, strerror(errno));
        return false;
    }
    bool good = put_json(out, json);
    good = fclose(out) == 0 && good;
    if (!good) {
        cli_complain("can not write %s: %s", cn_quote(path).text, strerror(errno));
    }
    return good;
}

/*
 * Writes the certificate to --out, or to standard output if the text does not go there.  It is
 * complete before the file is opened, so that an interrupt keeps an older file.
 */
static enum cli_exit
put_out(struct check *check, const struct pv_answer *answer)
{
    const char *path = check->call->check_out;
    bool is_file = path != NULL && strcmp(path, "-") != 0;
    if (!is_file && check->as_text) {
        return CLI_DONE;
    }
    struct wire_json json;
    wire_json_init(&json, true);
    pv_write(&json, answer);
    cli_progress_finish(&check->progress);
    bool good = !json.failed;
    if (!good) {
        cli_complain("no memory for a certificate");
    } else if (is_file) {
        good = write_file(path, &json);
    } else {
        good = put_json(stdout, &json);
    }
    wire_json_finish(&json);
    return good ? CLI_DONE : CLI_COULD_NOT;
}

static void
show_progress(void *context, const char *phase, double part)
{
    cli_progress_phase(context, phase, part);
}

/* Prints the verdict, then the other requested parts. */
static enum cli_exit
tell_verdict(struct check *check, struct pv_answer *answer)
{
    struct cn_defect defect;
    bool good = print_after(check, answer, print_answer);
    if (good && check->call->check_start) {
        enum cn_status status = pv_answer_find_start(answer, &defect);
        cli_progress_finish(&check->progress);
        if (status != CN_OK) {
            cli_complain("%s: --start: %s %s", check->call->operands[0], defect.path, defect.text);
            return CLI_COULD_NOT;
        }
        good = print_after(check, answer, print_accelerated);
    }
    enum cli_exit result = good ? put_out(check, answer) : CLI_COULD_NOT;
    return result == CLI_DONE && answer->verdict == PV_UNSTABLE ? CLI_NO : result;
}

static enum cli_exit
prove_scene(struct check *check)
{
    struct pv_answer answer;
    struct cn_defect defect;
    const struct cn_world_def *def = wire_scene_world_def(check->scene);
    cli_progress_init(&check->progress, 0);
    check->choice.watch = (struct pv_watch){show_progress, &check->progress};
    enum cn_status status = pv_answer_init(&answer, def, &check->choice, &defect);
    cli_progress_finish(&check->progress);
    if (status == CN_MEMORY) {
        cli_complain("%s: %s", check->call->operands[0], defect.text);
        return CLI_COULD_NOT;
    }
    if (status != CN_OK) {
        cli_complain("%s: %s: %s", check->call->operands[0], defect.path, defect.text);
        return CLI_BAD;
    }
    enum cli_exit result = CLI_COULD_NOT;
    bool is_open = answer.verdict == PV_UNKNOWN;
    if (is_open && answer.kind != PV_BOUNDS) {
        cli_complain("%s: the exact computation grew beyond its bound", check->call->operands[0]);
    } else {
        result = tell_verdict(check, &answer);
        result = is_open && result == CLI_DONE ? CLI_COULD_NOT : result;
    }
    pv_answer_finish(&answer);
    return result;
}

/* Reads a file or standard input; the caller frees the bytes.  NULL with a message. */
static char *
read_bytes(const char *path, size_t *size)
{
    bool is_file = strcmp(path, "-") != 0;
    FILE *in = is_file ? fopen(path, "r") : stdin;
    size_t room = 1 << 16;
    char *bytes = in != NULL ? malloc(room) : NULL;
    *size = 0;
    while (bytes != NULL) {
        *size += fread(bytes + *size, 1, room - *size, in);
        if (*size < room || room > CERTIFICATE_SIZE_MAX) {
            break;
        }
        room *= 2;
        char *more = realloc(bytes, room);
        if (more == NULL) {
            free(bytes);
        }
        bytes = more;
    }
    if (bytes == NULL || ferror(in)) {
        cli_complain("can not read %s: %s", cn_quote(path).text, strerror(errno));
        free(bytes);
        bytes = NULL;
    }
    if (is_file && in != NULL) {
        fclose(in);
    }
    return bytes;
}

static enum cli_exit
verify_certificate(struct check *check)
{
    const struct vf_watch watch = {show_progress, &check->progress};
    size_t size;
    char *bytes = read_bytes(check->call->verify, &size);
    if (bytes == NULL) {
        return CLI_COULD_NOT;
    }
    struct vf_finding finding;
    cli_progress_init(&check->progress, 0);
    bool good = vf_verify_watched(
        wire_scene_world_def(check->scene), bytes, size, &watch, &finding);
    cli_progress_finish(&check->progress);
    free(bytes);
    if (good) {
        printf("proved: %s\n", finding.text);
    } else {
        printf("not proved: %s\n", finding.text);
    }
    return good ? CLI_DONE : CLI_NO;
}

/* Reads "yes" or "no"; an absent option means yes. */
static enum cli_exit
read_choice(const char *name, const char *value, bool *choice)
{
    *choice = value == NULL || strcmp(value, "yes") == 0;
    if (!*choice && strcmp(value, "no") != 0) {
        cli_complain("--%s is %s; yes or no is accepted", name, cn_quote(value).text);
        return CLI_BAD;
    }
    return CLI_DONE;
}

enum cli_exit
cli_check(const struct cli_call *call)
{
    struct check check = {.call = call};
    const char *format = call->check_format;
    check.as_text = format == NULL || strcmp(format, "text") == 0;
    if (!check.as_text && strcmp(format, "json") != 0) {
        cli_complain("--format is %s; json or text is accepted", cn_quote(format).text);
        return CLI_BAD;
    }
    enum cli_exit result =
        read_choice("side-contacts", call->side_contacts, &check.choice.side_contacts);
    if (result == CLI_DONE) {
        result = read_choice("friction", call->friction, &check.choice.friction);
    }
    if (result != CLI_DONE) {
        return result;
    }
    struct wire_scene *scene = cli_scene_read(call->operands[0], &result);
    if (scene == NULL) {
        return result;
    }
    check.scene = scene;
    result = call->verify != NULL ? verify_certificate(&check) : prove_scene(&check);
    wire_scene_destroy(scene);
    return result;
}
