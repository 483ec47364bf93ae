// Loaded into every server that is measured: it tells what its process has used, and ends with whoever started it.

/** What a process has used so far. */
export interface Usage {
  /** Microseconds of processor time. */
  readonly cpu: number;
  /** Bytes, after a garbage collection. */
  readonly heap: number;
  readonly resident: number;
}

process.on('disconnect', () => process.exit());
process.on('message', () => {
  const {user, system} = process.cpuUsage();
  globalThis.gc?.();
  const {heapUsed: heap, rss: resident} = process.memoryUsage();
  process.send?.({cpu: user + system, heap, resident} satisfies Usage);
});
