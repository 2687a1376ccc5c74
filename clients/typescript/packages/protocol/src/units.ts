/**
 * units.ts: numbers that carry their unit in their type.
 *
 * A flavour is a number with an optional mark.  Plain numbers and results of arithmetic can be used
 * as any flavour.  One flavour cannot be used as another: pixels are not accepted as metres, nor
 * the server's microseconds as the page's milliseconds.
 */
declare const unit: unique symbol;
type Flavoured<Name extends string> = number & { readonly [unit]?: Name };

export type Meters = Flavoured<"m">;
export type Radians = Flavoured<"rad">;
export type Newtons = Flavoured<"N">;
export type Kilograms = Flavoured<"kg">;
export type Joules = Flavoured<"J">;

/** Simulated time. */
export type WorldSeconds = Flavoured<"world s">;
/** The daemon's monotonic clock. */
export type ServerMicroseconds = Flavoured<"server us">;
/** The page's monotonic clock, performance.now(). */
export type LocalMilliseconds = Flavoured<"local ms">;
/** CSS pixels. */
export type Pixels = Flavoured<"px">;

/** A world's step number; exact to 2^53, which is 4 million years at 60 Hz. */
export type Tick = Flavoured<"tick">;
/** The index of a body in the scene's list and in a snapshot's columns. */
export type BodyIndex = Flavoured<"body">;
/** The index of a thruster in the scene's thrusters. */
export type ActuatorIndex = Flavoured<"actuator">;
