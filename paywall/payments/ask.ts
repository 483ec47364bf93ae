import {boundedFetch, type Bounds} from '../../shared/bounded-fetch.ts';

/** A request. */
export interface Asked {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `follow`: the answer may come from another address. */
  readonly redirect: 'follow' | 'manual';
}

/** A whole answer. */
export interface Heard {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly text: string;
}

/** Asks over HTTP for a text. Rejects where no whole answer comes within the bounds, as a `boundedFetch` does. */
export type Ask = (url: string, asked: Asked, bounds: Bounds) => Promise<Heard>;

/** On Workers, and on Node where nobody is in a hurry. */
export const askByFetch: Ask = async (url, asked, bounds) => {
  const response = await boundedFetch(bounds)(url, asked);
  return {status: response.status, headers: response.headers, text: await response.text()};
};
