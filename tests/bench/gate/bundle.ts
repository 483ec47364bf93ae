import {readFile} from 'node:fs/promises';
import {join, parse} from 'node:path';
import {gzipSync} from 'node:zlib';
import {commandAt, complaintIn} from '../../../scripts/programs/command.ts';
import {binary} from '../measure/commands.ts';

/** A Worker as it is deployed. */
export interface Bundle {
  readonly file: string;
  readonly size: {
    readonly bytes: number;
    /** As Cloudflare counts it against its limit. */
    readonly gzip: number;
  };
}

/** Bundles a Worker with the rules of a site as a deployment does: wrangler's own dry run, which keeps to the folder. */
export async function bundle(entry: string, site: string, folder: string): Promise<Bundle> {
  const wrangler = commandAt(process.execPath, [binary('wrangler')], {
    CI: '1',
    NO_COLOR: '1',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_LOG_PATH: join(folder, 'logs'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  });
  const output = join(folder, 'bundle');
  const said = await wrangler([
    ...['deploy', entry, '--dry-run', '--outdir', output],
    ...['--config', join(site, 'paywall/rules/wrangler.jsonc')],
    ...['--alias', `#rules:${join(site, 'paywall/rules/rules.json')}`],
  ]);
  if (!said.ok) throw new Error(`wrangler deploy --dry-run: ${complaintIn(said)}`);
  const file = join(output, `${parse(entry).name}.js`);
  const code = await readFile(file);
  return {file, size: {bytes: code.length, gzip: gzipSync(code).length}};
}
