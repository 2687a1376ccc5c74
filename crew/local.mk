noinst_LIBRARIES += libcrew.a
libcrew_a_SOURCES = crew/crew.c crew/crew.h
