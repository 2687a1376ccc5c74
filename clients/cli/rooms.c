/* rooms.c: `cairn rooms`: the rooms of a daemon; creates and closes them. */
#include "clients/cli/ask.h"
#include "clients/cli/cli.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "proto/room.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATH_SIZE 512
#define JSON_TYPE "application/json"
/* More pages than WIRE_ROOMS_MAX rooms have: a daemon that repeats itself does not hold us. */
#define PAGES_MAX (2 * WIRE_ROOMS_MAX / WIRE_ROOM_PAGE_MAX + 2)

/* The daemon's answer as JSON, which the caller releases; NULL with *result set. */
static json_t *
ask(const struct cli_remote *remote, const struct cli_request *request, enum cli_exit *result)
{
    unsigned char *bytes = NULL;
    size_t size;
    *result = cli_ask(remote, request, &bytes, &size);
    json_t *answer =
        *result == CLI_DONE ? json_loadb((const char *)bytes, size, 0, NULL) : NULL;
    free(bytes);
    if (*result == CLI_DONE && !json_is_object(answer)) {
        cli_complain("the daemon's answer can not be read");
        *result = CLI_COULD_NOT;
        json_decref(answer);
        return NULL;
    }
    return answer;
}

static json_t *
get(const struct cli_remote *remote, const char *path, enum cli_exit *result)
{
    const struct cli_request request = {.method = "GET", .path = path};
    return ask(remote, &request, result);
}

static enum cli_exit
print_json(json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(2));
    if (text == NULL) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    puts(text);
    free(text);
    return CLI_DONE;
}

/* ---- the list ---- */

static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static int
count_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

/* Prints " NAME=VALUE" of each listed property. */
static void
print_properties(const json_t *room)
{
    static const char *const kinds[] = {"text", "integer", "number", "flag"};
    size_t i;
    json_t *property;
    json_array_foreach(json_object_get(room, "properties"), i, property) {
        const json_t *value = NULL;
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]) && value == NULL; k++) {
            value = json_object_get(property, kinds[k]);
        }
        char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
        bool is_text = json_is_string(value);
        printf(" %s=%s", text_of(property, "name"),
            is_text ? json_string_value(value) : text != NULL ? text : "");
        free(text);
    }
}

static void
print_room(const json_t *room, int width, int64_t now_s)
{
    char seats[32];
    int64_t age_s = now_s - strtoll(text_of(room, "createdS"), NULL, 10);
    snprintf(seats, sizeof(seats), "%d+%d/%d", count_of(room, "taken"), count_of(room, "held"),
        count_of(room, "seats"));
    printf("%-*s  %-9s %8" PRId64 "  %s%s%s%s", width, text_of(room, "id"), seats,
        age_s > 0 ? age_s : 0, text_of(room, "name"),
        json_is_true(json_object_get(room, "locked")) ? " locked" : "",
        json_is_true(json_object_get(room, "password")) ? " password" : "",
        json_is_true(json_object_get(room, "private")) ? " private" : "");
    print_properties(room);
    putchar('\n');
}

static void
print_table(json_t *rooms)
{
    size_t i;
    json_t *room;
    int width = (int)strlen("room");
    json_array_foreach(rooms, i, room) {
        int size = (int)strlen(text_of(room, "id"));
        width = size > width ? size : width;
    }
    printf("%-*s  %-9s %8s  %s\n", width, "room", "seats", "age s", "name and properties");
    json_array_foreach(rooms, i, room) {
        print_room(room, width, (int64_t)time(NULL));
    }
}

/* The path of the page after `after`. */
static void
make_path(const struct cli_call *call, const char *after, char path[PATH_SIZE])
{
    const char *wanted = call->rooms_template != NULL ? call->rooms_template : "";
    int size = snprintf(path, PATH_SIZE, "/v1/rooms?limit=%d%s%s%s%s%s%s", WIRE_ROOM_PAGE_MAX,
        wanted[0] != '\0' ? "&template=" : "", wanted, call->rooms_open ? "&open=true" : "",
        call->rooms_private ? "&private=true" : "", after[0] != '\0' ? "&after=" : "", after);
    CN_ASSERT(size > 0 && size < PATH_SIZE); /* `wanted` is an id, and `after` is bounded */
}

static enum cli_exit
list_rooms(const struct cli_call *call, const struct cli_remote *remote)
{
    char path[PATH_SIZE], after[128] = "";
    enum cli_exit result = CLI_DONE;
    if (call->rooms_template != NULL && !wire_name_is_id(call->rooms_template)) {
        cli_complain("--template is %s, which is no template's name",
            cn_quote(call->rooms_template).text);
        return CLI_BAD;
    }
    json_t *rooms = json_array();
    for (int pages = 0; pages < PAGES_MAX && result == CLI_DONE; pages++) {
        make_path(call, after, path);
        json_t *page = get(remote, path, &result);
        json_array_extend(rooms, json_object_get(page, "rooms"));
        snprintf(after, sizeof(after), "%s", text_of(page, "next"));
        json_decref(page);
        if (after[0] == '\0') {
            break;
        }
    }
    if (result == CLI_DONE && call->rooms_json) {
        result = print_json(rooms);
    } else if (result == CLI_DONE) {
        print_table(rooms);
    }
    json_decref(rooms);
    return result;
}

/* ---- create ---- */

/* The type of a template's property, in the names of RoomProperty; unknown ones are texts. */
static const char *
kind_of(json_t *templates, const char *template_name, const char *property_name)
{
    size_t i, k;
    json_t *item, *property;
    json_array_foreach(json_object_get(templates, "templates"), i, item) {
        if (strcmp(text_of(item, "name"), template_name) != 0) {
            continue;
        }
        json_array_foreach(json_object_get(item, "properties"), k, property) {
            if (strcmp(text_of(property, "name"), property_name) == 0) {
                const char *type = text_of(property, "type");
                return strcmp(type, "INTEGER") == 0 ? "integer"
                    : strcmp(type, "NUMBER") == 0   ? "number"
                    : strcmp(type, "FLAG") == 0     ? "flag"
                                                    : "text";
            }
        }
    }
    return "text";
}

/* NULL: the text is not of that kind. */
static json_t *
value_of(const char *kind, const char *text)
{
    char *end = NULL;
    if (strcmp(kind, "flag") == 0) {
        return strcmp(text, "true") == 0 ? json_true()
            : strcmp(text, "false") == 0 ? json_false()
                                         : NULL;
    }
    if (strcmp(kind, "integer") == 0) {
        (void)strtoll(text, &end, 10);
        return end != text && *end == '\0' ? json_string(text) : NULL;
    }
    if (strcmp(kind, "number") == 0) {
        double number = strtod(text, &end);
        return end != text && *end == '\0' ? json_real(number) : NULL;
    }
    return json_string(text);
}

/* Adds "NAME=VALUE,..." to the request; false with a message. */
static bool
add_properties(json_t *list, const char *words, json_t *templates, const char *template_name)
{
    char room[1024];
    if (strlen(words) >= sizeof(room)) {
        cli_complain("--properties is too long; accepted are %zu bytes", sizeof(room) - 1);
        return false;
    }
    snprintf(room, sizeof(room), "%s", words);
    char *rest = room, *word;
    while ((word = strsep(&rest, ",")) != NULL) {
        char *equals = strchr(word, '=');
        if (equals == NULL) {
            cli_complain("--properties has %s; accepted is NAME=VALUE,...", cn_quote(word).text);
            return false;
        }
        *equals = '\0';
        const char *kind = kind_of(templates, template_name, word);
        json_t *value = value_of(kind, equals + 1);
        if (value == NULL) {
            cli_complain("--properties: %s is %s, which is no %s", word,
                cn_quote(equals + 1).text, kind);
            return false;
        }
        json_array_append_new(list, json_pack("{s:s, s:o}", "name", word, kind, value));
    }
    return true;
}

/* Reads the first line of the file. */
static enum cli_exit
read_password(const char *path, char password[WIRE_ROOM_PASSWORD_SIZE + 1])
{
    FILE *file = fopen(path, "r");
    size_t size = file != NULL ? fread(password, 1, WIRE_ROOM_PASSWORD_SIZE, file) : 0;
    password[size] = '\0';
    if (file == NULL) {
        cli_complain("can not open %s", path);
        return CLI_COULD_NOT;
    }
    fclose(file);
    password[strcspn(password, "\r\n")] = '\0';
    return CLI_DONE;
}

static enum cli_exit
post_request(const struct cli_call *call, const struct cli_remote *remote, json_t *body)
{
    enum cli_exit result = CLI_COULD_NOT;
    char *text = json_dumps(body, JSON_COMPACT);
    if (text == NULL) {
        cli_complain("no memory");
        return result;
    }
    const struct cli_request request = {.method = "POST",
        .path = "/v1/rooms",
        .type = JSON_TYPE,
        .body = text,
        .size = strlen(text)};
    json_t *seat = ask(remote, &request, &result);
    free(text);
    if (result == CLI_DONE && call->rooms_json) {
        result = print_json(seat);
    } else if (result == CLI_DONE) {
        printf("room   %s\nseat   %d, to be taken within %d s\ntoken  %s\n",
            text_of(seat, "room"), count_of(seat, "seat"), count_of(seat, "expiresS"),
            text_of(seat, "token"));
    }
    json_decref(seat);
    return result;
}

static enum cli_exit
create_room(const struct cli_call *call, const struct cli_remote *remote)
{
    const char *template_name = call->operands[1];
    char password[WIRE_ROOM_PASSWORD_SIZE + 1] = "";
    enum cli_exit result = CLI_DONE;
    if (call->rooms_password != NULL) {
        result = read_password(call->rooms_password, password);
    }
    json_t *templates = result == CLI_DONE && call->rooms_properties != NULL
        ? get(remote, "/v1/rooms/templates", &result)
        : NULL;
    json_t *properties = json_array();
    if (result == CLI_DONE && call->rooms_properties != NULL &&
        !add_properties(properties, call->rooms_properties, templates, template_name)) {
        result = CLI_BAD;
    }
    json_t *body = json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "template", template_name,
        "create", "CREATE", "name", call->rooms_name != NULL ? call->rooms_name : "",
        "password", password, "private", call->rooms_private, "properties", properties);
    if (result == CLI_DONE && body == NULL) {
        cli_complain("the words can not be sent: they are no UTF-8");
        result = CLI_BAD;
    } else if (result == CLI_DONE) {
        result = post_request(call, remote, body);
    }
    json_decref(body);
    json_decref(templates);
    return result;
}

/* ---- close ---- */

static enum cli_exit
close_room(const struct cli_remote *remote, const char *id)
{
    char path[WIRE_NAME_SIZE + 32];
    unsigned char *answer = NULL;
    size_t size;
    if (!wire_name_is_id(id)) {
        cli_complain("%s is no id of a room; `cairn rooms` lists them", cn_quote(id).text);
        return CLI_BAD;
    }
    snprintf(path, sizeof(path), "/v1/rooms/%s", id);
    const struct cli_request request = {
        .method = "DELETE", .path = path, .type = JSON_TYPE, .body = ""};
    enum cli_exit result = cli_ask(remote, &request, &answer, &size);
    free(answer);
    return result;
}

enum cli_exit
cli_rooms(const struct cli_call *call)
{
    struct cli_remote remote;
    const char *verb = call->operand_count > 0 ? call->operands[0] : "";
    enum cli_exit result = cli_remote_init(&remote, call->rooms_server, NULL, call->rooms_token);
    if (result != CLI_DONE) {
        return result;
    }
    if (call->operand_count == 0) {
        return list_rooms(call, &remote);
    }
    if (strcmp(verb, "create") == 0 && call->operand_count == 2) {
        return create_room(call, &remote);
    }
    if (strcmp(verb, "close") != 0 || call->operand_count < 2) {
        cli_complain("usage: cairn rooms, cairn rooms create TEMPLATE, or cairn rooms close ID...");
        return CLI_BAD;
    }
    for (int i = 1; i < call->operand_count && result == CLI_DONE; i++) {
        result = close_room(&remote, call->operands[i]);
    }
    return result;
}
