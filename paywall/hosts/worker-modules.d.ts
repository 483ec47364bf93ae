/** The rules of the site that is bundled: `rules/rules.json` here, or another site's by an alias. */
declare module '#rules' {
  const rules: unknown;
  export default rules;
}

declare module 'cloudflare:workers' {
  /** Keeps the isolate alive until the promise settles. */
  export function waitUntil(work: Promise<unknown>): void;

  /** A class of objects with their own storage. Each object runs in one location. */
  export class DurableObject {
    constructor(ctx: ObjectState, env: unknown);
    protected readonly ctx: ObjectState;
  }

  export interface ObjectState {
    readonly storage: ObjectStorage;
    /** Blocks requests until the promise resolves. If it rejects, the object restarts. */
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

/** A stream with a fixed length, so that the answer has Content-Length. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number);
}
