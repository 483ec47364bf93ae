import {Command} from '@commander-js/extra-typings';
import {currentSite} from '../shared/command-line.ts';
import {helpEnd} from './help/help-end.ts';
import {jsonOption, rootOption, type Run} from './terminal/command.ts';

export const doctor = (run: Run) =>
  new Command('doctor')
    .summary('check this machine and the settings')
    .description(
      'Checks what the other commands need: Node.js, git, the site, disk space, the cache, the clock, the facilitator, the node of the chain, the keys in the environment, and the ports. It changes nothing, and each problem is shown with its remedy.',
    )
    .addOption(rootOption())
    .addOption(jsonOption())
    .addHelpText('after', helpEnd('0 no problem, 1 a problem', 'doctor --root my-site'))
    .action(({root = currentSite(), json}) =>
      run({json}, async terminal => {
        const {examine, tableOf} = await import('./doctor/examine.ts');
        const findings = await examine(root, subject => {
          terminal.line.show(() => subject);
        });
        const ok = findings.every(({state}) => state !== 'problem');
        terminal.print({ok, checks: findings}, tableOf(findings));
        return ok ? 0 : 1;
      }),
    );
