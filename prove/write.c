#include "prove/write.h"

#include "engine/base/assert.h"
#include "prove/wrench.h"


static void
write_number(struct wire_json *json, const mpq_t x)
{
    char *text = pv_alloc(
        mpz_sizeinbase(mpq_numref(x), 10) + mpz_sizeinbase(mpq_denref(x), 10) + 3, 1);
    mpq_get_str(text, 10, x);
    wire_json_string(json, text);
    pv_free(text);
}

static void
write_numbers(struct wire_json *json, const char *key, mpq_t *x, int count)
{
    wire_json_key(json, key);
    wire_json_list_begin(json);
    for (int i = 0; i < count; i++) {
        write_number(json, x[i]);
    }
    wire_json_list_end(json);
}

static void
write_vector(struct wire_json *json, const char *key, const pv_vec *v, int dimension)
{
    wire_json_key(json, key);
    wire_json_list_begin(json);
    for (int k = 0; k < dimension; k++) {
        write_number(json, v->c[k]);
    }
    wire_json_list_end(json);
}

static void
write_contact(struct wire_json *json, const struct pv_answer *answer, int c)
{
    const struct pv_contact *contact = &answer->arrangement.contact[c];
    int dimension = answer->arrangement.dimension;
    int parts = pv_force_parts(&answer->arrangement, contact);
    bool has_force = answer->kind == PV_BOUNDS ? answer->has_margin : answer->kind != PV_NO_FORCE;
    wire_json_object_begin(json);
    wire_json_key(json, "bodyA");
    wire_json_int(json, contact->a);
    wire_json_key(json, "bodyB");
    wire_json_int(json, contact->b);
    write_vector(json, "point", &contact->point, dimension);
    write_vector(json, "normal", &contact->normal, dimension);
    wire_json_key(json, "friction");
    write_number(json, contact->friction);
    wire_json_key(json, "bears");
    wire_json_bool(json, contact->bears);
    if (has_force) {
        write_numbers(json, "force", &answer->force[PV_FORCE_MAX * c], parts);
    }
    if (answer->kind == PV_ANY_FORCE) {
        write_numbers(json, "squeeze", &answer->squeeze[PV_FORCE_MAX * c], parts);
    }
    if (answer->has_start) {
        wire_json_key(json, "push");
        write_number(json, answer->start.push[c]);
        wire_json_key(json, "opening");
        write_number(json, answer->start.opening[c]);
    }
    wire_json_object_end(json);
}

static void
write_certificate(struct wire_json *json, const struct pv_answer *answer)
{
    static const char *const kind[] = {"margin", "noForce", "anyForce", "bounds"};
    int dof = pv_dof(&answer->arrangement);
    CN_ASSERT(!answer->has_start || answer->start.dof == dof);
    wire_json_object_begin(json);
    wire_json_key(json, "format");
    wire_json_string(json, "cairn-certificate-1");
    wire_json_key(json, "sideContacts");
    wire_json_bool(json, !answer->arrangement.sides_left_out);
    wire_json_key(json, "friction");
    wire_json_bool(json, !answer->arrangement.friction_left_out);
    wire_json_key(json, "kind");
    wire_json_string(json, kind[answer->kind]);
    bool by_bounds = answer->kind == PV_BOUNDS;
    if (answer->kind == PV_MARGIN || (by_bounds && answer->has_margin)) {
        wire_json_key(json, "margin");
        write_number(json, answer->margin);
    }
    if (by_bounds && answer->has_bound) {
        wire_json_key(json, "bound");
        write_number(json, answer->bound);
    }
    wire_json_key(json, "start");
    wire_json_bool(json, answer->has_start);
    wire_json_key(json, "contacts");
    wire_json_list_begin(json);
    for (int c = 0; c < answer->arrangement.contact_count; c++) {
        pv_part((double)c / answer->arrangement.contact_count);
        write_contact(json, answer, c);
    }
    wire_json_list_end(json);
    wire_json_key(json, "bodies");
    wire_json_list_begin(json);
    for (int i = 0; i < answer->arrangement.body_count; i++) {
        wire_json_object_begin(json);
        if (answer->kind != PV_ANY_FORCE && (!by_bounds || answer->has_bound)) {
            write_numbers(json, "motion", &answer->motion[dof * i], dof);
        }
        if (answer->has_start) {
            write_numbers(json, "acceleration", &answer->start.acceleration[dof * i], dof);
        }
        wire_json_object_end(json);
    }
    wire_json_list_end(json);
    wire_json_object_end(json);
}

const char *
pv_claim(const struct pv_answer *answer)
{
    bool falls = answer->verdict == PV_UNSTABLE;
    if (answer->verdict == PV_UNKNOWN) {
        return "nothing is proved";
    }
    if (answer->with_friction) {
        return falls ? "no holding force exists" : "a holding force exists";
    }
    return falls ? "falls" : "stands";
}

struct writing {
    struct wire_json *json;
    const struct pv_answer *answer;
};

static void
write_answer(void *context)
{
    const struct writing *writing = context;
    const struct pv_answer *answer = writing->answer;
    struct wire_json *json = writing->json;
    wire_json_object_begin(json);
    wire_json_key(json, "stable");
    wire_json_bool(json, answer->verdict == PV_STABLE || answer->verdict == PV_CRITICAL);
    wire_json_key(json, "margin");
    if (answer->kind == PV_MARGIN || (answer->kind == PV_BOUNDS && answer->has_margin)) {
        wire_json_double(json, pv_double(answer->margin));
    } else {
        wire_json_null(json);
    }
    wire_json_key(json, "verdict");
    wire_json_string(json, pv_verdict_name(answer->verdict));
    wire_json_key(json, "claim");
    wire_json_string(json, pv_claim(answer));
    wire_json_key(json, "certificate");
    write_certificate(json, answer);
    wire_json_object_end(json);
}

void
pv_write(struct wire_json *json, const struct pv_answer *answer)
{
    CN_ASSERT(answer->verdict != PV_UNKNOWN || answer->kind == PV_BOUNDS); /* nothing to write */
    struct writing writing = {json, answer};
    pv_watch_set(&answer->choice.watch);
    pv_phase("writing the certificate");
    if (!pv_attempt(write_answer, &writing)) {
        json->failed = true;
    }
    pv_watch_set(NULL);
}
