import type {Deployable} from './files.ts';

/** The steps of a deployment, in this order. */
export interface Plan {
  /** The destination, for messages. */
  readonly to: string;
  /** The catalogue is last, so that it never names a file that is not uploaded yet. */
  readonly uploads: readonly Upload[];
  /** Paths that the site no longer has. Documents are deleted after the upload of the catalogue. */
  readonly deletes: readonly string[];
  /** Free paths whose old state may be in a cache. */
  readonly invalidations: readonly string[];
  readonly unchanged: readonly string[];
  /** Paid documents that this host must not have. */
  readonly leftOut: readonly string[];
  /** Notes for the publisher. */
  readonly notes: readonly string[];
}

export interface Upload {
  readonly change: 'added' | 'changed';
  readonly file: Deployable;
}

/** A planned deployment, and the function that carries it out. */
export interface Deployment {
  readonly plan: Plan;
  /** True if the host has an earlier deployment; undefined if it does not report this. */
  readonly wasDeployed: boolean | undefined;
  /** Carries out the plan, and calls `tell` with each step. Throws `InputError` if the host refuses. */
  carryOut(tell: (step: string) => void): Promise<void>;
}

/** True if the plan does not upload or delete anything. */
export function isDone({uploads, deletes}: Plan): boolean {
  return uploads.length + deletes.length === 0;
}
