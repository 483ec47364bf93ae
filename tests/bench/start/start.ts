import {paragraphs, type Bench} from '../bench.ts';
import {COMMANDS, commandOf} from '../measure/commands.ts';
import {inTurns, turnsFigures, turnsTable, type Contender} from '../measure/turns.ts';

const rounds = {full: 5, quick: 1} as const;

const NODE = 'node -e 0';
const TSX = 'node --import tsx -e 0';

/** Measures the time of every command with --help, compared with Node itself. */
export const start: Bench = async ({extent, showProgress}) => {
  const contenders: Contender[] = [
    {name: NODE, command: () => [process.execPath, '-e', '0']},
    {name: TSX, against: [NODE], command: () => [process.execPath, '--import', 'tsx', '-e', '0']},
    ...COMMANDS.map(name => ({
      name: `${name} --help`,
      against: [NODE, TSX],
      command: () => commandOf(name, '--help'),
    })),
  ];
  const turns = await inTurns(contenders, rounds[extent], showProgress);
  return {
    figures: {turns: turnsFigures(turns)},
    text: paragraphs('Commands as npm runs them, without npm.', turnsTable(turns)),
    failures: [],
  };
};
