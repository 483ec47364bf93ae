import {requests} from './requests.ts';

const FOLDER = Symbol('folder');

export type MemoryFiles = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;

/** The functions of `node:fs/promises` that `frozen buy` uses, on files in memory. A process that has ended changes nothing. */
export function memoryFiles(): MemoryFiles {
  const files = new Map<string, string | Uint8Array | typeof FOLDER>();
  const missing = (path: string) => Object.assign(new Error(`${path} does not exist`), {code: 'ENOENT'});
  const within = (path: string) => [...files.keys()].filter(name => name === path || name.startsWith(`${path}/`));
  const operations = {
    readFile(path: string, encoding?: string) {
      const content = files.get(path);
      if (content === undefined || content === FOLDER) throw missing(path);
      const bytes = Buffer.from(content as string);
      return encoding === undefined ? bytes : bytes.toString();
    },
    readdir(path: string) {
      if (!files.has(path)) throw missing(path);
      const names = within(path).filter(name => name !== path && !name.slice(path.length + 1).includes('/'));
      return names.map(name => ({name: name.slice(path.length + 1), isDirectory: () => files.get(name) === FOLDER}));
    },
    mkdir(path: string) {
      const parts = path.split('/');
      const made = parts
        .map((_, index) => parts.slice(0, index + 1).join('/'))
        .filter(name => name && !files.has(name));
      for (const name of made) files.set(name, FOLDER);
      return made[0];
    },
    rename(from: string, to: string) {
      for (const name of within(from)) {
        files.set(to + name.slice(from.length), files.get(name) ?? '');
        files.delete(name);
      }
    },
    rm(path: string) {
      for (const name of within(path)) files.delete(name);
    },
    open(path: string) {
      const writeFile = async (content: string | Uint8Array) => {
        await step();
        files.set(path, content);
      };
      return {writeFile, sync: step, [Symbol.asyncDispose]: () => Promise.resolve()};
    },
  };

  async function step(): Promise<void> {
    const program = requests.getStore();
    program?.onStep();
    if (program?.isCancelled) await new Promise(() => undefined);
  }
  const functions = Object.entries(operations).map(([name, operation]) => [
    name,
    async (...args: unknown[]) => {
      await step();
      return (operation as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return Object.fromEntries(functions) as MemoryFiles;
}
