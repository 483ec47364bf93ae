import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';

export const PROJECT = resolve(import.meta.dirname, '../..');

/** A copy of the project's own site in a temporary folder; `await using` removes it. */
export interface ProjectCopy extends AsyncDisposable {
  readonly root: string;
  /** Replaces the text of a file below the root. */
  edit(path: string, change: (text: string) => string): Promise<void>;
  /** Changes a document below `public/` and what the catalogue says of its bytes, as a careful forger would. */
  forge(path: string, change: (text: string) => string): Promise<void>;
}

/** Copies `data/`, `public/` and `paywall/rules/`. */
export async function projectCopy(): Promise<ProjectCopy> {
  const root = await mkdtemp(join(tmpdir(), 'project-copy-'));
  for (const folder of ['data', 'public', 'paywall/rules'])
    await cp(join(PROJECT, folder), join(root, folder), {recursive: true});
  const edit: ProjectCopy['edit'] = async (path, change) => {
    const text = await readFile(join(root, path), 'utf8');
    const changed = change(text);
    if (changed === text) throw new Error(`nothing to change in ${path}`);
    await writeFile(join(root, path), changed);
  };
  return {
    root,
    edit,
    async forge(path, change) {
      const {sha256} = await import('../../build/compute/signing.ts');
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
