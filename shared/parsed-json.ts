/** Returns the value of a JSON text, or undefined if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller refuses a value of another shape
  }
}
