# Worlds of other versions of the physics.
check_PROGRAMS += tests/scenario/test_upgrade
TESTS += tests/scenario/test_upgrade
tests_scenario_test_upgrade_SOURCES = tests/scenario/test_upgrade.c \
	tests/support/server/durable_client.h tests/support/server/durable_sim.h \
	tests/support/server/twin_server.h
tests_scenario_test_upgrade_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_upgrade_CFLAGS = $(server_tests_cflags)
tests_scenario_test_upgrade_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=cn_physics_version \
	-Wl,--wrap=sv_portable_add -Wl,--wrap=cn_world_command_apply
tests_scenario_test_upgrade_LDADD = $(server_tests_ldadd)

# Data folders of this release and earlier ones, and a daemon of another version of the physics.
check_PROGRAMS += tests/upgrade/open_folder tests/upgrade/open_folder_later \
	tests/upgrade/cairnd_earlier
TESTS += tests/upgrade/run
EXTRA_DIST += tests/upgrade/folders.py tests/upgrade/make tests/upgrade/run tests/golden/folders
tests_upgrade_open_folder_SOURCES = tests/upgrade/open_folder.c
tests_upgrade_open_folder_CPPFLAGS = $(libcairnserver_a_CPPFLAGS)
tests_upgrade_open_folder_LDADD = $(SERVER_LIBS)
tests_upgrade_open_folder_later_SOURCES = tests/upgrade/open_folder.c tests/upgrade/other_physics.c
tests_upgrade_open_folder_later_CPPFLAGS = $(libcairnserver_a_CPPFLAGS) -DOTHER_PHYSICS=1
tests_upgrade_open_folder_later_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=cn_physics_version
tests_upgrade_open_folder_later_LDADD = $(SERVER_LIBS)
tests_upgrade_cairnd_earlier_SOURCES = $(cairnd_SOURCES) tests/upgrade/other_physics.c
tests_upgrade_cairnd_earlier_CPPFLAGS = $(cairnd_CPPFLAGS) -DOTHER_PHYSICS=-1
tests_upgrade_cairnd_earlier_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=cn_physics_version
tests_upgrade_cairnd_earlier_LDADD = $(SERVER_LIBS)
