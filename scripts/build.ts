import {Command} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {helpEnd} from './help/help-end.ts';
import {jsonOption, rootOption, type Run} from './terminal/command.ts';

export const build = (run: Run) =>
  new Command('build')
    .summary('build public/ and paywall/rules/ from data/')
    .description('Builds public/ and paywall/rules/ from data/.')
    .option('--check', 'compare only: exit with 1 if public/ or paywall/rules/ differs from what the build writes')
    .addOption(rootOption())
    .addOption(jsonOption())
    .addHelpText('after', helpEnd('0 success, 1 the input was refused or --check found a difference', 'build --check'))
    .action(options =>
      run(options, async terminal => {
        const {check = false} = options;
        const root = siteRoot(options.root);
        const [{build}, {isUpToDate}, {cacheFolder}, {progressOn}, {summaryForPrograms, summaryOf}] = await Promise.all(
          [
            import('../build/build.ts'),
            import('../build/write/changes.ts'),
            import('./build/cache-folder.ts'),
            import('./build/progress.ts'),
            import('./build/report.ts'),
          ],
        );
        const home = check ? undefined : await cacheFolder();
        const built = await build({root, check, home, progress: progressOn(terminal.line)});
        const how = {root, check, seconds: Math.round(performance.now()) / 1000};
        terminal.print(summaryForPrograms(built, how), summaryOf(built, how));
        return check && !isUpToDate(built.changes) ? 1 : 0;
      }),
    );
