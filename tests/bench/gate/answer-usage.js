// Loaded into every measured server. Reports the resources that its process used, and ends with its parent process.

process.on('disconnect', () => process.exit());
process.on('message', () => {
  const {user, system} = process.cpuUsage();
  globalThis.gc?.();
  // V8 returns freed pages to the system some time after a collection.
  setTimeout(() => {
    const {heapUsed: heap, rss: resident} = process.memoryUsage();
    process.send?.({cpu: user + system, heap, resident});
  }, 200);
});
