import type {IAsyncProperty} from 'fast-check';

/** Code that is tested with random input. Each file in `targets/` has one as its default export. */
export interface Target {
  readonly name: string;
  /** Opens the resources of the runs. The property throws if an input fails. */
  open(): Promise<Opened>;
}

export interface Opened extends AsyncDisposable {
  readonly property: IAsyncProperty<unknown[]>;
}

/** Returns a target that only needs its property. */
export function opened(property: IAsyncProperty<unknown[]>): Opened {
  return {property, [Symbol.asyncDispose]: () => Promise.resolve()};
}
