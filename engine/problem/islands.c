#include "engine/problem/islands.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"

#include <string.h>

void
cn_islands_take(struct cn_islands *islands, struct cn_arena *arena, int row_count, int body_count)
{
    size_t rows = (size_t)row_count, bodies = (size_t)body_count;
    islands->count = 0;
    islands->start = CN_ARENA_TAKE(arena, int, rows + 1);
    islands->row = CN_ARENA_TAKE(arena, int, rows);
    islands->body_start = CN_ARENA_TAKE(arena, int, bodies + 2);
    islands->body_row = CN_ARENA_TAKE(arena, int, 2 * rows);
    islands->queue = CN_ARENA_TAKE(arena, int, bodies);
    islands->seen_body = CN_ARENA_TAKE(arena, int, bodies);
    islands->seen_row = CN_ARENA_TAKE(arena, int, rows);
}

static bool
body_is_listed(const struct cn_islands *islands, int body)
{
    return body >= 0 && islands->seen_body[body] >= 0;
}

/*
 * Lists the rows of every movable body.  body_start is one longer than needed, so that the counting
 * sort can use body_start[k + 1] as body k's cursor and leave body_start correct.
 */
static void
list_rows(struct cn_islands *islands, const struct cn_contact_problem *problem)
{
    int *start = islands->body_start;
    memset(start, 0, ((size_t)problem->body_count + 2) * sizeof(start[0]));
    for (int body = 0; body < problem->body_count; body++) {
        islands->seen_body[body] = cn_problem_body_moves(problem, body) ? 0 : -1;
    }
    for (int i = 0; i < problem->row_count; i++) {
        const struct cn_row *row = &problem->rows[i];
        if (body_is_listed(islands, row->body_a)) {
            start[row->body_a + 2]++;
        }
        if (body_is_listed(islands, row->body_b) && row->body_b != row->body_a) {
            start[row->body_b + 2]++;
        }
        islands->seen_row[i] = 0;
    }
    for (int body = 0; body < problem->body_count; body++) {
        start[body + 2] += start[body + 1];
    }
    for (int i = 0; i < problem->row_count; i++) {
        const struct cn_row *row = &problem->rows[i];
        if (body_is_listed(islands, row->body_a)) {
            islands->body_row[start[row->body_a + 1]++] = i;
        }
        if (body_is_listed(islands, row->body_b) && row->body_b != row->body_a) {
            islands->body_row[start[row->body_b + 1]++] = i;
        }
    }
}

static void
reach_body(struct cn_islands *islands, int body, int pass, int *tail)
{
    if (body_is_listed(islands, body) && islands->seen_body[body] != pass) {
        islands->seen_body[body] = pass;
        islands->queue[(*tail)++] = body;
    }
}

/*
 * Walks an island breadth first from a body and writes its rows to `out`, the last one first.
 * Returns their number; *last is the body reached last.
 */
static int
walk_island(struct cn_islands *islands, const struct cn_contact_problem *problem, int body,
    int pass, int *out, int *last)
{
    int head = 0, tail = 0, row_count = 0;
    reach_body(islands, body, pass, &tail);
    while (head < tail) {
        int from = islands->queue[head++];
        *last = from;
        cn_work_spend(20 * (1 + islands->body_start[from + 1] - islands->body_start[from]));
        for (int k = islands->body_start[from]; k < islands->body_start[from + 1]; k++) {
            int i = islands->body_row[k];
            if (islands->seen_row[i] != pass) {
                islands->seen_row[i] = pass;
                out[row_count++] = i;
                reach_body(islands, problem->rows[i].body_a, pass, &tail);
                reach_body(islands, problem->rows[i].body_b, pass, &tail);
            }
        }
    }
    return row_count;
}

static void
reverse_rows(int *row, int count)
{
    for (int i = 0, j = count - 1; i < j; i++, j--) {
        int swap = row[i];
        row[i] = row[j];
        row[j] = swap;
    }
}

static bool
row_follows(const struct cn_contact_problem *problem, int i)
{
    return cn_row_follows((enum cn_row_tag)problem->tag[i]);
}

/* The number of rows that row i leads: itself, and the rows of its contact's discs. */
static int
contact_rows(const struct cn_contact_problem *problem, int i)
{
    int count = 1;
    while (i + count < problem->row_count && row_follows(problem, i + count)) {
        const struct cn_row *row = &problem->rows[i + count];
        CN_ASSERT(row->body_a == problem->rows[i].body_a);
        CN_ASSERT(row->body_b == problem->rows[i].body_b);
        count++;
    }
    CN_ASSERT(count <= CN_ROWS_PER_CONTACT);
    CN_ASSERT(count == 1 || problem->tag[i] == CN_ROW_NORMAL);
    return count;
}

/*
 * Puts the rows of each contact back into their order.  They touch the same bodies, so a walk lists
 * them one after the other; in the reversed order the other rows come before their normal row.
 */
static void
restore_contacts(const struct cn_contact_problem *problem, int *row, int count)
{
    for (int i = 0; i < count;) {
        int end = i;
        while (row_follows(problem, row[end])) {
            end++;
            CN_ASSERT(end < count);
        }
        reverse_rows(row + i, end + 1 - i);
        i = end + 1;
    }
}

void
cn_islands_find(struct cn_islands *islands, const struct cn_contact_problem *problem)
{
    list_rows(islands, problem);
    islands->count = 0;
    islands->start[0] = 0;
    int used = 0;
    for (int i = 0; i < problem->row_count; i++) {
        if (islands->seen_row[i] != 0) {
            continue;
        }
        const struct cn_row *row = &problem->rows[i];
        int body = body_is_listed(islands, row->body_a) ? row->body_a : row->body_b;
        int *out = islands->row + used;
        int found = contact_rows(problem, i);
        if (body_is_listed(islands, body)) {
            int far = body;
            walk_island(islands, problem, body, 1, out, &far);
            found = walk_island(islands, problem, far, 2, out, &far);
            reverse_rows(out, found);
            restore_contacts(problem, out, found);
        } else {
            for (int k = 0; k < found; k++) {
                islands->seen_row[i + k] = 2;
                out[k] = i + k;
            }
        }
        CN_ASSERT(found > 0);
        used += found;
        islands->count++;
        islands->start[islands->count] = used;
    }
    CN_ASSERT(used == problem->row_count);
}
