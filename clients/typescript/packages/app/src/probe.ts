/** probe.ts: window.cairn, for tests and for users at the console. */
import type { Session } from "@cairn/client";
import { bodyName } from "@cairn/protocol";
import { ownSession } from "./people/people";
import type { Lab } from "./lab";

/** `angle` in the plane; in space the quaternion `turn`: w, x, y, z. */
export interface ShownBody {
  name: string;
  x: number;
  y: number;
  z: number;
  angle: number;
  turn: number[];
}

export interface Probe {
  readonly state: Record<string, unknown>;
  /** The bodies on the screen, in the scene's order. */
  bodies(): ShownBody[];
  /** The position of a point of the world, in CSS pixels from the page's upper left corner. */
  screen(x: number, y: number, z?: number): { x: number; y: number };
  /** Closes the connection like a network failure. */
  cut(): void;
  /** Requests other settings, as the panel does. */
  change(settings: Parameters<Session["change"]>[0]): void;
}

export function makeProbe(lab: Lab): Probe {
  const { session, stage } = lab;
  return {
    get state() {
      const status = session.status.get();
      return {
        connection: session.connection.state.get().kind,
        session: String(ownSession(session)),
        losses: session.connection.lossCount,
        worldState: session.world.get().kind,
        world: session.joined.get()?.world ?? "",
        scene: lab.scene?.name ?? "",
        generation: session.joined.get()?.generation ?? -1,
        tick: session.snapshots.newestTick,
        shownTick: session.snapshots.shownTick,
        time: session.snapshots.shownTime,
        running: status?.state === 0,
        replay: status?.state === 3,
        origin: status?.origin ?? "",
        speed: status?.speed ?? 0,
        settings: status?.settings ?? null,
        contacts: session.contacts.latest.count,
        forces: stage.forceCount,
        asleep: session.snapshots.asleepCount,
        quality: lab.fineness.name,
        people: lab.people.count,
        prediction: lab.remote.state.get().kind,
        agreed: lab.remote.agreedCount,
        lead: lab.remote.leadTicks,
        corrected: lab.remote.corrected,
        correctedMm: lab.remote.correctedMm,
        late: session.deeds.lateInputs,
        correctedAll: lab.remote.correctedAll,
        correctedByOwn: lab.remote.correctedByOwn,
        roundTripMs: session.connection.clock.roundTripMs,
        delayMs: session.snapshots.delayMs,
        bytesPerSecond: session.connection.bytesIn.perSecond(performance.now()),
        sentSeq: session.sentSeq,
        appliedSeq: session.appliedSeq,
        damaged: session.damagedCount,
        trouble: session.lastTrouble,
        veils: [...lab.part.veils],
        actions: session.actions.at(session.snapshots.shownTick).map(
          ({ session: who, kind, target }) => ({ session: String(who), kind, target })),
      };
    },
    bodies() {
      session.sample(lab.poses);
      const { stride } = stage.placing;
      return (lab.scene?.bodies ?? []).map((body, index) => {
        const [x = 0, y = 0, third = 0, ...turn] = lab.poses.subarray(index * stride,
          (index + 1) * stride);
        const isFlat = turn.length === 0;
        const rest = isFlat ? { z: 0, angle: third } : { z: third, angle: 0 };
        return { name: bodyName(body, index), x, y, ...rest, turn };
      });
    },
    cut() {
      session.connection.cut();
    },
    change(settings) {
      lab.toasts.watch(session.change(settings));
    },
    screen(x, y, z = 0) {
      const box = stage.canvas.getBoundingClientRect();
      const place = { x: 0, y: 0, z: 0 };
      stage.control.project(x, y, z, place);
      return { x: box.left + place.x, y: box.top + place.y };
    },
  };
}
