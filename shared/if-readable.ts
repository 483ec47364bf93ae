/** What is read; nothing where it cannot be. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // Node's own errors have a code: of the system, or of a file that is too long.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
