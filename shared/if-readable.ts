/** Returns the result of `read`, or undefined if it throws an error of the system. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // Errors of the system and of Node's file functions have a code.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
