import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import type {Hex} from 'viem';
import {PROJECT} from '../project.ts';

/** Reads the compiler's standard JSON, and writes its answer. */
const COMPILER = "process.stdout.write(require('solc').compile(require('fs').readFileSync(0, 'utf8')))";

interface Compiled {
  readonly errors?: readonly {readonly severity: string; readonly formattedMessage: string}[];
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, {readonly evm: {readonly deployedBytecode: {readonly object: string}}}>>>
  >;
}

/**
 * Compiles the one contract of a Solidity file that stands beside this module to the code a chain runs.
 * The compiler gets a process of its own, because loading it changes how the process treats rejections.
 */
export async function compile(file: string, contract: string): Promise<Hex> {
  const content = await readFile(new URL(file, import.meta.url), 'utf8');
  const compilation = promisify(execFile)(process.execPath, ['-e', COMPILER], {cwd: join(PROJECT, 'tests/extra')});
  compilation.child.stdin?.end(
    JSON.stringify({
      language: 'Solidity',
      sources: {[file]: {content}},
      settings: {
        optimizer: {enabled: true},
        evmVersion: 'cancun',
        outputSelection: {'*': {'*': ['evm.deployedBytecode.object']}},
      },
    }),
  );
  const {stdout} = await compilation;
  const {errors = [], contracts} = JSON.parse(stdout) as Compiled;
  const code = contracts?.[file]?.[contract]?.evm.deployedBytecode.object;
  if (!code) throw new Error(`${file} does not compile:\n${errors.map(error => error.formattedMessage).join('\n')}`);
  return `0x${code}`;
}
