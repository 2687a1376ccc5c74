check_PROGRAMS += tests/friction/test_friction_data
TESTS += tests/friction/test_friction_data
tests_friction_test_friction_data_SOURCES = tests/friction/test_friction_data.c \
	tests/friction/friction_file.c tests/friction/friction_file.h
tests_friction_test_friction_data_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
