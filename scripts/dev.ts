import {Command, Option} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {checked, port, rootOption, type Run} from './terminal/command.ts';

/** `frozen dev`. Exit code: 0 stopped, 1 it cannot listen or watch. */
export const dev = (run: Run) =>
  new Command('dev')
    .summary('show the site as it is edited, paid documents as well')
    .description(
      `Shows the site at a local address while data/ is edited: builds what changes into public/ and paywall/rules/, and reloads the pages that are open. Answers as the gate does; in a browser a paid document stands below its 402.`,
    )
    .addOption(rootOption('data/, public/ and paywall/rules/'))
    .addOption(
      new Option('--port <n>', 'port to listen on (default: 3000, or the next that is free)').argParser(checked(port)),
    )
    .addHelpText(
      'after',
      `
Exit codes: 0 stopped, 1 it cannot listen or watch, 2 wrong usage.

Example: frozen dev --port 8080
`,
    )
    .action(options =>
      run({}, async terminal => {
        const root = siteRoot(options.root);
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
        const {develop} = await import('./dev/develop.ts');
        return develop(root, options.port, terminal);
      }),
    );
