import {Command, Option} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {helpEnd} from './help/help-end.ts';
import {jsonOption, rootOption, type Run} from './terminal/command.ts';

export const demo = (run: Run) =>
  new Command('demo')
    .summary('try a purchase on a local chain')
    .description(
      `Buys one document on this machine: starts a local chain, a facilitator, the gate and a buyer with test money, and stops them at the end. No real money is used.`,
    )
    .option('--product <name>', 'the product to buy (default: the first one)')
    .addOption(rootOption())
    .addOption(jsonOption())
    .addOption(
      new Option('--keep', 'keep everything running until Ctrl-C, and print how to buy with a program').conflicts(
        'json',
      ),
    )
    .addHelpText(
      'after',
      helpEnd('0 bought, 1 the site cannot be served or the purchase failed', 'demo --product softfail3'),
    )
    .action(options =>
      run(options, async terminal => {
        const {out} = terminal;
        const {json, product} = options;
        const root = siteRoot(options.root);
        const {demonstrate, keep, offerBelow, reporter} = await import('./demo/demonstrate.ts');
        const offer = await offerBelow(root, product);
        const report = json ? () => undefined : reporter(out);
        const facts = await demonstrate(
          root,
          offer,
          report,
          options.keep && (market => keep(market, report, terminal)),
        );
        if (json) terminal.print(facts, '');
      }),
    );
