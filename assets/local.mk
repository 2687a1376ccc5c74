# Readers of meshes, and the library of those that are made.
noinst_LIBRARIES += libcairnassets.a
libcairnassets_a_SOURCES = \
	assets/folder.c assets/folder.h \
	assets/gltf.c assets/gltf.h \
	assets/library.c assets/library.h \
	assets/load.c assets/load.h \
	assets/obj.c assets/obj.h \
	assets/polygon.c assets/polygon.h \
	assets/surface.c assets/surface.h
# openat and getrandom are not C's.
libcairnassets_a_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(JANSSON_CFLAGS)
ASSETS_LIBS = libcairnassets.a libcairn.a $(JANSSON_LIBS) -lpthread -lm
