import {hash} from 'node:crypto';
import {existsSync, lstatSync, realpathSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {stringifyChunked} from '@discoveryjs/json-ext';
import type {Built, Fresh} from '../build.ts';
import type {Product} from '../kinds/kind.ts';
import {ifReadable} from '../disk/if-readable.ts';
import type {Digested, OnBytes} from '../read/digest.ts';
import {isFrozen} from '../read/stamps.ts';
import {fileDigest} from '../disk/file-digest.ts';
import {obstacleFaults, withFoldersAbove} from '../write/obstacles.ts';
import {JOURNAL, STAGING} from '../write/owned.ts';
import {digestsOfInputs, type InputDigests} from './inputs.ts';
import {keep, Kept} from './kept.ts';
import type {Outputs} from './lost.ts';
import {readSealed, writeSealed} from './sealed.ts';

/** Where this code, and no other, remembers its builds: a folder that may be deleted at any time. */
export type Memory = string;

/** The last build of a site, as it is remembered: what it read and wrote. */
interface Remembered {
  readonly inputs: InputDigests;
  readonly freezes: readonly Digested[];
  /** SHA-256 by path from the root. */
  readonly outputs: Outputs;
}

/** The same, with what has become of it. */
export interface Last extends Remembered {
  /** What it told. */
  readonly told: () => Pick<Built, 'products' | 'notes'>;
  /** The products that it read. */
  readonly products: () => Product[];
}

/** The last build of a site, where one is remembered. */
export function lastOf(memory: Memory, root: string): Last | undefined {
  const [remembered, told = '', products = ''] = readSealed(fileOf(memory, root, 'build'))?.split('\n') ?? [];
  if (remembered === undefined) return undefined;
  return {
    ...(JSON.parse(remembered) as Remembered),
    told: () => JSON.parse(told) as ReturnType<Last['told']>,
    products: () => JSON.parse(products) as Product[],
  };
}

/**
 * The last build of a site, where this code would build the same again: whatever it read and wrote has the bytes that it had then. So
 * nothing needs to be computed. What is remembered is never believed: every byte of inputs and outputs is read again.
 *
 * @param inputs the inputs as they are now, where it can be told
 */
export async function recall(
  last: Last | undefined,
  root: string,
  inputs: InputDigests | undefined,
  onFreeze: (freeze: Digested) => OnBytes,
): Promise<Built | undefined> {
  if (!last || last.inputs.all !== inputs?.all) return undefined;
  const {freezes, outputs, told} = last;
  if (!isWhole(root, outputs) || !(await areFrozen(root, freezes, onFreeze))) return undefined;
  const changes = {added: [], changed: [], removed: [], unchanged: Object.keys(outputs)};
  return {...told(), changes, freezes, outputs};
}

/** Remembers a build whose inputs were these before it began; nothing where they changed meanwhile. */
export function remember(memory: Memory, root: string, inputs: InputDigests | undefined, built: Fresh): void {
  if (inputs === undefined || inputs.all !== digestsOfInputs(root)?.all) return;
  const {products, notes, freezes, outputs, made} = built;
  const remembered: Remembered = {inputs, freezes, outputs};
  try {
    const read = made.products.map(({computed}) => computed.product);
    writeSealed(fileOf(memory, root, 'build'), linesOf(remembered, {products, notes}, read));
    keep(fileOf(memory, root, 'products'), made, outputs);
  } catch (error) {
    // A build that cannot be remembered is as good as any: the next one is slower.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}

function* linesOf(...values: readonly object[]): Iterable<string> {
  for (const value of values) {
    yield* stringifyChunked(value);
    yield '\n';
  }
}

/** What the last build of a site made of its products, whose outputs are being looked at from now on. */
export function keptOf(memory: Memory, root: string, inputs: InputDigests | undefined): Kept | undefined {
  const last = lastOf(memory, root);
  if (!last) return undefined;
  const products = last.inputs.products === inputs?.products ? last.products() : undefined;
  return new Kept(fileOf(memory, root, 'products'), {root, outputs: last.outputs, products});
}

/** A file for each site. */
function fileOf(memory: Memory, root: string, what: 'build' | 'products'): string {
  return join(memory, `${hash('sha256', realpathSync(root))}.${what}`);
}

async function areFrozen(
  root: string,
  freezes: readonly Digested[],
  onFreeze: (freeze: Digested) => OnBytes,
): Promise<boolean> {
  for (const freeze of freezes) if (!(await isFrozen(root, freeze, onFreeze(freeze)))) return false;
  return true;
}

/** True where the outputs stand in folders of the root, and no build was cut short. */
function isWhole(root: string, outputs: Outputs): boolean {
  const folders = new Set(Object.keys(outputs).map(path => dirname(path)));
  const isFolder = (folder: string) => lstatSync(join(root, folder)).isDirectory();
  const whole = ifReadable(
    () =>
      obstacleFaults(root, [JOURNAL]).length === 0 &&
      !existsSync(join(root, STAGING)) &&
      [...new Set([...folders].flatMap(withFoldersAbove))].every(isFolder) &&
      Object.entries(outputs).every(([path, sha256]) => fileDigest(join(root, path)) === sha256),
  );
  return whole ?? false;
}
