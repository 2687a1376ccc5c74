/*
 * load_report.c: the report about all bots, as a table or as JSON.
 */
#include "clients/load/load.h"

#include <inttypes.h>

struct row {
    const char *name, *key;
    const struct load_quantile *quantile; /* us */
};

#define ROW_COUNT 7

static void
fill_rows(const struct load_stats *stats, struct row rows[ROW_COUNT])
{
    rows[0] = (struct row){"round trip", "roundTrip", &stats->round_trip_us};
    rows[1] = (struct row){"snapshot", "snapshot", &stats->snapshot_us};
    rows[2] = (struct row){"jitter", "jitter", &stats->jitter_us};
    rows[3] = (struct row){"input", "input", &stats->input_us};
    rows[4] = (struct row){"busy", "busy", &stats->busy_us};
    rows[5] = (struct row){"join", "join", &stats->join_us};
    rows[6] = (struct row){"own lag", "ownLag", &stats->lag_us};
}

static double
to_ms(uint64_t us)
{
    return (double)us * 1e-3;
}

static double
ms_at(const struct load_quantile *quantile, double q)
{
    return to_ms(load_quantile_at(quantile, q));
}

static uint64_t
sum_kinds(const uint64_t values[WIRE_SERVER_KINDS_MAX])
{
    uint64_t total = 0;
    for (int i = 0; i < WIRE_SERVER_KINDS_MAX; i++) {
        total += values[i];
    }
    return total;
}

static double
growth_percent(const struct load_memory *memory)
{
    return memory->settled_kb > 0
        ? 100.0 * ((double)memory->last_kb / (double)memory->settled_kb - 1.0)
        : 0.0;
}

/* ---- the table ---- */

static void
print_times(const struct load_stats *stats, FILE *out)
{
    struct row rows[ROW_COUNT];
    fill_rows(stats, rows);
    fprintf(out, "%-12s %10s %9s %9s %9s %9s %9s %9s\n", "ms", "count", "least", "p50", "p90",
        "p99", "p99.9", "most");
    for (int i = 0; i < ROW_COUNT; i++) {
        const struct load_quantile *q = rows[i].quantile;
        if (q->count > 0) {
            fprintf(out, "%-12s %10" PRIu64 " %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f\n", rows[i].name,
                q->count, to_ms(q->least), ms_at(q, 0.5), ms_at(q, 0.9), ms_at(q, 0.99),
                ms_at(q, 0.999), to_ms(q->most));
        }
    }
}

static void
print_bytes(const struct load *load, FILE *out)
{
    const struct load_stats *stats = &load->stats;
    double duration_s = load_measured_s(load);
    double bots = load->joined_ever > 0 ? (double)load->joined_ever : 1.0;
    fprintf(out, "\n%-12s %10s %12s %12s %12s\n", "message", "1/s", "kB/s", "B each", "B/s a bot");
    for (int i = 0; i < WIRE_SERVER_KINDS_MAX; i++) {
        if (stats->messages[i] > 0) {
            const char *name = wire_server_kind_name((enum wire_server_kind)i);
            double bytes = (double)stats->bytes[i], messages = (double)stats->messages[i];
            fprintf(out, "%-12s %10.0f %12.1f %12.1f %12.0f\n", name != NULL ? name : "text",
                messages / duration_s, bytes * 1e-3 / duration_s, bytes / messages,
                bytes / duration_s / bots);
        }
    }
    double bytes = (double)sum_kinds(stats->bytes), messages = (double)sum_kinds(stats->messages);
    fprintf(out, "%-12s %10.0f %12.1f %12.1f %12.0f\n", "all", messages / duration_s,
        bytes * 1e-3 / duration_s, messages > 0.0 ? bytes / messages : 0.0,
        bytes / duration_s / bots);
    fprintf(out, "%-12s %10.0f %12.1f %12s %12.0f\n", "sent",
        (double)stats->messages_said / duration_s, (double)stats->bytes_said * 1e-3 / duration_s,
        "", (double)stats->bytes_said / duration_s / bots);
}

static void
print_counts(const struct load *load, FILE *out)
{
    const struct load_stats *stats = &load->stats;
    double all = (double)(stats->ticks + stats->ticks_skipped);
    fprintf(out, "\nticks     %" PRIu64 " received, %" PRIu64 " skipped (%.3g %%)\n", stats->ticks,
        stats->ticks_skipped, all > 0.0 ? 100.0 * (double)stats->ticks_skipped / all : 0.0);
    fprintf(out,
        "inputs    %" PRIu64 " sent, %" PRIu64 " applied, %" PRIu64 " later than %.4g ms, %" PRIu64
        " rejected, %" PRIu64 " dropped here\n",
        stats->inputs_said, stats->inputs_applied, stats->inputs_late, to_ms(load->late_us),
        stats->inputs_rejected, stats->inputs_dropped);
    if (stats->inputs_busy + stats->busy_other > 0) {
        fprintf(out, "busy      %" PRIu64 " inputs refused as BUSY, %" PRIu64
            " held back after that; %" PRIu64 " other answers BUSY\n", stats->inputs_busy,
            stats->inputs_held_back, stats->busy_other);
    }
    fprintf(out, "snapshots %" PRIu64 " checked, %" PRIu64 " with another hash\n", stats->checked,
        stats->mismatched);
    if (load->is_slow) {
        fprintf(out, "line      %.4g ms each way, up to %.4g ms more, %.3g %% lost: %" PRIu64
            " stalls\n", load->quality.latency_ms, load->quality.jitter_ms,
            100.0 * load->quality.loss, stats->stalls);
    }
    if (stats->memory.first_kb > 0) {
        fprintf(out, "memory    %" PRIu64 " kB at first, %" PRIu64 " kB at last, %" PRIu64
            " kB at most", stats->memory.first_kb, stats->memory.last_kb, stats->memory.most_kb);
        if (stats->memory.settled_kb > 0) {
            fprintf(out, "; %+.2f %% since second %.0f (%" PRIu64 " kB)",
                growth_percent(&stats->memory), stats->memory.settled_s, stats->memory.settled_kb);
        }
        fputc('\n', out);
    }
    fprintf(out, "errors    %" PRIu64 "\n", stats->errors_total);
    for (unsigned i = 0; i <= stats->error_count && i <= LOAD_ERRORS_MAX; i++) {
        if (stats->errors[i].count > 0) {
            fprintf(out, "  %8" PRIu64 "  %s\n", stats->errors[i].count, stats->errors[i].text);
        }
    }
}

/* If the lag of the bots' timer is above this, a warning says that all times include it. */
#define LAG_US_MAX 5000

void
load_print_table(const struct load *load, FILE *out)
{
    fprintf(out, "%u of %u bots joined %zu world%s; %.1f s measured%s\n\n", load->joined_ever,
        load->bot_count, load->world_count, load->world_count == 1 ? "" : "s",
        load_measured_s(load),
        load->is_interrupted       ? " (interrupted)"
        : load->measure_us == 0 ? " (the ramp)"
                                   : "");
    print_times(&load->stats, out);
    print_bytes(load, out);
    print_counts(load, out);
    if (load_quantile_at(&load->stats.lag_us, 0.99) > LAG_US_MAX) {
        fputs("\nThis program itself was late (own lag); the times above are in part its own.\n",
            out);
    }
}

/* ---- JSON ---- */

static void
print_json_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    fputc('"', out);
}

static void
print_json_times(const struct load_stats *stats, FILE *out)
{
    struct row rows[ROW_COUNT];
    fill_rows(stats, rows);
    fputs("\"timesMs\": {", out);
    for (int i = 0; i < ROW_COUNT; i++) {
        const struct load_quantile *q = rows[i].quantile;
        fprintf(out,
            "%s\"%s\": {\"count\": %" PRIu64 ", \"mean\": %.3f, \"least\": %.3f, \"p50\": %.3f, "
            "\"p90\": %.3f, \"p99\": %.3f, \"p999\": %.3f, \"most\": %.3f}",
            i > 0 ? ", " : "", rows[i].key, q->count, load_quantile_mean(q) * 1e-3, to_ms(q->least),
            ms_at(q, 0.5), ms_at(q, 0.9), ms_at(q, 0.99), ms_at(q, 0.999), to_ms(q->most));
    }
    fputs("}, ", out);
}

static void
print_json_bytes(const struct load_stats *stats, FILE *out)
{
    const char *between = "";
    fputs("\"received\": {", out);
    for (int i = 0; i < WIRE_SERVER_KINDS_MAX; i++) {
        const char *name = wire_server_kind_name((enum wire_server_kind)i);
        if (stats->messages[i] > 0) {
            fprintf(out, "%s\"%s\": {\"messages\": %" PRIu64 ", \"bytes\": %" PRIu64 "}", between,
                name != NULL ? name : "text", stats->messages[i], stats->bytes[i]);
            between = ", ";
        }
    }
    fprintf(out,
        "}, \"receivedMessages\": %" PRIu64 ", \"receivedBytes\": %" PRIu64
        ", \"sentMessages\": %" PRIu64 ", \"sentBytes\": %" PRIu64 ", ",
        sum_kinds(stats->messages), sum_kinds(stats->bytes), stats->messages_said,
        stats->bytes_said);
}

static void
print_json_memory(const struct load_memory *memory, FILE *out)
{
    if (memory->first_kb > 0) {
        fprintf(out,
            "\"memoryKb\": {\"first\": %" PRIu64 ", \"last\": %" PRIu64 ", \"most\": %" PRIu64,
            memory->first_kb, memory->last_kb, memory->most_kb);
        if (memory->settled_kb > 0) {
            fprintf(out, ", \"settled\": %" PRIu64 ", \"settledS\": %.1f, \"growthPercent\": %.3f",
                memory->settled_kb, memory->settled_s, growth_percent(memory));
        }
        fputs("}, ", out);
    }
}

void
load_print_json(const struct load *load, FILE *out)
{
    const struct load_stats *stats = &load->stats;
    fprintf(out,
        "{\"bots\": %u, \"joined\": %u, \"worlds\": %zu, \"measuredS\": %.3f, "
        "\"interrupted\": %s, ",
        load->bot_count, load->joined_ever, load->world_count, load_measured_s(load),
        load->is_interrupted ? "true" : "false");
    print_json_times(stats, out);
    print_json_bytes(stats, out);
    fprintf(out,
        "\"ticks\": {\"heard\": %" PRIu64 ", \"skipped\": %" PRIu64 "}, \"inputs\": {\"said\": %"
        PRIu64 ", \"applied\": %" PRIu64 ", \"late\": %" PRIu64 ", \"rejected\": %" PRIu64
        ", \"dropped\": %" PRIu64 ", \"busy\": %" PRIu64 ", \"heldBack\": %" PRIu64
        "}, \"busyOther\": %" PRIu64 ", ",
        stats->ticks, stats->ticks_skipped, stats->inputs_said, stats->inputs_applied,
        stats->inputs_late, stats->inputs_rejected, stats->inputs_dropped, stats->inputs_busy,
        stats->inputs_held_back, stats->busy_other);
    fprintf(out,
        "\"snapshots\": {\"checked\": %" PRIu64 ", \"mismatched\": %" PRIu64 "}, \"stalls\": %"
        PRIu64 ", ",
        stats->checked, stats->mismatched, stats->stalls);
    print_json_memory(&stats->memory, out);
    fprintf(out, "\"errors\": %" PRIu64 ", \"errorKinds\": {", stats->errors_total);
    const char *between = "";
    for (unsigned i = 0; i <= stats->error_count && i <= LOAD_ERRORS_MAX; i++) {
        if (stats->errors[i].count > 0) {
            fputs(between, out);
            print_json_text(stats->errors[i].text, out);
            fprintf(out, ": %" PRIu64, stats->errors[i].count);
            between = ", ";
        }
    }
    fputs("}}\n", out);
}
