check_PROGRAMS += tests/unit/crew/test_crew
TESTS += tests/unit/crew/test_crew
tests_unit_crew_test_crew_SOURCES = tests/unit/crew/test_crew.c
tests_unit_crew_test_crew_LDADD = libcrew.a libcairn.a $(CMOCKA_LIBS) -lpthread -lm
