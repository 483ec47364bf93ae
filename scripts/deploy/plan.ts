import type {Deployable} from './files.ts';
import pc from '../terminal/colours.ts';
import {tableLines} from '../terminal/table.ts';

/** The steps of a deployment, in this order. */
export interface Plan {
  readonly to: string;
  /** The catalogue is last, so that it never names a file that is not uploaded yet. */
  readonly uploads: readonly {readonly change: 'added' | 'changed'; readonly file: Deployable}[];
  /** Paths that the site no longer has. Documents are deleted after the upload of the catalogue. */
  readonly deletes: readonly string[];
  /** Free paths whose old state may be in a cache. */
  readonly invalidations: readonly string[];
  readonly unchanged: readonly string[];
  /** Paid documents that this host must not have. */
  readonly leftOut: readonly string[];
  readonly notes: readonly string[];
}

/** A planned deployment, and the function that carries it out. */
export interface Deployment {
  readonly plan: Plan;
  /** True if the host has an earlier deployment; undefined if it does not report this. */
  readonly wasDeployed: boolean | undefined;
  /** Carries out the plan, and calls `report` with each step. Throws `InputError` if the host refuses. */
  carryOut(report: (step: string) => void): Promise<void>;
}

/** True if the plan does not upload or delete anything. */
export function isDone({uploads, deletes}: Plan): boolean {
  return uploads.length + deletes.length === 0;
}

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

/** Returns the output of `deploy --json`. */
export function planForPrograms(plan: Plan, done: boolean): object {
  const uploads = plan.uploads.map(({change, file: {path, bytes, type, cacheControl: cache_control, sha256}}) => {
    return {change, path, bytes, type, cache_control, sha256};
  });
  const {to, deletes, invalidations, unchanged, leftOut, notes} = plan;
  return {deployed: done, to, uploads, deletes, invalidations, unchanged, left_out: leftOut, notes};
}

function verdict(plan: Plan, done: boolean, counts: string): string {
  if (isDone(plan)) return `${pc.green('up to date')}: ${counts}`;
  if (done)
    return `${pc.green('deployed')}: ${counts.replaceAll(' to upload', ' uploaded').replace(' to delete', ' deleted')}`;
  return `${pc.yellow('dry run')}: ${counts}. Nothing was deployed: add --yes to deploy.`;
}

function shortened(lines: readonly string[]): string[] {
  const more = lines.length - SHOWN;
  return [...lines.slice(0, SHOWN), ...(more > 0 ? [pc.dim(`   … and ${more} more`)] : [])];
}
