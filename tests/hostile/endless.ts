import {once} from 'node:events';
import type {ServerResponse} from 'node:http';
import {createGzip} from 'node:zlib';

const MIB = 1024 * 1024;

/** Sends endless spaces, as fast as they are read. */
export async function endless(to: ServerResponse): Promise<void> {
  const chunk = Buffer.alloc(MIB, ' ');
  while (!to.destroyed) if (!to.write(chunk)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
}

/** Sends a gigabyte, compressed to a megabyte. */
export function bomb(to: ServerResponse): void {
  to.setHeader('Content-Encoding', 'gzip');
  const gzip = createGzip();
  gzip.pipe(to);
  gzip.on('error', () => undefined);
  const chunk = Buffer.alloc(MIB);
  let left = 1024;
  const more = () => {
    while (left > 0 && !to.destroyed && gzip.write(chunk)) left -= 1;
    if (left === 0) gzip.end();
  };
  gzip.on('drain', more);
  more();
}

/** Sends a byte now and then, forever. */
export async function drip(to: ServerResponse): Promise<void> {
  while (!to.destroyed) {
    to.write(' ');
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
