/* refusal.c: keeps the last refusal, for JavaScript (engine.c, "Errors"). */
#include "wasm/inside.h"

#include <string.h>

/* The last refusal. */
static struct {
    char path[CN_DEFECT_PATH_SIZE], text[CN_DEFECT_TEXT_SIZE];
} last_error;

void
wa_note_error(const char *path, const char *text)
{
    strncpy(last_error.path, path, sizeof(last_error.path) - 1);
    strncpy(last_error.text, text, sizeof(last_error.text) - 1);
}

bool
wa_note_defect(const struct cn_defect *defect)
{
    wa_note_error(defect->path, defect->text);
    return false;
}

bool
wa_note_memory(void)
{
    wa_note_error("", "needs more memory than there is");
    return false;
}

EXPORT(cairn_error_path) const char *
cairn_error_path(void)
{
    return last_error.path;
}

EXPORT(cairn_error_text) const char *
cairn_error_text(void)
{
    return last_error.text;
}
