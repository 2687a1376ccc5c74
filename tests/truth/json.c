#include "tests/truth/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

const json_t *
truth_member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL) {
        fail_msg("the truth set has no \"%s\" here", key);
    }
    return value;
}

bool
truth_has(const json_t *object, const char *key)
{
    return json_object_get(object, key) != NULL;
}

double
truth_number(const json_t *value)
{
    const json_t *plain = json_is_object(value) ? json_object_get(value, "v") : value;
    if (!json_is_number(plain)) {
        fail_msg("a number is expected in the truth set");
    }
    return json_number_value(plain);
}

double
truth_member_number(const json_t *object, const char *key)
{
    return truth_number(truth_member(object, key));
}

int
truth_numbers(const json_t *array, double *numbers, int room)
{
    int count = (int)json_array_size(array);
    if (!json_is_array(array) || count > room) {
        fail_msg("an array of at most %d numbers is expected in the truth set", room);
    }
    for (int i = 0; i < count; i++) {
        numbers[i] = truth_number(json_array_get(array, (size_t)i));
    }
    return count;
}

int
truth_member_numbers(const json_t *object, const char *key, double *numbers, int room)
{
    return truth_numbers(truth_member(object, key), numbers, room);
}

const char *
truth_string(const json_t *object, const char *key)
{
    const char *string = json_string_value(truth_member(object, key));
    if (string == NULL) {
        fail_msg("\"%s\" is not a string in the truth set", key);
    }
    return string;
}
