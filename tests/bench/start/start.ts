import {cp} from 'node:fs/promises';
import {join} from 'node:path';
import {readRules} from '../../../buyer/verify/rule-checks.ts';
import {paragraphs, type Bench} from '../bench.ts';
import {buildOf, COMMANDS, commandOf} from '../measure/commands.ts';
import {run} from '../measure/process-run.ts';
import {inTurns, turnsFigures, turnsTable, type Contender} from '../measure/turns.ts';

const rounds = {full: 5, quick: 1} as const;

const NODE = 'node -e 0';
const TSX = 'node --import tsx -e 0';

/** Measures the time of a command with --help, and of a build without changes, compared with Node itself. */
export const start: Bench = async ({extent, root, folder, showProgress}) => {
  await readRules(root);
  for (const part of ['data', 'public', 'paywall/rules'])
    await cp(join(root, part), join(folder, part), {recursive: true});
  const build = buildOf(folder);
  showProgress('building once');
  await run(build);
  const contenders: Contender[] = [
    {name: NODE, command: () => [process.execPath, '-e', '0']},
    {name: TSX, against: [NODE], command: () => [process.execPath, '--import', 'tsx', '-e', '0']},
    {name: 'build, nothing changed', against: [NODE, TSX], command: () => build},
    ...COMMANDS.map(name => ({
      name: `${name} --help`,
      against: [NODE, TSX],
      command: () => commandOf(name, '--help'),
    })),
  ];
  const turns = await inTurns(contenders, rounds[extent], showProgress);
  return {
    figures: {turns: turnsFigures(turns)},
    text: paragraphs('Commands as npm runs them, without npm; the build over a copy of the site.', turnsTable(turns)),
    failures: [],
  };
};
