/**
 * store.ts: a value that says when it changes.
 *
 * `subscribe` calls at once and on every change, and returns its unsubscribe.  A listener added
 * within a call is called with the value it finds; one removed within a call is not called again.
 */
export interface Readable<T> {
  get(): T;
  subscribe(listener: (value: T) => void): () => void;
}

export class Store<T> implements Readable<T> {
  private readonly listeners = new Set<(value: T) => void>();

  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(value: T): void {
    if (!Object.is(value, this.value)) {
      this.value = value;
      for (const listener of this.listeners) {
        listener(value);
      }
    }
  }

  subscribe(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    listener(this.value);
    return () => this.listeners.delete(listener);
  }
}

/** Something that happens, without a value that stays. */
export class Signal<T> {
  private readonly listeners = new Set<(value: T) => void>();

  emit(value: T): void {
    for (const listener of this.listeners) {
      listener(value);
    }
  }

  subscribe(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
