import {isUtf8} from 'node:buffer';
import type {Node} from 'jsonc-parser';
import {InputError, type Fault} from '../../../shared/fault.ts';
import {linesAt, parse, jsonTree} from '../../read/json-text.ts';
import {chunksOf} from '../lines.ts';

/** The rows of a JSON array: the line of each, and what is wrong with those that are not objects. */
export interface JsonRows {
  readonly lines: readonly number[];
  readonly faults: readonly Fault[];
}

/** Larger files are not parsed a second time, only to say where their faults are. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Parses a JSON file of rows to say what is wrong with it, and where. Nothing is said of files that are too large for that. */
export async function parseRows(root: string, file: string): Promise<JsonRows> {
  const text = await textOf(root, file);
  if (text === undefined) return {lines: [], faults: []};
  try {
    const tree = jsonTree(file, text);
    const lines = linesAt(
      text,
      (tree.children ?? []).map(({offset}) => offset),
    );
    return {lines, faults: [...shapeFaults(file, tree, lines), ...faultsOf(file, text)]};
  } catch (error) {
    return {lines: [], faults: faultsOf(file, text, error)};
  }
}

function faultsOf(file: string, text: string, error?: unknown): readonly Fault[] {
  try {
    parse(file, text);
    return [];
  } catch (found) {
    if (found instanceof InputError) return found.faults;
    throw error ?? found;
  }
}

function shapeFaults(file: string, tree: Node, lines: readonly number[]): Fault[] {
  if (tree.type !== 'array') return [{file, line: 1, rule: 'is not a JSON array'}];
  return (tree.children ?? []).flatMap(({type}, index) =>
    type === 'object' ? [] : [{file, line: lines[index], rule: 'is not a JSON object'}],
  );
}

async function textOf(root: string, file: string): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(root, file)) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
