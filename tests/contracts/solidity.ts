import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {promisify} from 'node:util';
import type {Hex} from 'viem';

const compiler = createRequire(import.meta.url).resolve('solc/solc.js');

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
  const compilation = promisify(execFile)(process.execPath, [compiler, '--standard-json']);
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
  // The compiler may print a line of its own before the JSON.
  const {errors = [], contracts} = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Compiled;
  const code = contracts?.[file]?.[contract]?.evm.deployedBytecode.object;
  if (!code) throw new Error(`${file} does not compile:\n${errors.map(error => error.formattedMessage).join('\n')}`);
  return `0x${code}`;
}
