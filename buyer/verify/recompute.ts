import {isDeepStrictEqual} from 'node:util';
import {isPublic, paths, PUBLIC} from '../../shared/paths.ts';
import {fingerprintOf} from '../../shared/digest.ts';
import {plan, type BuildInput} from '../../build/plan.ts';
import type {Catalogue, Listed} from '../../shared/shapes.ts';
import {listedPaths} from './catalogue.ts';
import {failed, passed, type Check} from './check.ts';
import {digestFault} from './site-reader.ts';
import {isObject, isTooDeep} from './untrusted-json.ts';

const WHAT = 'frozen rows';

/** A document that is longer than twice the expected size plus this is not compared by member. */
const SPARE_BYTES = 64 * 1024;

/** The tree that is computed from `data/`, to compare it with a site. */
export type Recomputed = Awaited<ReturnType<typeof recompute>>;

/** Computes all documents from the frozen rows. Throws `InputError` if `data/` is invalid. */
export async function recompute(source: Omit<BuildInput, 'output'>) {
  const computed = new Map<string, Buffer>();
  const output: BuildInput['output'] = {
    put(path, content) {
      computed.set(path, Buffer.from(content));
      return {path, ...fingerprintOf(content), state: 'unchanged'};
    },
  };
  await plan({...source, output});
  const fine = (path: string) => passed(WHAT, path, 'follows from the frozen rows, byte for byte');
  const unknown = (path: string) => failed(WHAT, path, 'cannot be derived from the frozen rows');
  return {
    compare(path: string, bytes: Uint8Array): Check[] {
      const own = computed.get(PUBLIC + path);
      if (!own) return [unknown(path)];
      return own.equals(bytes)
        ? [fine(path)]
        : differences(own.toString('utf8'), bytes).map(text => failed(WHAT, path, text));
    },
    /** Compares size and digest that a catalogue lists for a sold document. */
    compareListed(path: string, listed: Listed): Check {
      const own = computed.get(PUBLIC + path);
      if (!own) return unknown(path);
      if (digestFault(own, listed) === undefined) return fine(path);
      return failed(WHAT, path, 'the document for sale differs from the one that follows from the frozen rows');
    },
    /** Finds computed documents that the catalogue does not list. */
    rest(catalogue: Catalogue): Check[] {
      const listed = new Set([paths.catalogue, ...listedPaths(catalogue)]);
      return [...computed.keys()]
        .filter(isPublic)
        .map(file => file.slice(PUBLIC.length))
        .filter(path => !listed.has(path))
        .map(path => failed(WHAT, path, 'follows from data/ but is not in the catalogue'));
    },
  };
}

/** Returns a sentence for each member that differs, or one sentence if the documents are not JSON objects. */
function differences(own: string, found: Uint8Array): string[] {
  const size = Buffer.byteLength(own);
  if (found.length > 2 * size + SPARE_BYTES)
    return [`has ${found.length} bytes instead of the ${size} that follow from the frozen rows`];
  const differing = differingIn(objectOf(own), objectOf(new TextDecoder().decode(found)));
  if (differing.length === 0) return ['has other bytes than those that follow from the frozen rows'];
  return differing.map(([member, ours, theirs]) => difference(member, ours, theirs));
}

function difference(place: string, ours: unknown, theirs: unknown): string {
  const isAlike = isObject(ours) && isObject(theirs) && Array.isArray(ours) === Array.isArray(theirs);
  const [first] = isAlike ? differingIn(ours, theirs) : [];
  if (!first) return `${place} is ${shown(theirs)}; computed from the frozen rows, it is ${shown(ours)}`;
  const [name, ...values] = first;
  return difference(place + (Array.isArray(ours) ? `[${name}]` : `.${name}`), ...values);
}

/** Returns the members of two objects or lists that differ, with both values. */
function differingIn(ours: object, theirs: object): [name: string, ours: unknown, theirs: unknown][] {
  const [own, found] = [
    new Map<string, unknown>(Object.entries(ours)),
    new Map<string, unknown>(Object.entries(theirs)),
  ];
  return [...new Set([...own.keys(), ...found.keys()])]
    .map((name): [string, unknown, unknown] => [name, own.get(name), found.get(name)])
    .filter(([, one, other]) => !isDeepStrictEqual(one, other));
}

/** Uses `JSON.parse`, because the strict parser needs too much time and memory for untrusted input in this process. */
function objectOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !isTooDeep(value) ? value : {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}

function shown(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
