/** throttle.ts: limits calls to one an interval; the last call is always made. */
export function throttle<T>(intervalMs: number, call: (value: T) => void): (value: T) => void {
  let last = -Infinity;
  let waiting: { value: T } | null = null;
  return (value) => {
    if (waiting !== null) {
      waiting.value = value;
      return;
    }
    const now = performance.now();
    if (now - last >= intervalMs) {
      last = now;
      call(value);
      return;
    }
    waiting = { value };
    setTimeout(() => {
      const latest = waiting!.value;
      waiting = null;
      last = performance.now();
      call(latest);
    }, intervalMs - (now - last));
  };
}
