import {Command, Option} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {helpEnd} from './help/help-end.ts';
import {checked, port, rootOption, type Run} from './terminal/command.ts';

export const dev = (run: Run) =>
  new Command('dev')
    .summary('preview the site while you edit it, with paid documents')
    .description(
      `Serves the site at a local address while you edit data/. Every change is built into public/ and paywall/rules/, and open pages reload. It answers like the gate; in a browser, the page of a 402 also shows the paid document.`,
    )
    .addOption(rootOption())
    .addOption(
      new Option('--port <n>', 'the port to listen on (default: 3000, or the next free one)').argParser(checked(port)),
    )
    .addHelpText('after', helpEnd('0 stopped, 1 cannot listen on the port or watch the files', 'dev --port 8080'))
    .action(options =>
      run({}, async terminal => {
        const root = siteRoot(options.root);
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
        const {develop} = await import('./dev/develop.ts');
        return develop(root, options.port, terminal);
      }),
    );
