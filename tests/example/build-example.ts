import {cp} from 'node:fs/promises';
import {join} from 'node:path';

/** Builds the example site in a folder. */
export async function buildExample(root: string): Promise<void> {
  await cp(join(import.meta.dirname, 'data'), join(root, 'data'), {recursive: true});
  const {build} = await import('../../build/build.ts');
  await build({root, check: false});
}
