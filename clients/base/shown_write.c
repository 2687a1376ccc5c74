/* shown_write.c: writes the states that a client is shown to a file. */
#include "clients/base/shown.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum cli_exit
cli_shown_check_subscribe(const struct wire_client_message *subscribe)
{
    enum wire_mode mode = subscribe->subscribe.mode;
    if (subscribe->subscribe.interest.is_part || subscribe->subscribe.bytes_per_second > 0) {
        cli_complain("--shown wants to see all of the world: without --area, --tag and --budget");
        return CLI_BAD;
    }
    if (mode == WIRE_MODE_RAW || mode == WIRE_MODE_JSON) {
        cli_complain("--shown wants hashes of views: --mode quantised, delta or deeds");
        return CLI_BAD;
    }
    return CLI_DONE;
}

/* ---- the file ---- */

/* Refuses a file that is not of this kind, or whose last line is cut. */
static enum cli_exit
check_old_lines(FILE *file, const char *path)
{
    char head[sizeof(CLI_SHOWN_HEADER)];
    rewind(file);
    size_t size = fread(head, 1, sizeof(head), file);
    if (size == 0) {
        return CLI_DONE;
    }
    if (size < sizeof(head) || memcmp(head, CLI_SHOWN_HEADER "\n", sizeof(head)) != 0) {
        cli_complain("%s is no file of what was shown: its first line is not \"%s\"",
            cn_quote(path).text, CLI_SHOWN_HEADER);
        return CLI_BAD;
    }
    if (fseek(file, -1, SEEK_END) != 0 || fgetc(file) != '\n') {
        cli_complain("the last line of %s was cut; remove it, or name another file",
            cn_quote(path).text);
        return CLI_BAD;
    }
    return CLI_DONE;
}

enum cli_exit
cli_shown_create(struct cli_shown_out *out, const char *path)
{
    *out = (struct cli_shown_out){.name = path, .file = fopen(path, "a+")};
    if (out->file == NULL) {
        cli_complain("can not open %s: %s", cn_quote(path).text, strerror(errno));
        return CLI_COULD_NOT;
    }
    setvbuf(out->file, NULL, _IONBF, 0);
    enum cli_exit result = check_old_lines(out->file, path);
    if (result != CLI_DONE) {
        fclose(out->file);
        out->file = NULL;
        return result;
    }
    if (fseek(out->file, 0, SEEK_END) == 0 && ftell(out->file) == 0 &&
        fputs(CLI_SHOWN_HEADER "\n", out->file) < 0) {
        out->error = errno;
    }
    return CLI_DONE;
}

enum cli_exit
cli_shown_close(struct cli_shown_out *out)
{
    if (out->file == NULL) {
        return CLI_DONE;
    }
    if (fclose(out->file) != 0 && out->error == 0) {
        out->error = errno;
    }
    out->file = NULL;
    if (out->error != 0) {
        cli_complain("can not write %s: %s", cn_quote(out->name).text, strerror(out->error));
        return CLI_COULD_NOT;
    }
    return CLI_DONE;
}

/* Writes the text with one call, because the file has no buffer.  Frees the text. */
static void
put_line(struct cli_shown_out *out, char *text)
{
    size_t size = strlen(text);
    CN_ASSERT(out->file != NULL); /* stays end before the file is closed */
    if (out->error == 0 && fwrite(text, 1, size, out->file) != size) {
        out->error = errno != 0 ? errno : EIO;
    }
    free(text);
}

/* ---- a stay ---- */

static void
forget_waits(struct cli_shown_stay *stay)
{
    for (size_t i = 0; i < stay->wait_count; i++) {
        free(stay->waits[i].text);
    }
    stay->wait_count = 0;
}

/* After a Joined ticks begin again, so a durable tick does not refer to the waiting ones. */
void
cli_shown_join(struct cli_shown_stay *stay, const struct wire_heard_joined *joined)
{
    forget_waits(stay);
    memcpy(stay->world, joined->world, sizeof(stay->world));
    bool is_replay = joined->status.state == WIRE_WORLD_REPLAY; /* a replay is not stored */
    stay->durability = is_replay ? WIRE_DURABILITY_NONE : joined->status.durability;
    stay->durable_tick = 0;
}

/*
 * The durable tick may have been shown again later, with a change that is not on disk.  So only
 * ticks before it are certain.
 */
void
cli_shown_hear_tick(struct cli_shown_stay *stay, const struct wire_tick_header *tick)
{
    size_t done = 0;
    if (stay->out == NULL) {
        return;
    }
    stay->durable_tick = tick->durable_tick;
    if (stay->wait_count == 0) {
        return;
    }
    while (done < stay->wait_count && stay->waits[done].tick < stay->durable_tick) {
        put_line(stay->out, stay->waits[done++].text);
    }
    stay->wait_count -= done;
    memmove(stay->waits, stay->waits + done, stay->wait_count * sizeof(stay->waits[0]));
}

static void
wait_durable(struct cli_shown_stay *stay, uint64_t tick, char *text)
{
    if (stay->wait_count == stay->wait_capacity) {
        size_t more = 2 * stay->wait_capacity + 64;
        struct cli_shown_wait *waits = realloc(stay->waits, more * sizeof(*waits));
        if (waits == NULL) {
            stay->out->error = ENOMEM;
            free(text);
            return;
        }
        stay->waits = waits;
        stay->wait_capacity = more;
    }
    CN_ASSERT(stay->wait_count < stay->wait_capacity);
    stay->waits[stay->wait_count++] = (struct cli_shown_wait){tick, text};
}

static void
write_shown(struct cli_shown_stay *stay, uint32_t generation, uint64_t tick, uint32_t view_hash,
    const uint32_t *largest, size_t count)
{
    if (stay->out == NULL || stay->world[0] == '\0' || stay->durability == WIRE_DURABILITY_NONE) {
        return;
    }
    char *text = cli_shown_print(stay->world, generation, tick, view_hash, largest, count);
    if (text == NULL) {
        stay->out->error = ENOMEM;
    } else if (stay->durability == WIRE_DURABILITY_TICK) {
        put_line(stay->out, text);
    } else {
        wait_durable(stay, tick, text);
    }
}

void
cli_shown_hear_snapshot(
    struct cli_shown_stay *stay, const struct wire_heard_snapshot *snapshot)
{
    if (snapshot->is_whole) {
        write_shown(stay, snapshot->generation, snapshot->tick, snapshot->view_hash,
            snapshot->turn_largest, snapshot->count);
    }
}

void
cli_shown_hear_state(struct cli_shown_stay *stay, const struct wire_state *state)
{
    write_shown(stay, state->generation, state->tick, state->view_hash, state->turn_largest,
        (size_t)state->count);
}

void
cli_shown_leave(struct cli_shown_stay *stay)
{
    forget_waits(stay);
    free(stay->waits);
    stay->waits = NULL;
    stay->wait_capacity = 0;
}
