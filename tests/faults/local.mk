# Every allocation and system call of six scenarios is made to fail: a part of them here, all with
# --long.  Skipped without Python's libraries, or in an instrumented build.  The shim is loaded
# before the C library of ordinary programs.
check_DATA = tests/faults/shim.so
tests/faults/shim.so: tests/faults/shim.c tests/faults/calls.h
	$(AM_V_CC)$(MKDIR_P) tests/faults && $(CC) -std=c17 -O1 -Wall -Wextra -Werror -Wshadow \
		-Wconversion -Wmissing-prototypes -fPIC -shared -D_GNU_SOURCE -I$(srcdir) \
		-o $@ $(srcdir)/tests/faults/shim.c -ldl
CLEANFILES += tests/faults/shim.so
TESTS += tests/faults/run
EXTRA_DIST += tests/faults/run tests/faults/shim.c tests/faults/calls.h tests/faults/shim.py \
	tests/faults/errors.py tests/faults/known.py tests/faults/scenarios.py tests/faults/ball.yaml \
	tests/faults/bad.yaml tests/faults/leaks tests/faults/page/index.html
