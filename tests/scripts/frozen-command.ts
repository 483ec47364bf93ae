import {chmod, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {once} from 'node:events';
import {buffer} from 'node:stream/consumers';
import {FROZEN} from '../project.ts';
import {runRaw} from './script-run.ts';

/**
 * Writes a command `frozen` for shell scripts. It sends its folder, variables and arguments to this process. This
 * process runs the command much faster than a new one, and answers with a script that prints the same output. Commands
 * that serve until they are stopped get a process.
 */
export async function frozenCommand(file: string): Promise<AsyncDisposable> {
  const socket = `${file}.socket`;
  const server = createServer((request, response) => {
    void buffer(request).then(async body => {
      const words = body.toString().split('\0').slice(0, -1);
      const end = words.indexOf('--end-of-variables');
      const [cwd = '', ...args] = words.slice(end + 1);
      const env = Object.fromEntries(
        words.slice(0, end).map(word => [word.replace(/=.*/s, ''), word.replace(/.*?=/s, '')]),
      );
      const {code, out, err} = await runRaw(cwd, args, env);
      response.end(`printf %s ${quoted(out)}\nprintf %s ${quoted(err)} >&2\nexit ${code ?? 1}\n`);
    });
  });
  await writeFile(
    file,
    `#!/bin/sh
case "$1" in start | dev | demo | mcp) exec '${process.execPath}' '${FROZEN}' "$@" ;; esac
script=$({ env -0; printf '%s\\0' --end-of-variables "$PWD" "$@"; } |
  curl -sS --noproxy '*' --unix-socket '${socket}' --data-binary @- http://frozen/) && eval "$script"
`,
  );
  await chmod(file, 0o755);
  await once(server.listen(socket), 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
