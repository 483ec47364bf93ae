import {cp} from 'node:fs/promises';
import {join} from 'node:path';
import {readRules} from '../../../buyer/verify/rule-checks.ts';
import {PROJECT} from '../../project.ts';
import {paragraphs, type Bench} from '../bench.ts';
import {buildsOf} from '../measure/builds.ts';
import {inTurns, turnsFigures, turnsTable} from '../measure/turns.ts';

const rounds = {full: 10, quick: 1} as const;

const NODE = 'node -e 0';

/** Measures builds of a site. If it is the shipped one, former code builds the site that was shipped with it. */
export const shippedSite: Bench = async ({extent, root, former, folder, showProgress}) => {
  await readRules(root);
  const prepare = (copy: string, _round: number, code: string) =>
    cp(join(root === PROJECT ? code : root, 'data'), join(copy, 'data'), {recursive: true});
  const builds = [
    {name: 'build, cold', against: [NODE], prepare},
    {name: 'build, nothing changed', against: [NODE]},
  ];
  const contenders = [
    {name: NODE, command: () => [process.execPath, '-e', '0'] as const},
    ...buildsOf(join(folder, 'site'), builds, former),
  ];
  const turns = await inTurns(contenders, rounds[extent], showProgress);
  return {
    figures: {turns: turnsFigures(turns)},
    text: paragraphs('Builds of a copy of the site: whole processes.', turnsTable(turns)),
    failures: [],
  };
};
