/* Real files and folders: owner and mode, names of errors, and reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/disk.h"
#include "server/store/format/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 512

static char folder[PATH_SIZE];

static int
make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/cairn-disk-XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int
remove_folder(void **state)
{
    char command[PATH_SIZE + 16];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static const char *
path_of(const char *name)
{
    static char path[2 * PATH_SIZE];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void
make_file(const char *name, mode_t mode, size_t size)
{
    int file = open(path_of(name), O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    for (size_t i = 0; i < size; i++) {
        char byte = (char)(i % 251);
        assert_int_equal(write(file, &byte, 1), 1);
    }
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
}

static mode_t
mode_of(const char *name)
{
    struct stat about;
    assert_int_equal(stat(path_of(name), &about), 0);
    return about.st_mode & 0777;
}

static void
lock_folder(void)
{
    struct sv_disk_real real;
    struct sv_disk disk = sv_disk_real(&real);
    long holder;
    assert_int_equal(disk.lock(disk.context, folder, &holder), SV_DISK_OK);
    disk.unlock(disk.context);
}

/* Files that an older version left readable for all become private when the folder is locked. */
static void
test_secluded(void **state)
{
    static const char *const ours[] = {"LOCK", "journal.db", "journal.db-wal", "journal.db-shm",
        "world-1-7.ckpt", "world-1-9.ckpt.tmp", "damaged-journal.db", "watermark", "stepping",
        "reserve"};
    (void)state;
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        make_file(ours[i], 0664, 1);
    }
    assert_int_equal(chmod(folder, 0755), 0);
    lock_folder();
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        assert_int_equal(mode_of(ours[i]), 0600);
    }
    assert_int_equal(mode_of("."), 0700);
}

/* A folder that also has other files keeps its rights, and its files keep theirs; it may be "/". */
static void
test_not_of_others(void **state)
{
    (void)state;
    make_file("journal.db", 0644, 1);
    make_file("letters.txt", 0644, 1);
    make_file("target", 0644, 1);
    char target[PATH_SIZE * 2];
    snprintf(target, sizeof(target), "%s", path_of("target"));
    assert_int_equal(symlink(target, path_of("watermark")), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    lock_folder();
    assert_int_equal(mode_of("journal.db"), 0600);
    assert_int_equal(mode_of("letters.txt"), 0644);
    assert_int_equal(mode_of("target"), 0644); /* no link is followed */
    assert_int_equal(mode_of("."), 0755);
}

static void
test_new_folder(void **state)
{
    (void)state;
    assert_int_equal(rmdir(folder), 0);
    mode_t before = umask(0);
    lock_folder();
    umask(before);
    assert_int_equal(mode_of("."), 0700);
    assert_int_equal(mode_of("LOCK"), 0600);
}

/* Each failure has its own kind, and its text names the limit to raise. */
static void
test_names(void **state)
{
    static const struct {
        int error;
        enum sv_fault_kind kind;
        const char *text;
    } cases[] = {{EMFILE, SV_FAULT_FILES, "ulimit -n"}, {ENFILE, SV_FAULT_FILES, "fs.file-max"},
        {ENOMEM, SV_FAULT_MEMORY, "MemoryMax="}, {ENOSPC, SV_FAULT_FULL, "no room"},
        {EROFS, SV_FAULT_READ_ONLY, "may not"}, {EIO, SV_FAULT_IO, "Input/output"},
        {ENOENT, SV_FAULT_MISSING, "no such file"}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sv_fault fault;
        errno = cases[i].error;
        sv_fault_set_disk(&fault, sv_disk_result_of(cases[i].error), "a/file");
        assert_int_equal(fault.kind, cases[i].kind);
        assert_non_null(strstr(fault.text, "a/file: "));
        assert_non_null(strstr(fault.text, cases[i].text));
    }
}

/* Without a free file descriptor, every call that needs one reports it. */
static void
test_too_few_files(void **state)
{
    struct sv_disk_real real;
    struct sv_disk disk = sv_disk_real(&real);
    struct rlimit before, none;
    char *bytes;
    size_t size;
    long holder;
    int file;
    (void)state;
    make_file("journal.db", 0600, 1);
    char path[PATH_SIZE * 2];
    snprintf(path, sizeof(path), "%s", path_of("journal.db"));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    enum sv_disk_result locked = disk.lock(disk.context, folder, &holder);
    enum sv_disk_result opened = disk.open(disk.context, path, SV_DISK_READ, &file);
    enum sv_disk_result read_whole = disk.read(disk.context, path, 100, &bytes, &size);
    enum sv_disk_result flushed = disk.sync_folder(disk.context, folder);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(locked, SV_DISK_FILES);
    assert_int_equal(opened, SV_DISK_FILES);
    assert_int_equal(read_whole, SV_DISK_FILES);
    assert_int_equal(flushed, SV_DISK_FILES);
}

/* A large limit takes no memory: the buffer is as large as the file. */
static void
test_read_whole(void **state)
{
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 200000};
    struct sv_disk_real real;
    struct sv_disk disk = sv_disk_real(&real);
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char *bytes = NULL;
        size_t size = 0;
        make_file("file", 0600, sizes[i]);
        assert_int_equal(disk.read(disk.context, path_of("file"), (size_t)1 << 50, &bytes, &size),
            SV_DISK_OK);
        assert_int_equal(size, sizes[i]);
        assert_int_equal(bytes[size], '\0');
        for (size_t k = 0; k < size; k++) {
            assert_int_equal(bytes[k], (char)(k % 251));
        }
        free(bytes);
        if (sizes[i] > 0) {
            assert_int_equal(
                disk.read(disk.context, path_of("file"), sizes[i] - 1, &bytes, &size),
                SV_DISK_SIZE);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_secluded, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_not_of_others, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_new_folder, make_folder, remove_folder),
        cmocka_unit_test(test_names),
        cmocka_unit_test_setup_teardown(test_too_few_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_read_whole, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
