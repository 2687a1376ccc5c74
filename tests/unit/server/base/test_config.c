/*
 * test_config.c: the option table as parser, help and example; the token bucket beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/config.h"
#include "server/base/rate.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENTS(...)                                                                             \
    char *argv[] = {(char[]){"cairnd"}, __VA_ARGS__};                                              \
    int argc = (int)(sizeof(argv) / sizeof(argv[0]));                                              \
    char error[SV_CONFIG_ERROR_SIZE] = "";                                                         \
    struct sv_config config;                                                                       \
    sv_config_init(&config)

static void
test_defaults(void **state)
{
    (void)state;
    struct sv_config config;
    sv_config_init(&config);
    assert_int_equal(config.listen.count, 0);
    assert_true(config.workers >= 1 && config.workers <= SV_WORKERS_MAX);
    assert_int_equal(config.worlds_max, SV_WORLDS_MAX_DEFAULT);
    assert_int_equal(config.log_level, SV_LOG_INFO);
    sv_config_finish(&config);
}

static void
test_both_spellings(void **state)
{
    (void)state;
    ARGUMENTS((char[]){"--workers"}, (char[]){"3"}, (char[]){"--data=d"},
        (char[]){"--listen"}, (char[]){"127.0.0.1:1"}, (char[]){"--listen=[::1]:2"});
    assert_true(sv_config_parse(&config, argc, argv, error));
    assert_int_equal(config.workers, 3);
    assert_string_equal(config.data, "d");
    assert_int_equal(config.listen.count, 2);
    assert_string_equal(config.listen.values[1], "[::1]:2");
    sv_config_finish(&config);
}

/* A list on the command line replaces the file's; a single value does too. */
static void
test_command_line_goes_first(void **state)
{
    (void)state;
    ARGUMENTS((char[]){"--scene=c"}, (char[]){"--scene=d"}, (char[]){"--config=f"});
    assert_string_equal(sv_config_file(argc, argv), "f");
    assert_true(sv_config_set(&config, "scene", "a", error));
    assert_true(sv_config_set(&config, "allow-host", "h", error));
    assert_true(sv_config_parse(&config, argc, argv, error));
    assert_int_equal(config.scene.count, 2);
    assert_string_equal(config.scene.values[0], "c");
    assert_int_equal(config.allow_host.count, 1);
    sv_config_finish(&config);
}

#define LISTEN                                                                                     \
    "; accepted is ADDR:PORT, e.g. 127.0.0.1:7878 or [::1]:7878, and the /PATH of a socket for a " \
    "proxy"

static void
test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *argument, *message;
    } cases[] = {
        {"--workers=0", "workers is \"0\"; accepted is a number from 1 to 64"},
        {"--workers=65", "workers is \"65\"; accepted is a number from 1 to 64"},
        {"--workers=-1", "workers is \"-1\"; accepted is a number from 1 to 64"},
        {"--workers=1x", "workers is \"1x\"; accepted is a number from 1 to 64"},
        {"--workers", "--workers wants a value"},
        {"--help=x", "--help takes no value"},
        {"--nonsense", "unknown option \"--nonsense\"; see --help"},
        {"file", "unknown option \"file\"; see --help"},
        {"--log-level=loud", "log-level is \"loud\"; accepted are error, warn, info, debug"},
        {"--listen=7878", "listen is \"7878\"" LISTEN},
        {"--listen=::1:7878", "listen is \"::1:7878\"" LISTEN},
        {"--listen=a:65536", "listen is \"a:65536\"" LISTEN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char argument[64];
        snprintf(argument, sizeof(argument), "%s", cases[i].argument);
        ARGUMENTS(argument);
        assert_false(sv_config_parse(&config, argc, argv, error));
        assert_string_equal(error, cases[i].message);
        sv_config_finish(&config);
    }
}

static char *
printed(void (*print)(FILE *out))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = tmpfile();
    assert_non_null(out);
    print(out);
    size = (size_t)ftell(out);
    rewind(out);
    text = calloc(size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, out), size);
    fclose(out);
    return text;
}

/* Help and example name every option, because they iterate the table. */
static void
test_table_is_printed(void **state)
{
    (void)state;
    char *help = printed(sv_config_print_help), *example = printed(sv_config_print_example);
    for (int i = 0; i < sv_option_count; i++) {
        char key[64];
        assert_non_null(strstr(help, sv_options[i].name));
        sv_config_key(sv_options[i].name, key, sizeof(key));
        bool is_in_file =
            sv_options[i].kind != SV_OPTION_ACTION && strcmp(sv_options[i].name, "config") != 0;
        char line[80];
        snprintf(line, sizeof(line), "\n#%s: ", key);
        assert_int_equal(strstr(example, line) != NULL, is_in_file);
    }
    free(help);
    free(example);
}

/* Two at once, then one every 100 ns. */
static void
test_token_bucket(void **state)
{
    (void)state;
    struct sv_rate rate = {0};
    assert_true(sv_rate_take(&rate, 1000, 100, 2));
    assert_true(sv_rate_take(&rate, 1000, 100, 2));
    assert_false(sv_rate_take(&rate, 1000, 100, 2));
    assert_false(sv_rate_take(&rate, 1099, 100, 2));
    assert_true(sv_rate_take(&rate, 1100, 100, 2));
    assert_false(sv_rate_take(&rate, 1100, 100, 2));
    assert_true(sv_rate_take(&rate, 9000, 100, 2));
    assert_true(sv_rate_take(&rate, 9000, 100, 2));
    assert_false(sv_rate_take(&rate, 9000, 100, 2));
}

static bool
fits(const char *error_part, int argc, char **argv)
{
    char error[SV_CONFIG_ERROR_SIZE] = "";
    struct sv_config config;
    sv_config_init(&config);
    assert_true(sv_config_parse(&config, argc, argv, error));
    bool is_good = sv_config_check(&config, error);
    assert_true(is_good || strstr(error, error_part) != NULL);
    sv_config_finish(&config);
    return is_good;
}

#define FITS(part, ...)                                                                            \
    fits(part, (int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)) + 1,                        \
        (char *[]){(char[]){"cairnd"}, __VA_ARGS__})
#define WORD(text) (char[]){text}

/* Wider than loopback wants keys, and TLS or a proxy; what contradicts itself is refused. */
static void
test_wide_listeners(void **state)
{
    (void)state;
    assert_true(FITS("", WORD("--listen=127.0.0.2:1"), WORD("--listen=[::1]:1")));
    assert_false(FITS("--token-key", WORD("--listen=0.0.0.0:1")));
    assert_false(FITS("--token-key", WORD("--listen=[::ffff:127.0.0.1]:1")));
    assert_false(FITS("--tls-cert", WORD("--listen=0.0.0.0:1"), WORD("--token-key=k")));
    assert_true(FITS("", WORD("--listen=[::]:1"), WORD("--token-key=k"), WORD("--tls-cert=c"),
        WORD("--tls-key=d")));
    assert_true(FITS("", WORD("--listen=[::]:1"), WORD("--token-key=k"),
        WORD("--insecure-plain")));
    assert_false(FITS("together", WORD("--tls-key=d")));
    assert_false(FITS("loopback", WORD("--admin-listen=10.0.0.1:1")));
    assert_false(FITS("loopback", WORD("--admin-listen=admin.sock")));
    assert_true(FITS("", WORD("--admin-listen=/run/admin.sock")));
}

static void
test_loopback(void **state)
{
    (void)state;
    static const char *const own[] = {"127.0.0.1", "127.255.255.254", "::1", "localhost"};
    static const char *const others[] = {"0.0.0.0", "::", "128.0.0.1", "::ffff:127.0.0.1",
        "127.0.0.1.example.org", "localhost.example.org", "127", ""};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        assert_true(sv_config_is_loopback(own[i]));
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(sv_config_is_loopback(others[i]));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide_listeners),
        cmocka_unit_test(test_loopback),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_both_spellings),
        cmocka_unit_test(test_command_line_goes_first),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_table_is_printed),
        cmocka_unit_test(test_token_bucket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
