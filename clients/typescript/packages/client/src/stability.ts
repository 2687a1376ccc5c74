/**
 * stability.ts: the daemon's proof about the start of a scene (docs/certificates.md), as numbers to
 * show.  The certificate has exact fractions; here they are rounded.
 */
import { ContactColumns } from "@cairn/protocol";

export type Verdict = "stable" | "critical" | "unstable" | "undecided";

/** The first motion of a body: its place [m], its velocity or acceleration, and its rotation. */
export interface BodyMotion {
  body: number;
  x: number;
  y: number;
  z: number;
  /** m/s or m/s^2, in planar scenes also rad/s or rad/s^2; only their ratios matter. */
  vx: number;
  vy: number;
  vz: number;
  turn: number;
}

export interface Stability {
  verdict: Verdict;
  /** "stands", "falls", "a holding force exists", "no holding force exists". */
  claim: string;
  /** N: the least force of every loaded contact; null if it has no bound. */
  margin: number | null;
  /** The forces of the proof, or those at the first moment of the fall. */
  forces: ContactColumns;
  motions: BodyMotion[];
}

interface CertificateContact {
  bodyA: number;
  bodyB: number;
  point: string[];
  normal: string[];
  force?: string[];
  push?: string;
}

interface CertificateBody {
  motion?: string[];
  acceleration?: string[];
}

export interface StabilityAnswer {
  verdict: Verdict;
  claim: string;
  margin: number | null;
  certificate: { contacts: CertificateContact[]; bodies: CertificateBody[] };
}

const BITS = 64n;

/** Converts "p" or "p/q" with an error of about 2^-64, for any number of digits. */
export function fraction(text: string): number {
  const [p = "0", q = "1"] = text.split("/");
  return Number((BigInt(p) << BITS) / BigInt(q)) / 2 ** Number(BITS);
}

function fillForces({ certificate }: StabilityAnswer, falls: boolean): ContactColumns {
  const columns = new ContactColumns();
  const room = Math.max(certificate.contacts.length, 1);
  for (const name of ["bodyA", "bodyB"] as const) {
    columns[name] = new Uint32Array(room);
  }
  for (const name of ["x", "y", "normalX", "normalY", "force", "impulse", "gap", "z", "normalZ",
    "frictionX", "frictionY", "frictionZ"] as const) {
    columns[name] = new Float32Array(room);
  }
  certificate.contacts.forEach((contact, row) => {
    const [nx = 0, ny = 0, nz = 0] = contact.normal.map(fraction);
    const [along = 0, across = 0] = (contact.force ?? []).map(fraction);
    columns.bodyA[row] = contact.bodyA;
    columns.bodyB[row] = contact.bodyB;
    columns.x[row] = fraction(contact.point[0] ?? "0");
    columns.y[row] = fraction(contact.point[1] ?? "0");
    columns.z[row] = fraction(contact.point[2] ?? "0");
    columns.normalZ[row] = nz;
    columns.normalX[row] = nx;
    columns.normalY[row] = ny;
    // In space the force of a contact with friction is a vector in world axes.
    const [fx = 0, fy = 0, fz = 0] = (contact.force ?? []).map(fraction);
    const isWhole = contact.force?.length === 3;
    const pressed = isWhole ? fx * nx + fy * ny + fz * nz : along;
    columns.force[row] = falls ? fraction(contact.push ?? "0") : pressed;
    columns.frictionX[row] = falls ? 0 : isWhole ? fx - pressed * nx : -ny * across;
    columns.frictionY[row] = falls ? 0 : isWhole ? fy - pressed * ny : nx * across;
    columns.frictionZ[row] = falls || !isWhole ? 0 : fz - pressed * nz;
  });
  columns.count = certificate.contacts.length;
  return columns;
}

type Place = readonly [number, number, number];

/** A rotation as a vector: in space the last three of six numbers, in the plane about z. */
function turnOf(given: readonly number[]): Place {
  const [, , third = 0, x = 0, y = 0, z = 0] = given;
  return given.length === 6 ? [x, y, z] : [0, 0, third];
}

/** `places` are the positions of the bodies at the start. */
export function readStability(answer: StabilityAnswer, places: readonly Place[]): Stability {
  const falls = answer.verdict === "unstable";
  const motions: BodyMotion[] = [];
  answer.certificate.bodies.forEach(({ acceleration, motion }, body) => {
    const [x, y, z] = places[body] ?? [0, 0, 0];
    const given = (falls ? (acceleration ?? motion ?? []) : []).map(fraction);
    const [wx, wy, wz] = turnOf(given);
    // A motion is the velocity of the body's point that is at the world's origin.
    const arm = acceleration === undefined ? 1 : 0;
    const vx = (given[0] ?? 0) + arm * (wy * z - wz * y);
    const vy = (given[1] ?? 0) + arm * (wz * x - wx * z);
    const vz = (given.length === 6 ? given[2]! : 0) + arm * (wx * y - wy * x);
    const turn = given.length === 6 ? 0 : wz;
    if (vx !== 0 || vy !== 0 || vz !== 0 || turn !== 0) {
      motions.push({ body, x, y, z, vx, vy, vz, turn });
    }
  });
  const { verdict, claim, margin } = answer;
  return { verdict, claim, margin, forces: fillForces(answer, falls), motions };
}
