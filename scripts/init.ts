import {resolve} from 'node:path';
import {Command} from '@commander-js/extra-typings';
import tool from '../package.json' with {type: 'json'};
import {isPublished} from './package/release.ts';
import {helpEnd} from './help/help-end.ts';
import {jsonOption, type Run} from './terminal/command.ts';

const TOOL_BY_DEFAULT = isPublished ? tool.version : 'a tarball of the running tool, in the site';

export const init = (run: Run) =>
  new Command('init')
    .summary('create a new site with an example to replace')
    .description(
      `Creates a new site: data/ with an example list and product, package.json, workflows for GitHub, a README with the next steps, and a git repository. The site accepts test money until you change that.

On a terminal and without --json, it asks for every value that is not set by an option. It never overwrites a file.`,
    )
    .argument('<folder>', 'the folder of the new site; it must be empty or must not exist', path => resolve(path))
    .option('--title <text>', 'the title of the site (default: the name of the folder)')
    .option('--description <text>', 'what the site offers; shown on its index page')
    .option('--base-url <origin>', 'the address that the site will have (default: a placeholder under .example)')
    .option('--pay-to <address>', 'your EVM address, which buyers will pay')
    .option(
      '--tool <spec>',
      `the version of ${tool.name} that the site installs, or the path of a tarball (default: ${TOOL_BY_DEFAULT})`,
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      helpEnd('0 created, 1 refused without writing anything', "init my-site --title 'My Snapshots' --pay-to 0x…"),
    )
    .action((folder, options) =>
      run(options, async terminal => {
        const [{answersFrom}, {filesOf, runningTool, specFrom}, site] = await Promise.all([
          import('./init/answers.ts'),
          import('./init/files.ts'),
          import('./init/write-site.ts'),
        ]);
        const {json, title, description, baseUrl: base_url, payTo: pay_to} = options;
        const asks = !json && process.stdin.isTTY && process.stderr.isTTY;
        await site.refuseUnsuitable(folder);
        const spec = options.tool === undefined ? undefined : specFrom(folder, options.tool);
        const answers = await answersFrom({title, description, base_url, pay_to}, folder, asks);
        const files = await filesOf(folder, answers, spec === undefined ? await runningTool() : {spec});
        await site.writeSite(folder, files);
        const made = {folder, files: [...files.keys()], repository: await site.inRepository(folder)};
        terminal.print(site.reportForPrograms(made), site.reportOf(made));
      }),
    );
