/**
 * smoothing.ts: hides corrections: what is drawn moves to the corrected places within 100 ms.
 *
 * A correction at a tick replaces the places of some bodies.  The difference between what was drawn
 * and what is right becomes an offset of the body, in position and rotation, which is then blended
 * out.  A correction during the blending adds to what is left of the offset, so nothing jumps.
 *
 * Places are arrays of PLACE_NUMBERS for each body: x, y, z, planar angle, orientation w, x, y, z.
 */
import { PLACE_NUMBERS } from "@cairn/engine";

export const BLEND_MS = 100;

/** How much a correction moved. */
export interface Correction {
  /** The bodies whose places differ in any bit. */
  bodies: number;
  /** The longest way of a body [mm]. */
  mm: number;
  /** The ways of these bodies [mm], in the order of slots; borrowed until the next correction. */
  ways: number[];
}

/** The part of an offset that is left after some time: 1 at first, 0 in the end, both smoothly. */
export function blendWeight(elapsedMs: number): number {
  const t = Math.min(Math.max(elapsedMs / BLEND_MS, 0), 1);
  return 1 - t * t * (3 - 2 * t);
}

function multiply(a: Float64Array, b: Float64Array, out: Float64Array): void {
  const aw = a[0]!, ax = a[1]!, ay = a[2]!, az = a[3]!;
  const bw = b[0]!, bx = b[1]!, by = b[2]!, bz = b[3]!;
  out[0] = aw * bw - ax * bx - ay * by - az * bz;
  out[1] = aw * bx + ax * bw + ay * bz - az * by;
  out[2] = aw * by - ax * bz + ay * bw + az * bx;
  out[3] = aw * bz + ax * by - ay * bx + az * bw;
}

export class Smoothing {
  /** Of each body an offset in the form of a place; its turn is from the right to the drawn one. */
  private offset = new Float64Array(0);
  private begun = new Float64Array(0);
  private readonly ways: number[] = [];
  private readonly turn = new Float64Array(4);
  private readonly right = new Float64Array(4);
  private readonly product = new Float64Array(4);

  /** Forgets all offsets. */
  reset(bodyCount: number): void {
    this.offset = new Float64Array(bodyCount * PLACE_NUMBERS);
    this.begun = new Float64Array(bodyCount).fill(-Infinity);
  }

  /** `before` and `after` are the places at the same tick, as predicted and as corrected. */
  correct(before: Float64Array, after: Float64Array, nowMs: number): Correction {
    const { ways } = this;
    ways.length = 0;
    for (let body = 0; body < this.begun.length; body++) {
      const at = body * PLACE_NUMBERS;
      if (this.isSame(before, after, at)) {
        continue;
      }
      ways.push(1000 * Math.hypot(before[at]! - after[at]!, before[at + 1]! - after[at + 1]!,
        before[at + 2]! - after[at + 2]!));
      this.add(body, before, after, nowMs);
    }
    return { bodies: ways.length, mm: ways.reduce((most, way) => Math.max(most, way), 0), ways };
  }

  private isSame(before: Float64Array, after: Float64Array, at: number): boolean {
    for (let i = at; i < at + PLACE_NUMBERS; i++) {
      if (before[i] !== after[i]) {
        return false;
      }
    }
    return true;
  }

  private add(body: number, before: Float64Array, after: Float64Array, nowMs: number): void {
    const { offset } = this;
    const at = body * PLACE_NUMBERS;
    const left = blendWeight(nowMs - this.begun[body]!);
    for (let i = at; i < at + 4; i++) {
      offset[i] = offset[i]! * left + before[i]! - after[i]!;
    }
    const { turn, right, product } = this;
    this.readTurn(at, left, turn);
    multiply(turn, before.subarray(at + 4, at + 8), product);
    right.set(after.subarray(at + 4, at + 8));
    right[1]! *= -1;
    right[2]! *= -1;
    right[3]! *= -1;
    multiply(product, right, turn);
    offset.set(turn, at + 4);
    this.begun[body] = nowMs;
  }

  /** The part of a body's turn: the shortest way from no turn, normalised. */
  private readTurn(at: number, part: number, turn: Float64Array): void {
    const { offset } = this;
    const sign = offset[at + 4]! < 0 ? -part : part;
    turn[0] = 1 - part + offset[at + 4]! * sign;
    turn[1] = offset[at + 5]! * sign;
    turn[2] = offset[at + 6]! * sign;
    turn[3] = offset[at + 7]! * sign;
    const length = Math.hypot(turn[0], turn[1]!, turn[2]!, turn[3]!);
    for (let i = 0; i < 4; i++) {
      turn[i]! /= length;
    }
  }

  /** Writes what is to be drawn where `places` is right. */
  draw(places: Float64Array, nowMs: number, out: Float64Array): void {
    out.set(places);
    const { offset, turn, right, product } = this;
    for (let body = 0; body < this.begun.length; body++) {
      const left = blendWeight(nowMs - this.begun[body]!);
      if (left === 0) {
        continue;
      }
      const at = body * PLACE_NUMBERS;
      for (let i = at; i < at + 4; i++) {
        out[i]! += offset[i]! * left;
      }
      this.readTurn(at, left, turn);
      right.set(places.subarray(at + 4, at + 8));
      multiply(turn, right, product);
      out.set(product, at + 4);
    }
  }
}
