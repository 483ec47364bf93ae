// Loaded into every server that is measured: reports what its process has used, and ends with the process that started it.

process.on('disconnect', () => process.exit());
process.on('message', () => {
  const {user, system} = process.cpuUsage();
  globalThis.gc?.();
  // V8 returns freed pages to the system some moments after a collection.
  setTimeout(() => {
    const {heapUsed: heap, rss: resident} = process.memoryUsage();
    process.send?.({cpu: user + system, heap, resident});
  }, 200);
});
