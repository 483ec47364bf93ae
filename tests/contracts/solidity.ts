import {execFile} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdir, readFile, rename, writeFile} from 'node:fs/promises';
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

/** Compiled code, by the digest of the compiler's input. Compiling takes a second. */
const CACHE = join(PROJECT, 'node_modules/.cache/solidity');

/** Compiles the one contract of a Solidity file in this folder to the code that a chain runs. */
export async function compile(file: string, contract: string): Promise<Hex> {
  const content = await readFile(new URL(file, import.meta.url), 'utf8');
  const packages = await readFile(join(PROJECT, 'tests/extra/package-lock.json'), 'utf8');
  const input = JSON.stringify({
    language: 'Solidity',
    sources: {[file]: {content}},
    settings: {
      optimizer: {enabled: true},
      evmVersion: 'cancun',
      outputSelection: {'*': {'*': ['evm.deployedBytecode.object']}},
    },
  });
  const cached = join(CACHE, createHash('sha256').update(packages).update(input).digest('hex'));
  const output = await readFile(cached, 'utf8').catch(() => compileInto(cached, input));
  const {errors = [], contracts} = JSON.parse(output) as Compiled;
  const code = contracts?.[file]?.[contract]?.evm.deployedBytecode.object;
  if (!code) throw new Error(`${file} does not compile:\n${errors.map(error => error.formattedMessage).join('\n')}`);
  return `0x${code}`;
}

/** The compiler runs in a separate process, because loading it changes how the process treats rejections. */
async function compileInto(file: string, input: string): Promise<string> {
  const compilation = promisify(execFile)(process.execPath, ['-e', COMPILER], {cwd: join(PROJECT, 'tests/extra')});
  compilation.child.stdin?.end(input);
  const {stdout} = await compilation;
  await mkdir(CACHE, {recursive: true});
  await writeFile(`${file}.${process.pid}`, stdout);
  await rename(`${file}.${process.pid}`, file);
  return stdout;
}
