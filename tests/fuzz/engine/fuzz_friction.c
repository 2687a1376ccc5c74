/*
 * fuzz_friction.c: no frictional problem makes a solver hang, crash, return impossible forces, or
 * report a convergence that the judge does not confirm.  A problem that has a solution by
 * construction and no friction is solved.
 *
 * Every input is a valid problem; missing bytes are zeros.  Arms, directions, coefficients and the
 * solution that determines b are on coarse grids.  So redundant contacts, forces exactly on the
 * cone, and contacts without force and motion are common.  One bit of the first byte chooses space.
 * Another bit changes b, so that there may be no solution.  A third bit adds moments against
 * rolling and spinning, which the solvers that have them get.
 */
#include "engine/base/assert.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <string.h>

#define CONTACTS 7
#define BODIES 3
#define ROWS (CN_ROWS_PER_CONTACT * CONTACTS)
#define CONTACT_BYTES 13
#define SIZE (1 + 2 * BODIES + CONTACT_BYTES * CONTACTS)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static _Alignas(64) unsigned char memory[4 << 20];

struct input {
    struct cn_row rows[ROWS];
    struct cn_mass_inverse mass[BODIES];
    double b[ROWS], f[ROWS], a[ROWS], warm[ROWS], friction[ROWS], slip[ROWS];
    unsigned char tag[ROWS];
    int row_count;
    bool spatial, rough, rolls;
};

static double
grid(uint8_t byte)
{
    return (double)((int)(byte % 9) - 4);
}

/* The contact's rows, orthonormal directions among a few. */
static void
read_rows(struct input *input, const uint8_t *byte, int at, int count)
{
    static const double normals[8][2] = {{0, 1}, {0, 1}, {0, 1}, {1, 0}, {-1, 0}, {0, -1},
        {0.6, 0.8}, {-0.8, 0.6}};
    const double *n = normals[byte[0] % 8];
    cn_vec3 direction[3] = {{n[0], n[1], 0.0}, {n[1], -n[0], 0.0}, {0.0, 0.0, 1.0}};
    cn_vec3 arm_a = {0.25 * grid(byte[1]), 0.25 * grid(byte[2]), 0.0};
    cn_vec3 arm_b = {0.25 * grid(byte[3]), 0.25 * grid(byte[4]), 0.0};
    if (input->spatial) {
        arm_a.z = 0.25 * grid(byte[1] / 9);
        arm_b.z = 0.25 * grid(byte[3] / 9);
    }
    int body_a = (byte[5] & 3) - 1, body_b = (byte[5] >> 2) % BODIES;
    for (int k = 0; k < count; k++) {
        struct cn_row *row = &input->rows[at + k];
        *row = (struct cn_row){.body_a = body_a == body_b ? -1 : body_a, .body_b = body_b};
        row->linear_a = cn_vec3_negate(direction[k]);
        row->angular_a = cn_vec3_negate(cn_vec3_cross(arm_a, direction[k]));
        row->linear_b = direction[k];
        row->angular_b = cn_vec3_cross(arm_b, direction[k]);
        input->tag[at + k] = k == 0 ? CN_ROW_NORMAL : CN_ROW_TANGENT;
    }
}

/* The rows of moments of a contact whose other rows, `count`, begin at row `at`. */
static int
read_moments(struct input *input, int at, int count)
{
    const struct cn_row *normal = &input->rows[at];
    cn_vec3 n = normal->linear_b, z = {0.0, 0.0, 1.0};
    cn_vec3 axis[3] = {z, cn_vec3_cross(n, z), n};
    int moments = input->spatial ? 3 : 1;
    for (int k = 0; k < moments; k++) {
        struct cn_row *row = &input->rows[at + count + k];
        *row = (struct cn_row){.body_a = normal->body_a, .body_b = normal->body_b};
        row->angular_a = cn_vec3_negate(axis[k]);
        row->angular_b = axis[k];
        input->tag[at + count + k] = k < 2 ? CN_ROW_ROLLING : CN_ROW_SPINNING;
    }
    return moments;
}

/* A solution of a disc of moments, in the same way as one of friction. */
static void
read_moment(struct input *input, const uint8_t *byte, double press, int at, int count)
{
    static const double limits[8] = {0.0, 0.0, 0.05, 0.1, 0.25, 0.5, 1.0, 0.01};
    static const double directions[4][2] = {{1, 0}, {-1, 0}, {0.6, 0.8}, {-0.8, 0.6}};
    double limit = limits[byte[0] % 8], speed = (double)(byte[0] / 8 % 4);
    const double *d = directions[count > 1 ? byte[0] / 32 % 4 : byte[0] / 32 % 2];
    bool slips = byte[1] % 4 == 0, slides = slips || byte[1] % 4 == 1 || press * limit == 0.0;
    double part = slides ? 1.0 : (double)(byte[1] / 4 % 5) * 0.25;
    input->friction[at] = limit;
    input->rough = input->rough || limit > 0.0;
    for (int k = 0; k < count; k++) {
        input->f[at + k] = -part * limit * press * d[k];
        input->a[at + k] = slides ? speed * d[k] : 0.0;
        input->slip[at + k] = slips ? d[k] : 0.0;
        input->warm[at + k] = byte[1] / 64 == 0 ? 1e12 : 0.0;
    }
}

/* A solution of the contact: parts, sticks, slides or slips; forces and speeds from a grid. */
static void
read_solution(struct input *input, const uint8_t *byte, int at, int count)
{
    static const double coefficients[8] = {0.0, 0.0, 0.1, 0.25, 0.5, 0.5, 1.0, 2.0};
    static const double directions[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {0.6, 0.8},
        {-0.8, 0.6}, {0.8, -0.6}, {-0.6, -0.8}};
    static const double warm[8] = {0.0, 0.0, 1.0, 1e-9, 1e12, -3.0, HUGE_VAL, (double)NAN};
    double press = (double)(byte[6] % 4), speed = (double)(byte[6] / 4 % 3);
    double mu = coefficients[byte[7] % 8], part = (double)(byte[7] / 8 % 5) * 0.25;
    const double *d = directions[input->spatial ? byte[8] % 8 : byte[8] % 2];
    bool parts = byte[8] / 8 % 4 == 0, slips = byte[8] / 8 % 4 == 1, slides = byte[8] / 8 % 4 == 2;
    input->friction[at] = mu;
    input->rough = input->rough || mu > 0.0;
    input->f[at] = parts ? 0.0 : press;
    input->a[at] = parts ? speed : 0.0;
    for (int k = 1; k < count; k++) {
        double share = slides || slips || mu == 0.0 ? 1.0 : part;
        bool moves = parts || slides || slips || mu == 0.0;
        input->f[at + k] = -share * mu * input->f[at] * d[k - 1];
        input->a[at + k] = moves ? speed * d[k - 1] : 0.0;
        input->slip[at + k] = slips ? d[k - 1] : 0.0;
    }
    for (int k = 0; k < count; k++) {
        input->warm[at + k] = warm[(byte[9] + k) % 8];
    }
}

static void
read_input(struct input *input, const uint8_t *data)
{
    static const double mass_inverse[4] = {1.0, 1.0, 0.01, 30.0};
    *input = (struct input){.spatial = (data[0] & 1) != 0, .rolls = (data[0] & 4) != 0};
    double spoil = (data[0] & 2) != 0 ? 1.0 : 0.0;
    const uint8_t *byte = data + 1;
    for (int k = 0; k < BODIES; k++, byte += 2) {
        input->mass[k].linear = mass_inverse[byte[0] % 4];
        double turn = mass_inverse[byte[1] % 4];
        input->mass[k].angular = cn_mat33_diagonal(turn, 2.0 * turn, 1.5 * turn);
    }
    for (int i = 0; i < CONTACTS; i++, byte += CONTACT_BYTES) {
        int count = (byte[5] >> 5) == 0 ? 1 : input->spatial ? 3 : 2;
        read_rows(input, byte, input->row_count, count);
        read_solution(input, byte, input->row_count, count);
        int at = input->row_count;
        input->row_count += count;
        if (input->rolls && count > 1) {
            int moments = read_moments(input, at, count), rolls = moments > 1 ? 2 : 1;
            read_moment(input, byte + 10, input->f[at], at + count, rolls);
            if (moments > rolls) {
                read_moment(input, byte + 11, input->f[at], at + count + rolls, 1);
            }
            input->row_count += moments;
        }
    }
    struct cn_twist work[BODIES];
    double rates[ROWS];
    struct cn_contact_problem problem = {.row_count = input->row_count, .body_count = BODIES,
        .rows = input->rows, .mass = input->mass, .b = input->b, .tag = input->tag};
    cn_problem_rates(&problem, input->f, work, rates);
    for (int i = 0; i < input->row_count; i++) {
        input->b[i] = input->a[i] - rates[i] + spoil * grid(data[1 + i]);
    }
    input->rough = input->rough || spoil != 0.0;
}

static void
check(const struct input *input, const struct cn_solve_report *report, const double *f,
    double residual, double tolerance)
{
    double force_max = 0.0, press = 0.0;
    for (int i = 0; i < input->row_count; i++) {
        CN_ASSERT(isfinite(f[i]));
        CN_ASSERT(input->tag[i] != CN_ROW_NORMAL || f[i] >= 0.0);
        force_max = fmax(force_max, fabs(f[i]));
        press = input->tag[i] < CN_ROW_TANGENT ? f[i] : press;
        if (input->tag[i] >= CN_ROW_TANGENT && input->tag[i - 1] != input->tag[i]) {
            bool two = i + 1 < input->row_count && input->tag[i + 1] == input->tag[i];
            double second = two ? f[i + 1] : 0.0;
            double rim = cn_friction_limit(input->tag, input->friction, i) * press;
            CN_ASSERT(f[i] * f[i] + second * second <= rim * rim * (1.0 + 1e-13));
        }
    }
    CN_ASSERT(report->outcome != CN_SOLVE_CONVERGED || residual <= tolerance);
    if (!input->rough && report->outcome != CN_SOLVE_CONVERGED) {
        CN_ASSERT(residual <= 1e-12 * 200.0 * force_max); /* wedges: as far as rounding allows */
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct input input;
    uint8_t data[SIZE] = {0};
    if (size > 0) {
        memcpy(data, bytes, size < SIZE ? size : SIZE);
    }
    read_input(&input, data);
    struct cn_contact_problem problem = {.row_count = input.row_count, .body_count = BODIES,
        .rows = input.rows, .mass = input.mass, .b = input.b, .tag = input.tag,
        .friction = input.friction, .slip = input.slip};
    struct cn_solve_options options = {.tolerance = 1e-9, .iteration_max = 100000};
    for (int k = 0; k < cn_solver_count; k++) {
        bool fits = input.rolls ? cn_solvers[k]->rolling && cn_solvers[k]->solve != NULL
                                : k < cn_problem_solver_count && cn_solvers[k]->friction;
        if (!fits) {
            continue;
        }
        options.iteration_max = cn_solvers[k]->work_per_row > 0 ? 1000 : 100000;
        struct cn_twist work[BODIES];
        double f[ROWS];
        struct cn_arena scratch;
        cn_arena_init(&scratch, memory, sizeof(memory));
        memcpy(f, input.warm, sizeof(f));
        struct cn_solve_report report = cn_solvers[k]->solve(&problem, &options, &scratch, f);
        double residual = cn_residual_measure(&problem, f, work);
        check(&input, &report, f, residual, options.tolerance);
    }
    return 0;
}
