if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_solvers
endif
tests_fuzz_fuzz_solvers_SOURCES = tests/fuzz/engine/fuzz_solvers.c
tests_fuzz_fuzz_solvers_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_solvers_LDADD = libcairn.a -lm

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_friction
endif
tests_fuzz_fuzz_friction_SOURCES = tests/fuzz/engine/fuzz_friction.c
tests_fuzz_fuzz_friction_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_friction_LDADD = libcairn.a -lm

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_collide
endif
tests_fuzz_fuzz_collide_SOURCES = tests/fuzz/engine/fuzz_collide.c tests/support/collide/shapes.h
tests_fuzz_fuzz_collide_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_collide_LDADD = libcairn.a -lm

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_collide_space
endif
tests_fuzz_fuzz_collide_space_SOURCES = tests/fuzz/engine/fuzz_collide_space.c \
	tests/support/collide/solid_oracle.h tests/support/collide/solids.h
tests_fuzz_fuzz_collide_space_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_collide_space_LDADD = libcairn.a -lm

# Texts as bytes, and scenes by construction.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_text tests/fuzz/fuzz_scene
endif
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/formats/fuzz_text.c
tests_fuzz_fuzz_text_CPPFLAGS = $(libcairnproto_a_CPPFLAGS)
tests_fuzz_fuzz_text_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_text_LDADD = libprobe.a $(PROTO_LIBS)
tests_fuzz_fuzz_scene_SOURCES = tests/fuzz/formats/fuzz_scene.c
tests_fuzz_fuzz_scene_CPPFLAGS = $(libcairnproto_a_CPPFLAGS)
tests_fuzz_fuzz_scene_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_scene_LDADD = $(PROTO_LIBS)
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/malice.py
EXTRA_DIST += tests/fuzz/README.md tests/fuzz/engine/README.md tests/fuzz/formats/README.md \
	tests/fuzz/net/README.md tests/fuzz/store/README.md

# Messages from clients, as bytes and by construction.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_codec
endif
tests_fuzz_fuzz_codec_SOURCES = tests/fuzz/formats/fuzz_codec.c
tests_fuzz_fuzz_codec_CPPFLAGS = $(libcairnserver_a_CPPFLAGS) -isystem $(top_builddir)/proto/gen
tests_fuzz_fuzz_codec_CFLAGS = $(libcairnwire_a_CFLAGS)
tests_fuzz_fuzz_codec_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_codec_LDADD = libcairnwire.a $(PROTO_LIBS)

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_delta
endif
tests_fuzz_fuzz_delta_SOURCES = tests/fuzz/formats/fuzz_delta.c tests/support/server/wire_walk.h
tests_fuzz_fuzz_delta_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_delta_LDADD = libcairnwire.a libcairn.a

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_contacts
endif
tests_fuzz_fuzz_contacts_SOURCES = tests/fuzz/formats/fuzz_contacts.c \
	tests/support/server/contact_walk.h
tests_fuzz_fuzz_contacts_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_contacts_LDADD = libcairnwire.a libcairn.a

# The messages that a client receives.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_peer
endif
tests_fuzz_fuzz_peer_SOURCES = tests/fuzz/formats/fuzz_peer.c tests/fuzz/take.h
tests_fuzz_fuzz_peer_CPPFLAGS = $(AM_CPPFLAGS) -isystem $(top_builddir)/proto/gen
tests_fuzz_fuzz_peer_CFLAGS = $(libcairnwire_a_CFLAGS)
tests_fuzz_fuzz_peer_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_peer_LDADD = libcairnwire.a $(PROTO_LIBS) libcairn.a -lm

# Worlds: scenes and commands by construction, stepped.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_world
endif
tests_fuzz_fuzz_world_SOURCES = tests/fuzz/engine/fuzz_world.c
tests_fuzz_fuzz_world_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_world_LDADD = libcairn.a -lm

# Images of worlds, damaged.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_image
endif
tests_fuzz_fuzz_image_SOURCES = tests/fuzz/engine/fuzz_image.c tests/support/world/blocks.h
tests_fuzz_fuzz_image_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_image_LDADD = libcairn.a -lm

# The portable form of worlds, damaged.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_portable
endif
tests_fuzz_fuzz_portable_SOURCES = tests/fuzz/engine/fuzz_portable.c tests/support/world/blocks.h
tests_fuzz_fuzz_portable_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_portable_LDADD = libcairn.a -lm

# Arrangements by construction, their certificates, and these damaged.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_prove
endif
tests_fuzz_fuzz_prove_SOURCES = tests/fuzz/formats/fuzz_prove.c
tests_fuzz_fuzz_prove_CPPFLAGS = $(AM_CPPFLAGS) $(GMP_CFLAGS)
tests_fuzz_fuzz_prove_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_prove_LDADD = libcairnverify.a $(PROVE_LIBS)

# Boxes that come, go and move, by construction.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_proximity
endif
tests_fuzz_fuzz_proximity_SOURCES = tests/fuzz/engine/fuzz_proximity.c
tests_fuzz_fuzz_proximity_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_proximity_LDADD = libcairn.a -lm

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_life
endif
tests_fuzz_fuzz_life_SOURCES = tests/fuzz/engine/fuzz_life.c
tests_fuzz_fuzz_life_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_life_LDADD = libcairn.a -lm

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_fast_planar
endif
tests_fuzz_fuzz_fast_planar_SOURCES = tests/fuzz/engine/fuzz_fast_planar.c \
	tests/support/collide/flat.h tests/support/collide/shapes.h
tests_fuzz_fuzz_fast_planar_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_fast_planar_LDADD = libcairn.a -lm

# Distances, rays, casts and times of impact.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_query
endif
tests_fuzz_fuzz_query_SOURCES = tests/fuzz/engine/fuzz_query.c tests/support/collide/shapes.h \
	tests/support/collide/solids.h
tests_fuzz_fuzz_query_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_query_LDADD = libcairn.a -lm

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_fast_spatial
endif
tests_fuzz_fuzz_fast_spatial_SOURCES = tests/fuzz/engine/fuzz_fast_spatial.c \
	tests/support/collide/fast_solids.h tests/support/near.h tests/support/collide/solids.h
tests_fuzz_fuzz_fast_spatial_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_fast_spatial_LDADD = libcairn.a -lm

# Tokens and keys.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_token
endif
tests_fuzz_fuzz_token_SOURCES = tests/fuzz/formats/fuzz_token.c
tests_fuzz_fuzz_token_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_token_LDADD = $(ACCESS_LIBS) libcairn.a

# The entries of a world in the journal.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_entry
endif
tests_fuzz_fuzz_entry_SOURCES = tests/fuzz/store/fuzz_entry.c
tests_fuzz_fuzz_entry_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_entry_LDADD = libcairndeed.a libcairnwire.a $(PROTO_LIBS) libcairn.a -lm

# Deeds for an engine that follows a world.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_deeds
endif
tests_fuzz_fuzz_deeds_SOURCES = tests/fuzz/formats/fuzz_deeds.c
tests_fuzz_fuzz_deeds_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_deeds_LDADD = libcairndeed.a libcairnwire.a $(PROTO_LIBS) libcairn.a -lm

# Queries of the past.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_rewind
endif
tests_fuzz_fuzz_rewind_SOURCES = tests/fuzz/engine/fuzz_rewind.c
tests_fuzz_fuzz_rewind_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_rewind_LDADD = libcairn.a -lm
