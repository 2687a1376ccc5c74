/*
 * run_velocity.c: frictional contact in space at velocity level, u = J v_free + A r.
 *
 * Bodies have velocities without contact, world axes and inertia about them; contacts push body a
 * along n.  Every solver with friction is asked and has to answer, but faure96, which may tell
 * that it did not converge.  Where the case says that the velocities are not unique, the answer is
 * checked by itself.
 */
#include "engine/solve/table/solver_table.h"
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define BODIES 16

static struct truth_problem problem;

static cn_vec3
vec3_of(const double *v)
{
    return cn_vec3_make(v[0], v[1], v[2]);
}

static void
add_bodies(const json_t *bodies)
{
    size_t index;
    json_t *entry;
    json_array_foreach(bodies, index, entry)
    {
        double I[3], x[3], v[6];
        assert_int_equal(truth_member_numbers(entry, "I", I, 3), 3);
        assert_int_equal(truth_member_numbers(entry, "x", x, 3), 3);
        assert_int_equal(truth_member_numbers(entry, "v_free", v, 6), 6);
        int body = truth_problem_body(&problem, truth_member_number(entry, "m"), 1.0, vec3_of(x));
        problem.mass[body].angular = cn_mat33_diagonal(1.0 / I[0], 1.0 / I[1], 1.0 / I[2]);
        problem.linear[body] = vec3_of(v);
        problem.angular[body] = vec3_of(v + 3);
    }
}

static void
add_contacts(const json_t *contacts)
{
    size_t index;
    json_t *entry;
    json_array_foreach(contacts, index, entry)
    {
        double p[3], n[3];
        assert_int_equal(truth_member_numbers(entry, "p", p, 3), 3);
        assert_int_equal(truth_member_numbers(entry, "n", n, 3), 3);
        int pushed = (int)truth_member_number(entry, "a");
        int other = (int)truth_member_number(entry, "b");
        cn_vec3 point = vec3_of(p), normal = vec3_of(n);
        cn_vec3 any = {fabs(n[0]) < 0.6 ? 1.0 : 0.0, fabs(n[0]) < 0.6 ? 0.0 : 1.0, 0.0};
        cn_vec3 tangent = cn_vec3_cross(normal, any);
        tangent = cn_vec3_scale(tangent, 1.0 / cn_vec3_length(tangent));
        truth_problem_rough_contact(&problem, other, pushed, point, normal, tangent,
            truth_member_number(entry, "mu"), 0.0);
        truth_problem_contact(&problem, other, pushed, point, cn_vec3_cross(normal, tangent),
            CN_ROW_TANGENT);
    }
}

/* Every contact parts, sticks or slides against its force; a is the velocity that f leads to. */
static void
check_contacts(double tolerance)
{
    const double *f = problem.f, *u = problem.a;
    for (int i = 0; i < problem.contact.row_count; i += 3) {
        double force = sqrt(f[i + 1] * f[i + 1] + f[i + 2] * f[i + 2]);
        double speed = sqrt(u[i + 1] * u[i + 1] + u[i + 2] * u[i + 2]);
        double rim = problem.friction[i] * f[i];
        assert_true(f[i] >= 0.0 && u[i] >= -tolerance);
        assert_true(f[i] <= tolerance || u[i] <= tolerance);
        assert_true(force <= rim + tolerance);
        if (f[i] > tolerance && speed > 1e-6) {
            truth_near(f[i + 1], -rim * u[i + 1] / speed, 1e-6 * (1.0 + rim), "contact %d", i / 3);
            truth_near(f[i + 2], -rim * u[i + 2] / speed, 1e-6 * (1.0 + rim), "contact %d", i / 3);
        }
    }
}

static void
check_velocities(const json_t *data, const char *solver)
{
    double want[6 * BODIES], tolerance = truth_member_number(data, "v_after_tol");
    int count = truth_member_numbers(data, "v_after", want, 6 * BODIES);
    assert_int_equal(count, 6 * problem.contact.body_count);
    for (int body = 0; body < problem.contact.body_count; body++) {
        cn_vec3 linear, angular;
        truth_problem_motion(&problem, body, &linear, &angular);
        double v[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
        for (int k = 0; k < 6; k++) {
            truth_near(v[k], want[6 * body + k], tolerance, "%s: body %d, velocity %d", solver,
                body, k);
        }
    }
}

void
truth_run_velocity_level(const json_t *data)
{
    truth_problem_init(&problem);
    add_bodies(truth_member(data, "bodies"));
    add_contacts(truth_member(data, "contacts"));
    bool unique = json_is_true(truth_member(data, "v_after_unique"));
    for (int k = 0; k < cn_problem_solver_count; k++) {
        const char *name = cn_solvers[k]->name;
        if (!cn_solvers[k]->friction) {
            continue;
        }
        truth_problem_solve_or_tell(&problem, cn_solvers[k], false);
        check_contacts(1e-9);
        if (unique) {
            check_velocities(data, name);
        }
    }
}
