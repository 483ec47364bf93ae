import {arch, platform} from 'node:os';
import tool from '../../package.json' with {type: 'json'};
import {printableLines} from '../../shared/printable.ts';
import {bugsUrl} from '../package/release.ts';

/** Returns the message for an unexpected error: its stack, the versions, and how to report it. */
export function bugReport(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const versions = `${tool.name} ${tool.version}, Node.js ${process.version}, ${platform()} ${arch()}`;
  return printableLines(
    `${stack}\n\nThis is a bug in ${versions}. Please report it${bugsUrl === undefined ? '' : ` at ${bugsUrl}`} with the lines above.\n`,
  );
}
