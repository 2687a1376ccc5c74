/*
 * deed.c: deeds, the log entries by which a module repeats a world of the daemon
 * (deed/apply.h; proto/WIRE.md, "Deeds").
 *
 * Changes of bodies and joints are refused: the scene changes with them, which an image does not
 * contain, so a world could not go back across one.
 */
#include "wasm/inside.h"

#include "deed/apply.h"

/* Reads the deed at *at, and moves *at behind it. */
static bool
read_deed(const uint8_t *bytes, size_t size, size_t *at, struct dd_entry *entry)
{
    bool is_deed = dd_entry_read(bytes, size, at, entry) && dd_is_deed(entry->kind);
    if (!is_deed) {
        wa_note_error("deeds", "have no deed where one should begin");
    }
    return is_deed;
}

static bool
apply_deed(struct cairn *cairn, const struct dd_entry *entry)
{
    struct wire_error error;
    if (entry->kind == DD_ENTRY_CHANGE) {
        wa_note_error("deeds", "change bodies or joints; a new image and scene are needed");
        return false;
    }
    if (!dd_apply(entry, cairn->world, &error)) {
        wa_note_error(error.path, error.text);
        return false;
    }
    return true;
}

/* Applies deeds that follow each other, before the next tick.  Those before a refused one act. */
EXPORT(cairn_deeds) bool
cairn_deeds(struct cairn *cairn, const uint8_t *bytes, size_t size)
{
    bool is_good = true;
    for (size_t at = 0; is_good && at < size;) {
        struct dd_entry entry;
        is_good = read_deed(bytes, size, &at, &entry) && apply_deed(cairn, &entry);
    }
    return is_good;
}

/* The bytes of the first of some deeds; 0 if they begin with none. */
EXPORT(cairn_deed_size) size_t
cairn_deed_size(const uint8_t *bytes, size_t size)
{
    struct dd_entry entry;
    size_t at = 0;
    return read_deed(bytes, size, &at, &entry) ? at : 0;
}

/*
 * Makes the deed that the daemon makes of the input of a session that acts on the state at `tick`,
 * unless caps or leases change it.  cairn_deed() then has its bytes.  Returns their number; 0 if
 * the message is refused.
 */
EXPORT(cairn_deed_make) size_t
cairn_deed_make(struct cairn *cairn, uint64_t session, uint64_t tick, const uint8_t *bytes,
    size_t size)
{
    struct wire_client_message message;
    if (!wa_decode(bytes, size, WIRE_CLIENT_INPUT, &message)) {
        return 0;
    }
    struct dd_entry entry = {.kind = DD_ENTRY_COMMAND, .command = message.input.command};
    cn_command_set_source(&entry.command, session, tick, message.input.hold_ticks);
    wire_client_message_finish(&message);
    dd_entries_clear(&cairn->deed, DD_ENTRY_NUMBERS_SIZE);
    if (!dd_entries_add(&cairn->deed, &entry)) {
        wa_note_memory();
        return 0;
    }
    return cairn->deed.size;
}

EXPORT(cairn_deed) const uint8_t *
cairn_deed(const struct cairn *cairn)
{
    return cairn->deed.bytes;
}
