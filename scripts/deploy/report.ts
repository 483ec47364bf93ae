import pc from '../terminal/colours.ts';
import {tableLines} from '../terminal/table.ts';
import {isDone, type Plan} from './plan.ts';

const SHOWN = 40;

/** Returns the plan for the terminal, and whether it was carried out. */
export function planText(plan: Plan, done: boolean): string {
  const {uploads, deletes, invalidations, leftOut, notes, unchanged, to} = plan;
  const rows = uploads.map(({change, file: {path, bytes, type, cacheControl}}) => [
    change === 'added' ? pc.green('+') : pc.yellow('~'),
    path,
    `${bytes} bytes`,
    type,
    pc.dim(cacheControl),
  ]);
  const lines = [
    ...shortened(tableLines(rows, [2])),
    ...shortened(deletes.map(path => `${pc.red('-')}  ${path}`)),
    ...shortened(invalidations.map(path => `${pc.cyan('!')}  ${path}  ${pc.dim('invalidated')}`)),
    ...shortened(leftOut.map(path => `${pc.dim('·')}  ${path}  ${pc.dim('paid: left out')}`)),
    ...notes.map(note => pc.dim(note)),
  ];
  const size = uploads.reduce((sum, {file}) => sum + file.bytes, 0);
  const counts = `${uploads.length} to upload (${size} bytes), ${deletes.length} to delete, ${unchanged.length} unchanged`;
  return [...lines, ...(lines.length > 0 ? [''] : []), verdict(plan, done, `${to}: ${counts}`)].join('\n');
}

export function planForPrograms(plan: Plan, done: boolean): object {
  const uploads = plan.uploads.map(({change, file: {path, bytes, type, cacheControl, sha256}}) => ({
    change,
    path,
    bytes,
    type,
    cache_control: cacheControl,
    sha256,
  }));
  const {to, deletes, invalidations, unchanged, leftOut, notes} = plan;
  return {ok: true, deployed: done, to, uploads, deletes, invalidations, unchanged, left_out: leftOut, notes};
}

function verdict(plan: Plan, done: boolean, counts: string): string {
  if (isDone(plan)) return `${pc.green('up to date')}: ${counts}`;
  if (done)
    return `${pc.green('deployed')}: ${counts.replaceAll(' to upload', ' uploaded').replace(' to delete', ' deleted')}`;
  return `${pc.yellow('dry run')}: ${counts}. Nothing was done: --yes does it.`;
}

function shortened(lines: readonly string[]): string[] {
  const more = lines.length - SHOWN;
  return [...lines.slice(0, SHOWN), ...(more > 0 ? [pc.dim(`   … and ${more} more`)] : [])];
}
