import {InputError} from '../../build/fault.ts';
import {complaintIn, findCommand, type Command, type Said} from './command.ts';

/** The `aws` command, for one account and region as the environment says. */
export class Aws {
  readonly #command: Command;
  readonly #endpoint: readonly string[];

  constructor(command: Command, endpoint: string | undefined) {
    this.#command = command;
    this.#endpoint = endpoint === undefined ? [] : ['--endpoint-url', endpoint];
  }

  /** What a call answers, parsed. Throws `InputError` with AWS's own words where it refuses. */
  async call(service: string, operation: string, args: readonly string[]): Promise<unknown> {
    const said = await this.#run(service, operation, args);
    if (said.ok) return parsed(said.out);
    throw new InputError({file: `aws ${service} ${operation}`, rule: complaintIn(said)});
  }

  /** What a call answers, or the code of AWS's error where it is one of those. */
  async attempt<C extends string>(
    service: string,
    operation: string,
    args: readonly string[],
    codes: readonly C[],
  ): Promise<{answer: unknown} | {code: C}> {
    const said = await this.#run(service, operation, args);
    if (said.ok) return {answer: parsed(said.out)};
    const code = codes.find(one => said.err.includes(`(${one})`));
    if (code !== undefined) return {code};
    throw new InputError({file: `aws ${service} ${operation}`, rule: complaintIn(said)});
  }

  #run(service: string, operation: string, args: readonly string[]): Promise<Said> {
    const bounds = ['--cli-connect-timeout', '10', '--cli-read-timeout', '60', '--output', 'json'];
    return this.#command([...this.#endpoint, service, operation, ...args, ...bounds]);
  }
}

/** Finds the command; throws `InputError` where this machine lacks it. */
export async function findAws(endpoint: string | undefined): Promise<Aws> {
  const remedy = 'get the AWS command line, e.g. `apt-get install awscli`';
  return new Aws(await findCommand('aws', remedy, {AWS_PAGER: '', AWS_MAX_ATTEMPTS: '3'}), endpoint);
}

function parsed(text: string): unknown {
  return text.trim() === '' ? {} : JSON.parse(text);
}
