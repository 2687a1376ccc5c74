# Rooms: seats, tokens, records and events; the daemon in memory with kills.
room_tests = tests/unit/server/room/test_seat_token tests/unit/server/room/test_room_record \
	tests/unit/server/room/test_hooks tests/unit/server/room/test_notebook \
	tests/scenario/test_rooms tests/unit/proto/test_room_codec
check_PROGRAMS += $(room_tests)
TESTS += $(room_tests)

tests_unit_server_room_test_seat_token_SOURCES = tests/unit/server/room/test_seat_token.c
tests_unit_server_room_test_seat_token_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_room_test_seat_token_LDADD = $(server_tests_ldadd)
tests_unit_server_room_test_room_record_SOURCES = tests/unit/server/room/test_room_record.c
tests_unit_server_room_test_room_record_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_room_test_room_record_LDADD = $(server_tests_ldadd)
tests_unit_server_room_test_hooks_SOURCES = tests/unit/server/room/test_hooks.c \
	tests/support/server/store_folder.h
tests_unit_server_room_test_hooks_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_room_test_hooks_LDADD = $(server_tests_ldadd)
tests_unit_server_room_test_notebook_SOURCES = tests/unit/server/room/test_notebook.c \
	tests/support/server/store_folder.h
tests_unit_server_room_test_notebook_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_room_test_notebook_LDADD = $(server_tests_ldadd)
tests_scenario_test_rooms_SOURCES = tests/scenario/test_rooms.c \
	tests/support/server/durable_sim.h tests/support/server/twin_server.h
tests_scenario_test_rooms_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_rooms_CFLAGS = $(server_tests_cflags)
tests_scenario_test_rooms_LDADD = $(server_tests_ldadd)
tests_unit_proto_test_room_codec_SOURCES = tests/unit/proto/test_room_codec.c
tests_unit_proto_test_room_codec_CPPFLAGS = $(server_tests_cppflags)
tests_unit_proto_test_room_codec_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_room_codec_LDADD = $(server_tests_ldadd)
