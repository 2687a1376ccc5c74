store_tests = tests/unit/server/store/format/test_record tests/unit/server/store/test_store \
	tests/unit/server/store/format/test_files tests/unit/server/store/test_damage \
	tests/unit/server/store/test_kill tests/unit/server/store/test_history \
	tests/unit/server/store/test_uses tests/unit/server/store/test_notes tests/unit/server/store/test_lane \
	tests/unit/server/store/test_worlds tests/unit/server/store/test_lives \
	tests/unit/server/store/journal/test_journal tests/unit/server/store/check/test_scrub \
	tests/unit/server/store/check/test_backup
check_PROGRAMS += $(store_tests)
TESTS += $(store_tests)

tests_unit_server_store_format_test_record_SOURCES = \
	tests/unit/server/store/format/test_record.c
tests_unit_server_store_format_test_record_LDADD = $(server_tests_ldadd)
tests_unit_server_store_test_store_SOURCES = tests/unit/server/store/test_store.c \
	tests/support/server/store_folder.h
tests_unit_server_store_test_store_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_test_store_LDADD = $(server_tests_ldadd)

# In this test SQLite runs on the simulated disk.
check_PROGRAMS += tests/unit/server/store/test_store_faults
TESTS += tests/unit/server/store/test_store_faults
tests_unit_server_store_test_store_faults_SOURCES = \
	tests/unit/server/store/test_store_faults.c tests/support/server/disk_vfs.h \
	tests/support/server/disk_vfs.c
tests_unit_server_store_test_store_faults_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_test_store_faults_LDADD = $(server_tests_ldadd)

tests_unit_server_store_format_test_files_SOURCES = \
	tests/unit/server/store/format/test_files.c
tests_unit_server_store_format_test_files_LDADD = $(server_tests_ldadd)
tests_unit_server_store_test_damage_SOURCES = tests/unit/server/store/test_damage.c \
	tests/support/server/store_folder.h
tests_unit_server_store_test_damage_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_test_damage_LDADD = $(server_tests_ldadd)
tests_unit_server_store_test_kill_SOURCES = tests/unit/server/store/test_kill.c \
	tests/support/server/store_folder.h
tests_unit_server_store_test_kill_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_test_kill_LDADD = $(server_tests_ldadd)
tests_unit_server_store_test_history_SOURCES = tests/unit/server/store/test_history.c \
	tests/support/server/store_folder.h
tests_unit_server_store_test_history_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_test_history_LDADD = $(server_tests_ldadd)
tests_unit_server_store_test_notes_SOURCES = tests/unit/server/store/test_notes.c \
	tests/support/server/store_folder.h
tests_unit_server_store_test_notes_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_test_notes_LDADD = $(server_tests_ldadd)
tests_unit_server_store_test_uses_SOURCES = tests/unit/server/store/test_uses.c \
	tests/support/server/store_folder.h
tests_unit_server_store_test_uses_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_test_uses_LDADD = $(server_tests_ldadd)
# Lanes, the table of worlds and whole stores against models of them.
tests_unit_server_store_test_lane_SOURCES = tests/unit/server/store/test_lane.c
tests_unit_server_store_test_lane_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_test_lane_LDADD = $(server_tests_ldadd)
tests_unit_server_store_test_worlds_SOURCES = tests/unit/server/store/test_worlds.c
tests_unit_server_store_test_worlds_LDADD = $(server_tests_ldadd)
tests_unit_server_store_test_lives_SOURCES = tests/unit/server/store/test_lives.c \
	tests/support/server/store_folder.h
tests_unit_server_store_test_lives_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_test_lives_LDADD = $(server_tests_ldadd)
tests_unit_server_store_journal_test_journal_SOURCES = \
	tests/unit/server/store/journal/test_journal.c \
	tests/support/server/disk_vfs.h tests/support/server/disk_vfs.c
tests_unit_server_store_journal_test_journal_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_journal_test_journal_LDADD = $(server_tests_ldadd)
tests_unit_server_store_check_test_scrub_SOURCES = \
	tests/unit/server/store/check/test_scrub.c \
	tests/support/server/store_folder.h
tests_unit_server_store_check_test_scrub_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_check_test_scrub_LDADD = $(server_tests_ldadd)
tests_unit_server_store_check_test_backup_SOURCES = \
	tests/unit/server/store/check/test_backup.c \
	tests/support/server/store_folder.h
tests_unit_server_store_check_test_backup_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_store_check_test_backup_LDADD = $(server_tests_ldadd)
