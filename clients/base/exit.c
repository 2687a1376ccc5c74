/* exit.c: complaints, and the check at the end that the output was written. */
#include "clients/base/exit.h"

#include "engine/base/assert.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *program_name;

void
cli_name_program(const char *name)
{
    CN_ASSERT(program_name == NULL && name[0] != '\0'); /* a process is one program */
    program_name = name;
}

void
cli_complain(const char *format, ...)
{
    va_list list;
    CN_ASSERT(program_name != NULL);
    fprintf(stderr, "%s: ", program_name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

enum cli_exit
cli_finish_output(enum cli_exit result)
{
    bool was_told = result == CLI_COULD_NOT;
    if ((fflush(stdout) != 0 || ferror(stdout)) && !was_told) {
        cli_complain("can not write to standard output: %s", strerror(errno));
        return CLI_COULD_NOT;
    }
    return result;
}
