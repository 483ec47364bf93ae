import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {InputError} from '../shared/fault.ts';
import {SiteError} from '../paywall/site-error.ts';
import type {Tell} from './demo/steps.ts';
import {endWithoutOutput, rootFolder, standWhereCalled, wrongUsage} from '../shared/command-line.ts';

const help = `Buys one document from end to end: a local chain, a facilitator, the gate and a funded buyer.
Nothing of it is real money, and nothing of it is left running.

Usage: npm run demo -- [options]

  --product NAME  what to buy (default: the first product)
  --root DIR      the folder that holds public/ and paywall/rules/ (default: the project)
  --json          print the facts as one JSON object
  --help

Example: npm run demo -- --product softfail3
`;

const options = {
  product: {type: 'string'},
  root: {type: 'string', default: resolve(import.meta.dirname, '..')},
  json: {type: 'boolean', default: false},
  help: {type: 'boolean', short: 'h', default: false},
} as const;

/** Exit code: 0 fine, 1 the site or the purchase failed, 2 wrong usage. */
export async function main(args: string[]): Promise<number> {
  standWhereCalled('demo');
  endWithoutOutput();
  const values = parse(args);
  if (!values) return 2;
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  try {
    return await demo(values.root, values.product, values.json);
  } catch (error) {
    if (!(error instanceof InputError || error instanceof SiteError)) throw error;
    console.error(error.message);
    return 1;
  }
}

function parse(args: string[]) {
  try {
    const {values} = parseArgs({args, options});
    return {...values, root: values.help ? values.root : rootFolder(values.root)};
  } catch (error) {
    process.stderr.write(wrongUsage(error));
    return undefined;
  }
}

async function demo(root: string, product: string | undefined, json: boolean): Promise<number> {
  // Loaded here so that --help does not wait for them.
  const [{demonstrate}, {offerBelow}, {teller}] = await Promise.all([
    import('./demo/demonstrate.ts'),
    import('./demo/offer.ts'),
    import('./demo/teller.ts'),
  ]);
  const offer = await offerBelow(root, product);
  const silent: Tell = () => undefined;
  const facts = await demonstrate(root, offer, json ? silent : teller(process.stdout));
  if (json) process.stdout.write(`${JSON.stringify(facts, undefined, 2)}\n`);
  const wrong = facts.checks.filter(check => !check.ok);
  for (const {name, detail} of wrong) console.error(`the ${name} of ${facts.product} is wrong: ${detail}`);
  return wrong.length > 0 ? 1 : 0;
}
