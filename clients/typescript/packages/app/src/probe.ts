/** probe.ts: window.cairn, for tests and for the curious at the console. */
import type { Session } from "@cairn/client";
import { bodyName } from "@cairn/protocol";
import type { Lab } from "./lab";

export interface Probe {
  readonly state: Record<string, unknown>;
  /** What is on the screen, in the scene's order. */
  bodies(): { name: string; x: number; y: number; angle: number }[];
  /** CSS pixels from the page's upper left corner of a place in the world. */
  screen(x: number, y: number): { x: number; y: number };
  /** Asks the daemon for other settings, as the panel does. */
  change(settings: Parameters<Session["change"]>[0]): void;
}

export function makeProbe(lab: Lab): Probe {
  const { session, stage } = lab;
  return {
    get state() {
      const status = session.status.get();
      return {
        connection: session.connection.state.get().kind,
        worldState: session.world.get().kind,
        world: session.joined.get()?.world ?? "",
        scene: lab.scene?.name ?? "",
        generation: session.joined.get()?.generation ?? -1,
        tick: session.snapshots.newestTick,
        shownTick: session.snapshots.shownTick,
        time: session.snapshots.shownTime,
        running: status?.state === 0,
        settings: status?.settings ?? null,
        contacts: session.contacts.latest.count,
        forces: stage.forceCount,
        people: lab.people.count,
        roundTripMs: session.connection.clock.roundTripMs,
        delayMs: session.snapshots.delayMs,
        bytesPerSecond: session.connection.bytesIn.perSecond(performance.now()),
        sentSeq: session.sentSeq,
        appliedSeq: session.appliedSeq,
        damaged: session.damagedCount,
        trouble: session.lastTrouble,
      };
    },
    bodies() {
      session.sample(lab.poses);
      return (lab.scene?.bodies ?? []).map((body, index) => ({
        name: bodyName(body, index),
        x: lab.poses[index * 3]!,
        y: lab.poses[index * 3 + 1]!,
        angle: lab.poses[index * 3 + 2]!,
      }));
    },
    change(settings) {
      lab.toasts.watch(session.change(settings));
    },
    screen(x, y) {
      const box = stage.canvas.getBoundingClientRect();
      return { x: box.left + stage.framing.screenX(x), y: box.top + stage.framing.screenY(y) };
    },
  };
}
