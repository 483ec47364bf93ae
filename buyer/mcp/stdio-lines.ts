import type {Readable} from 'node:stream';

/** The maximum length of a line, as in the SDK. */
const MOST_BYTES = 10 * 1024 * 1024;
const LINE_FEED = 10;

/**
 * Yields the lines of a stream, including a last one without a line feed; undefined for a line that is too long or not UTF-8. Omits blank
 * lines.
 */
export async function* linesOf(input: Readable): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= MOST_BYTES) parts.push(part);
  };
  const end = () => {
    const line = bytes > MOST_BYTES ? undefined : textOf(Buffer.concat(parts));
    [parts, bytes] = [[], 0];
    return line;
  };
  for await (const chunk of input) {
    let rest = chunk as Buffer;
    for (let at = rest.indexOf(LINE_FEED); at >= 0; at = rest.indexOf(LINE_FEED)) {
      take(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
      const line = end();
      if (line !== '') yield line;
    }
    take(rest);
  }
  const last = end();
  if (last !== '') yield last;
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes).trim();
  } catch {
    return undefined; // not UTF-8
  }
}
