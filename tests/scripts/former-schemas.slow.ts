import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {encode} from '../../shared/encode.ts';
import {sha256} from '../../shared/digest.ts';
import {CATALOGUE_FILE, paths, PUBLIC} from '../../shared/paths.ts';
import type {Catalogue, Entry} from '../../shared/shapes.ts';
import {verifySite} from '../../buyer/verify/verify-site.ts';
import {everyTypeSite} from '../build/every-type-site.ts';
import {readJson} from '../build/tree.ts';
import {buildIn, codes, commit, git, reviewJson} from './reviewed.ts';

type Json = Readonly<Record<string, unknown>>;

/** A part of a schema as the version before published it: lists of types and formats. */
function former(value: unknown, isInt64: boolean): unknown {
  if (Array.isArray(value)) return value.map(one => former(one, isInt64));
  if (typeof value !== 'object' || value === null) return value;
  const {anyOf, pattern, ...others} = value as Json;
  const types = Array.isArray(anyOf) && anyOf.map(({type}: Json) => type);
  if (Array.isArray(types) && types[0] === 'integer')
    return {type: types, pattern: '^-?\\d+$', ...others, ...(isInt64 && {format: 'int64'})};
  const format = String(pattern).startsWith('^\\d{4}-(0') ? 'date' : pattern === '^https?://\\S+$' ? 'uri' : undefined;
  const below = Object.fromEntries(
    Object.entries({...others, ...(anyOf !== undefined && {anyOf})}).map(([name, inner]) => [
      name,
      former(inner, !/huge|unsigned/.test(name)),
    ]),
  );
  return {...below, ...(format !== undefined ? {format} : pattern !== undefined && {pattern})};
}

/** Rewrites schemas and catalogue of a built site to what the version before published. Returns the catalogue's text. */
async function publishAsBefore(root: string): Promise<string> {
  const catalogue = (await readJson(root, CATALOGUE_FILE)) as unknown as Catalogue;
  const products = catalogue.products.map(async (entry): Promise<Entry> => {
    const rewrite = async (document: 'sampleSchema' | 'paidSchema', listed: Entry['sample']) => {
      const path = PUBLIC + paths[document](entry.name);
      const text = encode(former(await readJson(root, path), true) as object);
      await writeFile(join(root, path), text);
      return {...listed, sha256: sha256(text), bytes: Buffer.byteLength(text)};
    };
    const sample = await rewrite('sampleSchema', entry.schemas.sample);
    const schemas = {sample, paid: await rewrite('paidSchema', entry.schemas.paid)};
    const columns = entry.columns?.map(column => ({...column, type: undefined}));
    return {...entry, schemas, ...(columns && {columns})};
  });
  const text = encode({...catalogue, products: await Promise.all(products)});
  await writeFile(join(root, CATALOGUE_FILE), text);
  return text;
}

test('a site with the former schemas is valid, and its next build breaks no promise of review and verify --saved-catalogue', async () => {
  await using site = await everyTypeSite();
  const catalogue = await publishAsBefore(site.root);
  assert.match(
    await readFile(join(site.root, PUBLIC + paths.paidSchema('rows')), 'utf8'),
    /"int64"[^]*"format": "date"/,
  );
  const bounds = {requestTimeout: 10, totalTimeout: 600};
  const failures = async (options: object) =>
    (await verifySite(site.root, {...bounds, ...options})).filter(({state}) => state === 'failed');
  assert.deepEqual(await failures({}), [], 'documents and Parquet files of a former site');

  git(site.root, 'init', '--quiet', '--initial-branch=main');
  commit(site.root);
  await site.write('kept.json', catalogue);
  await buildIn(site);
  assert.deepEqual(await failures({savedCatalogue: join(site.root, 'kept.json')}), []);
  const said = await reviewJson(site.root);
  assert.deepEqual([said.status, codes(said).filter(code => code.includes('schema'))], [0, []]);
  for (const {name, schemas} of said.products) assert.deepEqual(schemas, [], String(name));
});
