/* Reports of a slow disk to the operator: which worlds wait, and how long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/host/slow_disk.h"

#include <stdio.h>
#include <string.h>

#define WORLDS 6

static int line_count;
static char last_line[1024];

static void
keep(void *context, const char *line, size_t size)
{
    (void)context;
    memcpy(last_line, line, size);
    last_line[size] = '\0';
    line_count++;
}

struct scene {
    uint64_t now_ns;
    struct sv_log log;
    struct sv_host host;
    struct sv_host_world worlds[WORLDS], *list[WORLDS];
    struct sv_slow_disk slow;
};

static void
begin(struct scene *scene)
{
    memset(scene, 0, sizeof(*scene));
    scene->now_ns = SV_NS_PER_S;
    sv_log_init(&scene->log, SV_LOG_INFO, sv_clock_simulated(&scene->now_ns));
    scene->log.write = keep;
    scene->host.worlds = scene->list;
    scene->host.world_count = WORLDS;
    for (int i = 0; i < WORLDS; i++) {
        scene->list[i] = &scene->worlds[i];
        snprintf(scene->worlds[i].mailbox.id, sizeof(scene->worlds[i].mailbox.id), "world%d", i);
    }
    line_count = 0;
}

/* A short commit is logged only once, at its end. */
static void
test_short(void **state)
{
    struct scene scene;
    (void)state;
    begin(&scene);
    uint64_t began_ns = scene.now_ns;
    sv_slow_disk_look(&scene.slow, &scene.host, &scene.log, began_ns, began_ns + 200000000);
    assert_int_equal(line_count, 0);
    sv_slow_disk_end(&scene.slow, &scene.log, began_ns + 400000000);
    assert_string_equal(last_line,
        "cairnd: warn: the disk was slow: a commit took 0.4 s; no world waited\n");
    sv_slow_disk_end(&scene.slow, &scene.log, began_ns + 500000000);
    assert_int_equal(line_count, 1);
}

/* The log reports a long commit once while it lasts, with the longest waits, and once after it. */
static void
test_long(void **state)
{
    struct scene scene;
    (void)state;
    begin(&scene);
    uint64_t began_ns = scene.now_ns;
    scene.worlds[2].status.stalled_ms = 1100;
    scene.worlds[4].status.stalled_ms = 1300;
    for (int i = 0; i < 3; i++) {
        sv_slow_disk_look(&scene.slow, &scene.host, &scene.log, began_ns,
            began_ns + 1400000000 + (uint64_t)i * 100000000);
    }
    assert_int_equal(line_count, 1);
    assert_string_equal(last_line,
        "cairnd: warn: the disk is slow: a commit takes 1.4 s so far; 2 worlds wait: "
        "world4 (1.3 s), world2 (1.1 s)\n");
    for (int i = 0; i < WORLDS; i++) {
        scene.worlds[i].status.stalled_ms = 2000 + 100 * (uint32_t)i;
    }
    sv_slow_disk_look(&scene.slow, &scene.host, &scene.log, began_ns, began_ns + 2600000000);
    for (int i = 0; i < WORLDS; i++) {
        scene.worlds[i].status.stalled_ms = 0;
    }
    sv_slow_disk_look(&scene.slow, &scene.host, &scene.log, began_ns, began_ns + 2700000000);
    assert_int_equal(line_count, 1);
    sv_slow_disk_end(&scene.slow, &scene.log, began_ns + 2800000000);
    assert_int_equal(line_count, 2);
    assert_string_equal(last_line,
        "cairnd: warn: the disk was slow: a commit took 2.8 s; 6 worlds waited: world5 (2.5 s), "
        "world4 (2.4 s), world3 (2.3 s), world2 (2.2 s) and 2 more\n");
}

/* The next commit counts on its own, even if no look came between the two. */
static void
test_next(void **state)
{
    struct scene scene;
    (void)state;
    begin(&scene);
    uint64_t began_ns = scene.now_ns;
    scene.worlds[0].status.stalled_ms = 900;
    sv_slow_disk_look(&scene.slow, &scene.host, &scene.log, began_ns, began_ns + 1200000000);
    assert_int_equal(line_count, 1);
    scene.worlds[0].status.stalled_ms = 0;
    sv_slow_disk_look(&scene.slow, &scene.host, &scene.log, began_ns + 1300000000,
        began_ns + 1500000000);
    assert_int_equal(line_count, 2);
    assert_string_equal(last_line,
        "cairnd: warn: the disk was slow: a commit took 1.5 s; 1 world waited: world0 (0.9 s)\n");
    sv_slow_disk_end(&scene.slow, &scene.log, began_ns + 1600000000);
    assert_string_equal(last_line,
        "cairnd: warn: the disk was slow: a commit took 0.3 s; no world waited\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
