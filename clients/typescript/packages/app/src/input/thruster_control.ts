/**
 * thruster_control.ts: thrusters that are held by keys and by fingers.
 *
 * A thruster is on while at least one key or pointer holds it.  The first one sends Actuator with
 * level 1, and the last one sends Release.  Each thruster has its own input slot, above those of
 * drags.
 */
import type { Session } from "@cairn/client";
import type { ActuatorIndex, ThrusterInfo } from "@cairn/protocol";
import { mayPush } from "../people/rights";

const SLOT_FIRST = 16;

export class ThrusterControl {
  thrusters: readonly ThrusterInfo[] = [];
  levels = new Float64Array(0);
  /** Grows when a level changes. */
  version = 0;
  private holds: Set<string>[] = [];

  constructor(private readonly session: Session) {}

  /** A Join, a reset and a load end all held inputs, so nothing is released here. */
  setThrusters(thrusters: readonly ThrusterInfo[]): void {
    this.thrusters = thrusters;
    this.levels = new Float64Array(thrusters.length);
    this.holds = thrusters.map(() => new Set());
    this.version++;
  }

  /** `hand` names the key or the pointer that holds it. */
  press(actuator: ActuatorIndex, hand: string): void {
    const holds = this.holds[actuator];
    if (!mayPush(this.session) || holds === undefined || holds.has(hand)) {
      return;
    }
    holds.add(hand);
    if (holds.size === 1 && this.session.actuate(SLOT_FIRST + actuator, actuator, 1)) {
      this.levels[actuator] = 1;
      this.version++;
    }
  }

  release(actuator: ActuatorIndex, hand: string): void {
    const holds = this.holds[actuator];
    if (holds?.delete(hand) && holds.size === 0) {
      this.session.release(SLOT_FIRST + actuator);
      this.levels[actuator] = 0;
      this.version++;
    }
  }

  releaseAll(): void {
    this.holds.forEach((holds, actuator) => {
      for (const hand of [...holds]) {
        this.release(actuator, hand);
      }
    });
  }
}
