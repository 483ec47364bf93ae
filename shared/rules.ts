import {z} from '@x402/core/schemas';
import {accepts, contentType, list, name, origin, plainPath, price, title} from './members.ts';

const rule = z.object({
  name,
  method: z.literal('GET'),
  /** Absolute path of the paid document, e.g. `/api/v1/softfail3`. */
  path: plainPath,
  price,
  title,
  description: z.string(),
  /** Content type of the paid document. */
  type: contentType,
  /** Absolute path of the free sample. */
  sample: plainPath,
  /** Absolute path of the paid document's JSON Schema. */
  schema: plainPath,
  /** A valid paid document that holds no row and no event: what a buyer's program can expect. */
  example: z.record(z.unknown()),
});

/** `paywall/rules/rules.json`: what is paid, what it costs and who is paid. */
export const rulesSchema = z.object({
  title,
  base_url: origin,
  payment: z.object({accepts, facilitator_url: z.string().url('is not an absolute address')}),
  rules: list(rule),
  /** The rule files of each host, by its name. */
  hosts: z.record(list(z.string())).default({}),
});

export type Rules = Readonly<z.infer<typeof rulesSchema>>;

/** An entry of the rules. */
export type RuleEntry = Rules['rules'][number];

/** Method, path and price of one paid path, and what a buyer is told about it. */
export type Rule = Readonly<Omit<RuleEntry, 'example'>>;
