import {findNodeAtLocation, type Node} from 'jsonc-parser';
import {InputError} from '../../shared/fault.ts';
import {decode, isNestedDeeper, parse, type JsonText} from '../read/json-text.ts';
import {DEPTH_RULE, MAX_DEPTH, MAX_PARSED_BYTES} from '../read/limits.ts';
import {chunksOf} from './lines.ts';

/**
 * Counts the rows of a JSON list that stands inside an object. Throws `InputError` where the file is not strict JSON, is too long or too
 * deep to be parsed as a whole, or has no list there.
 */
export async function countWrapped(root: string, file: string, property: string): Promise<number> {
  const {tree} = await parseWhole(root, file);
  const rows = rowsIn(tree, property);
  if (rows) return rows.children?.length ?? 0;
  throw new InputError({file, field: property, rule: 'is not a list in it'});
}

/** A file of JSON, parsed as a whole. Throws `InputError` where that cannot be. */
export async function parseWhole(root: string, file: string): Promise<JsonText> {
  const bytes = await bytesOf(root, file);
  if (!bytes)
    throw new InputError({file, rule: 'is longer than 64 MiB, the most that JSON with a list inside may have'});
  const text = decode(file, bytes);
  if (isNestedDeeper(text, MAX_DEPTH)) throw new InputError({file, rule: DEPTH_RULE});
  return parse(file, text);
}

/** The list of rows in a file of JSON: the whole, or what members lead to. */
export function rowsIn(tree: Node, property: string | undefined): Node | undefined {
  const node = property === undefined ? tree : findNodeAtLocation(tree, property.split('.'));
  return node?.type === 'array' ? node : undefined;
}

/** The bytes of a file, unpacked; nothing where they are too many to be parsed as a whole. */
export async function bytesOf(root: string, file: string): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(root, file)) {
    size += chunk.length;
    if (size > MAX_PARSED_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
