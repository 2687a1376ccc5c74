/** image_ring.ts: the images of recent ticks, in memory that is used again. */
import type { KeptImage, World } from "@cairn/engine";

export class ImageRing {
  private readonly images = new Map<number, KeptImage>();
  private readonly spare: KeptImage[] = [];
  private memory = 0;

  constructor(
    private readonly world: World,
    private readonly memoryMax: number,
  ) {}

  /** Whether one more image of about the present size would be too much. */
  get isFull(): boolean {
    const { size } = this.images;
    return this.spare.length === 0 && size > 0 && this.memory * (1 + 1 / size) > this.memoryMax;
  }

  get count(): number {
    return this.images.size;
  }

  has(tick: number): boolean {
    return this.images.has(tick);
  }

  /** Keeps the state of the world as that of its tick. */
  keep(tick: number): void {
    const image = this.images.get(tick) ?? this.spare.pop() ?? this.world.makeKept();
    this.memory -= image.memory;
    this.world.keep(image);
    this.memory += image.memory;
    this.images.set(tick, image);
  }

  /** Takes the world back to that tick. */
  recall(tick: number): void {
    this.world.recall(this.get(tick));
  }

  bytes(tick: number): Uint8Array {
    return this.get(tick).bytes();
  }

  private get(tick: number): KeptImage {
    const image = this.images.get(tick);
    if (image === undefined) {
      throw new Error(`no image of tick ${tick} is kept`);
    }
    return image;
  }

  /** Gives back the images of all ticks but those from `first` to `last`. */
  keepOnly(first: number, last: number): void {
    for (const [tick, image] of this.images) {
      if (tick < first || tick > last) {
        this.images.delete(tick);
        this.spare.push(image);
      }
    }
  }

  free(): void {
    this.keepOnly(0, -1);
    for (const image of this.spare.splice(0)) {
      image.free();
    }
    this.memory = 0;
  }
}
