/**
 * placed_contacts.ts: contacts of a ContactDelta as columns in SI, whose points are placed at the
 * poses of their bodies when they are drawn.
 *
 * Contacts of a ContactFrame have their places already and keep them.
 */
import { CONTACT_STRIDE, type ContactState, LOADS_FROM, magnitude } from "./contact_delta";
import { ContactColumns, copyContacts, reserveContacts } from "./columns";
import type { Tick } from "./units";

/** Points in quanta are WIRE_CONTACT_QUANTA quanta of positions. */
const POINT_QUANTA = 4;

/** Where the points of rows are: relative to which body, and whether they turn with it. */
class Anchors {
  slot = new Int32Array(64);
  isTurned = new Uint8Array(64);

  reserve(count: number): void {
    if (this.slot.length < count) {
      this.slot = new Int32Array(2 * count);
      this.isTurned = new Uint8Array(2 * count);
    }
  }
}

interface Points {
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
}

/** Writes the points `from` in the frames of their bodies to `to` in the frame of the world. */
function placePoints(
  anchors: Anchors, from: Points, to: Points, count: number, poses: Float64Array, stride: number,
): void {
  for (let row = 0; row < count; row++) {
    const at = anchors.slot[row]! * stride;
    const x = from.x[row]!;
    const y = from.y[row]!;
    const z = from.z[row]!;
    if (at + stride > poses.length) {
      to.x[row] = to.y[row] = to.z[row] = NaN; // a body that this client does not have
    } else if (stride === 3) {
      const angle = anchors.isTurned[row] === 1 ? poses[at + 2]! : 0;
      to.x[row] = poses[at]! + x * Math.cos(angle) - y * Math.sin(angle);
      to.y[row] = poses[at + 1]! + x * Math.sin(angle) + y * Math.cos(angle);
      to.z[row] = 0;
    } else {
      const isTurned = anchors.isTurned[row] === 1;
      const w = isTurned ? poses[at + 3]! : 1;
      const a = isTurned ? poses[at + 4]! : 0;
      const b = isTurned ? poses[at + 5]! : 0;
      const c = isTurned ? poses[at + 6]! : 0;
      const u = 2 * (b * z - c * y);
      const v = 2 * (c * x - a * z);
      const t = 2 * (a * y - b * x);
      to.x[row] = poses[at]! + x + w * u + b * t - c * v;
      to.y[row] = poses[at + 1]! + y + w * v + c * u - a * t;
      to.z[row] = poses[at + 2]! + z + w * t + a * v - b * u;
    }
  }
}

export class PlacedContacts {
  /** Points are relative to their bodies, unless they are those of a ContactFrame. */
  private readonly local = new ContactColumns();
  private readonly placed = new ContactColumns();
  private readonly anchors = new Anchors();
  private readonly jointAnchors = new Anchors();
  private isExact = true;

  get tick(): Tick {
    return this.local.tick;
  }

  /** All columns except the points are valid. */
  get columns(): ContactColumns {
    return this.local;
  }

  setFrame(contacts: ContactColumns): void {
    this.isExact = true;
    copyContacts(contacts, this.local);
  }

  setState(state: ContactState, positionScale: number): void {
    const { local, anchors, jointAnchors } = this;
    const { entries, report } = state;
    this.isExact = false;
    reserveContacts(local, state.count);
    anchors.reserve(state.count);
    jointAnchors.reserve(state.count);
    local.tick = state.tick;
    local.count = local.joints.count = 0;
    local.residual = report.residual > 0 ? magnitude(report.residual - 1) : NaN;
    local.outcome = report.outcome;
    local.solver = report.solver;
    local.iterationCount = report.iterationCount;
    local.rowCount = report.rowCount;
    local.leftOut = report.leftOut;
    for (let at = 0; at < state.count * CONTACT_STRIDE; at += CONTACT_STRIDE) {
      if (entries[at]! >>> 0 >= LOADS_FROM) {
        this.addLoad(entries, at, positionScale * POINT_QUANTA);
      } else {
        this.addContact(entries, at, positionScale * POINT_QUANTA);
      }
    }
  }

  private addContact(entries: Int32Array, at: number, scale: number): void {
    const { local, anchors } = this;
    const row = local.count++;
    const anchor = entries[at + 3]!;
    anchors.slot[row] = entries[at + (anchor % 2)]!;
    anchors.isTurned[row] = anchor < 2 ? 1 : 0;
    local.bodyA[row] = entries[at]!;
    local.bodyB[row] = entries[at + 1]!;
    local.x[row] = entries[at + 4]! * scale;
    local.y[row] = entries[at + 5]! * scale;
    local.z[row] = entries[at + 6]! * scale;
    local.gap[row] = entries[at + 10]! * scale;
    local.impulse[row] = magnitude(entries[at + 19]!);
    const length = Math.hypot(entries[at + 7]!, entries[at + 8]!, entries[at + 9]!) || 1;
    const nx = entries[at + 7]! / length;
    const ny = entries[at + 8]! / length;
    const nz = entries[at + 9]! / length;
    const unit = 2 ** entries[at + 14]!;
    const fx = entries[at + 11]! * unit;
    const fy = entries[at + 12]! * unit;
    const fz = entries[at + 13]! * unit;
    const force = fx * nx + fy * ny + fz * nz;
    local.normalX[row] = nx;
    local.normalY[row] = ny;
    local.normalZ[row] = nz;
    local.force[row] = force;
    local.frictionX[row] = fx - force * nx;
    local.frictionY[row] = fy - force * ny;
    local.frictionZ[row] = fz - force * nz;
  }

  private addLoad(entries: Int32Array, at: number, scale: number): void {
    const { joints } = this.local;
    const row = joints.count++;
    this.jointAnchors.slot[row] = entries[at + 1]!;
    this.jointAnchors.isTurned[row] = 1;
    joints.joint[row] = (entries[at]! >>> 0) - LOADS_FROM;
    joints.x[row] = entries[at + 4]! * scale;
    joints.y[row] = entries[at + 5]! * scale;
    joints.z[row] = entries[at + 6]! * scale;
    const force = 2 ** entries[at + 14]!;
    joints.forceX[row] = entries[at + 11]! * force;
    joints.forceY[row] = entries[at + 12]! * force;
    joints.forceZ[row] = entries[at + 13]! * force;
    const torque = 2 ** entries[at + 18]!;
    joints.torqueX[row] = entries[at + 15]! * torque;
    joints.torqueY[row] = entries[at + 16]! * torque;
    joints.torqueZ[row] = entries[at + 17]! * torque;
  }

  /** The contacts at these poses, with `stride` numbers for each body; borrowed. */
  place(poses: Float64Array, stride: number): ContactColumns {
    const { local, placed } = this;
    if (this.isExact) {
      return local;
    }
    copyContacts(local, placed);
    placePoints(this.anchors, local, placed, local.count, poses, stride);
    placePoints(
      this.jointAnchors, local.joints, placed.joints, local.joints.count, poses, stride);
    return placed;
  }
}
