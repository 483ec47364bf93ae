import {CATALOGUE_FILE} from '../../shared/paths.ts';
import {isDeepStrictEqual} from 'node:util';
import {fingerprintOf} from '../../build/documents/text.ts';
import {plan, type Source} from '../../build/plan.ts';
import type {Output} from '../../build/write/stage.ts';
import type {Json} from '../../build/kinds/kind.ts';
import type {Catalogue, Listed} from '../../shared/shapes.ts';
import {documentsOf} from './catalogue.ts';
import {failed, passed, type Check} from './check.ts';
import {isTooDeep} from './untrusted-json.ts';

const WHAT = 'frozen rows';

/** Of a document that is longer than its own by more than this, and than twice its own, nobody looks for the members that differ. */
const SPARE_BYTES = 64 * 1024;

/** The tree that `data/` gives, in memory, to compare a site with. */
export interface Recomputed {
  /** Compares the bytes of a document. */
  compare(path: string, bytes: Uint8Array): Check[];
  /** Compares what a catalogue says of a document that is sold. */
  compareListed(path: string, listed: Listed): Check[];
  /** Documents that the frozen rows give and the catalogue does not list. */
  rest(catalogue: Catalogue): Check[];
}

/** Computes everything from the frozen rows. Throws `InputError` where `data/` is wrong. */
export async function recompute(source: Omit<Source, 'output'>): Promise<Recomputed> {
  const texts = new Map<string, string>();
  const output: Output = {
    put(path, text) {
      texts.set(path, text);
      return {path, ...fingerprintOf(text), state: 'unchanged'};
    },
  };
  const {tree} = await plan({...source, output});
  const fingerprints = new Map(tree.map(file => [file.path, file]));
  const expected = (path: string) => texts.get(`public${path}`);
  const fine = (path: string) => passed(WHAT, path, 'follows from the frozen rows, byte for byte');
  const unknown = (path: string) => failed(WHAT, path, 'is nothing that the frozen rows give');
  return {
    compare(path, bytes) {
      const own = expected(path);
      if (own === undefined) return [unknown(path)];
      return Buffer.from(own).equals(bytes)
        ? [fine(path)]
        : differences(own, bytes).map(text => failed(WHAT, path, text));
    },
    compareListed(path, listed) {
      const own = fingerprints.get(`public${path}`);
      if (!own) return [unknown(path)];
      const same = own.bytes === listed.bytes && own.sha256 === listed.sha256;
      return [same ? fine(path) : failed(WHAT, path, 'what is sold is not what the frozen rows give')];
    },
    rest({products, files}) {
      const listed = new Set([
        ...products.flatMap(entry => documentsOf(entry).map(({path}) => `public${path}`)),
        ...files.map(({path}) => `public${path}`),
        CATALOGUE_FILE,
      ]);
      return [...fingerprints.keys()]
        .filter(path => path.startsWith('public/') && !listed.has(path))
        .map(path => failed(WHAT, path.slice('public'.length), 'follows from data/ and is not in the catalogue'));
    },
  };
}

/** What two documents say differently, a sentence a member; one sentence where they are no JSON objects. */
function differences(own: string, found: Uint8Array): string[] {
  const size = Buffer.byteLength(own);
  if (found.length > 2 * size + SPARE_BYTES) return [`has ${found.length} bytes, and the frozen rows give ${size}`];
  const [ours, theirs] = [objectOf(own), objectOf(new TextDecoder().decode(found))];
  const members = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter(
    member => !isDeepStrictEqual(ours[member], theirs[member]),
  );
  return members.length === 0
    ? ['has other bytes than the frozen rows give']
    : members.map(member => difference(member, ours[member], theirs[member]));
}

/** The first place at which two values differ. */
function difference(place: string, ours: unknown, theirs: unknown): string {
  const [own, found] = [partsOf(ours), partsOf(theirs)];
  if (!own || !found || Array.isArray(ours) !== Array.isArray(theirs))
    return `${place} is ${shown(theirs)}; the frozen rows give ${shown(ours)}`;
  const names = [...new Set([...own.keys(), ...found.keys()])];
  const name = names.find(one => !isDeepStrictEqual(own.get(one), found.get(one))) ?? '';
  return difference(`${place}${Array.isArray(ours) ? `[${name}]` : `.${name}`}`, own.get(name), found.get(name));
}

/** The members of an object, or of a list. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}

function objectOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !isTooDeep(value) ? (value as Json) : {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}

function shown(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
