import {createHash} from 'node:crypto';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {frozen} from '../../scripts/program.ts';
import {apart, type Ran} from '../scripts/script-run.ts';

/** A site in a temporary folder. `await using` removes it. */
export interface SiteFixture extends AsyncDisposable {
  readonly root: string;
  /** Writes a file below the root. Objects are written as JSON. */
  write(path: string, content: string | Uint8Array | object): Promise<void>;
  /** Writes a freeze with the digest and size of the given files in its descriptor. */
  freeze(freeze: FreezeFixture): Promise<void>;
  /** Runs the build command in this process. */
  build(...args: string[]): Promise<Ran>;
}

export interface FreezeFixture {
  readonly source: string;
  readonly date?: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly format?: string;
  readonly schema?: object;
  /** Members that replace members of the descriptor, or of its resource. */
  readonly descriptor?: object;
  readonly resource?: object;
}

export const SITE = {
  title: 'Test Site',
  base_url: 'https://test.example',
  payment: {
    accepts: [{network: 'eip155:84532', pay_to: '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2'}],
    facilitator_url: 'https://facilitator.example',
  },
};

export const DENY_SCHEMA = {
  fields: [
    {name: 'url', type: 'string'},
    {
      name: 'class',
      type: 'string',
      constraints: {required: true, enum: ['fraud', 'dead', 'unable_verify', 'soft_fail']},
    },
  ],
  primaryKey: ['url'],
};

export const VERIFIED_SCHEMA = {
  fields: [
    {name: 'origin', type: 'string'},
    {name: 'first', type: 'string'},
    {name: 'last', type: 'string'},
    {name: 'claimed', type: 'boolean'},
  ],
  primaryKey: ['origin'],
};

export const CLASS_SHARE = {
  title: 'Soft Fail 3',
  kind: 'class-share',
  price: '$0.02',
  source: 'deny-list',
  class: 'soft_fail',
  siblings: ['denylistage'],
  difference: 'reports the share of one class',
};

export const SAME_TIMESTAMPS = {
  title: 'First Last Same',
  kind: 'same-timestamps',
  price: '$0.02',
  source: 'verified-list',
  difference: 'counts the origins whose two timestamps are identical',
};

export const EVENT_BUNDLE = {
  title: 'Webhook Bundle',
  kind: 'event-bundle',
  price: '$0.15',
  source: 'webhook-events',
  siblings: ['replaycass'],
  difference: 'freezes the schema of signed webhook events',
};

export const DENY_CSV =
  'url,class\nhttps://a.example/,dead\nhttps://b.example/,soft_fail\nhttps://c.example/,fraud\nhttps://d.example/,soft_fail\n';

/** A site with a title and a payee, and without products. */
export async function emptySite(): Promise<SiteFixture> {
  const site = siteIn(await mkdtemp(join(tmpdir(), 'frozen-site-')));
  await site.write('data/site.json', SITE);
  return site;
}

/** Returns the site in a folder, which `await using` removes. */
export function siteIn(root: string): SiteFixture {
  const write = async (path: string, content: string | Uint8Array | object) => {
    await mkdir(dirname(join(root, path)), {recursive: true});
    const isText = typeof content === 'string' || content instanceof Uint8Array;
    await writeFile(join(root, path), isText ? content : JSON.stringify(content, null, 2));
  };
  return {
    root,
    write,
    freeze: fixture => writeFreeze(write, fixture),
    build: (...args) => runBuild(['--root', root, ...args]),
    [Symbol.asyncDispose]: () => rm(root, {recursive: true, force: true}),
  };
}

/** Makes a site that sells Soft Fail 3 over four rows. */
export async function denySite(): Promise<SiteFixture> {
  const site = await emptySite();
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  await site.freeze({source: 'deny-list', files: {'deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA});
  return site;
}

async function writeFreeze(write: SiteFixture['write'], fixture: FreezeFixture): Promise<void> {
  const {source, date = '2026-05-01', files, format = 'csv', schema, descriptor = {}, resource = {}} = fixture;
  const folder = `data/sources/${source}/${date}`;
  const bytes = Buffer.concat(Object.values(files).map(content => Buffer.from(content)));
  const paths = Object.keys(files);
  for (const [path, content] of Object.entries(files)) await write(`${folder}/${path}`, content);
  await write(`${folder}/datapackage.json`, {
    created: `${date}T00:00:00Z`,
    as_of: `${date}T12:00:00.000Z`,
    resources: [
      {
        name: source,
        path: paths.length === 1 ? paths[0] : paths,
        format,
        bytes: bytes.length,
        hash: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
        ...(schema ? {schema} : {}),
        ...resource,
      },
    ],
    ...descriptor,
  });
}

async function runBuild(args: readonly string[]): Promise<Ran> {
  const texts = {out: '', err: ''};
  const code = await frozen(['build', ...args], {
    out: {write: (text: string) => (texts.out += text)},
    err: {write: (text: string) => (texts.err += text)},
  });
  return apart({code, ...texts});
}
