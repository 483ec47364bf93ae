import tool from '../../package.json' with {type: 'json'};
import {InputError} from '../../shared/fault.ts';

type Optional = keyof typeof tool.peerDependencies;

/** Loads optional packages. Throws `InputError` with the install command if they are missing. */
export async function needing<T>(packages: readonly Optional[], load: () => T | Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const {code, message} = cause as NodeJS.ErrnoException;
    const isMissing =
      (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && packages.some(name => message.includes(name));
    if (!isMissing) throw cause;
    const named = packages.map(name => `${name}@${tool.peerDependencies[name]}`).join(' ');
    const fix = `For the global command run \`npm install --global ${named}\`; for the npm scripts of a site, \`npm install --save-dev ${named}\` in it.`;
    throw new InputError({code: 'FZ414', subject: packages[0] ?? '', rule: 'is not installed', fix}, {cause});
  }
}
