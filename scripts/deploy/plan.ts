import type {Deployable} from './files.ts';

/** What a deployment would do, in this order. */
export interface Plan {
  /** Where to, as messages show it. */
  readonly to: string;
  /** The catalogue last, so that it never names what is not there yet. */
  readonly uploads: readonly Upload[];
  /** Paths that the site no longer has; they go when nothing names them any more. */
  readonly deletes: readonly string[];
  /** Free paths that a cache on the way holds in an older state. */
  readonly invalidations: readonly string[];
  readonly unchanged: readonly string[];
  /** Paid documents that this host must not get. */
  readonly leftOut: readonly string[];
  /** What a publisher should know. */
  readonly notes: readonly string[];
}

export interface Upload {
  readonly change: 'added' | 'changed';
  readonly file: Deployable;
}

/** A host that can be deployed to: what would happen, and doing it. */
export interface Deployment {
  readonly plan: Plan;
  /** Whether the host holds an earlier deployment; undefined where it does not tell. */
  readonly wasDeployed: boolean | undefined;
  /** Does what the plan says, telling each step. Throws `InputError` where the host refuses. */
  carryOut(tell: (step: string) => void): Promise<void>;
}

/** True where there is nothing to do. */
export function isDone({uploads, deletes}: Plan): boolean {
  return uploads.length + deletes.length === 0;
}
