/*
 * test_backup.c: a copy of a store at work is that of one commit, with every checkpoint that it
 * names, however many changes happen meanwhile.  The copy exists whole or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/store_folder.h"

#include "server/store/check/backup.h"
#include "server/store/store_inside.h"

#include <sys/stat.h>

#define WORLDS 3
#define IMAGE_SIZE 3000000

struct scene {
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_store *store;
    struct sv_trail trail[WORLDS + 1];
    char to[512];
    int find_count, progress_count;
    uint64_t commit; /* the last one at the start of the copy */
    bool is_busy;      /* the store works while the backup is made */
    bool removes_all;  /* and its worlds go */
};

static void
commit(struct sv_store *store)
{
    while (sv_store_commit_now(store) || sv_store_keep_one(store)) {
    }
}

static void
work(struct scene *scene, uint64_t world)
{
    unsigned char entries[100];
    struct sv_lane *lane = sv_store_lane(scene->store, 0);
    struct sv_trail *trail = &scene->trail[world];
    memset(entries, (int)trail->number, sizeof(entries));
    assert_true(
        sv_lane_append(lane, trail, trail->number, 0, 0, entries, sizeof(entries)) != 0);
    struct sv_checkpoint *checkpoint = sv_checkpoint_create(*trail, trail->number, 5);
    unsigned char *image = malloc(IMAGE_SIZE);
    assert_non_null(image);
    memset(image, (int)trail->number, IMAGE_SIZE);
    sv_checkpoint_add(checkpoint, 1, image, IMAGE_SIZE);
    assert_true(sv_lane_checkpoint(lane, checkpoint) != 0);
    commit(scene->store);
}

/* Makes a journal that is copied in several pieces. */
static void
fill_journal(struct scene *scene)
{
    static unsigned char entries[30000];
    for (int i = 0; i < 100; i++) {
        assert_true(sv_lane_append(sv_store_lane(scene->store, 0), &scene->trail[1],
                        scene->trail[1].number, 0, 0, entries, sizeof(entries)) != 0);
        commit(scene->store);
    }
}

static void
begin(struct scene *scene)
{
    struct sv_fault fault;
    memset(scene, 0, sizeof(*scene));
    store_folder_make(&scene->folder);
    snprintf(scene->to, sizeof(scene->to), "%s.backup", scene->folder.path);
    struct sv_store_config config = store_folder_config(&scene->folder, &scene->disk);
    config.lane_size = 1 << 20;
    scene->store = sv_store_open(&config, &fault);
    assert_non_null(scene->store);
    for (uint64_t world = 1; world <= WORLDS; world++) {
        assert_true(store_put_charter(sv_store_lane(scene->store, 0), world, "a world"));
        scene->trail[world] = sv_store_trail(scene->store, world, 9);
        work(scene, world);
        work(scene, world);
    }
}

static void
end(struct scene *scene)
{
    struct store_folder copy;
    snprintf(copy.path, sizeof(copy.path), "%.255s", scene->to);
    sv_store_abandon(scene->store);
    store_folder_remove(&scene->folder);
    store_folder_remove(&copy);
}

static void
note(void *context, const struct sv_find *find)
{
    (void)find;
    ((struct scene *)context)->find_count++;
}

/* At each step of the backup the store works: new checkpoints replace old ones, or worlds end. */
static void
interfere(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    struct scene *scene = context;
    assert_true(done_bytes <= total_bytes);
    scene->progress_count++;
    scene->commit = scene->progress_count == 1 ? scene->store->head.commit : scene->commit;
    if (scene->is_busy && scene->progress_count % 2 == 0) {
        work(scene, 1 + (uint64_t)(scene->progress_count / 2) % WORLDS);
    }
    if (scene->removes_all && scene->progress_count == 2) {
        for (uint64_t world = 1; world <= WORLDS; world++) {
            assert_true(
                sv_lane_put_charter(sv_store_lane(scene->store, 0), world, NULL, 0) != 0);
        }
        commit(scene->store);
    }
}

static bool
back_up(struct scene *scene, struct sv_backup *backup, struct sv_fault *fault)
{
    static struct sv_disk_real disk; /* as another process has its own */
    *backup = (struct sv_backup){.from = scene->folder.path,
        .to = scene->to,
        .disk = sv_disk_real(&disk),
        .clock = sv_clock_real(),
        .progress = interfere,
        .tell = note,
        .context = scene};
    return sv_backup_make(backup, fault);
}

/* Opens the copy as a daemon does: every world has all its records. */
static void
check_copy(struct scene *scene, const struct sv_trail *before)
{
    struct sv_disk_real disk;
    struct sv_fault fault;
    struct store_folder copy;
    snprintf(copy.path, sizeof(copy.path), "%.255s", scene->to);
    struct sv_store_config config = store_folder_config(&copy, &disk);
    struct sv_store *store = sv_store_open(&config, &fault);
    if (store == NULL) {
        fail_msg("%s", fault.text);
    }
    assert_int_equal(sv_store_world_count(store), WORLDS);
    for (uint64_t world = 1; world <= WORLDS; world++) {
        const struct sv_checkpoint *checkpoint;
        struct sv_record record;
        struct sv_recovery *recovery = sv_recovery_begin(store, world, &checkpoint, &fault);
        assert_non_null(recovery);
        assert_non_null(checkpoint);
        while (sv_recovery_next(recovery, &record, &fault) == SV_RECOVERY_RECORD) {
        }
        assert_int_equal(fault.kind, SV_FAULT_NONE);
        assert_true(sv_recovery_trail(recovery).number >= before[world].number);
        sv_recovery_end(recovery);
    }
    sv_store_abandon(store);
}

static bool
is_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

static void
test_idle(void **state)
{
    struct scene scene;
    struct sv_backup backup;
    struct sv_fault fault;
    (void)state;
    begin(&scene);
    if (!back_up(&scene, &backup, &fault)) {
        fail_msg("%s", fault.text);
    }
    assert_int_equal(backup.world_count, WORLDS);
    assert_int_equal(backup.checkpoint_count, 2 * WORLDS);
    assert_int_equal(backup.find_count, 0);
    assert_int_equal(backup.commit, scene.store->head.commit);
    check_copy(&scene, scene.trail);
    end(&scene);
}

/* If a store removes files during a backup, it keeps those that the backup still has to read. */
static void
test_busy(void **state)
{
    (void)state;
    for (int removes_all = 0; removes_all < 2; removes_all++) {
        struct scene scene;
        struct sv_backup backup;
        struct sv_fault fault;
        struct sv_trail before[WORLDS + 1];
        char path[1024];
        begin(&scene);
        fill_journal(&scene);
        memcpy(before, scene.trail, sizeof(before));
        scene.is_busy = removes_all == 0;
        scene.removes_all = removes_all != 0;
        if (!back_up(&scene, &backup, &fault)) {
            fail_msg("%s", fault.text);
        }
        assert_int_equal(backup.find_count, 0);
        assert_int_equal(scene.find_count, 0);
        assert_int_equal(backup.commit, scene.commit); /* later commits do not restart the copy */
        assert_true(scene.progress_count > 20);
        snprintf(path, sizeof(path), "%s/world-1-1.ckpt", scene.folder.path);
        assert_true(is_there(path)); /* the journal does not name it any more */
        sv_store_remove_put_off(scene.store);
        assert_false(is_there(path));
        check_copy(&scene, before);
        end(&scene);
    }
}

/* A daemon that starts during a backup removes no file either. The next daemon does. */
static void
test_new_daemon(void **state)
{
    struct scene scene;
    struct sv_disk_real other;
    struct sv_disk backup = sv_disk_real(&other);
    struct sv_fault fault;
    char path[1024];
    (void)state;
    begin(&scene);
    assert_int_equal(backup.hold(backup.context, scene.folder.path), SV_DISK_OK);
    work(&scene, 1);
    snprintf(path, sizeof(path), "%s/world-1-1.ckpt", scene.folder.path);
    for (int life = 0; life < 3; life++) {
        assert_int_equal(is_there(path), life < 2);
        sv_store_abandon(scene.store);
        struct sv_store_config config = store_folder_config(&scene.folder, &scene.disk);
        if (life == 1) {
            backup.let_go(backup.context);
        }
        scene.store = sv_store_open(&config, &fault);
        assert_non_null(scene.store);
    }
    sv_store_abandon(scene.store);
    store_folder_remove(&scene.folder);
}

/* A backup replaces no existing folder, and a failed one leaves no files. */
static void
test_refusals(void **state)
{
    struct scene scene;
    struct sv_backup backup;
    struct sv_fault fault;
    char path[1024];
    (void)state;
    begin(&scene);
    assert_int_equal(mkdir(scene.to, 0700), 0);
    assert_false(back_up(&scene, &backup, &fault));
    assert_int_equal(fault.kind, SV_FAULT_BUSY);
    assert_int_equal(rmdir(scene.to), 0); /* empty still */
    snprintf(path, sizeof(path), "%s/watermark", scene.folder.path);
    struct sv_watermark mark = {.commit = scene.store->head.commit + 5, .epoch = 1};
    assert_true(sv_watermark_write(
        &scene.store->config.disk, scene.folder.path, &mark, &fault));
    assert_false(back_up(&scene, &backup, &fault));
    assert_int_equal(fault.kind, SV_FAULT_JOURNAL_SHORT);
    assert_false(is_there(scene.to));
    snprintf(path, sizeof(path), "%s.partial-%ld", scene.to, (long)getpid());
    assert_false(is_there(path));
    snprintf(path, sizeof(path), "%s/watermark", scene.folder.path);
    assert_int_equal(unlink(path), 0);
    /* A backup reports a damaged file, and copies it as it is. */
    store_flip(&scene.folder, "world-2-2.ckpt", 100000, 1);
    assert_true(back_up(&scene, &backup, &fault));
    assert_int_equal(backup.find_count, 1);
    assert_int_equal(scene.find_count, 1);
    end(&scene);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_new_daemon),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
