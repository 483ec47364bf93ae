import {InputError} from '../../shared/fault.ts';

/** An http address without credentials, which cannot be sent, or nothing. */
export function httpUrl(text: string): string {
  if (text === '') return text;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw new Error('It is no http address.');
  const {username, password} = new URL(text);
  if (username + password !== '') throw new Error('It has credentials in it, which cannot be sent.');
  return text;
}

/** The same of a facilitator. */
export function facilitatorUrl(text: string): string {
  const url = httpUrl(text);
  if (/[?#]/.test(url)) throw new Error('It has a query or fragment: paths are put behind it.');
  return url;
}

/** What the environment sets of a gate, for commands that have no options for it. Throws `InputError` where an address is none. */
export function gateSettings(env: NodeJS.ProcessEnv) {
  return {
    facilitatorUrl: variable('FACILITATOR_URL', env, facilitatorUrl),
    rpcUrl: variable('RPC_URL', env, httpUrl),
    settles: Boolean(env['SETTLER_KEY_FILE'] || env['SETTLER_KEY']),
    keys: env,
  };
}

/** A variable that is empty is not set. */
function variable(name: string, env: NodeJS.ProcessEnv, read: (text: string) => string): string | undefined {
  try {
    return read(env[name] ?? '') || undefined;
  } catch (error) {
    throw new InputError({file: 'environment', field: name, rule: `cannot be used: ${(error as Error).message}`});
  }
}
