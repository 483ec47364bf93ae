import {readFile} from 'node:fs/promises';
import {join, parse} from 'node:path';
import {gzipSync} from 'node:zlib';
import {bundleWorker} from '../../../scripts/deploy/cloudflare.ts';

/** A Worker in its deployed form. */
export interface Bundle {
  readonly file: string;
  readonly size: {
    readonly bytes: number;
    /** The size that counts for Cloudflare's limit. */
    readonly gzip: number;
  };
}

/** Bundles a Worker with the rules of a site as a deployment does. */
export async function bundle(entry: string, site: string, folder: string): Promise<Bundle> {
  const output = join(folder, 'bundle');
  await bundleWorker(site, output, entry);
  const file = join(output, `${parse(entry).name}.js`);
  const code = await readFile(file);
  return {file, size: {bytes: code.length, gzip: gzipSync(code).length}};
}
