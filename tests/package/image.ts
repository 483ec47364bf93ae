import assert from 'node:assert/strict';
import {cp, mkdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import glob from 'fast-glob';
import {$} from 'zx';

/** An image in a plain folder. */
export interface Image {
  readonly root: string;
  /** Returns the words of the last instruction of this kind. */
  last(instruction: string): string;
}

/** Follows the instructions of a Dockerfile in plain folders below another folder. */
export async function followed(file: string, context: string, folder: string): Promise<Image> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(line => line !== '' && !line.startsWith('#'));
  const instructions = lines.map(line => /^(\S+) (.*)$/.exec(line)?.slice(1) as [string, string]);
  const roots = new Map<string, string>();
  let [root, cwd] = ['', ''];
  for (const [instruction, words] of instructions)
    switch (instruction) {
      case 'FROM':
        root = join(folder, `stage-${roots.size}`);
        roots.set(/ AS (\S+)$/.exec(words)?.[1] ?? '', root);
        break;
      case 'WORKDIR':
        cwd = join(root, words);
        await mkdir(cwd, {recursive: true});
        break;
      case 'COPY': {
        const [, from] = /--from=(\S+)/.exec(words) ?? [];
        const paths = words.split(' ').filter(word => !word.startsWith('--'));
        const target = paths.pop() ?? '';
        const copied = paths.flatMap(path => (path.includes('*') ? glob.sync(path, {cwd: context}) : path));
        for (const source of copied)
          await cp(
            join(from === undefined ? context : (roots.get(from) ?? ''), source),
            join(cwd, target, target === './' ? source : ''),
            {
              recursive: true,
              verbatimSymlinks: true,
            },
          );
        break;
      }
      case 'RUN':
        await $({cwd, quiet: true})`sh -c ${words}`;
        break;
      default:
        assert.match(instruction, /^(ENV|USER|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT)$/);
    }
  const last = (wanted: string) =>
    instructions.findLast(([instruction]) => instruction === wanted)?.[1] ?? assert.fail(wanted);
  return {root, last};
}
