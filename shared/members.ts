import {z} from '@x402/core/schemas';
import {isLine, lineOfText} from './line-of-text.ts';
import {priceSchema} from './price.ts';

// The members that catalogue and rules have in common. The messages complete "<member> …".

/** A product's name: a segment of paths, and with `.sample.json` behind it a file name of at most 255 characters. */
export const name = z.string().regex(/^[a-z0-9]{1,243}$/, 'is not 1 to 243 lower-case letters and digits');

export const title = z.string().refine(isLine, `is not ${lineOfText.description}`);

/** An absolute path in which nothing needs decoding or normalising, so there is nothing to slip past a gate. */
export const plainPath = z
  .string()
  .max(1000, 'is longer than 1000 characters')
  .regex(/^(\/\.?[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/, 'is not a plain absolute path');

export const price = z
  .string()
  .regex(new RegExp(priceSchema.pattern), 'is not $<decimal> above zero with 1 to 6 decimals, such as $0.02');

export const origin = z.string().regex(/^https?:\/\/[^/?#@\s]+$/, 'is not an http(s) origin');

/** Content type of a document. */
export const contentType = z.string().max(200, 'is longer than 200 characters');

/** Who is paid on which network. */
export const accepts = list(
  z.object({
    network: z.string().regex(/^[a-z0-9-]+:[A-Za-z0-9_-]+$/, 'is not a network in CAIP-2 form'),
    pay_to: z.string(),
  }),
);

/** A list that nobody changes. */
export function list<T extends z.ZodTypeAny>(items: T) {
  return z.array(items).readonly();
}
