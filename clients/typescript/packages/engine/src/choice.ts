/** choice.ts: which module a scene needs. */

/** The modules that `make wasm` builds, the smallest first, each with the methods that it has. */
const MODULES = [
  { file: "libcairn-impulse.wasm", stepper: "time", solver: "impulse" },
  { file: "libcairn.wasm", stepper: null, solver: null },
] as const;

/** The module with every stepper and solver, and with queries. */
export const WHOLE_MODULE = "libcairn.wasm";

/**
 * The file name of the smallest module with this stepper and solver.  A module without them refuses
 * the scene, its images and deeds that name them, so a caller may also try the smallest one first.
 */
export function moduleFor(stepper: string, solver: string): string {
  const found = MODULES.find(
    (module) =>
      (module.stepper === null || module.stepper === stepper) &&
      (module.solver === null || module.solver === solver),
  );
  return found?.file ?? WHOLE_MODULE;
}
