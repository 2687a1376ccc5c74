/**
 * store.ts: a value that reports its changes to listeners.
 *
 * `subscribe` calls the listener at once and on every change, and returns a function that
 * unsubscribes.  A listener added within a call is called with the present value.  A listener
 * removed within a call is not called again.
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

/** An event: it reports values and does not store them. */
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
