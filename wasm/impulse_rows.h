/*
 * impulse_rows.h: the rows of the tables of solvers and steppers in libcairn-impulse.wasm.  The
 * files of the tables are compiled with it in front.
 */
#ifndef WASM_IMPULSE_ROWS_H
#define WASM_IMPULSE_ROWS_H

#define CN_SOLVER_TABLE(X) X(impulse)
#define CN_SOLVER_OTHERS 1
#define CN_STEPPER_TABLE(X) X(time)

#endif
