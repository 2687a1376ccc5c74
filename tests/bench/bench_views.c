/*
 * bench_views.c: what a view, and a client with a budget, cost their worker: 901 cubes (cubes.h).
 *
 * The world is stepped first and its states are kept; then every row goes through them.  Times are
 * of processor time a tick, medians and means; a view's are to filter and to encode it, a budget's
 * all that sv_budget_make does.  `wrong` is how far the client's cubes are from where they are, on
 * average over those that are not where they are.
 *
 * usage: bench_views
 */
#define _POSIX_C_SOURCE 200809L
#include "server/snapshot/budget.h"
#include "tests/bench/cubes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TICKS 900
#define TICKS_SKIPPED 120
#define TICK_RATE 60
#define HEADER_SIZE 28

static struct wire_state *states[TICKS];

static double
now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

struct times {
    double us[TICKS];
    int count;
};

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double
median(struct times *times)
{
    qsort(times->us, (size_t)times->count, sizeof(times->us[0]), compare);
    return times->us[times->count / 2];
}

static double
mean(const struct times *times)
{
    double sum = 0.0;
    for (int i = 0; i < times->count; i++) {
        sum += times->us[i];
    }
    return sum / times->count;
}

static struct cubes cubes;

static void
take_states(struct wire_precision precision)
{
    if (!cubes_init(&cubes)) {
        exit(3);
    }
    for (int t = 0; t < TICKS; t++) {
        cubes_step(&cubes);
        states[t] = wire_state_take(cubes.world, 1, &precision, t > 0 ? states[t - 1] : NULL);
        if (states[t] == NULL) {
            exit(3);
        }
    }
}

static void
drop_states(void)
{
    for (int t = 0; t < TICKS; t++) {
        wire_state_unref(states[t]);
    }
    cubes_finish(&cubes);
}

/* A scope over a scene in which no body has a tag or is always relevant. */
static struct sv_scope *
make_scope(double reach)
{
    struct wire_interest interest = {0};
    if (reach > 0.0) {
        interest = (struct wire_interest){.is_part = true,
            .around = WIRE_AROUND_POINT,
            .reach = {.x = reach, .z = reach}};
    }
    struct sv_scope *scope = sv_scope_create(&interest);
    int slot_count = cn_world_body_count(cubes.world);
    scope->seen = calloc((size_t)slot_count, 1);
    scope->slot_count = slot_count;
    return scope;
}

static void
run_view(double reach)
{
    static struct times filter, encode;
    struct sv_scope *scope = make_scope(reach);
    struct wire_encoder encoder = {0};
    double bytes = 0.0, bodies = 0.0;
    filter.count = encode.count = 0;
    for (int t = 0; t < TICKS; t++) {
        double begin = now_us();
        struct wire_state *part = sv_scope_take(scope, cubes.world, states[t]);
        double middle = now_us();
        if (part == NULL || !wire_encode_delta(&encoder, part, scope->shown_last[0],
                                scope->shown_last[1])) {
            exit(3);
        }
        if (t >= TICKS_SKIPPED) {
            filter.us[filter.count++] = middle - begin;
            encode.us[encode.count++] = now_us() - middle;
            bytes += (double)encoder.size;
            bodies += part->count;
        }
        sv_scope_showed(scope, part);
    }
    char name[32] = "all";
    if (reach > 0.0) {
        snprintf(name, sizeof(name), "within %g m", reach);
    }
    printf("view %-14s %6.1f bodies %7.1f B   filter %5.1f us   encode %5.1f us\n", name,
        bodies / encode.count, bytes / encode.count, median(&filter), median(&encode));
    wire_encoder_finish(&encoder);
    sv_scope_destroy(scope);
}

/*
 * The sum of the distances between each body's place and its place as the client has it.  Adds to
 * *count the number of bodies whose places differ.
 */
static double
wrongs(const struct wire_state *seen, const struct wire_state *now, long *count)
{
    double sum = 0.0;
    for (int i = 0; seen != NULL && seen->count == now->count && i < now->count; i++) {
        double x = seen->x[i] - now->x[i], y = seen->y[i] - now->y[i], z = seen->z[i] - now->z[i];
        double square = x * x + y * y + z * z;
        *count += square > 0.0 ? 1 : 0;
        sum += sqrt(square) * now->precision.position;
    }
    return sum;
}

static void
run_budget(uint32_t bytes_per_second, double reach)
{
    static struct times make;
    static struct sv_metrics metrics;
    struct sv_view_tools tools = {.metrics = &metrics};
    struct sv_weigher weigher = {0};
    struct sv_scope *scope = make_scope(reach);
    uint64_t now_ns = SV_NS_PER_S;
    struct sv_budget *budget = sv_budget_create(now_ns);
    sv_budget_set(budget, bytes_per_second, 0, 0, 0);
    double bytes = 0.0, wrong = 0.0;
    long wrong_count = 0;
    int sent = 0, shared = 0;
    make.count = 0;
    for (int t = 0; t < TICKS; t++) {
        struct sv_view view;
        struct wire_state *part = sv_scope_take(scope, cubes.world, states[t]);
        now_ns += SV_NS_PER_S / TICK_RATE;
        sv_view_init(&view, part);
        /* The view's own delta exists anyway if the view has members without a budget. */
        sv_view_show(&view, &tools, WIRE_MODE_DELTA, scope->shown_last[0], scope->shown_last[1]);
        const struct sv_moment moment = {.now_ns = now_ns,
            .tick_rate_hz = TICK_RATE,
            .is_going_on = true,
            .header_size = HEADER_SIZE};
        double begin = now_us();
        struct sv_own *own = sv_budget_make(budget, scope, &view, &tools, &weigher, &moment);
        double end = now_us();
        if (own != NULL) {
            atomic_store(&own->sent_size, own->charge);
        }
        if (t >= TICKS_SKIPPED) {
            make.us[make.count++] = end - begin;
            wrong += wrongs(own != NULL ? own->state : budget->known[0], part, &wrong_count);
            bytes += own != NULL ? own->charge : 0;
            sent += own != NULL ? 1 : 0;
            shared += own != NULL && own->is_whole ? 1 : 0;
        }
        sv_own_unref(own);
        sv_view_finish(&view);
        sv_scope_showed(scope, part);
    }
    double seconds = (double)make.count / TICK_RATE;
    printf("%7u B/s: %6.0f used  %5.1f ticks/s, %5.1f of them whole  %5.1f us, mean %5.1f  "
           "wrong %5.1f at %4.1f mm\n",
        bytes_per_second, bytes / seconds, sent / seconds, shared / seconds, median(&make),
        mean(&make), (double)wrong_count / make.count,
        wrong_count > 0 ? 1e3 * wrong / (double)wrong_count : 0.0);
    sv_budget_destroy(budget);
    sv_scope_destroy(scope);
    sv_weigher_finish(&weigher);
    sv_view_tools_finish(&tools);
}

int
main(void)
{
    static const uint32_t budgets[] = {4000, 8000, 12000, 16000, 24000, 48000};
    struct wire_precision precision = {1.0 / 512.0, 1.0 / 65536.0, sqrt(2.0) / 512.0};
    take_states(precision);
    run_view(0.0);
    run_view(2.0);
    run_view(4.0);
    run_view(8.0);
    for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
        run_budget(budgets[i], 0.0);
    }
    drop_states();
    return 0;
}
