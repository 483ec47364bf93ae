/** The rules of the site that is bundled: `rules/rules.json` here, or another site's by an alias. */
declare module '#rules' {
  const rules: unknown;
  export default rules;
}

declare module 'cloudflare:workers' {
  /** Keeps the isolate alive until the promise settles. */
  export function waitUntil(work: Promise<unknown>): void;

  /** A class of objects that each run in one place of the world, with storage of their own. */
  export class DurableObject {
    constructor(ctx: ObjectState, env: unknown);
    protected readonly ctx: ObjectState;
  }

  export interface ObjectState {
    readonly storage: ObjectStorage;
    /** Lets no request in until the promise resolves; where it rejects, the object starts anew. */
    blockConcurrencyWhile(work: () => Promise<void>): Promise<void>;
    abort(reason?: string): void;
  }

  export interface ObjectStorage {
    readonly sql: {
      exec(
        sql: string,
        ...values: readonly (string | number | null)[]
      ): {toArray(): Readonly<Record<string, string | number | null>>[]};
    };
    transaction(work: () => Promise<void>): Promise<void>;
  }
}

/** A stream of as many bytes as it was said to have, so that an answer names its length. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number);
}
