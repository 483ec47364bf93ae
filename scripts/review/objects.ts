import {spawn} from 'node:child_process';
import {InputError} from '../../shared/fault.ts';
import {MAX_SITE_BYTES} from '../verify/bounds.ts';

/** The objects of a repository, read one after the other from one process of git. */
export interface Objects extends Disposable {
  /** Throws `InputError` about the file where its object is missing or too large. */
  read(id: string, file: string): Promise<Buffer>;
}

export function openObjects(root: string): Objects {
  const env = {...process.env, GIT_TERMINAL_PROMPT: '0'};
  const git = spawn('git', ['cat-file', '--batch'], {cwd: root, env, stdio: ['pipe', 'pipe', 'ignore']});
  // Where git ended, its output tells so.
  for (const stream of [git, git.stdin]) stream.on('error', () => undefined);
  const chunks = git.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let rest: Buffer = Buffer.alloc(0);

  async function next(file: string): Promise<Buffer> {
    const {value, done} = await chunks.next();
    if (done === true) throw new InputError({file, rule: 'cannot be read: git cat-file ended'});
    return value;
  }

  return {
    /** Git answers `<id> blob <size>`, a line end, that many bytes and another line end. */
    async read(id, file) {
      git.stdin.write(`${id}\n`);
      while (!rest.includes('\n')) rest = Buffer.concat([rest, await next(file)]);
      const start = rest.indexOf('\n') + 1;
      const digits = / blob (\d+)\n$/.exec(rest.toString('latin1', 0, start))?.[1];
      if (digits === undefined)
        throw new InputError({file, rule: 'is missing from the repository: fetch it, or run git fsck'});
      const size = Number(digits);
      // Little of a repository can be very much of a file.
      if (size > MAX_SITE_BYTES) throw new InputError({file, rule: `has more than ${MAX_SITE_BYTES} bytes`});
      const parts = [rest.subarray(start)];
      for (let held = rest.length - start; held <= size;) {
        const chunk = await next(file);
        parts.push(chunk);
        held += chunk.length;
      }
      const bytes = Buffer.concat(parts);
      rest = bytes.subarray(size + 1);
      return bytes.subarray(0, size);
    },
    [Symbol.dispose]() {
      git.kill();
    },
  };
}
