import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {EXAMPLE} from '../example/example.ts';

/** A copy of the example site in a temporary folder. `await using` removes it. */
export interface ExampleCopy extends AsyncDisposable {
  readonly root: string;
  /** Replaces the text of a file below the root. */
  edit(path: string, change: (text: string) => string): Promise<void>;
  /** Changes a document below `public/` and its digest in the catalogue, as a careful forger would. */
  forge(path: string, change: (text: string) => string): Promise<void>;
}

export async function exampleCopy(): Promise<ExampleCopy> {
  const root = await mkdtemp(join(tmpdir(), 'example-copy-'));
  await cp(EXAMPLE, root, {recursive: true});
  const edit: ExampleCopy['edit'] = async (path, change) => {
    const text = await readFile(join(root, path), 'utf8');
    const changed = change(text);
    if (changed === text) throw new Error(`nothing to change in ${path}`);
    await writeFile(join(root, path), changed);
  };
  return {
    root,
    edit,
    async forge(path, change) {
      const {sha256} = await import('../../shared/digest.ts');
      const before = await readFile(join(root, 'public', path));
      await edit(`public${path}`, change);
      const after = await readFile(join(root, 'public', path));
      await edit('public/api/v1/index.json', text =>
        text.replace(
          new RegExp(`"${sha256(before)}",(\\s*)"bytes": ${before.length}`),
          `"${sha256(after)}",$1"bytes": ${after.length}`,
        ),
      );
    },
    [Symbol.asyncDispose]: () => rm(root, {recursive: true, force: true}),
  };
}
