import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after} from 'node:test';
import {build} from '../../build/build.ts';
import {signSite} from '../../scripts/sign/sign-site.ts';
import {DEFAULTS} from '../../buyer/verify/bounds.ts';
import {Examiner} from '../../buyer/verify/examiner.ts';
import {openFolder} from '../../buyer/verify/folder.ts';
import {openOrigin} from '../../buyer/verify/origin.ts';
import {pinFrom} from '../../buyer/verify/signature/pin.ts';
import {openCatalogue} from '../../buyer/verify/verify-site.ts';
import {Web} from '../../buyer/verify/web.ts';
import type {Signing} from '../../shared/public-key.ts';
import {newSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {denySite, SITE} from '../build/site-fixture.ts';

/** A site of one product with a signed catalogue. `await using` removes it. */
export interface SignedSite extends AsyncDisposable {
  readonly root: string;
  readonly key: SigningKey;
  /** A copy in another folder, without a build. */
  copy(): Promise<SignedSite>;
  edit(path: string, change: (text: string) => string): Promise<void>;
  /** Changes the keys, builds, and signs with one of them. */
  name(signing: Signing, key: SigningKey): Promise<void>;
  /** Returns the failed checks of its signature and its keys, as text. */
  faults(wanted?: Wanted): Promise<string[]>;
}

/** An address of the site in place of its folder, and known keys. */
interface Wanted {
  readonly target?: string;
  readonly root?: string;
  readonly siteKey?: string | undefined;
  readonly saved?: Parameters<typeof pinFrom>[0]['saved'];
}

const until = new AbortController().signal;
const examiner = new Examiner(until);
after(() => examiner[Symbol.asyncDispose]());

export async function signedSite(): Promise<SignedSite> {
  const {root} = await denySite();
  const key = await newSigningKey();
  const site = siteIn(root, key);
  await site.name({kid: key.kid, x: key.x}, key);
  return site;
}

/** Returns a key in the form of a site file. */
export function publicOf({kid, x}: SigningKey): {kid: string; x: string} {
  return {kid, x};
}

function siteIn(root: string, key: SigningKey): SignedSite {
  return {
    root,
    key,
    async copy() {
      const other = await mkdtemp(join(tmpdir(), 'signed-site-'));
      await cp(root, other, {recursive: true});
      return siteIn(other, key);
    },
    async edit(path, change) {
      const text = await readFile(join(root, path), 'utf8');
      const changed = change(text);
      if (changed === text) throw new Error(`nothing to change in ${path}`);
      await writeFile(join(root, path), changed);
    },
    async name(signing, by) {
      await writeFile(join(root, 'data/site.json'), JSON.stringify({...SITE, signing}, null, 2));
      await build({root});
      await signSite(root, by);
    },
    async faults(wanted = {}) {
      const {target = root} = wanted;
      using reader = target.startsWith('http:')
        ? openOrigin(new Web(target, DEFAULTS.requestTimeout, until))
        : await openFolder(target, examiner, until);
      const {checks} = await openCatalogue(reader, {examiner, pinOf: await pinFrom({...wanted, target})});
      return checks.flatMap(({state, detail}) => (state === 'failed' ? [detail] : []));
    },
    [Symbol.asyncDispose]: () => rm(root, {recursive: true, force: true}),
  };
}
