/** bodies.ts: names and slots of the bodies of a world, as its Joined and its Changed tell them. */
import { type Changed, type Scene, bodyName, followScene } from "@cairn/protocol";

export class Bodies {
  private scene: Scene | undefined;
  private slots: Map<string, number> | null = null;
  generation = 0;

  onJoined(scene: Scene | undefined, generation: number): void {
    this.scene = scene;
    this.generation = generation;
    this.slots = null;
  }

  onChanged(changed: Changed): void {
    if (this.scene !== undefined && changed.generation === this.generation + 1) {
      this.onJoined(followScene(this.scene, changed), changed.generation);
    }
  }

  /** Undefined: there is no body of this name. */
  slot(name: string): number | undefined {
    this.slots ??= new Map((this.scene?.bodies ?? []).flatMap((body, slot) =>
      (body.absent ? [] : [[bodyName(body, slot), slot] as const])));
    return this.slots.get(name);
  }

  /** "" if there is no such body. */
  name(slot: number): string {
    const body = this.scene?.bodies[slot];
    return body === undefined || body.absent ? "" : bodyName(body, slot);
  }
}
