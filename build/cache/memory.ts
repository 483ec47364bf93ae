import {hash} from 'node:crypto';
import {existsSync, lstatSync, realpathSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {stringifyChunked} from '@discoveryjs/json-ext';
import type {Built} from '../build.ts';
import {isFrozen, type Digested, type OnBytes} from '../read/digest.ts';
import {fileDigest} from '../read/file-digest.ts';
import {withFoldersAbove} from '../write/obstacles.ts';
import {STAGING} from '../write/owned.ts';
import {digestOfInputs} from './inputs.ts';
import {Kept} from './kept.ts';
import {readSealed, writeSealed} from './sealed.ts';

/** Where this code, and no other, remembers its builds: a folder that may be deleted at any time. */
export type Memory = string;

/** A build that was remembered: what it read, what it wrote, and what it told. */
interface Remembered {
  readonly inputs: string;
  readonly freezes: readonly Digested[];
  /** SHA-256 by path from the root. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly told: Pick<Built, 'products' | 'notes'>;
}

/**
 * The last build of a site, where this code would build the same again: whatever it read and wrote has the bytes that it had then. So
 * nothing needs to be computed. What is remembered is never believed: every byte of inputs and outputs is read again.
 *
 * @param inputs digest of the inputs as they are now, where it can be told
 */
export async function recall(
  memory: Memory,
  root: string,
  inputs: string | undefined,
  onFreeze: (freeze: Digested) => OnBytes,
): Promise<Built | undefined> {
  const last = remembered(memory, root);
  if (!last || last.inputs !== inputs) return undefined;
  if (!standAs(root, last.outputs) || !(await areFrozen(root, last.freezes, onFreeze))) return undefined;
  const unchanged = Object.keys(last.outputs);
  return {
    ...last.told,
    changes: {added: [], changed: [], removed: [], unchanged},
    freezes: last.freezes,
    outputs: last.outputs,
  };
}

/** Remembers a build whose inputs had this digest before it began; nothing where they changed meanwhile. */
export function remember(memory: Memory, root: string, inputs: string | undefined, built: Built): void {
  if (inputs === undefined || inputs !== digestOfInputs(root)) return;
  const {products, notes, freezes, outputs, made} = built;
  const last: Remembered = {inputs, freezes, outputs, told: {products, notes}};
  try {
    writeSealed(fileOf(memory, root, 'build'), stringifyChunked(last));
    if (made) keptOf(memory, root).write(made, outputs);
  } catch (error) {
    // A build that cannot be remembered is as good as any: the next one is slower.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}

/** What builds of a site made of its products. */
export function keptOf(memory: Memory, root: string): Kept {
  return new Kept(fileOf(memory, root, 'products'));
}

/** A file for each site. */
function fileOf(memory: Memory, root: string, what: 'build' | 'products'): string {
  return join(memory, `${hash('sha256', realpathSync(root))}.${what}`);
}

/** What was remembered, where it is whole. */
function remembered(memory: Memory, root: string): Remembered | undefined {
  const text = readSealed(fileOf(memory, root, 'build'));
  return text === undefined ? undefined : (JSON.parse(text) as Remembered);
}

async function areFrozen(
  root: string,
  freezes: readonly Digested[],
  onFreeze: (freeze: Digested) => OnBytes,
): Promise<boolean> {
  for (const freeze of freezes) if (!(await isFrozen(root, freeze, onFreeze(freeze)))) return false;
  return true;
}

/** True where the files stand in folders of the root with these digests, and no build was cut short. */
function standAs(root: string, outputs: Readonly<Record<string, string>>): boolean {
  const paths = Object.keys(outputs);
  const folders = new Set([...new Set(paths.map(path => dirname(path)))].flatMap(withFoldersAbove));
  try {
    return (
      !existsSync(join(root, STAGING)) &&
      [...folders].every(folder => lstatSync(join(root, folder)).isDirectory()) &&
      paths.every(path => fileDigest(join(root, path)) === outputs[path])
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) return false;
    throw error;
  }
}
