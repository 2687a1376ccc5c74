/* query.c: `cairn query`. */
#include "clients/cli/scene_file.h"

#include "deed/rules/follow.h"
#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "engine/cairn.h"
#include "proto/json.h"
#include "proto/scene.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ask {
    const struct cli_call *call;
    const struct wire_scene *scene;
    struct cn_world *world;
    struct dd_follower followed; /* borrows both; `shown` is the scene as it is now */
    struct cn_query query;
    struct cn_shape_def shape; /* for a cast or an overlap */
    struct cn_query_hit hits[CN_QUERY_HITS_MAX];
    int hit_count;
};

/* Reads up to three numbers separated by commas; returns how many, 0 if the text is not valid. */
static int
read_numbers(const char *text, double number[3])
{
    for (int count = 1; count <= 3; count++) {
        char *end;
        errno = 0;
        number[count - 1] = strtod(text, &end);
        if (end == text || errno != 0 || !isfinite(number[count - 1])) {
            return 0;
        }
        if (*end == '\0') {
            return count;
        }
        if (*end != ',') {
            return 0;
        }
        text = end + 1;
    }
    return 0;
}

/* Reads X,Y or X,Y,Z into *to, which is unchanged if the option is not given. */
static bool
read_vector(const char *option, const char *text, cn_vec3 *to)
{
    double number[3] = {0.0, 0.0, 0.0};
    if (text == NULL) {
        return true;
    }
    if (read_numbers(text, number) < 2) {
        cli_complain("--%s is %s; X,Y or X,Y,Z in metres is accepted, such as 0,2.5", option,
            cn_quote(text).text);
        return false;
    }
    *to = (cn_vec3){number[0], number[1], number[2]};
    return true;
}

/* Reads the shape of a cast or an overlap: a ball or a box. */
static bool
read_shape(struct ask *ask, bool planar)
{
    const struct cli_call *call = ask->call;
    double radius[3];
    if (call->query_ball != NULL && call->query_box != NULL) {
        cli_complain("--ball and --box are given; one of them is accepted");
        return false;
    }
    if (call->query_ball != NULL) {
        if (read_numbers(call->query_ball, radius) != 1) {
            cli_complain("--ball is %s; a radius in metres is accepted, such as 0.5",
                cn_quote(call->query_ball).text);
            return false;
        }
        ask->shape.kind = planar ? CN_SHAPE_CIRCLE : CN_SHAPE_SPHERE;
        *(planar ? &ask->shape.circle.radius : &ask->shape.sphere.radius) = radius[0];
    } else {
        ask->shape.kind = CN_SHAPE_BOX;
        ask->shape.box.size.z = 1.0;
        if (!read_vector("box", call->query_box, &ask->shape.box.size)) {
            return false;
        }
    }
    ask->query.shape = &ask->shape;
    return true;
}

/* The given options decide the kind of the query. */
static bool
read_query(struct ask *ask, bool planar)
{
    const struct cli_call *call = ask->call;
    bool shaped = call->query_ball != NULL || call->query_box != NULL;
    if (call->query_from == NULL || (call->query_along == NULL && !shaped)) {
        cli_complain("a query wants --from, and --along for a ray, --ball or --box for what "
                     "overlaps, or both for a cast");
        return false;
    }
    enum cn_query_kind kind = !shaped                     ? CN_QUERY_RAY
                              : call->query_along != NULL ? CN_QUERY_CAST
                                                          : CN_QUERY_OVERLAP;
    ask->query = cn_query_make(kind);
    ask->query.sensors = call->query_sensors;
    ask->query.hit_max =
        call->query_hits < INT32_MAX ? (int32_t)call->query_hits : INT32_MAX;
    return read_vector("from", call->query_from, &ask->query.position) &&
           read_vector("along", call->query_along, &ask->query.along) &&
           (!shaped || read_shape(ask, planar));
}

/* ---- the answer ---- */

static const char *
kind_name(enum cn_query_kind kind)
{
#define X(NAME, name, text) #name,
    static const char *const names[] = {CN_QUERY_KIND_TABLE(X)};
#undef X
    CN_ASSERT((unsigned)kind < CN_QUERY_KIND_COUNT);
    return names[kind];
}

static void
print_hit(const struct ask *ask, const struct cn_query_hit *hit, bool planar)
{
    printf("%-20s shape %d", wire_scene_body_name(ask->followed.shown, hit->body),
        hit->shape_index);
    if (ask->query.kind != CN_QUERY_OVERLAP) {
        const cn_vec3 *p = &hit->point, *n = &hit->normal;
        printf("  at %.6g of the way, point %.6g, %.6g", hit->fraction, p->x, p->y);
        if (!planar) {
            printf(", %.6g", p->z);
        }
        if (hit->is_inside) {
            printf(", starts inside");
        } else {
            printf(", normal %.6g, %.6g", n->x, n->y);
            if (!planar) {
                printf(", %.6g", n->z);
            }
        }
    }
    putchar('\n');
}

static void
put_vector(struct wire_json *json, const char *key, cn_vec3 value, bool planar)
{
    const double number[3] = {value.x, value.y, value.z};
    wire_json_key(json, key);
    wire_json_object_begin(json);
    for (int i = 0; i < (planar ? 2 : 3); i++) {
        wire_json_key(json, (const char *[]){"x", "y", "z"}[i]);
        wire_json_double(json, number[i]);
    }
    wire_json_object_end(json);
}

static void
put_hit(struct wire_json *json, const struct ask *ask, const struct cn_query_hit *hit, bool planar)
{
    wire_json_object_begin(json);
    wire_json_key(json, "body");
    wire_json_string(json, wire_scene_body_name(ask->followed.shown, hit->body));
    wire_json_key(json, "shape");
    wire_json_int(json, hit->shape_index);
    if (ask->query.kind != CN_QUERY_OVERLAP) {
        wire_json_key(json, "fraction");
        wire_json_double(json, hit->fraction);
        put_vector(json, "point", hit->point, planar);
        put_vector(json, "normal", hit->normal, planar);
        wire_json_key(json, "inside");
        wire_json_bool(json, hit->is_inside);
    }
    wire_json_object_end(json);
}

static bool
print_json(const struct ask *ask, bool planar)
{
    struct wire_json json;
    wire_json_init(&json, false);
    wire_json_object_begin(&json);
    wire_json_key(&json, "tick");
    wire_json_uint(
        &json, ask->query.has_tick ? ask->query.tick : cn_world_tick(ask->world));
    wire_json_key(&json, "kind");
    wire_json_string(&json, kind_name(ask->query.kind));
    wire_json_key(&json, "hits");
    wire_json_list_begin(&json);
    for (int i = 0; i < ask->hit_count; i++) {
        put_hit(&json, ask, &ask->hits[i], planar);
    }
    wire_json_list_end(&json);
    wire_json_object_end(&json);
    bool done = !json.failed;
    if (done) {
        fwrite(json.data, 1, json.size, stdout);
        putchar('\n');
    } else {
        cli_complain("no memory for the answer");
    }
    wire_json_finish(&json);
    return done;
}

/* Reads the queried past tick.  False if none is given, or it is not valid. */
static bool
read_tick(struct ask *ask)
{
    const struct cli_call *call = ask->call;
    struct cn_defect defect;
    if (call->query_tick != CLI_QUERY_NOW && call->query_age != CLI_QUERY_NOW) {
        cli_complain("--tick and --age are given; one of them is accepted");
        return false;
    }
    if (call->query_tick != CLI_QUERY_NOW) {
        ask->query.has_tick = true;
        ask->query.tick = call->query_tick;
    } else if (call->query_age != CLI_QUERY_NOW) {
        uint32_t age_ms =
            call->query_age < UINT32_MAX ? (uint32_t)call->query_age : UINT32_MAX;
        if (cn_query_age(ask->world, &ask->query, age_ms, wire_scene_rewind_ms(ask->scene),
                &defect) != CN_OK) {
            cli_complain("--age %s", defect.text);
            return false;
        }
    }
    return true;
}

static bool
step_ticks(struct ask *ask)
{
    struct dd_rules rules = {0};
    bool is_good = true;
    for (uint64_t tick = 0; tick < ask->call->query_ticks && is_good; tick++) {
        is_good =
            dd_follower_step(&ask->followed, &rules, CN_WORK_UNLIMITED) == CN_STEP_DONE;
        if (!is_good) {
            cli_complain("no memory for tick %" PRIu64, tick + 1);
        }
    }
    dd_rules_finish(&rules);
    return is_good;
}

static enum cli_exit
answer_query(struct ask *ask, bool planar)
{
    struct cn_defect defect;
    if (cn_world_remember(ask->world, wire_scene_rewind_ticks(ask->scene), &defect) != CN_OK) {
        cli_complain("%s", defect.text);
        return CLI_COULD_NOT;
    }
    if (!step_ticks(ask)) {
        return CLI_COULD_NOT;
    }
    if (!read_tick(ask)) {
        return CLI_BAD;
    }
    if (cn_world_query(ask->world, &ask->query, ask->hits, &ask->hit_count, &defect) != CN_OK) {
        cli_complain("the query's %s %s", defect.path, defect.text);
        return CLI_BAD;
    }
    CN_ASSERT(0 <= ask->hit_count && ask->hit_count <= CN_QUERY_HITS_MAX);
    if (ask->call->query_json) {
        if (!print_json(ask, planar)) {
            return CLI_COULD_NOT;
        }
    } else {
        for (int i = 0; i < ask->hit_count; i++) {
            print_hit(ask, &ask->hits[i], planar);
        }
        fputs(ask->hit_count == 0 ? "nothing\n" : "", stdout);
    }
    return ask->hit_count > 0 ? CLI_DONE : CLI_NO;
}

enum cli_exit
cli_query(const struct cli_call *call)
{
    static struct ask ask;
    enum cli_exit result;
    struct wire_scene *scene = cli_scene_read(call->operands[0], &result);
    if (scene == NULL) {
        return result;
    }
    const struct cn_world_def *def = wire_scene_world_def(scene);
    bool planar = def->settings.dimension == CN_PLANAR;
    struct cn_defect defect;
    ask = (struct ask){.call = call, .scene = scene};
    result = CLI_BAD;
    if (read_query(&ask, planar)) {
        if (cn_world_create(def, &defect, &ask.world) == CN_OK) {
            ask.followed =
                (struct dd_follower){.engine = ask.world, .scene = scene, .shown = scene};
            result = answer_query(&ask, planar);
        } else {
            cli_complain("%s: %s", defect.path, defect.text);
            result = CLI_COULD_NOT;
        }
    }
    if (ask.followed.shown != scene) {
        wire_scene_destroy(ask.followed.shown);
    }
    cn_world_destroy(ask.world);
    wire_scene_destroy(scene);
    return result;
}
