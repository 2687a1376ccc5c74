/*
 * config_print.c: the option table as help, manual page and example file.
 */
#include "server/base/config.h"

#include <string.h>

#define COLUMN 28

void
sv_config_print_help(FILE *out)
{
    fputs("usage: cairnd [OPTION]...\n\n"
          "Hosts rigid-body worlds and streams them to browsers. With no options it serves\n"
          "http://127.0.0.1:7878/ to this machine.\n\n",
        out);
    for (int i = 0; i < sv_option_count; i++) {
        const struct sv_option *option = &sv_options[i];
        int width = fprintf(out, "  --%s%s%s", option->name, option->argument ? " " : "",
            option->argument ? option->argument : "");
        fprintf(out, "%*s%s\n", width < COLUMN ? COLUMN - width : 1, "", option->text);
        if (option->standard != NULL) {
            fprintf(out, "%*s(default: %s)\n", COLUMN, "", option->standard);
        }
    }
    fputs("\nExit status: 0 stopped as asked, or the configuration is good (--check-config), 2 a\n"
          "scene is bad, or an address or the data folder in use, 3 could not start or run,\n"
          "71 no memory or too few files, 73 and 74 the disk is full or failed, 78 the\n"
          "configuration is bad, keys and certificates included.\n",
        out);
}

/* Escapes '-', which is otherwise a hyphen in a manual page. */
static void
print_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        fputs(*text == '-' ? "\\-" : *text == '\\' ? "\\e" : (char[]){*text, '\0'}, out);
    }
}

void
sv_config_print_manual(FILE *out, const char *version)
{
    fprintf(out, ".TH CAIRND 8 \"\" \"cairn %s\" \"Cairn\"\n", version);
    fputs(".SH NAME\ncairnd \\- host rigid-body worlds and stream them to browsers\n"
          ".SH SYNOPSIS\n.B cairnd\n[\\fIOPTION\\fR]...\n.SH DESCRIPTION\n"
          "Runs the worlds that scenes describe and streams them over WebSockets to the page at\n"
          "its own address, and to any program that speaks the subprotocol cairn.v1.\n"
          "It needs no configuration.\n.PP\n"
          "SIGTERM and SIGINT stop it: every client is sent close 1001. A second one stops it at\n"
          "once. SIGHUP reads token keys, revoked tokens and the certificate again, and opens\n"
          "the file of \\-\\-audit anew; a daemon that has none of these is stopped by it, too,\n"
          "unless it was started by nohup.\n"
          ".PP\n"
          "It listens on loopback, where everybody is operator. Wider it wants\n"
          "\\-\\-token\\-key and \\-\\-tls\\-cert.\n.SH OPTIONS\n",
        out);
    for (int i = 0; i < sv_option_count; i++) {
        const struct sv_option *option = &sv_options[i];
        fputs(".TP\n\\fB\\-\\-", out);
        print_escaped(out, option->name);
        fputs("\\fR", out);
        if (option->argument != NULL) {
            fprintf(out, " \\fI%s\\fR", option->argument);
        }
        fputs("\n", out);
        print_escaped(out, option->text);
        if (option->standard != NULL) {
            fputs("\n(default: ", out);
            print_escaped(out, option->standard);
            fputs(")", out);
        }
        fputs("\n", out);
    }
    fputs(".SH CONFIGURATION FILE\n"
          "YAML, one key for every option that takes a value, in lowerCamelCase.\n"
          ".B cairnd \\-\\-print\\-config\nprints one with comments.\n"
          "The systemd unit sets CONFIGURATION_DIRECTORY to /etc/cairn, so that a daemon that it\n"
          "starts reads /etc/cairn/cairnd.yaml where there is one.\n"
          ".SH EXIT STATUS\n0 stopped as asked, or the configuration is good\n"
          "(\\-\\-check\\-config); 2 a scene is bad, or an address or the data folder in use;\n"
          "3 could not start or run; 71 no memory or too few files; 73 the disk is full or may\n"
          "not be written; 74 it failed; 78 the configuration is bad, keys and certificates\n"
          "included: starting again as it is will not help.\n"
          ".SH SEE ALSO\n.BR cairn (1),\n.BR cairn-load (1)\n",
        out);
}

void
sv_config_print_example(FILE *out)
{
    fputs("# Configuration of cairnd. Every key may be left out; the command line goes first.\n",
        out);
    for (int i = 0; i < sv_option_count; i++) {
        const struct sv_option *option = &sv_options[i];
        if (option->kind == SV_OPTION_ACTION || strcmp(option->name, "config") == 0) {
            continue;
        }
        char key[64];
        sv_config_key(option->name, key, sizeof(key));
        fprintf(out, "\n# %s\n# Default: %s\n", option->text, option->standard);
        switch (option->kind) {
        case SV_OPTION_LIST:
            fprintf(out, "#%s: [\"%s\"]\n", key, option->argument);
            break;
        case SV_OPTION_FLAG:
            fprintf(out, "#%s: true\n", key);
            break;
        default:
            fprintf(out, "#%s: %s\n", key, option->argument);
        }
    }
}
