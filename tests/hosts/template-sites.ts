import {hosted, three} from './hosted.ts';

const manyProducts = (count: number, tiers: number) =>
  hosted(
    Object.fromEntries(
      Array.from({length: count}, (_, at) => [`product${at}`, `$0.${String((at % tiers) + 1).padStart(2, '0')}`]),
    ),
  );

/** Sites for checks of their templates, by their special property. */
export const templateSites = {
  'three products': three,
  'no product': hosted({}),
  'one product at $100': hosted({dear: '$100'}),
  'sixty-four products': manyProducts(64, 5),
  'three hundred products at seven prices': manyProducts(300, 7),
  'ninety-nine prices': manyProducts(99, 99),
  'a main network': hosted({a: '$0.25'}, [
    {network: 'eip155:8453', pay_to: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'},
  ]),
};
